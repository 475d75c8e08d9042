//! Out to the broker: compress when it pays.

use std::time::{Duration, Instant};

use bytes::Bytes;
use thinwire::counters::Direction;
use thinwire::{EncodeError, Encoded, Encoder, Encoding, RawReason};

use crate::codec::MessageCodec;
use crate::error::CompressError;
use crate::message::Message;
use crate::off_runtime::{Gone, Job};

impl MessageCodec {
    /// Compresses a message if that pays: `Some` is to be sent in its place, `None` says that the
    /// message itself is to be sent.
    ///
    /// The message is not changed, so what failed to be sent can be given back or sent again as
    /// it was. What was made bears a label, and a message that bears one is left alone: sending
    /// that again compresses nothing twice either. Where applications use the same header, a
    /// message whose label no producer made comes back marked as the application's
    /// ([`Label::CONTENT_ENCODING`](crate::Label::CONTENT_ENCODING)), unless the mark has no room.
    ///
    /// It is left raw when it is empty or shorter than `min_size`, when compression saves no more
    /// bytes than the label takes, and when its headers have no room for the label.
    ///
    /// # Errors
    ///
    /// [`CompressError`]: the payload is too long for a consumer with the same configuration,
    /// raw or compressed; the headers can't be read or written; the payload can't be compressed.
    ///
    /// ```
    /// # use {thinwire::Encoding, thinwire_stream::{ClientCompressionConfig, Label, MessageCodec}};
    /// # mod mine { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mine.rs")); }
    /// # use mine::Mine; // the message of `Message`'s example
    /// let codec = MessageCodec::new(&ClientCompressionConfig::new(Encoding::Lz4), Label::IGGY)?;
    /// let compressed = codec.maybe_compress(&Mine::new(vec![7; 1000]))?.unwrap();
    /// assert_eq!(codec.maybe_compress(&compressed)?, None); // left alone
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn maybe_compress<M: Message>(&self, message: &M) -> Result<Option<M>, CompressError> {
        self.compress(message).inspect_err(|error| self.refused(error))
    }

    /// As [`maybe_compress`](Self::maybe_compress), but compresses a payload above
    /// [`offload_above`](Self::offload_above) on a thread of tokio's for blocking work. Shorter
    /// ones are compressed in place, and without a tokio runtime all are.
    ///
    /// The message stays the caller's, also when the future is dropped. Of what has not begun by
    /// then nothing is done.
    ///
    /// # Errors
    ///
    /// As [`maybe_compress`](Self::maybe_compress), and [`CompressError::Stopped`].
    ///
    /// ```
    /// # use {thinwire::Encoding, thinwire_stream::{ClientCompressionConfig, Label, MessageCodec}};
    /// # mod mine { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mine.rs")); }
    /// # use mine::Mine; // the message of `Message`'s example
    /// # async fn publish(_: Mine) -> Result<(), Box<dyn std::error::Error>> { Ok(()) }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let codec = MessageCodec::new(&ClientCompressionConfig::new(Encoding::Zstd), Label::IGGY)?;
    /// let message = Mine::new(vec![7; 10_000_000]);
    /// let compressed = codec.maybe_compress_off_runtime(&message).await?;
    /// publish(compressed.unwrap_or(message)).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn maybe_compress_off_runtime<M: Message>(
        &self,
        message: &M,
    ) -> Result<Option<M>, CompressError> {
        self.compress_off_runtime(message).await.inspect_err(|error| self.refused(error))
    }

    fn refused(&self, error: &CompressError) {
        self.counters.failed(Direction::Encode, error.kind());
        tracing::warn!("{error}");
    }

    fn compress<M: Message>(&self, message: &M) -> Result<Option<M>, CompressError> {
        match self.begin(message)? {
            Begun::AsItIs(marked) => Ok(marked),
            Begun::ToEncode { encoder, value } => {
                let timed = Timed::encode(encoder, message.payload().clone());
                self.finish_compressing(message, value, timed)
            }
        }
    }

    async fn compress_off_runtime<M: Message>(
        &self,
        message: &M,
    ) -> Result<Option<M>, CompressError> {
        let (encoder, value) = match self.begin(message)? {
            Begun::AsItIs(marked) => return Ok(marked),
            Begun::ToEncode { encoder, value } => (encoder, value),
        };
        let here = || Timed::encode(encoder, message.payload().clone());
        if message.payload().len() <= self.encode_on_runtime(encoder) {
            return self.finish_compressing(message, value, here());
        }
        let job = {
            let (encoder, payload) = (encoder.clone(), message.payload().clone());
            Job::start(move || Timed::encode(&encoder, payload)).ok()
        };
        let timed = match job {
            None => here(),
            Some(job) => match job.await {
                Ok(timed) => timed,
                Err(Gone::NotBegun) => here(),
                Err(Gone::Panicked) => return Err(CompressError::Stopped),
            },
        };
        self.finish_compressing(message, value, timed)
    }

    /// Does all but the compression.
    fn begin<M: Message>(&self, message: &M) -> Result<Begun<'_, M>, CompressError> {
        let (len, limit) = (message.payload().len(), self.max_payload_size());
        if len > limit {
            return Err(CompressError::TooLong { len, limit });
        }
        let headers_len = message.headers_len();
        if headers_len > 0 && self.label.is_on(message) {
            let marked = self.label.disown(message, headers_len)?;
            self.stayed_raw(RawReason::Labelled, len, Duration::ZERO);
            return Ok(Begun::AsItIs(marked));
        }
        let reason = match &self.sending {
            None => RawReason::Identity,
            Some(sending) if !sending.policy.should_compress(len) => RawReason::BelowMinLen,
            Some(sending) => {
                let encoder = sending.encoder(headers_len);
                let label_len = self.label.len_beside(encoder.encoding(), headers_len);
                if self.label.has_room(headers_len, label_len) {
                    return Ok(Begun::ToEncode { encoder, value: sending.value });
                }
                RawReason::NoRoomForLabel
            }
        };
        self.stayed_raw(reason, len, Duration::ZERO);
        Ok(Begun::AsItIs(None))
    }

    fn finish_compressing<M: Message>(
        &self,
        message: &M,
        value: &str,
        timed: Timed,
    ) -> Result<Option<M>, CompressError> {
        let len = message.payload().len();
        let encoded = timed.encoded?;
        if let Some(reason) = encoded.raw_reason() {
            self.stayed_raw(reason, len, timed.time);
            return Ok(None);
        }
        let (encoding, bytes) = (encoded.encoding(), encoded.into_bytes());
        let wire_len = bytes.len();
        let compressed = self.label.put_on(message, bytes, value)?;
        self.counters.passed(Direction::Encode, encoding, len, wire_len, timed.time);
        Ok(Some(compressed))
    }

    fn stayed_raw(&self, reason: RawReason, len: usize, time: Duration) {
        self.counters.kept_raw(reason);
        self.counters.passed(Direction::Encode, Encoding::Identity, len, len, time);
    }
}

/// How far a message is.
enum Begun<'a, M> {
    /// It goes as it is, or as this one, which is marked.
    AsItIs(Option<M>),
    ToEncode {
        encoder: &'a Encoder,
        /// What the label will say.
        value: &'static str,
    },
}

/// What came of a payload, and how long that took.
struct Timed {
    encoded: Result<Encoded, EncodeError>,
    time: Duration,
}

impl Timed {
    fn encode(encoder: &Encoder, payload: Bytes) -> Self {
        let started = Instant::now();
        let encoded = encoder.encode(payload);
        Self { encoded, time: started.elapsed() }
    }
}
