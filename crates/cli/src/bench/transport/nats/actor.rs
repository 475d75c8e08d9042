//! Producers and consumers of JetStream.

use std::collections::VecDeque;
use std::time::Duration;

use async_nats::jetstream::Message;
use async_nats::jetstream::consumer::pull;
use async_nats::jetstream::context::PublishAckFuture;
use bytes::Bytes;
use futures_util::{FutureExt as _, StreamExt as _};
use thinwire_nats::{CompressedConsumer, CompressedContext, Messages};
use tokio::time::timeout;

use crate::bench::transport::fault::whole;
use crate::bench::transport::{BoxFuture, Consume, Fault, Produce};

/// Publishes.
#[derive(Debug)]
pub(super) struct Producer {
    context: CompressedContext,
    subject: String,
}

impl Producer {
    pub(super) const fn new(context: CompressedContext, subject: String) -> Self {
        Self { context, subject }
    }
}

impl Produce for Producer {
    fn send(&mut self, batch: Vec<Bytes>) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            let mut acks = VecDeque::with_capacity(batch.len().min(MAX_ACKS));
            for payload in batch {
                if acks.len() >= MAX_ACKS {
                    stored(acks.pop_front()).await?;
                }
                let published = self.context.publish(self.subject.clone(), payload).await;
                acks.push_back(published.map_err(|error| Fault::new("send", whole(&error)))?);
            }
            while let Some(ack) = acks.pop_front() {
                stored(Some(ack)).await?;
            }
            Ok(())
        })
    }
}

async fn stored(ack: Option<PublishAckFuture>) -> Result<(), Fault> {
    let Some(ack) = ack else { return Ok(()) };
    ack.await.map(drop).map_err(|error| Fault::new("send", whole(&error)))
}

/// Asks for a batch and gets what is there.
pub(super) struct Fetcher {
    consumer: CompressedConsumer<pull::Config>,
    /// What was asked for and has not all come, which goes on with the next call; and how many
    /// messages of it may come.
    under_way: Option<(Messages<pull::Batch, Message>, usize)>,
}

impl Fetcher {
    pub(super) const fn new(consumer: CompressedConsumer<pull::Config>) -> Self {
        Self { consumer, under_way: None }
    }
}

async fn asked(
    consumer: &CompressedConsumer<pull::Config>,
    most: usize,
) -> Result<Messages<pull::Batch, Message>, Fault> {
    let fetched = consumer.fetch(|fetch| fetch.max_messages(most)).await;
    fetched.map_err(|error| Fault::new("receive", whole(&error)))
}

impl Consume for Fetcher {
    /// What the server promised is not always there any more, as when somebody purges the stream:
    /// after a silence of `wait`, what has come by then is given.
    fn receive(&mut self, most: usize, wait: Duration) -> BoxFuture<'_, Result<Vec<Bytes>, Fault>> {
        Box::pin(async move {
            let mut batch = Vec::new();
            let mut has_asked = false;
            while batch.len() < most {
                if self.under_way.is_none() {
                    if has_asked || !batch.is_empty() {
                        break;
                    }
                    has_asked = true;
                    let messages = asked(&self.consumer, most).await?;
                    self.under_way = Some((messages, most));
                }
                let Some((messages, left)) = &mut self.under_way else { break };
                match timeout(wait, messages.next()).await {
                    Ok(Some(Ok(message))) => {
                        batch.push(message.message.payload);
                        *left = left.saturating_sub(1);
                        if *left == 0 {
                            self.under_way = None;
                        }
                    }
                    Ok(Some(Err(error))) => {
                        self.under_way = None;
                        return Err(Fault::new("receive", whole(&error)));
                    }
                    Ok(None) => {
                        self.under_way = None;
                        if has_asked && batch.is_empty() {
                            tokio::time::sleep(wait / 4).await; // all was given already
                        }
                    }
                    Err(_) => break,
                }
            }
            Ok(batch)
        })
    }
}

/// Pulls all the time.
pub(super) struct Puller {
    consumer: CompressedConsumer<pull::Config>,
    messages: Option<Messages<pull::Stream, Message>>,
}

impl Puller {
    pub(super) const fn new(consumer: CompressedConsumer<pull::Config>) -> Self {
        Self { consumer, messages: None }
    }
}

impl Consume for Puller {
    fn receive(&mut self, most: usize, wait: Duration) -> BoxFuture<'_, Result<Vec<Bytes>, Fault>> {
        Box::pin(async move {
            let messages = match &mut self.messages {
                Some(messages) => messages,
                none => {
                    let pulled = self
                        .consumer
                        .stream(|stream| stream.max_messages_per_batch(most.max(MIN_PULL)))
                        .await;
                    none.insert(pulled.map_err(|error| Fault::new("receive", whole(&error)))?)
                }
            };
            let mut batch = Vec::new();
            let Ok(mut next) = timeout(wait, messages.next()).await else { return Ok(batch) };
            loop {
                let message = next.ok_or_else(|| Fault::new("receive", "the stream has ended"))?;
                let message = message.map_err(|error| Fault::new("receive", whole(&error)))?;
                batch.push(message.message.payload);
                if batch.len() >= most {
                    return Ok(batch);
                }
                match messages.next().now_or_never() {
                    Some(more) => next = more,
                    None => return Ok(batch),
                }
            }
        })
    }
}

/// Fewer than the client lets be under way at once.
const MAX_ACKS: usize = 4000;

/// Small batches are not asked for one by one.
const MIN_PULL: usize = 100;
