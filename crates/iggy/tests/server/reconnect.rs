//! A connection that breaks, and comes back.

use std::sync::Arc;
use std::time::Duration;

use iggy::prelude::*;
use thinwire::Encoding;
use thinwire_iggy::{ClientCompressionConfig, CompressedConsumer, CompressedProducer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::broadcast;

use crate::broker::{Broker, HANGS, TOPIC, connect, in_time, next, nothing_more, ready};
use crate::messages::{json, message};

/// A way to the server that can be cut.
struct Wire {
    address: String,
    cut: broadcast::Sender<()>,
}

impl Wire {
    async fn to(server: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (cut, _) = broadcast::channel(1);
        let (server, cuts) = (Arc::<str>::from(server), cut.clone());
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let (server, mut is_cut) = (server.clone(), cuts.subscribe());
                tokio::spawn(async move {
                    let mut server = TcpStream::connect(&*server).await.unwrap();
                    tokio::select! {
                        _ = tokio::io::copy_bidirectional(&mut client, &mut server) => {}
                        _ = is_cut.recv() => {}
                    }
                });
            }
        });
        Self { address, cut }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_broken_connection_loses_nothing_and_compresses_nothing_twice() {
    let Some(broker) = Broker::new(1).await else { return };
    let wire = Wire::to(&broker.address).await;
    let client = connect(&wire.address).await;
    let producer = client
        .producer(&broker.stream, TOPIC)
        .unwrap()
        .partitioning(Partitioning::partition_id(0))
        .send_retries(Some(20), Some(NonZeroIggyDuration::ONE_SECOND))
        .build();
    let config = ClientCompressionConfig::new(Encoding::Zstd);
    let producer = CompressedProducer::new(producer, &config).unwrap();
    in_time(producer.init()).await.unwrap();
    let sending = tokio::spawn(async move {
        for number in 0..40 {
            let mut unsent = vec![message(json(4000, number))];
            // As an application that must not lose it.
            while let Err(error) = producer.send(unsent).await {
                unsent = error.into_messages();
                assert!(unsent[0].payload == json(4000, number));
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    });
    let other = connect(&wire.address).await;
    let consumer = |client: &IggyClient| {
        let consumer = client
            .consumer("reader", &broker.stream, TOPIC, 0)
            .unwrap()
            .poll_interval(IggyDuration::from(5000))
            .batch_length(3);
        CompressedConsumer::committing(consumer, &config).unwrap().batch_length(3)
    };
    let mut through = ready(consumer(&other)).await;
    let cutting = tokio::spawn(async move {
        for _ in 0..2 {
            tokio::time::sleep(Duration::from_millis(500)).await;
            drop(wire.cut.send(()));
        }
        wire // which goes on
    });
    // At least once, each in its place, each as it was.
    let mut number = 0;
    let all = async {
        while number < 40 {
            match next(&mut through).await {
                Ok(received) if received.message.payload == json(4000, number) => number += 1,
                Ok(received) => {
                    let again = (0..number).any(|it| received.message.payload == json(4000, it));
                    assert!(again, "{} is no message of these", received.message.header.offset);
                }
                Err(error) => println!("as it may be: {error}"),
            }
        }
    };
    tokio::time::timeout(HANGS, all).await.expect("messages are lost");
    in_time(sending).await.unwrap();
    // A commit whose connection was cut was not forgotten.
    in_time(through.commit()).await.unwrap();
    in_time(through.shutdown()).await.unwrap();
    nothing_more(&mut ready(consumer(&broker.client)).await).await;
    drop(cutting.await);
    broker.delete().await;
}
