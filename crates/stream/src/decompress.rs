//! In from the broker: decompress when labelled.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use thinwire::counters::Direction;
use thinwire::{DecodeError, Decoder, Encoded, Encoding};

use crate::codec::MessageCodec;
use crate::error::{BadMessage, DecompressError};
use crate::label::Said;
use crate::message::Message;
use crate::off_runtime::{Gone, Job};

impl MessageCodec {
    /// Restores a message if it is labelled, and takes the label off.
    ///
    /// # Errors
    ///
    /// [`BadMessage`], with the message as it came: its label can't be read, its payload is
    /// malformed, or longer than [`max_payload_size`](Self::max_payload_size), raw or compressed.
    ///
    /// ```
    /// # use {thinwire::Encoding, thinwire_stream::{ClientCompressionConfig, Label, MessageCodec}};
    /// # mod mine { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mine.rs")); }
    /// # use mine::Mine; // the message of `Message`'s example
    /// let codec = MessageCodec::new(&ClientCompressionConfig::off(), Label::IGGY)?;
    /// let raw = codec.maybe_decompress(Mine::new("raw")).unwrap();
    /// assert_eq!(raw.payload, "raw");
    ///
    /// let damaged = Mine::new("not gzip").header("iggy-compression", "gzip");
    /// let bad = codec.maybe_decompress(damaged).unwrap_err();
    /// assert_eq!(bad.encoding(), Some(Encoding::Gzip));
    /// assert_eq!(bad.into_message().payload, "not gzip");
    /// # Ok::<(), thinwire_stream::ConfigError>(())
    /// ```
    pub fn maybe_decompress<M: Message>(&self, message: M) -> Result<M, Box<BadMessage<M>>> {
        match self.encoding_of(&message) {
            Ok(None) => Ok(message),
            Ok(Some(encoding)) => {
                let timed = Timed::decode(&self.decoder, encoding, message.payload().clone());
                self.finish_decompressing(message, encoding, timed)
            }
            Err(cause) => Err(self.bad(message, None, cause)),
        }
    }

    /// As [`maybe_decompress`](Self::maybe_decompress), but decompresses a payload above
    /// [`offload_above`](Self::offload_above), in either form, on a thread of tokio's for blocking
    /// work: for messages that come in no stream, such as replies. Shorter ones are decompressed
    /// in place, and without a tokio runtime all are. A message is dropped with the future.
    ///
    /// # Errors
    ///
    /// As [`maybe_decompress`](Self::maybe_decompress), and [`DecompressError::Stopped`].
    ///
    /// ```
    /// # use {thinwire::Encoding, thinwire_stream::{ClientCompressionConfig, Label, MessageCodec}};
    /// # mod mine { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mine.rs")); }
    /// # use mine::Mine; // the message of `Message`'s example
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let codec = MessageCodec::new(&ClientCompressionConfig::new(Encoding::Zstd), Label::IGGY)?;
    /// let reply = codec.maybe_compress(&Mine::new(vec![7; 10_000_000]))?.unwrap();
    /// let restored = codec.maybe_decompress_off_runtime(reply).await.map_err(|bad| bad.to_string())?;
    /// assert_eq!(restored.payload.len(), 10_000_000);
    /// # Ok(())
    /// # }
    /// ```
    pub async fn maybe_decompress_off_runtime<M: Message>(
        &self,
        message: M,
    ) -> Result<M, Box<BadMessage<M>>> {
        match self.decompress_or_start(message) {
            Step::Done(restored) => restored,
            Step::Started(restoring) => restoring.await_with(self).await,
        }
    }

    /// Restores a message, or starts to if that takes long.
    pub(crate) fn decompress_or_start<M: Message>(&self, message: M) -> Step<M> {
        let encoding = match self.encoding_of(&message) {
            Ok(None) => return Step::Done(Ok(message)),
            Ok(Some(encoding)) => encoding,
            Err(cause) => return Step::Done(Err(self.bad(message, None, cause))),
        };
        let timed = match self.decode_quickly(encoding, message.payload()) {
            Some(timed) => timed,
            None => {
                let (decoder, payload) = (self.decoder.clone(), message.payload().clone());
                match Job::start(move || Timed::decode(&decoder, encoding, payload)) {
                    Ok(job) => return Step::Started(Restoring { message, encoding, job }),
                    Err(work) => work(),
                }
            }
        };
        Step::Done(self.finish_decompressing(message, encoding, timed))
    }

    /// Returns the encoding that a message says it is in; `None` if it is whole as it is, which is
    /// counted here.
    fn encoding_of<M: Message>(&self, message: &M) -> Result<Option<Encoding>, DecompressError> {
        if message.headers_len() > 0
            && let Said::Encoded(encoding) = self.label.read(message)?
        {
            return Ok(Some(encoding));
        }
        let (len, limit) = (message.payload().len(), self.max_payload_size());
        if len > limit {
            return Err(DecompressError::TooLong { len, limit });
        }
        self.counters.passed(Direction::Decode, Encoding::Identity, len, len, Duration::ZERO);
        Ok(None)
    }

