//! What is given back when it can't be sent: as it was. No server is needed.

#![expect(clippy::unwrap_used, reason = "test code outside of the test functions")]

use std::pin::Pin;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use iggy::clients::producer_error_callback::{ErrorCallback, ErrorCtx};
use iggy::prelude::*;
use thinwire::Encoding;
use thinwire::counters::Direction;
use thinwire_iggy::{
    ClientCompressionConfig, CompressedConsumer, CompressedProducer, RestoringCallback, SendError,
};
use thinwire_testkit::payload::{self, Kind};

/// A client that never connected.
fn client() -> IggyClient {
    IggyClient::builder().with_tcp().with_server_address("127.0.0.1:9".into()).build().unwrap()
}

fn config() -> ClientCompressionConfig {
    ClientCompressionConfig::new(Encoding::Zstd)
}

fn builder() -> IggyProducerBuilder {
    client().producer("stream", "topic").unwrap().send_retries(None, None)
}

fn key() -> Arc<EncryptorKind> {
    Arc::new(EncryptorKind::Aes256Gcm(Aes256GcmEncryptor::new(&[7; 32]).unwrap()))
}

/// Some that are compressed and some that are not.
fn messages(seed: u64) -> Vec<IggyMessage> {
    let lens = [4000, 10, 300, 64_000, 1];
    let payloads = lens.iter().map(|len| payload::make(Kind::JsonEvents, *len, seed));
    payloads
        .map(|payload| IggyMessage::builder().id(7).payload(payload.into()).build().unwrap())
        .collect()
}

/// But for when they were made.
fn assert_same(these: &[IggyMessage], those: &[IggyMessage]) {
    assert_eq!(these.len(), those.len());
    for (this, that) in these.iter().zip(those) {
        assert!(this.payload == that.payload && this.user_headers == that.user_headers);
        assert_eq!(this.header.id, that.header.id);
        this.get_size_bytes(); // asserts the lengths
    }
}

#[tokio::test]
async fn each_way_to_send_gives_back_what_was_not_sent() {
    let topic = Arc::new(Identifier::named("topic").unwrap());
    for encryptor in [None, Some(key())] {
        let builder = match encryptor {
            Some(encryptor) => builder().encryptor(encryptor),
            None => builder(),
        };
        let producer = CompressedProducer::new(builder.build(), &config()).unwrap();
        let partitioning = Some(Arc::new(Partitioning::partition_id(0)));
        let errors = [
            producer.send(messages(1)).await,
            producer.off().send(messages(1)).await,
            producer.send_with_partitioning(messages(1), partitioning.clone()).await,
            producer.send_to(topic.clone(), topic.clone(), messages(1), partitioning).await,
        ];
        for error in errors.map(Result::unwrap_err) {
            let SendError::Client { error: IggyError::ProducerSendFailed { failed, .. }, .. } =
                &error
            else {
                panic!("{error}")
            };
            assert_same(failed, &messages(1));
            let text = error.to_string();
            let expected = "5 messages were not sent to stream/topic: Disconnected";
            assert_eq!(text, expected);
            assert_same(&error.into_messages(), &messages(1));
        }
        let one = producer.send_one(messages(1).swap_remove(0)).await.unwrap_err();
        assert_same(&one.into_messages(), &messages(1)[..1]);
        assert!(producer.send(Vec::new()).await.unwrap().confirmations.is_empty());
    }
}

#[test]
fn what_holds_a_producer_or_a_consumer_may_move_between_threads() {
    fn check<T: Send + Sync + 'static>() {}
    check::<CompressedProducer>();
    check::<CompressedConsumer>();
    check::<RestoringCallback<Keeps>>();
    check::<SendError>();
}

#[tokio::test]
async fn what_is_sent_again_is_compressed_once_and_counted_twice() {
    let producer = CompressedProducer::new(builder().build(), &config()).unwrap();
    let unsent = producer.send(messages(2)).await.unwrap_err().into_messages();
    let unsent = producer.send(unsent).await.unwrap_err().into_messages();
    assert_same(&unsent, &messages(2));
    let rows = producer.counters().snapshot().rows;
    let zstd = rows.iter().find(|it| it.encoding == Encoding::Zstd).unwrap();
    assert_eq!((zstd.direction, zstd.messages), (Direction::Encode, 6));
    assert_eq!(zstd.payload_bytes, 2 * 68_300);
}

#[tokio::test]
async fn one_message_too_long_stops_all_and_all_come_back() {
    let config = config().max_payload_size(10_000);
    let producer = CompressedProducer::new(builder().build(), &config).unwrap();
    let error = producer.send(messages(3)).await.unwrap_err();
    assert!(matches!(error, SendError::Compress { index: 3, .. }), "{error}");
    assert!(error.to_string().starts_with("message 3: a payload of 64000 bytes"), "{error}");
    assert_same(&error.into_messages(), &messages(3));

    let error = producer.off().send(messages(3)).await.unwrap_err();
    assert!(matches!(IggyError::from(error), IggyError::TooBigMessagePayload));
}

/// Chooses by the length of the payload, and notes what it saw.
#[derive(Debug, Default)]
struct ByLen(Mutex<Vec<usize>>);

impl Partitioner for ByLen {
    fn calculate_partition_id(
        &self,
        _: &Identifier,
        _: &Identifier,
        messages: &[IggyMessage],
    ) -> Result<u32, IggyError> {
        self.0.lock().unwrap().extend(messages.iter().map(|it| it.payload.len()));
        if messages.len() == 2 { Err(IggyError::InvalidIdentifier) } else { Ok(1) }
    }
}

