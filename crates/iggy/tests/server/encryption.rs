//! Compressed, then encrypted, label and all.

use std::sync::Arc;
use std::time::{Duration, Instant};

use iggy::prelude::*;
use thinwire::Encoding;
use thinwire_iggy::{
    ClientCompressionConfig, CompressedConsumer, CompressedProducer, OnError, StreamError,
};

use crate::broker::{Broker, encodings, in_time, next, ready};
use crate::messages::{json, message};

fn key(byte: u8) -> Arc<EncryptorKind> {
    Arc::new(EncryptorKind::Aes256Gcm(Aes256GcmEncryptor::new(&[byte; 32]).unwrap()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_encrypted_was_compressed_and_comes_back_with_the_key_alone() {
    let Some(broker) = Broker::new(1).await else { return };
    for encoding in encodings() {
        let producer = broker.builder().encryptor(key(1)).build();
        let config = ClientCompressionConfig::new(encoding);
        let producer = CompressedProducer::new(producer, &config).unwrap();
        in_time(producer.init()).await.unwrap();
        in_time(producer.send(vec![message(json(8000, 1)), message(json(100, 2))])).await.unwrap();
    }
    let stored = broker.stored().await;
    assert!(stored < 4 * 4000, "{stored} bytes of 32,400");

    let off = ClientCompressionConfig::off();
    let consumer = broker.reader().encryptor(key(1)).build();
    let mut consumer = ready(CompressedConsumer::new(consumer, &off).unwrap()).await;
    for encoding in encodings() {
        for payload in [json(8000, 1), json(100, 2)] {
            let received = next(&mut consumer).await.unwrap().message;
            assert!(received.payload == payload && received.user_headers.is_none(), "{encoding}");
        }
    }

    // Another key: the SDK's error, again and again, but not in a tight loop, and nothing is
    // decompressed.
    let consumer = broker.reader().encryptor(key(2)).build();
    let mut consumer = ready(CompressedConsumer::new(consumer, &off).unwrap()).await;
    let started = Instant::now();
    for _ in 0..6 {
        let Err(error) = next(&mut consumer).await else { panic!("decrypted with another key") };
        assert!(matches!(error, StreamError::Client(IggyError::CannotDecryptData)), "{error}");
    }
    assert!(started.elapsed() > Duration::from_millis(10 + 20 + 40 + 80 + 160));
    let snapshot = consumer.counters().snapshot();
    assert!(snapshot.rows.is_empty() && snapshot.errors.is_empty());

    // No key: what has no headers passes as it is stored, the others' can't be read.
    let mut consumer = broker.consumer(&off).await;
    let Err(StreamError::BadMessage(bad)) = next(&mut consumer).await else {
        panic!("encrypted headers are no headers");
    };
    assert!(bad.to_string().contains("malformed"), "{bad}");
    assert_eq!(next(&mut consumer).await.unwrap().message.payload.len(), 100 + 12 + 16);
    broker.delete().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn decrypted_one_by_one_a_bad_message_takes_no_other_with_it() {
    let Some(broker) = Broker::new(1).await else { return };
    let config = ClientCompressionConfig::new(Encoding::Zstd);
    let producer = |with| {
        let producer = broker.builder().encryptor(with).build();
        CompressedProducer::new(producer, &config).unwrap()
    };
    let plain = broker.builder().build();
    in_time(plain.init()).await.unwrap();
    let (ours, theirs) = (producer(key(1)), producer(key(2)));
    in_time(ours.send_one(message(json(8000, 1)))).await.unwrap();
    in_time(theirs.send_one(message(json(8000, 2)))).await.unwrap();
    in_time(plain.send_one(message("short".into()))).await.unwrap();
    in_time(plain.send_one(message(json(300, 3)))).await.unwrap();
    in_time(ours.send_one(message(json(100, 4)))).await.unwrap();

    for on_error in [OnError::Report, OnError::Skip, OnError::Raw] {
        let config = ClientCompressionConfig::off().on_error(on_error);
        let consumer = broker.reader().without_encryptor().build();
        let consumer = CompressedConsumer::new(consumer, &config).unwrap().encryptor(key(1));
        let mut consumer = ready(consumer).await;
        assert!(next(&mut consumer).await.unwrap().message.payload == json(8000, 1));
        for at in 1..4 {
            if on_error == OnError::Report {
                let Err(StreamError::BadMessage(bad)) = next(&mut consumer).await else {
                    panic!("it can't be decrypted");
                };
                assert_eq!(bad.place().offset, Some(at));
                assert!(bad.to_string().contains("can't be decrypted"), "{bad}");
            }
            if on_error == OnError::Raw {
                let came = next(&mut consumer).await.unwrap().message;
                assert_eq!(came.header.offset, at);
            }
        }
        assert!(next(&mut consumer).await.unwrap().message.payload == json(100, 4));
        assert_eq!(consumer.skipped(), if on_error == OnError::Skip { 3 } else { 0 });
    }
    broker.delete().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_secret_is_sent_raw_on_request() {
    let Some(broker) = Broker::new(1).await else { return };
    let producer = broker.builder().encryptor(key(1)).build();
    let config = ClientCompressionConfig::new(Encoding::Zstd);
    let producer = CompressedProducer::new(producer, &config).unwrap();
    in_time(producer.init()).await.unwrap();
    in_time(producer.off().send_one(message(vec![7; 10_000].into()))).await.unwrap();
    assert!(broker.stored().await > 10_000);
    broker.delete().await;
}
