//! What goes wrong between an application and the SDK.

use iggy::prelude::{IggyError, IggyMessage};
use thinwire_stream::CompressError;
use thiserror::Error;

/// Why messages were not sent, with the messages: as the application made them, so that sending
/// them again compresses, and encrypts, them once.
///
/// `?` turns it into an [`IggyError`] in code that has those: the SDK's own, or
/// [`TooBigMessagePayload`](IggyError::TooBigMessagePayload) and
/// [`InvalidMessagePayloadLength`](IggyError::InvalidMessagePayloadLength) for what can't be
/// compressed.
///
/// ```no_run
/// use iggy::prelude::IggyMessage;
/// use thinwire_iggy::{CompressedProducer, SendError};
///
/// # async fn f(producer: CompressedProducer, messages: Vec<IggyMessage>) {
/// if let Err(error) = producer.send(messages).await {
///     println!("{error}");
///     let unsent: Vec<IggyMessage> = error.into_messages();
/// }
/// # }
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SendError {
    /// A payload exceeds `max_payload_size`, or can't be compressed. Nothing was sent.
    #[error("message {index}: {cause}")]
    #[non_exhaustive]
    Compress {
        /// Which message it was.
        index: usize,
        /// Why.
        #[source]
        cause: CompressError,
        /// All messages.
        messages: Vec<IggyMessage>,
    },
    /// The partitioner failed. Nothing was sent.
    #[error("the partitioner failed: {error}")]
    #[non_exhaustive]
    Partitioner {
        /// Its error.
        #[source]
        error: IggyError,
        /// All messages.
        messages: Vec<IggyMessage>,
    },
    /// The SDK did not send some of them, or has no word that it did.
    #[error("{}", with_its_cause(error))]
    #[non_exhaustive]
    Client {
        /// The SDK's error; the messages in a
        /// [`ProducerSendFailed`](IggyError::ProducerSendFailed) are the application's as well.
        #[source]
        error: IggyError,
        /// The messages without a confirmation.
        messages: Vec<IggyMessage>,
    },
}

impl SendError {
    /// Takes the messages that were not sent.
    #[must_use]
    pub fn into_messages(self) -> Vec<IggyMessage> {
        match self {
            Self::Compress { messages, .. }
            | Self::Partitioner { messages, .. }
            | Self::Client { messages, .. } => messages,
        }
    }
}

/// The SDK's own text says of a failed send that it failed.
fn with_its_cause(error: &IggyError) -> String {
    let IggyError::ProducerSendFailed { cause, failed, stream_name, topic_name, .. } = error else {
        return error.to_string();
    };
    let count = failed.len();
    format!("{count} messages were not sent to {stream_name}/{topic_name}: {cause}")
}

impl From<SendError> for IggyError {
    fn from(error: SendError) -> Self {
        match error {
            SendError::Compress { cause: CompressError::TooLong { .. }, .. } => {
                Self::TooBigMessagePayload
            }
            SendError::Compress { .. } => Self::InvalidMessagePayloadLength,
            SendError::Partitioner { error, .. } | SendError::Client { error, .. } => error,
        }
    }
}
