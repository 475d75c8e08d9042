//! Compress when it pays, decompress when labelled.

use std::sync::Arc;
use std::time::{Duration, Instant};

use thinwire::counters::{Counters, Direction};
use thinwire::{DecodeError, Decoder, Encoded, Encoder, Encoding, Policy, RawReason};

use crate::config::{ClientCompressionConfig, ConfigError, OnError};
use crate::error::{BadMessage, CompressError, DecompressError};
use crate::label::{Label, Said};
use crate::message::Message;

/// Compresses messages on their way to a broker and restores those that come from it.
///
/// Cheap to clone; clones share what they keep and what they count.
#[derive(Debug, Clone)]
pub struct MessageCodec {
    encoder: Encoder,
    decoder: Decoder,
    /// The same with a lower limit: what keeps a runtime busy for a moment only.
    quick_decoder: Decoder,
    label: Label,
    /// What the label says of the encoder's encoding.
    value: Option<&'static str>,
    on_error: OnError,
    counters: Arc<Counters>,
}

impl MessageCodec {
    /// Makes a codec for a broker's messages.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], which names the field: a level that the algorithm has not, or an
    /// algorithm that the label has no word for or this build lacks.
    ///
    /// ```
    /// use thinwire::Encoding;
    /// use thinwire_stream::{ClientCompressionConfig, Label, MessageCodec};
    ///
    /// let codec = MessageCodec::new(&ClientCompressionConfig::new(Encoding::Zstd), Label::IGGY)?;
    /// let none = ClientCompressionConfig::new(Encoding::Deflate);
    /// assert_eq!(MessageCodec::new(&none, Label::IGGY).unwrap_err().field(), "algorithm");
    /// # Ok::<(), thinwire_stream::ConfigError>(())
    /// ```
    pub fn new(config: &ClientCompressionConfig, label: Label) -> Result<Self, ConfigError> {
        config.validate()?;
        let level = label.level(config.encoder_level()?);
        let encoding = level.encoding();
        let value = label.value(encoding);
        if value.is_none() && encoding != Encoding::Identity {
            let problem = format!("{encoding} has no name under {}", label.name());
            return Err(ConfigError::new("algorithm", problem));
        }
        // Whatever is smaller with its label is kept: the broker stores and forwards each byte.
        let policy = Policy::always().min_len(config.min_len()).label_len(label.len(encoding));
        let encoder = Encoder::new(level)
            .map_err(|error| ConfigError::new("algorithm", error.to_string()))?;
        let decoder =
            Decoder::new(config.max_payload_len().unwrap_or_else(|| label.max_payload_len()));
        Ok(Self {
            encoder: encoder.policy(policy),
            quick_decoder: decoder.at_most(MAX_LEN_ON_RUNTIME),
            decoder,
            label,
            value,
            on_error: config.what_on_error(),
            counters: Arc::default(),
        })
    }

    /// Compresses a message if that pays: `Some` is to be sent in its place, `None` says that the
    /// message itself is to be sent. The message is not changed.
    ///
    /// A message that bears a label is left alone. Where applications use the same header, one
    /// whose label no Thinwire producer made comes back marked as the application's.
    ///
    /// # Errors
    ///
    /// [`CompressError`]: the payload is too long, or the headers can't be read or written.
    pub fn maybe_compress<M: Message>(&self, message: &M) -> Result<Option<M>, CompressError> {
        self.compress(message).inspect_err(|error| {
            self.counters.failed(Direction::Encode, error.kind());
            tracing::warn!("{error}");
        })
    }

    /// Restores a message if it is labelled, and takes the label off.
    ///
    /// # Errors
    ///
    /// [`BadMessage`], with the message as it came.
    pub fn maybe_decompress<M: Message>(&self, message: M) -> Result<M, Box<BadMessage<M>>> {
        self.restore(message, &self.decoder).map_err(|bad| self.fail(bad))
    }

    /// Returns what all clones have counted.
    #[must_use]
    pub const fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// Returns the limit of a payload in bytes.
    #[must_use]
    pub const fn max_payload_size(&self) -> usize {
        self.decoder.max_payload_len()
    }

    pub(crate) const fn on_error(&self) -> OnError {
        self.on_error
    }

