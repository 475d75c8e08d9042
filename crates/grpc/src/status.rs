//! What goes wrong, and the gRPC status that says it: one table, from gRPC's compression
//! document.

use std::fmt;

use http::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use thinwire::{DecodeError, EncodeError, Encoding, UnknownEncoding};
use thiserror::Error;

use crate::headers::{GRPC_MESSAGE, GRPC_STATUS};
use thinwire::counters::ErrorKind;

/// Whose messages they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Client,
    Server,
}

/// The gRPC status codes that compression has a say in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// 2: the answer is not gRPC.
    Unknown = 2,
    /// 8: a message exceeds the limit.
    ResourceExhausted = 8,
    /// 12: the server can't read the client's encoding.
    Unimplemented = 12,
    /// 13: the peer broke the protocol, or a message is damaged.
    Internal = 13,
}

/// Why a call failed in the layer. Its text is the call's `grpc-message`.
///
/// ```
/// use thinwire_grpc::{CallError, Code};
///
/// fn report(error: &CallError) {
///     if error.code() == Code::ResourceExhausted {
///         eprintln!("raise max_payload_len, or ask for less: {error}");
///     }
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}{cause}", .side.of(.cause))]
pub struct CallError {
    side: Side,
    cause: Cause,
}

/// What happened, before a side makes a status of it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum Cause {
    #[error("grpc-encoding names an {0}")]
    UnknownEncoding(#[from] UnknownEncoding),
    #[error("grpc-encoding is {0}, which is not accepted here")]
    NotAccepted(Encoding),
    #[error("a message with compressed flag 1 in a stream without an encoding (grpc-encoding)")]
    FlagWithoutEncoding,
    #[error("a message with compressed flag {0}; only 0 and 1 exist")]
    InvalidFlag(u8),
    #[error(
        "a message of {wire_len} bytes on the wire exceeds the limit of {limit} bytes \
         (max_payload_len)"
    )]
    TooLong { wire_len: usize, limit: usize },
    #[error(transparent)]
    Decode(#[from] DecodeError),
    #[error(transparent)]
    Encode(#[from] EncodeError),
    #[error("the stream ended within a message, {received_len} bytes after its start")]
    Truncated { received_len: usize },
    #[error("the answer is not gRPC: its content-type is {0:?}")]
    NotGrpc(String),
    #[error(
        "Compress::With({asked}) is set, but this layer has encoders for {} only",
        Names(.has)
    )]
    NoEncoder { asked: Encoding, has: Vec<Encoding> },
    #[error("the thread that compresses large messages is gone")]
    Stopped,
}

impl Side {
    /// Says whose message it was, where that is the peer's.
    const fn of(self, cause: &Cause) -> &'static str {
        match (cause, self) {
            (
                Cause::NotGrpc(_) | Cause::Encode(_) | Cause::NoEncoder { .. } | Cause::Stopped,
                _,
            ) => "",
            (_, Self::Server) => "request: ",
            (_, Self::Client) => "response: ",
        }
    }
}

struct Names<'a>(&'a [Encoding]);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names = self.0.iter();
        write!(f, "{}", names.next().copied().unwrap_or(Encoding::Identity))?;
        names.try_for_each(|name| write!(f, ", {name}"))
    }
}

impl CallError {
    pub(crate) fn new(side: Side, cause: impl Into<Cause>) -> Self {
        Self { side, cause: cause.into() }
    }

    /// Returns the gRPC status code.
    #[must_use]
    pub const fn code(&self) -> Code {
        match (&self.cause, self.side) {
            (
                Cause::UnknownEncoding(_)
                | Cause::NotAccepted(_)
                | Cause::Decode(DecodeError::Unsupported { .. }),
                Side::Server,
            ) => Code::Unimplemented,
            (Cause::TooLong { .. } | Cause::Decode(DecodeError::TooLong { .. }), _) => {
                Code::ResourceExhausted
            }
            (Cause::NotGrpc(_), _) => Code::Unknown,
            _ => Code::Internal,
        }
    }

    /// Returns the kind under which it is counted.
    pub(crate) const fn kind(&self) -> ErrorKind {
        match &self.cause {
            Cause::TooLong { .. } | Cause::Decode(DecodeError::TooLong { .. }) => {
                ErrorKind::TooLong
            }
            Cause::UnknownEncoding(_)
            | Cause::NotAccepted(_)
            | Cause::Decode(DecodeError::Unsupported { .. }) => ErrorKind::Unsupported,
            Cause::FlagWithoutEncoding
            | Cause::InvalidFlag(_)
            | Cause::Decode(_)
            | Cause::Truncated { .. }
            | Cause::NotGrpc(_) => ErrorKind::Malformed,
            Cause::Encode(_) | Cause::NoEncoder { .. } | Cause::Stopped => ErrorKind::Other,
        }
    }

    /// The trailers that end a call with this status.
    pub(crate) fn to_trailers(&self) -> HeaderMap {
        let mut trailers = HeaderMap::with_capacity(3);
        trailers.insert(GRPC_STATUS, HeaderValue::from(self.code() as u16));
        let text = self.to_string();
        let encoded = utf8_percent_encode(&text, NOT_IN_MESSAGE).to_string();
        if let Ok(value) = HeaderValue::try_from(encoded) {
            trailers.insert(GRPC_MESSAGE, value);
        }
        trailers
    }

    /// A reply of headers alone.
    pub(crate) fn to_response<B: Default>(&self) -> http::Response<B> {
        let mut response = http::Response::new(B::default());
        *response.headers_mut() = self.to_trailers();
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
        response
    }
}

/// What gRPC wants encoded: all but space and printable ASCII, and the percent sign.
const NOT_IN_MESSAGE: &AsciiSet = &CONTROLS.add(b'%');

#[cfg(test)]
mod tests {
    use super::*;

    fn code(side: Side, cause: impl Into<Cause>) -> Code {
        CallError::new(side, cause).code()
    }

    #[test]
    fn each_side_says_it_as_the_compression_document_wants() {
        let unknown = || "br".parse::<Encoding>().unwrap_err();
        assert_eq!(code(Side::Server, unknown()), Code::Unimplemented);
        assert_eq!(code(Side::Client, unknown()), Code::Internal);
        assert_eq!(code(Side::Server, Cause::NotAccepted(Encoding::Gzip)), Code::Unimplemented);
        for side in [Side::Client, Side::Server] {
            assert_eq!(code(side, Cause::FlagWithoutEncoding), Code::Internal);
            assert_eq!(code(side, Cause::InvalidFlag(2)), Code::Internal);
            assert_eq!(code(side, Cause::Truncated { received_len: 3 }), Code::Internal);
            let too_long = Cause::TooLong { wire_len: 9, limit: 8 };
            assert_eq!(code(side, too_long), Code::ResourceExhausted);
        }
    }

    #[test]
    fn a_message_is_percent_encoded() {
        let error = CallError::new(Side::Client, Cause::NotGrpc("50% \u{e4}\n".into()));
        let message = error.to_trailers().remove(GRPC_MESSAGE).unwrap();
        assert_eq!(message, r#"the answer is not gRPC: its content-type is "50%25 %C3%A4\n""#);
    }
}
