//! The server that the tests were given.

use std::future::Future;
use std::time::Duration;

use futures_util::{Stream, StreamExt as _};
use iggy::prelude::*;
use thinwire::Encoding;
use thinwire_iggy::{ClientCompressionConfig, CompressedConsumer, CompressedProducer};

pub(crate) use crate::topic::{TOPIC, connect};
use crate::topic::{create, stored, unique};

/// Longer than anything takes.
pub(crate) const HANGS: Duration = Duration::from_secs(60);

/// A stream of its own with one topic, deleted when it is done with.
pub(crate) struct Broker {
    pub(crate) client: IggyClient,
    pub(crate) address: String,
    pub(crate) stream: String,
}

impl Broker {
    /// `None`, and a word about it, where there is no server.
    pub(crate) async fn new(partitions: u32) -> Option<Self> {
        let Ok(address) = std::env::var("IGGY_ADDRESS") else {
            println!("skipped: IGGY_ADDRESS is not set: nothing is tested on a real Iggy server");
            return None;
        };
        let client = connect(&address).await;
        let stream = unique("thinwire");
        create(&client, &stream, partitions).await;
        Some(Self { client, address, stream })
    }

    pub(crate) fn producer(&self, config: &ClientCompressionConfig) -> CompressedProducer {
        let producer = self.builder().build();
        CompressedProducer::new(producer, config).unwrap()
    }

    pub(crate) fn builder(&self) -> IggyProducerBuilder {
        let partitioning = Partitioning::partition_id(0);
        self.client.producer(&self.stream, TOPIC).unwrap().partitioning(partitioning)
    }

    /// From the first message of the partition on, without commits.
    pub(crate) fn reader(&self) -> IggyConsumerBuilder {
        self.client
            .consumer("reader", &self.stream, TOPIC, 0)
            .unwrap()
            .polling_strategy(PollingStrategy::first())
            .poll_interval(IggyDuration::from(5000))
            .auto_commit(AutoCommit::Disabled)
    }

    pub(crate) async fn consumer(&self, config: &ClientCompressionConfig) -> CompressedConsumer {
        ready(CompressedConsumer::new(self.reader().build(), config).unwrap()).await
    }

    pub(crate) async fn delete(self) {
        let stream = Identifier::named(&self.stream).unwrap();
        self.client.delete_stream(&stream).await.unwrap();
    }

    /// Bytes that the topic takes on the server.
    pub(crate) async fn stored(&self) -> u64 {
        stored(&self.client, &self.stream).await
    }
}

pub(crate) async fn ready(mut consumer: CompressedConsumer) -> CompressedConsumer {
    in_time(consumer.init()).await.unwrap();
    consumer
}

/// The next item, which must come.
pub(crate) async fn next<S: Stream + Unpin>(stream: &mut S) -> S::Item {
    in_time(stream.next()).await.expect("the stream ended")
}

/// Nothing comes in so long that it would have come.
pub(crate) async fn nothing_more<S: Stream + Unpin>(stream: &mut S) {
    let more = tokio::time::timeout(Duration::from_millis(300), stream.next()).await;
    assert!(more.is_err(), "there is more");
}

pub(crate) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(HANGS, future).await.expect("it hangs")
}

pub(crate) fn encodings() -> [Encoding; 4] {
    [Encoding::Gzip, Encoding::Zstd, Encoding::Lz4, Encoding::SnappyBlock]
}