    /// As [`maybe_decompress`](Self::maybe_decompress), but gives a message back that would take
    /// long.
    pub(crate) fn decompress_quickly<M: Message>(&self, message: M) -> Result<M, NotNow<M>> {
        let is_lowered = self.quick_decoder.max_payload_len() < self.decoder.max_payload_len();
        match self.restore(message, &self.quick_decoder) {
            Ok(message) => Ok(message),
            Err(bad)
                if is_lowered
                    && matches!(
                        bad.cause,
                        DecompressError::Decode(DecodeError::TooLong { .. })
                            | DecompressError::TooLong { .. }
                    ) =>
            {
                Err(NotNow::Long(bad.message))
            }
            Err(bad) => Err(NotNow::Bad(self.fail(bad))),
        }
    }

    fn fail<M: Message>(&self, bad: BadMessage<M>) -> Box<BadMessage<M>> {
        self.counters.failed(Direction::Decode, bad.cause.kind());
        tracing::warn!("{bad}");
        Box::new(bad)
    }

    fn compress<M: Message>(&self, message: &M) -> Result<Option<M>, CompressError> {
        let payload = message.payload();
        let (len, limit) = (payload.len(), self.max_payload_size());
        if len > limit {
            return Err(CompressError::TooLong { len, limit });
        }
        let headers_len = message.headers_len();
        if headers_len > 0 && self.label.is_on(message)? {
            self.kept_raw(RawReason::Labelled, len, Duration::ZERO);
            return Ok(self.label.disown(message)?);
        }
        let Some(value) = self.value else {
            self.kept_raw(RawReason::Identity, len, Duration::ZERO);
            return Ok(None);
        };
        if headers_len + self.label.len(self.encoder.encoding()) > self.label.max_headers_len() {
            self.kept_raw(RawReason::NoRoomForLabel, len, Duration::ZERO);
            return Ok(None);
        }
        let started = Instant::now();
        let encoded = self.encoder.encode(payload.clone())?;
        let time = started.elapsed();
        if let Some(reason) = encoded.raw_reason() {
            self.kept_raw(reason, len, time);
            return Ok(None);
        }
        let (encoding, bytes) = (encoded.encoding(), encoded.into_bytes());
        let wire_len = bytes.len();
        let mut compressed = message.with_payload(bytes);
        self.label.put_on(&mut compressed, value)?;
        self.counters.passed(Direction::Encode, encoding, len, wire_len, time);
        Ok(Some(compressed))
    }

    fn kept_raw(&self, reason: RawReason, len: usize, time: Duration) {
        self.counters.kept_raw(reason);
        self.counters.passed(Direction::Encode, Encoding::Identity, len, len, time);
    }

    fn restore<M: Message>(&self, message: M, decoder: &Decoder) -> Result<M, BadMessage<M>> {
        let mut encoding = None;
        match self.restored(&message, decoder, &mut encoding) {
            Ok(restored) => Ok(restored.unwrap_or(message)),
            Err(cause) => Err(BadMessage { place: message.place(), encoding, cause, message }),
        }
    }

    /// Returns the restored message; `None` if it is whole as it is.
    fn restored<M: Message>(
        &self,
        message: &M,
        decoder: &Decoder,
        named: &mut Option<Encoding>,
    ) -> Result<Option<M>, DecompressError> {
        let said =
            if message.headers_len() == 0 { Said::Nothing } else { self.label.read(message)? };
        let (payload, limit) = (message.payload(), decoder.max_payload_len());
        let wire_len = payload.len();
        let Said::Encoded(encoding) = said else {
            if wire_len > limit {
                return Err(DecompressError::TooLong { len: wire_len, limit });
            }
            let counters = &self.counters;
            counters.passed(
                Direction::Decode,
                Encoding::Identity,
                wire_len,
                wire_len,
                Duration::ZERO,
            );
            return Ok(None);
        };
        *named = Some(encoding);
        let started = Instant::now();
        let payload = decoder.decode(Encoded::new(encoding, payload.clone()))?;
        let time = started.elapsed();
        self.counters.passed(Direction::Decode, encoding, payload.len(), wire_len, time);
        let mut restored = message.with_payload(payload);
        self.label.take_off(&mut restored)?;
        Ok(Some(restored))
    }
}

/// Why a message was not restored at once.
#[derive(Debug)]
pub(crate) enum NotNow<M> {
    Bad(Box<BadMessage<M>>),
    /// It takes a thread of its own.
    Long(M),
}

/// What takes some 2.5 ms with gzip, the slowest at its default level.
pub(crate) const MAX_LEN_ON_RUNTIME: usize = 1 << 20;