    /// Decodes what takes a runtime's time for a moment only; `None` if it would be longer.
    fn decode_quickly(&self, encoding: Encoding, payload: &Bytes) -> Option<Timed> {
        let decode = |decoder| Timed::decode(decoder, encoding, payload.clone());
        let is_limit_lower = self.quick_decoder.max_payload_len() < self.max_payload_size();
        if encoding == Encoding::Identity
            || !is_limit_lower && payload.len() <= self.decode_on_runtime()
        {
            return Some(decode(&self.decoder));
        }
        if payload.len() > self.decode_on_runtime() {
            return None;
        }
        let timed = decode(&self.quick_decoder);
        match timed.payload {
            Err(DecodeError::TooLong { .. }) => None,
            // Again, for an error that has the right limit in it: as long as before.
            Err(DecodeError::Malformed { .. }) => Some(decode(&self.decoder)),
            _ => Some(timed),
        }
    }

    fn finish_decompressing<M: Message>(
        &self,
        mut message: M,
        encoding: Encoding,
        timed: Timed,
    ) -> Result<M, Box<BadMessage<M>>> {
        let payload = match timed.payload {
            Ok(payload) => payload,
            Err(error) => return Err(self.bad(message, Some(encoding), error.into())),
        };
        let (len, wire_len) = (payload.len(), message.payload().len());
        if let Err(error) = self.label.take_off(&mut message, payload) {
            return Err(self.bad(message, Some(encoding), error.into()));
        }
        self.counters.passed(Direction::Decode, encoding, len, wire_len, timed.time);
        Ok(message)
    }

    fn bad<M: Message>(
        &self,
        message: M,
        encoding: Option<Encoding>,
        cause: DecompressError,
    ) -> Box<BadMessage<M>> {
        self.counters.failed(Direction::Decode, cause.kind());
        let bad = BadMessage { place: message.place(), encoding, cause, message };
        tracing::warn!("{bad}");
        Box::new(bad)
    }
}

/// How far a message is.
#[derive(Debug)]
pub(crate) enum Step<M> {
    Done(Result<M, Box<BadMessage<M>>>),
    Started(Restoring<M>),
}

impl<M: Message> Step<M> {
    /// How many bytes were gone through in place for a message that came as so many.
    pub(crate) fn work(&self, encoded_len: usize) -> usize {
        match self {
            Self::Done(Ok(message)) if message.payload().len() == encoded_len => 0, // as it was
            Self::Done(Ok(message)) => message.payload().len().max(encoded_len),
            Self::Done(Err(_)) => encoded_len,
            Self::Started(_) => 0,
        }
    }
}

/// A message that stays here while another thread decompresses its payload.
#[derive(Debug)]
pub(crate) struct Restoring<M> {
    message: M,
    encoding: Encoding,
    job: Job<Timed>,
}

#[cfg(test)]
impl<M> Restoring<M> {
    /// Something that no input can bring about.
    pub(crate) fn panicking(message: M, encoding: Encoding) -> Self {
        let job = Job::start(|| panic!("as a test wants it")).ok().expect("there is a runtime");
        Self { message, encoding, job }
    }
}

impl<M: Message> Restoring<M> {
    /// Comes back if there is no result yet.
    pub(crate) fn poll(
        mut self,
        codec: &MessageCodec,
        cx: &mut Context<'_>,
    ) -> Result<Result<M, Box<BadMessage<M>>>, Self> {
        match Pin::new(&mut self.job).poll(cx) {
            Poll::Pending => Err(self),
            Poll::Ready(done) => Ok(self.finish(codec, done)),
        }
    }

    async fn await_with(mut self, codec: &MessageCodec) -> Result<M, Box<BadMessage<M>>> {
        let done = (&mut self.job).await;
        self.finish(codec, done)
    }

    fn finish(
        self,
        codec: &MessageCodec,
        done: Result<Timed, Gone>,
    ) -> Result<M, Box<BadMessage<M>>> {
        let timed = match done {
            Ok(timed) => timed,
            Err(Gone::NotBegun) => {
                Timed::decode(&codec.decoder, self.encoding, self.message.payload().clone())
            }
            Err(Gone::Panicked) => {
                let cause = DecompressError::Stopped;
                return Err(codec.bad(self.message, Some(self.encoding), cause));
            }
        };
        codec.finish_decompressing(self.message, self.encoding, timed)
    }
}

/// What came of a payload, and how long that took.
#[derive(Debug)]
struct Timed {
    payload: Result<Bytes, DecodeError>,
    time: Duration,
}

impl Timed {
    fn decode(decoder: &Decoder, encoding: Encoding, encoded: Bytes) -> Self {
        let started = Instant::now();
        let payload = decoder.decode(Encoded::new(encoding, encoded));
        Self { payload, time: started.elapsed() }
    }
}
