//! What compresses and decompresses messages: its parts and its settings.

use std::sync::Arc;

use thinwire::counters::Counters;
use thinwire::{Decoder, Encoder, Encoding, Policy};

use crate::config::{ClientCompressionConfig, ConfigError, OnError};
use crate::label::Label;

/// Compresses messages on their way to a broker and restores those that come from it.
///
/// Cheap to clone; clones share what they keep and what they count, and any number of threads may
/// use one. In steady state a message costs the allocation of its payload, if that changes, and
/// what [`Message::labelled`](crate::Message::labelled) and
/// [`restore`](crate::Message::restore) take.
///
/// ```
/// use thinwire::Encoding;
/// use thinwire_stream::{ClientCompressionConfig, Label, MessageCodec};
/// # mod mine { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mine.rs")); }
/// # use mine::Mine; // the message of `Message`'s example
///
/// let codec = MessageCodec::new(&ClientCompressionConfig::new(Encoding::Zstd), Label::IGGY)?;
///
/// let message = Mine::new("a line of a log\n".repeat(100));
/// let sent = codec.maybe_compress(&message)?.unwrap_or_else(|| message.clone());
/// assert_eq!(sent.headers["iggy-compression"], "zstd");
/// assert!(sent.payload.len() < 50);
///
/// let received = codec.maybe_decompress(sent).unwrap();
/// assert_eq!(received, message); // without the label
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct MessageCodec {
    pub(crate) label: Label,
    pub(crate) sending: Option<Sending>,
    pub(crate) decoder: Decoder,
    /// The same with a lower limit: what keeps a runtime busy for a moment only.
    pub(crate) quick_decoder: Decoder,
    /// Instead of the defaults.
    pub(crate) offload_len: Option<usize>,
    pub(crate) on_error: OnError,
    pub(crate) counters: Arc<Counters>,
}

