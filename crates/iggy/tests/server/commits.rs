//! What is committed, and when; and the SDK's loop with a handler.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use iggy::consumer_ext::MessageConsumer;
use iggy::prelude::*;
use thinwire::Encoding;
use thinwire_iggy::{ClientCompressionConfig, CompressedConsumer};
use tokio::sync::oneshot;

use crate::broker::{Broker, in_time, next, nothing_more, ready};
use crate::messages::{json, message};

async fn send(broker: &Broker, count: u64) {
    let producer = broker.producer(&ClientCompressionConfig::new(Encoding::Lz4));
    in_time(producer.init()).await.unwrap();
    let messages = (0..count).map(|seed| message(json(1000, seed))).collect();
    in_time(producer.send(messages)).await.unwrap();
}

async fn committing(broker: &Broker, batch: u32) -> CompressedConsumer {
    let builder = broker.reader().polling_strategy(PollingStrategy::next()).batch_length(batch);
    let config = ClientCompressionConfig::off();
    let consumer = CompressedConsumer::committing(builder, &config).unwrap();
    ready(consumer.batch_length(batch)).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_handled_is_committed_and_what_was_not_comes_again() {
    let Some(broker) = Broker::new(1).await else { return };
    send(&broker, 100).await;
    let mut consumer = committing(&broker, 10).await;
    for offset in 0..42 {
        assert_eq!(next(&mut consumer).await.unwrap().message.header.offset, offset);
    }
    in_time(consumer.shutdown()).await.unwrap();
    let mut consumer = committing(&broker, 10).await;
    for offset in 41..60 {
        assert_eq!(next(&mut consumer).await.unwrap().message.header.offset, offset);
    }
    in_time(consumer.commit()).await.unwrap();
    drop(consumer);
    // However small the batches are, it goes on to the end.
    let mut consumer = committing(&broker, 1).await;
    for offset in 60..100 {
        assert_eq!(next(&mut consumer).await.unwrap().message.header.offset, offset);
    }
    nothing_more(&mut consumer).await;
    in_time(consumer.shutdown()).await.unwrap();
    nothing_more(&mut committing(&broker, 10).await).await;
    broker.delete().await;
}

/// Counts, and ends the loop after so many.
struct Handler {
    seen: AtomicUsize,
    end: std::sync::Mutex<Option<oneshot::Sender<()>>>,
}

impl MessageConsumer for Handler {
    async fn consume(&self, received: ReceivedMessage) -> Result<(), IggyError> {
        let offset = received.message.header.offset;
        assert!(received.message.payload == json(1000, offset));
        if self.seen.fetch_add(1, Ordering::SeqCst) == 99 {
            self.end.lock().unwrap().take().unwrap().send(()).unwrap();
        }
        if offset == 7 { Err(IggyError::InvalidCommand) } else { Ok(()) }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_gets_restored_messages_and_its_errors_end_nothing() {
    let Some(broker) = Broker::new(1).await else { return };
    send(&broker, 100).await;
    let mut consumer = committing(&broker, 10).await;
    let (end, ended) = oneshot::channel();
    let handler = Arc::new(Handler { seen: AtomicUsize::new(0), end: Some(end).into() });
    in_time(consumer.consume_messages(&*handler, ended)).await.unwrap();
    assert_eq!(handler.seen.load(Ordering::SeqCst), 100);
    in_time(consumer.shutdown()).await.unwrap();
    nothing_more(&mut committing(&broker, 10).await).await;
    broker.delete().await;
}
