//! The codec of a connection, and what it has nothing to do with.

use std::sync::Arc;

use async_nats::message::OutboundMessage;
use thinwire::counters::Counters;
use thinwire_stream::{
    BadMessage, ClientCompressionConfig, CompressError, ConfigError, Label, MessageCodec, OnError,
};

use crate::message::{Nats, Parts};

#[derive(Debug, Clone)]
pub(crate) struct Codec {
    messages: MessageCodec,
}

impl Codec {
    pub(crate) fn new(config: &ClientCompressionConfig, label: Label) -> Result<Self, ConfigError> {
        Ok(Self { messages: MessageCodec::new(config, label)? })
    }

    /// The same, which sends everything raw.
    pub(crate) fn off(&self) -> Self {
        Self { messages: self.messages.off() }
    }

    pub(crate) const fn messages(&self) -> &MessageCodec {
        &self.messages
    }

    pub(crate) const fn counters(&self) -> &Arc<Counters> {
        self.messages.counters()
    }

    /// Returns what is to be sent for a message: another one if it was compressed.
    pub(crate) async fn compress(
        &self,
        message: OutboundMessage,
    ) -> Result<OutboundMessage, CompressError> {
        if is_for_the_server(&message.subject) {
            return Ok(message);
        }
        let message = Nats(message);
        let compressed = self.messages.maybe_compress_off_runtime(&message).await?;
        Ok(compressed.unwrap_or(message).into_inner())
    }

    /// Restores a message that comes alone, such as a reply.
    pub(crate) async fn restore<T: Parts>(
        &self,
        message: T,
    ) -> Result<T, Box<BadMessage<Nats<T>>>> {
        match self.messages.maybe_decompress_off_runtime(Nats(message)).await {
            Ok(message) => Ok(message.into_inner()),
            Err(bad) if self.messages.on_error() == OnError::Raw => {
                Ok(bad.into_message().into_inner())
            }
            Err(bad) => Err(bad), // there is no next one to go on with
        }
    }
}

/// The server reads what is published there itself, or an object store's reader does, which sees no
/// headers.
fn is_for_the_server(subject: &str) -> bool {
    ["$JS.", "$SYS.", "$O."].iter().any(|prefix| subject.starts_with(prefix))
}
