//! What goes wrong, with sizes, limits and settings.

use std::fmt;

use thinwire::counters::ErrorKind;
use thinwire::{DecodeError, EncodeError, Encoding};
use thiserror::Error;

use crate::label::LabelError;
use crate::message::{Message, Place};

/// Why a producer does not send a message. It is as it was.
///
/// ```
/// use thinwire_stream::{ClientCompressionConfig, CompressError, Label, MessageCodec};
/// # mod mine { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mine.rs")); }
/// # use mine::Mine; // the message of `Message`'s example
///
/// let config = ClientCompressionConfig::off().max_payload_size(1000);
/// let error = MessageCodec::new(&config, Label::IGGY)?.maybe_compress(&Mine::new(vec![7; 1001]));
/// assert!(matches!(error, Err(CompressError::TooLong { len: 1001, limit: 1000, .. })));
/// # Ok::<(), thinwire_stream::ConfigError>(())
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompressError {
    /// No consumer with the same configuration would take it.
    #[error("a payload of {len} bytes exceeds the limit of {limit} bytes (max_payload_size)")]
    #[non_exhaustive]
    TooLong {
        /// The payload's length in bytes.
        len: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// Its headers can't be read or written.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// It can't be compressed, and can be sent raw.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The thread that compressed it is gone.
    #[error("the thread that compresses large messages is gone")]
    Stopped,
}

/// Why a payload can't be restored.
///
/// ```
/// use thinwire_stream::{ClientCompressionConfig, DecompressError, Label, MessageCodec};
/// # mod mine { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mine.rs")); }
/// # use mine::Mine; // the message of `Message`'s example
///
/// let config = ClientCompressionConfig::off().max_payload_size(1000);
/// let codec = MessageCodec::new(&config, Label::IGGY)?;
/// let bad = codec.maybe_decompress(Mine::new(vec![7; 1001])).unwrap_err();
/// assert!(matches!(bad.reason(), DecompressError::TooLong { len: 1001, limit: 1000, .. }));
/// # Ok::<(), thinwire_stream::ConfigError>(())
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DecompressError {
    /// The label can't be read, or names nothing that is known here.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// The payload is too long, malformed, or in an encoding that can't be read here.
    #[error("{}", in_our_words(.0))]
    Decode(#[from] DecodeError),
    /// It came raw and is too long.
    #[error("a raw payload of {len} bytes exceeds the limit of {limit} bytes (max_payload_size)")]
    #[non_exhaustive]
    TooLong {
        /// The payload's length in bytes.
        len: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The thread that decompressed it is gone. The message may be good, so it is reported
    /// whatever [`OnError`](crate::OnError) says.
    #[error("the thread that decompresses large messages is gone")]
    Stopped,
}

/// A message that can't be restored, as it came.
///
/// Displayed, it says where the message was, what it claimed, its sizes and the limit, and why it
/// can't be restored; never what is in it.
///
/// ```
/// use thinwire::Encoding;
/// use thinwire_stream::{ClientCompressionConfig, Label, MessageCodec};
/// # mod mine { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mine.rs")); }
/// # use mine::Mine; // the message of `Message`'s example
///
/// let codec = MessageCodec::new(&ClientCompressionConfig::off(), Label::IGGY)?;
/// let bad = Mine::new("not gzip").header("iggy-compression", "gzip");
/// let bad = codec.maybe_decompress(bad).unwrap_err();
/// assert_eq!((bad.encoding(), bad.encoded_len()), (Some(Encoding::Gzip), 8));
/// assert!(bad.to_string().starts_with("mine: a message of 8 bytes of gzip: malformed gzip: "));
/// # Ok::<(), thinwire_stream::ConfigError>(())
/// ```
#[derive(Debug)]
pub struct BadMessage<M> {
    pub(crate) message: M,
    pub(crate) place: Place,
    pub(crate) encoding: Option<Encoding>,
    pub(crate) cause: DecompressError,
}

impl<M: Message> BadMessage<M> {
    /// Returns the message as it came.
    ///
    /// ```
    /// # use thinwire_stream::{BadMessage, Message};
    /// # fn of<M: Message + std::fmt::Debug>(bad: BadMessage<M>) {
    /// let still_compressed = bad.message().payload();
    /// # }
    /// ```
    #[must_use]
    pub const fn message(&self) -> &M {
        &self.message
    }

    /// Takes the message as it came.
    ///
    /// ```
    /// # use thinwire_stream::{BadMessage, Message};
    /// # fn of<M: Message + std::fmt::Debug>(bad: BadMessage<M>) {
    /// let for_the_dead_letters: M = bad.into_message();
    /// # }
    /// ```
    #[must_use]
    pub fn into_message(self) -> M {
        self.message
    }

    /// Returns where it was.
    ///
    /// ```
    /// # use thinwire_stream::{BadMessage, Message};
    /// # fn of<M: Message + std::fmt::Debug>(bad: BadMessage<M>) {
    /// let (partition, offset) = (bad.place().partition, bad.place().offset);
    /// # }
    /// ```
    #[must_use]
    pub const fn place(&self) -> &Place {
        &self.place
    }

    /// Returns the encoding that its label names, if that is known.
    ///
    /// ```
    /// # use thinwire_stream::{BadMessage, Message};
    /// # fn of<M: Message + std::fmt::Debug>(bad: BadMessage<M>) {
    /// let name = bad.encoding().map_or("unknown", |encoding| encoding.name());
    /// # }
    /// ```
    #[must_use]
    pub const fn encoding(&self) -> Option<Encoding> {
        self.encoding
    }

    /// Returns the length in bytes of its payload as it came.
    ///
    /// ```
    /// # use thinwire_stream::{BadMessage, Message};
    /// # fn of<M: Message + std::fmt::Debug>(bad: BadMessage<M>) {
    /// assert_eq!(bad.encoded_len(), bad.message().payload().len());
    /// # }
    /// ```
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        self.message.payload().len()
    }

    /// Returns why it can't be restored.
    ///
    /// ```
    /// # use thinwire_stream::{BadMessage, Message};
    /// # fn of<M: Message + std::fmt::Debug>(bad: BadMessage<M>) {
    /// println!("{}", bad.reason());
    /// # }
    /// ```
    #[must_use]
    pub const fn reason(&self) -> &DecompressError {
        &self.cause
    }
}

impl<M: Message> fmt::Display for BadMessage<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: a message of {} bytes", self.place, self.encoded_len())?;
        if let Some(encoding) = self.encoding {
            write!(f, " of {encoding}")?;
        }
        write!(f, ": {}", self.cause)
    }
}

impl<M: Message + fmt::Debug> std::error::Error for BadMessage<M> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}

/// The limit's name is the decoder's there, and the configuration's here.
fn in_our_words(error: &DecodeError) -> String {
    error.to_string().replace("(max_payload_len)", "(max_payload_size)")
}

impl CompressError {
    pub(crate) const fn kind(&self) -> ErrorKind {
        match self {
            Self::TooLong { .. } | Self::Encode(EncodeError::TooLong { .. }) => ErrorKind::TooLong,
            Self::Label(_) => ErrorKind::Malformed,
            Self::Encode(_) | Self::Stopped => ErrorKind::Other,
        }
    }
}

impl DecompressError {
    pub(crate) const fn kind(&self) -> ErrorKind {
        match self {
            Self::TooLong { .. } | Self::Decode(DecodeError::TooLong { .. }) => ErrorKind::TooLong,
            Self::Label(LabelError::Unknown { .. } | LabelError::NotHere { .. })
            | Self::Decode(DecodeError::Unsupported { .. }) => ErrorKind::Unsupported,
            Self::Label(_) | Self::Decode(_) => ErrorKind::Malformed,
            Self::Stopped => ErrorKind::Other,
        }
    }
}