/// What a producer compresses with.
#[derive(Debug, Clone)]
pub(crate) struct Sending {
    /// For a message that has headers.
    pub(crate) encoder: Encoder,
    /// For one whose only headers will be the label.
    pub(crate) bare_encoder: Encoder,
    pub(crate) policy: Policy,
    /// What the label says of the encoding.
    pub(crate) value: &'static str,
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
        let decoder =
            Decoder::new(config.max_payload_len().unwrap_or_else(|| label.max_payload_len()));
        Ok(Self {
            sending: Sending::new(config, &label)?,
            quick_decoder: decoder.at_most(Decoder::PROMPT_LEN),
            decoder,
            label,
            offload_len: None,
            on_error: config.what_on_error(),
            counters: Arc::default(),
        })
    }

    /// Sets the length in bytes above which a payload, in either form, is compressed or
    /// decompressed on a thread of tokio's for blocking work where a call can wait for that, so
    /// that it does not keep the runtime from other tasks; `usize::MAX` for never. The defaults are
    /// those of [`Level::prompt_len`](thinwire::Level::prompt_len), 1 MiB or less for a slower
    /// level, and [`Decoder::PROMPT_LEN`].
    ///
    /// ```
    /// # use {thinwire::Encoding, thinwire_stream::{ClientCompressionConfig, Label, MessageCodec}};
    /// let thorough = ClientCompressionConfig::new(Encoding::Zstd).level(19);
    /// let codec = MessageCodec::new(&thorough, Label::IGGY)?.offload_above(10_000);
    /// # Ok::<(), thinwire_stream::ConfigError>(())
    /// ```
    #[must_use]
    pub fn offload_above(mut self, bytes: usize) -> Self {
        self.offload_len = Some(bytes);
        self.quick_decoder = self.decoder.at_most(bytes);
        self
    }

    /// Returns the length in bytes up to which payloads are compressed in place: for an adapter that
    /// compresses many in a row, which should let other tasks have their turn after as much.
    ///
    /// ```
    /// # use {thinwire::Encoding, thinwire_stream::{ClientCompressionConfig, Label, MessageCodec}};
    /// let codec = MessageCodec::new(&ClientCompressionConfig::new(Encoding::Lz4), Label::IGGY)?;
    /// assert_eq!(codec.prompt_len(), 1 << 20);
    /// # Ok::<(), thinwire_stream::ConfigError>(())
    /// ```
    #[must_use]
    pub fn prompt_len(&self) -> usize {
        match &self.sending {
            Some(sending) => self.encode_on_runtime(&sending.encoder),
            None => usize::MAX, // nothing is
        }
    }

    /// The longest payload that is compressed on a runtime.
    pub(crate) fn encode_on_runtime(&self, encoder: &Encoder) -> usize {
        self.offload_len.unwrap_or(encoder.level().prompt_len())
    }

    /// The longest that is decompressed there, in either form.
    pub(crate) fn decode_on_runtime(&self) -> usize {
        self.offload_len.unwrap_or(Decoder::PROMPT_LEN)
    }

    /// Returns this codec as one that sends everything raw and reads both: for messages with a
    /// secret in them, whose length would say something of it. Both count together.
    ///
    /// ```
    /// # use {thinwire::Encoding, thinwire_stream::{ClientCompressionConfig, Label, MessageCodec}};
    /// # mod mine { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mine.rs")); }
    /// # use mine::Mine; // the message of `Message`'s example
    /// let codec = MessageCodec::new(&ClientCompressionConfig::new(Encoding::Lz4), Label::IGGY)?;
    /// let secret = Mine::new("token and what the visitor wrote ".repeat(100));
    /// assert_eq!(codec.off().maybe_compress(&secret)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn off(&self) -> Self {
        Self { sending: None, ..self.clone() }
    }

    /// Returns what all clones have counted: both sizes of messages by direction and encoding,
    /// time in codecs, what stayed raw by reason, errors by kind.
    ///
    /// ```
    /// # use {thinwire::Encoding, thinwire_stream::{ClientCompressionConfig, Label, MessageCodec}};
    /// # mod mine { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mine.rs")); }
    /// # use mine::Mine; // the message of `Message`'s example
    /// let codec = MessageCodec::new(&ClientCompressionConfig::new(Encoding::Lz4), Label::IGGY)?;
    /// codec.maybe_compress(&Mine::new("short"))?;
    /// let snapshot = codec.counters().snapshot();
    /// assert_eq!(snapshot.raw, [(thinwire::RawReason::BelowMinLen, 1)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// Returns what a consumer does with a message that it can't restore.
    ///
    /// ```
    /// # use thinwire_stream::{ClientCompressionConfig, Label, MessageCodec, OnError};
    /// let codec = MessageCodec::new(&ClientCompressionConfig::off(), Label::IGGY)?;
    /// assert_eq!(codec.on_error(), OnError::Report);
    /// # Ok::<(), thinwire_stream::ConfigError>(())
    /// ```
    #[must_use]
    pub const fn on_error(&self) -> OnError {
        self.on_error
    }

    /// Returns the limit of a payload in bytes, before compression and after decompression.
    ///
    /// ```
    /// # use thinwire_stream::{ClientCompressionConfig, Label, MessageCodec};
    /// let codec = MessageCodec::new(&ClientCompressionConfig::off(), Label::IGGY)?;
    /// assert_eq!(codec.max_payload_size(), 64_000_000);
    /// # Ok::<(), thinwire_stream::ConfigError>(())
    /// ```
    #[must_use]
    pub const fn max_payload_size(&self) -> usize {
        self.decoder.max_payload_len()
    }
}

impl Sending {
    fn new(config: &ClientCompressionConfig, label: &Label) -> Result<Option<Self>, ConfigError> {
        let level = label.level(config.encoder_level()?);
        let encoding = level.encoding();
        if encoding == Encoding::Identity {
            return Ok(None);
        }
        let value = label.value(encoding).ok_or_else(|| {
            ConfigError::new("algorithm", format!("{encoding} has no name under {}", label.name()))
        })?;
        let encoder = Encoder::new(level)
            .map_err(|error| ConfigError::new("algorithm", error.to_string()))?;
        // Whatever is smaller with its label is kept: the broker stores and forwards each byte.
        let policy = Policy::always().min_len(config.min_len());
        let keeping = |headers_len| {
            encoder.clone().policy(policy.label_len(label.len_beside(encoding, headers_len)))
        };
        Ok(Some(Self { encoder: keeping(1), bare_encoder: keeping(0), policy, value }))
    }

    /// The encoder for a message with headers of so many bytes.
    pub(crate) const fn encoder(&self, headers_len: usize) -> &Encoder {
        if headers_len == 0 { &self.bare_encoder } else { &self.encoder }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slower_level_keeps_the_runtime_for_less() {
        let quick = ClientCompressionConfig::new(Encoding::Zstd);
        let slow = quick.clone().level(19);
        let len = |config| {
            let codec = MessageCodec::new(config, Label::IGGY).unwrap();
            codec.encode_on_runtime(codec.sending.as_ref().unwrap().encoder(0))
        };
        assert_eq!((len(&quick), len(&slow)), (1 << 20, 8 << 10));
    }
}
