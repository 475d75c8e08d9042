//! Producers and consumers of Iggy.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use iggy::prelude::{
    Consumer, ConsumerGroupClient, Identifier, IggyClient, IggyMessage, MessageClient,
    PollingStrategy,
};
use thinwire_iggy::{CompressedProducer, Iggy, MessageCodec};

use crate::bench::transport::fault::whole;
use crate::bench::transport::{BoxFuture, Consume, Fault, Produce};

/// Sends a batch at once.
pub(super) struct Producer {
    /// Its connection, which lives as long as it does.
    #[expect(dead_code, reason = "kept, not used")]
    pub(super) client: IggyClient,
    pub(super) producer: CompressedProducer,
}

impl Produce for Producer {
    fn send(&mut self, batch: Vec<Bytes>) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            let fail = |error: &dyn std::error::Error| Fault::new("send", whole(error));
            let mut messages = Vec::with_capacity(batch.len());
            let payload_bytes: usize = batch.iter().map(Bytes::len).sum();
            for payload in batch {
                let message = IggyMessage::builder().payload(payload).build();
                messages.push(message.map_err(|error| fail(&error))?);
            }
            self.producer.send(messages).await.map(drop).map_err(|error| match payload_bytes {
                0..=SERVER_LIMIT => fail(&error),
                // It breaks the connection, which is all that the SDK knows of it.
                more => Fault::new(
                    "send",
                    format!(
                        "{}; the batch had {more} bytes, and a server takes no more than 64 MiB at \
                         once, compressed, unless its max_message_size says otherwise",
                        whole(&error)
                    ),
                ),
            })
        })
    }
}

impl std::fmt::Debug for Producer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Producer").field("producer", &self.producer).finish_non_exhaustive()
    }
}

/// Polls batch after batch, as the SDK's low-level client does.
pub(super) struct Poller {
    pub(super) client: IggyClient,
    pub(super) codec: MessageCodec,
    pub(super) stream: Identifier,
    pub(super) topic: Identifier,
    pub(super) place: Place,
    /// The session's count of runs, and the one of the last poll: messages are new with each.
    pub(super) runs: Arc<AtomicU64>,
    pub(super) run: u64,
}

/// From where a consumer takes its messages.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// All of the only partition, from this offset.
    Partition(u64),
    /// What the server assigns to it, as a member of a group.
    Group(Identifier),
}

impl Poller {
    async fn poll(&mut self, most: usize) -> Result<Vec<IggyMessage>, Fault> {
        let fail = |error: &dyn std::error::Error| Fault::new("receive", whole(error));
        let run = self.runs.load(Ordering::Acquire);
        if run != self.run {
            self.run = run;
            match &mut self.place {
                Place::Partition(offset) => *offset = 0,
                Place::Group(group) => {
                    let joined =
                        self.client.join_consumer_group(&self.stream, &self.topic, group).await;
                    joined.map_err(|error| fail(&error))?;
                }
            }
        }
        let (consumer, partition, strategy, commit) = match &self.place {
            Place::Partition(offset) => {
                let id = Identifier::numeric(1).map_err(|error| fail(&error))?;
                (Consumer::new(id), Some(0), PollingStrategy::offset(*offset), false)
            }
            Place::Group(group) => {
                (Consumer::group(group.clone()), None, PollingStrategy::next(), true)
            }
        };
        let count = u32::try_from(most).unwrap_or(u32::MAX);
        let polled = self
            .client
            .poll_messages(
                &self.stream,
                &self.topic,
                partition,
                &consumer,
                &strategy,
                count,
                commit,
            )
            .await
            .map_err(|error| fail(&error))?;
        if let Place::Partition(offset) = &mut self.place {
            *offset += polled.messages.len() as u64;
        }
        Ok(polled.messages)
    }
}

impl Consume for Poller {
    fn receive(&mut self, most: usize, wait: Duration) -> BoxFuture<'_, Result<Vec<Bytes>, Fault>> {
        Box::pin(async move {
            let begin = Instant::now();
            loop {
                let messages = self.poll(most).await?;
                if messages.is_empty() {
                    if begin.elapsed() >= wait {
                        return Ok(Vec::new());
                    }
                    tokio::time::sleep(POLL).await;
                    continue;
                }
                let mut batch = Vec::with_capacity(messages.len());
                for message in messages {
                    let restored = self.codec.maybe_decompress_off_runtime(Iggy(message)).await;
                    let restored = restored.map_err(|bad| Fault::new("receive", bad))?;
                    batch.push(restored.into_inner().payload);
                }
                return Ok(batch);
            }
        })
    }
}

impl std::fmt::Debug for Poller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Poller").field("place", &self.place).finish_non_exhaustive()
    }
}

/// A poll that finds nothing is not repeated at once.
const POLL: Duration = Duration::from_millis(1);

/// Bytes that a server takes at once, as it is delivered.
const SERVER_LIMIT: usize = 64 << 20;
