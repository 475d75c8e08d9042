//! What goes wrong, with sizes, limits and settings.

use std::fmt;

use thinwire::counters::ErrorKind;
use thinwire::{DecodeError, EncodeError, Encoding};
use thiserror::Error;

use crate::label::LabelError;
use crate::message::{Message, Place};

/// Why a producer does not send a message. It is as it was.
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
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DecompressError {
    /// The label can't be read, or names nothing that is known here.
    #[error(transparent)]
    Label(#[from] LabelError),
    /// The payload is too long, malformed, or in an encoding that can't be read here.
    #[error(transparent)]
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
    /// The thread that decompressed it is gone.
    #[error("the thread that decompresses large messages is gone")]
    Stopped,
}

/// A message that can't be restored, as it came.
#[derive(Debug)]
pub struct BadMessage<M> {
    pub(crate) message: M,
    pub(crate) place: Place,
    pub(crate) encoding: Option<Encoding>,
    pub(crate) cause: DecompressError,
}

impl<M: Message> BadMessage<M> {
    /// Returns the message as it came.
    #[must_use]
    pub const fn message(&self) -> &M {
        &self.message
    }

    /// Takes the message as it came.
    #[must_use]
    pub fn into_message(self) -> M {
        self.message
    }

    /// Returns where it was.
    #[must_use]
    pub const fn place(&self) -> &Place {
        &self.place
    }

    /// Returns the encoding that its label names, if that is known.
    #[must_use]
    pub const fn encoding(&self) -> Option<Encoding> {
        self.encoding
    }

    /// Returns the length in bytes of its payload as it came.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        self.message.payload().len()
    }

    /// Returns why it can't be restored.
    #[must_use]
    pub const fn cause(&self) -> &DecompressError {
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