#[tokio::test]
async fn a_partitioner_sees_the_messages_as_they_were_given() {
    let by_len = Arc::new(ByLen::default());
    let producer = builder().encryptor(key()).build();
    let producer =
        CompressedProducer::new(producer, &config()).unwrap().partitioner(by_len.clone());
    drop(producer.send(messages(4)).await);
    assert_eq!(*by_len.0.lock().unwrap(), [4000, 10, 300, 64_000, 1]);

    let error = producer.send(messages(4).into_iter().take(2).collect()).await.unwrap_err();
    assert!(matches!(error, SendError::Partitioner { .. }), "{error}");
    assert_same(&error.into_messages(), &messages(4)[..2]);
}

/// Keeps what it is called with.
#[derive(Debug, Clone, Default)]
struct Keeps(Arc<Mutex<Vec<Arc<Vec<IggyMessage>>>>>);

impl ErrorCallback for Keeps {
    fn call(&self, failed: ErrorCtx) -> Pin<Box<dyn Future<Output = ()> + Send + 'static>> {
        let kept = self.0.clone();
        Box::pin(async move { kept.lock().unwrap().push(failed.messages) })
    }
}

#[tokio::test]
async fn a_background_producer_gives_its_callback_what_was_given() {
    for encryptor in [None, Some(key())] {
        let kept = Keeps::default();
        let mut callback = RestoringCallback::new(kept.clone(), &config()).unwrap();
        let mut builder = builder();
        if let Some(encryptor) = encryptor {
            callback = callback.encryptor(encryptor.clone());
            builder = builder.encryptor(encryptor);
        }
        let background =
            BackgroundConfig::builder().error_callback(Arc::new(Box::new(callback))).build();
        let producer = builder.background(background).build();
        let producer = CompressedProducer::new(producer, &config()).unwrap();
        producer.send(messages(5)).await.unwrap();
        producer.shutdown().await;
        let kept = kept.0.lock().unwrap();
        let kept: Vec<_> = kept.iter().flat_map(|batch| batch.iter()).collect();
        assert_eq!(kept.len(), 5);
        for (message, given) in kept.into_iter().zip(messages(5)) {
            assert!(message.payload == given.payload && message.user_headers.is_none());
        }
    }
}

#[tokio::test]
async fn a_callback_with_the_wrong_key_or_short_messages_gets_them_as_they_are() {
    let kept = Keeps::default();
    let callback = RestoringCallback::new(kept.clone(), &config()).unwrap().encryptor(key());
    let plain =
        Arc::new(vec![IggyMessage::from("short"), IggyMessage::from("longer than a nonce is")]);
    let id = Arc::new(Identifier::named("stream").unwrap());
    let failed = ErrorCtx {
        cause: Box::new(IggyError::CannotEncryptData),
        stream: id.clone(),
        stream_name: "stream".into(),
        topic: id,
        topic_name: "topic".into(),
        partitioning: None,
        messages: plain,
        committed: Arc::default(),
    };
    callback.call(failed).await;
    let kept = kept.0.lock().unwrap();
    let payloads: Vec<_> = kept[0].iter().map(|it| it.payload.clone()).collect();
    assert_eq!(payloads, [Bytes::from("short"), Bytes::from("longer than a nonce is")]);
}

#[tokio::test]
async fn a_full_buffer_gives_the_messages_back() {
    let background = BackgroundConfig::builder().max_buffer_size(IggyByteSize::from(100)).build();
    let producer = builder().background(background).build();
    let producer = CompressedProducer::new(producer, &config()).unwrap();
    let error = producer.send(messages(6)).await.unwrap_err();
    assert!(
        matches!(error, SendError::Client { error: IggyError::BackgroundSendBufferOverflow, .. }),
        "{error}"
    );
    assert_same(&error.into_messages(), &messages(6));
}

#[tokio::test]
async fn many_short_messages_leave_the_runtime_to_others() {
    let producer = CompressedProducer::new(builder().build(), &config()).unwrap();
    let batch = |lens: &[usize]| -> Vec<_> {
        let seeds = (0..).zip(lens);
        seeds
            .map(|(seed, len)| IggyMessage::from(payload::make(Kind::JsonEvents, *len, seed)))
            .collect()
    };
    let turns = Arc::new(Mutex::new(0));
    let counted = turns.clone();
    let other = tokio::spawn(async move {
        loop {
            *counted.lock().unwrap() += 1;
            tokio::task::yield_now().await;
        }
    });
    // 12 MB are compressed on other threads; in their order they come back.
    let lens: Vec<_> = (0..3000).map(|number| 3000 + number % 2000).collect();
    let unsent = producer.send(batch(&lens)).await.unwrap_err().into_messages();
    assert_same(&unsent, &batch(&lens));
    assert!(*turns.lock().unwrap() > 100, "{} turns", turns.lock().unwrap());
    other.abort();

    // One that is too long among them: all come back.
    let config = config().max_payload_size(5000);
    let producer = CompressedProducer::new(builder().build(), &config).unwrap();
    let lens: Vec<_> = lens.iter().enumerate().map(|(at, len)| len + at / 2999 * 5000).collect();
    let error = producer.send(batch(&lens)).await.unwrap_err();
    assert!(matches!(error, SendError::Compress { index: 2999, .. }), "{error}");
    assert_same(&error.into_messages(), &batch(&lens));
}
