//! Every way to send and every encoding, between raw messages, on one topic.

use std::collections::BTreeMap;
use std::sync::Arc;

use iggy::prelude::*;
use thinwire::Encoding;
use thinwire::counters::Direction;
use thinwire_iggy::{ClientCompressionConfig, CompressedProducer};

use crate::broker::{Broker, TOPIC, encodings, in_time, next, nothing_more};
use crate::messages::{json, message, thousand};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_messages_in_each_encoding_between_raw_ones() {
    let Some(broker) = Broker::new(1).await else { return };
    let payloads = thousand();
    let off = broker.producer(&ClientCompressionConfig::off());
    in_time(off.init()).await.unwrap();
    for encoding in encodings() {
        let producer = broker.producer(&ClientCompressionConfig::new(encoding));
        in_time(producer.init()).await.unwrap();
        for batch in payloads.chunks(250) {
            let batch: Vec<_> = batch.iter().cloned().map(message).collect();
            in_time(producer.send(batch)).await.unwrap();
            in_time(off.send_one(message(json(5000, 9)))).await.unwrap();
        }
        let rows = producer.counters().snapshot().rows;
        let row = rows.iter().find(|it| it.encoding == encoding).unwrap();
        assert!(row.messages > 500 && row.wire_bytes * 2 < row.payload_bytes, "{row:?}");
    }
    let mut consumer = broker.consumer(&ClientCompressionConfig::off()).await;
    let mut offset = 0;
    for encoding in encodings() {
        for batch in payloads.chunks(250) {
            for payload in batch.iter().chain([&json(5000, 9)]) {
                let received = next(&mut consumer).await.unwrap();
                assert!(received.message.payload == payload, "{encoding} at {offset}");
                assert_eq!(received.message.user_headers, None);
                assert_eq!((received.partition_id, received.message.header.offset), (0, offset));
                offset += 1;
            }
        }
    }
    nothing_more(&mut consumer).await;
    let rows = consumer.counters().snapshot().rows;
    assert_eq!(rows.iter().map(|row| row.messages).sum::<u64>(), 4016);
    assert!(rows.iter().all(|row| row.direction == Direction::Decode));
    // Without the SDK's other consumer the bytes are as they are stored.
    let mut raw = broker.reader().build();
    in_time(raw.init()).await.unwrap();
    let longest = (0..).zip(&payloads).max_by_key(|(_, it)| it.len()).unwrap();
    for _ in 0..longest.0 {
        next(&mut raw).await.unwrap();
    }
    let stored = next(&mut raw).await.unwrap().message;
    assert!(stored.payload.len() * 2 < longest.1.len() && stored.user_headers.is_some());
    broker.delete().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_ways_to_send_compress_and_headers_and_ids_stay() {
    let Some(broker) = Broker::new(2).await else { return };
    let producer = broker.producer(&ClientCompressionConfig::new(Encoding::Zstd));
    in_time(producer.init()).await.unwrap();
    let headers =
        BTreeMap::from([(HeaderKey::try_from("trace").unwrap(), HeaderValue::from(7_u64))]);
    let given = |seed| {
        IggyMessage::builder()
            .id(u128::from(seed) + 1)
            .payload(json(4000, seed))
            .user_headers(headers.clone())
            .build()
            .unwrap()
    };
    let zero = Some(Arc::new(Partitioning::partition_id(0)));
    let id = |name: &str| Arc::new(Identifier::named(name).unwrap());
    in_time(producer.send(vec![given(0), given(1)])).await.unwrap();
    in_time(producer.send_one(given(2))).await.unwrap();
    in_time(producer.send_with_partitioning(vec![given(3)], zero.clone())).await.unwrap();
    in_time(producer.send_to(id(&broker.stream), id(TOPIC), vec![given(4)], zero)).await.unwrap();
    in_time(producer.off().send_one(given(5))).await.unwrap();
    let background = broker.builder().background(BackgroundConfig::builder().build()).build();
    let config = ClientCompressionConfig::new(Encoding::Lz4);
    let background = CompressedProducer::new(background, &config).unwrap();
    in_time(background.init()).await.unwrap();
    in_time(background.send(vec![given(6), given(7)])).await.unwrap();
    in_time(background.shutdown()).await;

    let mut consumer = broker.consumer(&ClientCompressionConfig::off()).await;
    for seed in 0..8 {
        let received = next(&mut consumer).await.unwrap().message;
        assert!(received.payload == json(4000, seed), "{seed}");
        assert_eq!(received.header.id, u128::from(seed) + 1);
        assert_eq!(received.user_headers_map().unwrap().unwrap(), headers);
    }
    let rows = consumer.counters().snapshot().rows;
    let counted: Vec<_> = rows.iter().map(|row| (row.encoding, row.messages)).collect();
    assert_eq!(counted, [(Encoding::Identity, 1), (Encoding::Zstd, 5), (Encoding::Lz4, 2)]);
    broker.delete().await;
}
