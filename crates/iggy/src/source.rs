//! The SDK's consumer as a stream of messages that know their place.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_core::Stream;
use iggy::prelude::{IggyConsumer, IggyError};
use tokio::time::{Sleep, sleep};

use crate::message::Received;

/// The SDK's consumer, which waits a while after errors in a row: a batch that can't be decrypted
/// is given as an error and fetched again at once, as long as the application goes on.
pub(crate) struct Source {
    consumer: IggyConsumer,
    topic: Arc<str>,
    errors: u32,
    pause: Option<Pin<Box<Sleep>>>,
}

impl Source {
    pub(crate) fn new(consumer: IggyConsumer) -> Self {
        let topic = format!("{}/{}", consumer.stream(), consumer.topic()).into();
        Self { consumer, topic, errors: 0, pause: None }
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
                Poll::Ready(Some(Ok(Received::new(received, this.topic.clone()))))
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

/// 10 ms after the first of a row, twice as long after each, a second at most.
fn pause_after(errors: u32) -> Duration {
    Duration::from_millis(10 << errors.min(7)).min(Duration::from_secs(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_second() {
        let pauses: Vec<_> = (0..9).map(|errors| pause_after(errors).as_millis()).collect();
        assert_eq!(pauses, [10, 20, 40, 80, 160, 320, 640, 1000, 1000]);
        assert_eq!(pause_after(u32::MAX), Duration::from_secs(1));
    }
}
