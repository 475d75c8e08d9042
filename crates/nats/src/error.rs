//! What goes wrong between an application and the client.

use std::fmt;

use async_nats::client::RequestErrorKind;
use async_nats::{Message, client};
use thinwire_stream::{BadMessage, CompressError};
use thiserror::Error;

use crate::message::Nats;

/// Why a message was not published. It was not changed: sent again, it is compressed once.
///
/// `E` is the client's own error, of core NATS or of JetStream.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PublishError<E: std::error::Error + 'static> {
    /// Its payload exceeds `max_payload_size`, or can't be compressed.
    #[error(transparent)]
    Compress(#[from] CompressError),
    /// The client did not send it.
    #[error(transparent)]
    Client(E),
}

/// Why a request has no reply.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The request's payload exceeds `max_payload_size`, or can't be compressed.
    #[error(transparent)]
    Compress(#[from] CompressError),
    /// The client got none: no responders, or none in time.
    #[error(transparent)]
    Client(client::RequestError),
    /// It can't be restored, and is in here as it came.
    #[error(transparent)]
    BadReply(Box<BadMessage<Nats<Message>>>),
}

impl RequestError {
    /// Returns the client's word for it, if it is the client that failed.
    #[must_use]
    pub fn kind(&self) -> Option<RequestErrorKind> {
        match self {
            Self::Client(error) => Some(error.kind()),
            Self::Compress(_) | Self::BadReply(_) => None,
        }
    }
}

/// The error of a client's stream that has no type of its own.
pub struct ClientError(async_nats::Error);

impl ClientError {
    pub(crate) const fn new(error: async_nats::Error) -> Self {
        Self(error)
    }

    /// Takes the client's error.
    #[must_use]
    pub fn into_inner(self) -> async_nats::Error {
        self.0
    }
}

impl fmt::Debug for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl std::error::Error for ClientError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
    }
}
