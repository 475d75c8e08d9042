//! The SDK's loop that calls a handler for each message.

use std::future::poll_fn;

use async_trait::async_trait;
use iggy::consumer_ext::MessageConsumer;
use iggy::prelude::{IggyConsumerMessageExt, IggyError};
use thinwire_stream::{OnError, StreamError};
use tokio::sync::oneshot;

use crate::consumer::{CommitErrors, CompressedConsumer};

/// Calls a handler for each message, its payload restored.
///
/// It goes on as the SDK's own loop does: a handler's error, and a commit's, is told in a
/// `tracing` event and passed over, errors of the connection end it. A message that can't be
/// restored is told where it failed, and no handler sees it; with `OnError::Stop` it ends the loop
/// with [`CannotReadMessagePayload`](IggyError::CannotReadMessagePayload). The SDK's
/// `AutoCommit::After` needs its own loop: [`committing`](CompressedConsumer::committing) does the
/// same here, the last message included.
#[async_trait]
impl<'a> IggyConsumerMessageExt<'a> for CompressedConsumer {
    async fn consume_messages<P>(
        &mut self,
        handler: &'a P,
        mut shutdown: oneshot::Receiver<()>,
    ) -> Result<(), IggyError>
    where
        P: MessageConsumer + Sync,
    {
        let ended = self.handle_each(handler, &mut shutdown).await;
        // The handler is done with the last one, too.
        if let Err(error) = self.commit().await {
            tracing::error!("offsets are not stored: {error}");
        }
        ended
    }
}

impl CompressedConsumer {
    async fn handle_each<P: MessageConsumer + Sync>(
        &mut self,
        handler: &P,
        shutdown: &mut oneshot::Receiver<()>,
    ) -> Result<(), IggyError> {
        loop {
            let item = tokio::select! {
                biased;
                _ = &mut *shutdown => return Ok(()),
                item = poll_fn(|cx| self.poll_received(cx, CommitErrors::Logged)) => item,
            };
            match item {
                None => return Ok(()),
                Some(Ok(received)) => {
                    let (partition, offset) =
                        (received.partition_id, received.message.header.offset);
                    if let Err(error) = handler.consume(received).await {
                        tracing::error!(partition, offset, "a message was not handled: {error}");
                    }
                }
                Some(Err(StreamError::Client(error))) if is_the_end(&error) => return Err(error),
                Some(Err(StreamError::Client(error))) => {
                    tracing::error!("no message: {error}");
                }
                Some(Err(_)) if self.on_error() == OnError::Stop => {
                    return Err(IggyError::CannotReadMessagePayload);
                }
                Some(Err(_)) => {}
            }
        }
    }
}

/// As the SDK sees it.
const fn is_the_end(error: &IggyError) -> bool {
    matches!(
        error,
        IggyError::Disconnected
            | IggyError::CannotEstablishConnection
            | IggyError::StaleClient
            | IggyError::InvalidServerAddress
            | IggyError::InvalidClientAddress
            | IggyError::NotConnected
            | IggyError::ClientShutdown
    )
}
