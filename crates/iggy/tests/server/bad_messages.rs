//! Corrupt, mislabelled and oversized messages in the middle of a batch, with each `on_error`.

use bytes::Bytes;
use futures_util::StreamExt as _;
use iggy::prelude::*;
use thinwire::Encoding;
use thinwire_iggy::{
    ClientCompressionConfig, CompressedConsumer, DecompressError, OnError, StreamError,
};

use crate::broker::{Broker, TOPIC, in_time, next, nothing_more, ready};
use crate::messages::{encoded, json, labelled, message};

const LIMIT: usize = 100_000;

/// Good ones at the even offsets, and between them each of the bad ones.
fn mixture() -> Vec<IggyMessage> {
    let zstd = encoded(Encoding::Zstd, &json(4000, 7));
    let bad = [
        labelled(zstd.slice(..zstd.len() / 2), "zstd"),
        labelled(zstd.clone(), "gzip"),
        labelled(zstd.clone(), "br"),
        labelled(zstd.clone(), "x".repeat(255)),
        labelled(zstd, 7_u32),
        labelled(encoded(Encoding::Zstd, &vec![0; LIMIT + 1]), "zstd"),
        message(json(LIMIT + 1, 1)),
    ];
    let mut all = Vec::new();
    for (seed, bad) in (0..).zip(bad) {
        all.push(labelled(encoded(Encoding::Lz4, &json(3000, seed)), "lz4"));
        all.push(bad);
    }
    all.push(message(json(3000, 7)));
    all
}

fn good(offset: u64) -> Bytes {
    json(3000, offset / 2)
}

fn config(on_error: OnError) -> ClientCompressionConfig {
    ClientCompressionConfig::new(Encoding::Zstd).max_payload_size(LIMIT).on_error(on_error)
}

async fn send_mixture(broker: &Broker) {
    let raw = broker.builder().build();
    in_time(raw.init()).await.unwrap();
    in_time(raw.send(mixture())).await.unwrap();
}

/// Goes on where the last one committed.
async fn committing(broker: &Broker, on_error: OnError) -> CompressedConsumer {
    let builder = broker.reader().polling_strategy(PollingStrategy::next());
    ready(CompressedConsumer::committing(builder, &config(on_error)).unwrap()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bad_message_is_one_error_with_all_about_it_and_is_passed() {
    let Some(broker) = Broker::new(1).await else { return };
    send_mixture(&broker).await;
    let mut consumer = committing(&broker, OnError::Report).await;
    let mut kept = Vec::new();
    for offset in 0..15 {
        match next(&mut consumer).await {
            Ok(received) => assert!(received.message.payload == good(offset), "{offset}"),
            Err(StreamError::BadMessage(bad)) => {
                assert_eq!(offset % 2, 1);
                assert_eq!(bad.place().stream, format!("{}/topic", broker.stream));
                assert_eq!((bad.place().partition, bad.place().offset), (Some(0), Some(offset)));
                let given = mixture().swap_remove(usize::try_from(offset).unwrap());
                assert!(bad.message().message.payload == given.payload);
                assert_eq!(bad.message().message.user_headers, given.user_headers);
                kept.push(bad);
            }
            Err(error) => panic!("{error}"),
        }
    }
    let encodings: Vec<_> = kept.iter().map(|bad| bad.encoding()).collect();
    let zstd = Some(Encoding::Zstd);
    assert_eq!(encodings, [zstd, Some(Encoding::Gzip), None, None, None, zstd, None]);
    for (at, bad) in kept.iter().enumerate() {
        let is_expected = match at {
            0 | 1 | 5 => matches!(bad.reason(), DecompressError::Decode(_)),
            6 => matches!(bad.reason(), DecompressError::TooLong { .. }),
            _ => matches!(bad.reason(), DecompressError::Label(_)),
        };
        assert!(is_expected, "{bad}");
    }
    nothing_more(&mut consumer).await;
    in_time(consumer.shutdown()).await.unwrap();
    nothing_more(&mut committing(&broker, OnError::Report).await).await;
    broker.delete().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_skipped_is_counted_and_committed() {
    let Some(broker) = Broker::new(1).await else { return };
    send_mixture(&broker).await;
    let raw = broker.builder().build();
    in_time(raw.init()).await.unwrap();
    in_time(raw.send(mixture().drain(1..2).collect())).await.unwrap(); // the last one is bad
    let mut consumer = committing(&broker, OnError::Skip).await;
    for offset in (0..15).step_by(2) {
        let received = next(&mut consumer).await.unwrap();
        assert_eq!(received.message.header.offset, offset);
        assert!(received.message.payload == good(offset));
    }
    nothing_more(&mut consumer).await;
    assert_eq!(consumer.skipped(), 8);
    assert_eq!(consumer.last_skipped().unwrap().offset, Some(15));
    in_time(consumer.shutdown()).await.unwrap();
    let mut again = committing(&broker, OnError::Skip).await;
    nothing_more(&mut again).await;
    assert_eq!(again.skipped(), 0);
    broker.delete().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_ends_the_stream_and_a_new_one_begins_with_the_bad_message() {
    let Some(broker) = Broker::new(1).await else { return };
    send_mixture(&broker).await;
    for life in 0..2 {
        let mut consumer = committing(&broker, OnError::Stop).await;
        if life == 0 {
            assert!(next(&mut consumer).await.unwrap().message.payload == good(0));
        }
        let Err(StreamError::BadMessage(bad)) = next(&mut consumer).await else {
            panic!("the second message is bad");
        };
        assert_eq!(bad.place().offset, Some(1));
        assert!(in_time(consumer.next()).await.is_none());
        in_time(consumer.shutdown()).await.unwrap();
    }
    broker.delete().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn raw_gives_the_messages_as_they_came() {
    let Some(broker) = Broker::new(1).await else { return };
    send_mixture(&broker).await;
    let mut consumer = broker.consumer(&config(OnError::Raw)).await;
    for (offset, given) in (0..).zip(mixture()) {
        let received = next(&mut consumer).await.unwrap().message;
        if offset % 2 == 0 {
            assert!(received.payload == good(offset) && received.user_headers.is_none());
        } else {
            assert!(received.payload == given.payload, "{offset}");
            assert_eq!(received.user_headers, given.user_headers);
        }
    }
    broker.delete().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_messages_can_be_put_aside_as_they_came() {
    let Some(broker) = Broker::new(2).await else { return };
    send_mixture(&broker).await;
    let mut consumer = broker.consumer(&config(OnError::Report)).await;
    let mut bad = Vec::new();
    for offset in 0..15 {
        if let Err(StreamError::BadMessage(it)) = next(&mut consumer).await {
            // Too long for this configuration's producers, too.
            if offset != 13 {
                bad.push(it.into_message().into_inner().message);
            }
        }
    }
    let given: Vec<_> =
        bad.iter().map(|it| (it.payload.clone(), it.user_headers.clone())).collect();
    let aside = Some(Partitioning::partition_id(1).into());
    let producer = broker.producer(&config(OnError::Report));
    in_time(producer.init()).await.unwrap();
    in_time(producer.send_with_partitioning(bad, aside)).await.unwrap();
    let reader = broker.client.consumer("aside", &broker.stream, TOPIC, 1).unwrap();
    let mut reader = reader.polling_strategy(PollingStrategy::first()).build();
    in_time(reader.init()).await.unwrap();
    for (payload, headers) in given {
        let came = next(&mut reader).await.unwrap().message;
        assert!(came.payload == payload && came.user_headers == headers);
    }
    broker.delete().await;
}
