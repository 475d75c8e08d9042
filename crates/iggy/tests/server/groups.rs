//! Consumer groups: two members share the partitions, and a second life goes on where the first
//! committed.

use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::StreamExt as _;
use iggy::prelude::*;
use thinwire::Encoding;
use thinwire_iggy::{ClientCompressionConfig, CompressedConsumer};

use crate::broker::{Broker, TOPIC, connect, in_time, ready};
use crate::messages::{json, message};

async fn member(client: &IggyClient, stream: &str) -> CompressedConsumer {
    let consumer = client
        .consumer_group("group", stream, TOPIC)
        .unwrap()
        .poll_interval(IggyDuration::from(5000))
        .batch_length(50);
    let config = ClientCompressionConfig::off();
    ready(CompressedConsumer::committing(consumer, &config).unwrap()).await
}

/// Takes messages until none came for a while; gives their payloads' lengths.
async fn take(consumer: &mut CompressedConsumer, most: usize) -> Vec<(u32, usize)> {
    let mut taken = Vec::new();
    while taken.len() < most {
        let next = tokio::time::timeout(Duration::from_secs(3), consumer.next()).await;
        let Ok(received) = next else { break };
        let received = received.unwrap().unwrap();
        taken.push((received.partition_id, received.message.payload.len()));
    }
    taken
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_share_partitions_and_a_second_life_goes_on() {
    let Some(broker) = Broker::new(4).await else { return };
    let producer = broker.producer(&ClientCompressionConfig::new(Encoding::Lz4));
    in_time(producer.init()).await.unwrap();
    for number in 0..400_usize {
        let partition = Partitioning::partition_id(u32::try_from(number % 4).unwrap());
        let sent = message(json(1000 + number, 1));
        in_time(producer.send_with_partitioning(vec![sent], Some(partition.into()))).await.unwrap();
    }
    let (one, other) = (connect(&broker.address).await, connect(&broker.address).await);
    let mut first = member(&one, &broker.stream).await;
    let mut second = member(&other, &broker.stream).await;
    // The first dies without a word after some of its messages.
    let (mut taken, rest) = tokio::join!(take(&mut first, 60), take(&mut second, usize::MAX));
    assert!(!taken.is_empty() && !rest.is_empty());
    let partitions = |taken: &[(u32, usize)]| taken.iter().map(|it| it.0).collect::<BTreeSet<_>>();
    assert!(partitions(&taken).is_disjoint(&partitions(&rest)));
    taken.extend(rest);
    in_time(second.commit()).await.unwrap();
    in_time(second.shutdown()).await.unwrap();
    drop(first);
    in_time(one.shutdown()).await.unwrap();
    // A new one has what was not committed: nothing is lost, and little comes twice.
    let mut third = member(&other, &broker.stream).await;
    let again = take(&mut third, usize::MAX).await;
    let before: BTreeSet<_> = taken.iter().copied().collect();
    let twice = again.iter().filter(|it| before.contains(it)).count();
    let all: BTreeSet<_> = before.iter().chain(&again).map(|it| it.1).collect();
    assert_eq!(all, (1000..1400).collect());
    assert!(twice <= 60, "{twice} of {} came twice", again.len());
    in_time(third.shutdown()).await.unwrap();
    broker.delete().await;
}
