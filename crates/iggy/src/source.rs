//! The SDK's consumer as a stream of messages that know their place.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use iggy::prelude::{EncryptorKind, IggyConsumer, IggyError};
use tokio::time::{Sleep, sleep};

use crate::message::Received;
use crate::pause::pause_after;

/// The SDK's consumer, which waits a while after errors in a row: a batch that can't be decrypted
/// is given as an error and fetched again at once, as long as the application goes on.
pub(crate) struct Source {
    consumer: IggyConsumer,
    topic: Arc<str>,
    encryptor: Option<Arc<EncryptorKind>>,
    errors: u32,
    pause: Option<Pin<Box<Sleep>>>,
}

impl Source {
    pub(crate) fn new(consumer: IggyConsumer) -> Self {
        let topic = format!("{}/{}", consumer.stream(), consumer.topic()).into();
        Self { consumer, topic, encryptor: None, errors: 0, pause: None }
    }

    pub(crate) fn decrypt_with(&mut self, encryptor: Arc<EncryptorKind>) {
        self.encryptor = Some(encryptor);
    }

    pub(crate) const fn consumer(&self) -> &IggyConsumer {
        &self.consumer
    }

    pub(crate) const fn consumer_mut(&mut self) -> &mut IggyConsumer {
        &mut self.consumer
    }
}

impl Stream for Source {
    type Item = Result<Received, IggyError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if let Some(pause) = &mut this.pause {
            ready!(pause.as_mut().poll(cx));
            this.pause = None;
        }
        let item = ready!(Pin::new(&mut this.consumer).poll_next(cx));
        match item {
            Some(Ok(received)) => {
                this.errors = 0;
                let encryptor = this.encryptor.as_deref();
                Poll::Ready(Some(Ok(Received::new(received, this.topic.clone(), encryptor))))
            }
            Some(Err(error)) => {
                this.pause = Some(Box::pin(sleep(pause_after(this.errors))));
                this.errors = this.errors.saturating_add(1);
                Poll::Ready(Some(Err(error)))
            }
            None => Poll::Ready(None),
        }
    }
}
