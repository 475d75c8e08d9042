//! `JetStream`: what is stored, every kind of consumer, and that the server hears their acks.

use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull, push};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::{self, AckKind};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use thinwire::Encoding;
use thinwire_nats::{ClientCompressionConfig, CompressedConsumer, CompressedContext};

use crate::nats_server::{HANGS, NatsServer, stream};
use crate::payloads::{encodings, in_time, json, label, next, nothing_more, payloads};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_jetstream_carries_every_encoding_and_size() {
    let Some(server) = NatsServer::start().await else { return };
    for encoding in encodings() {
        let context = server.client(&ClientCompressionConfig::new(encoding)).await.jetstream();
        let name = encoding.name();
        let stream = stream(&context, name).await;
        let subject = format!("{name}.a");
        for (payload, _) in payloads() {
            // All three ways to publish, each waiting for the server's word.
            let sent = context.publish(subject.clone(), payload.clone()).await.unwrap();
            in_time(sent.into_future()).await.unwrap();
            let (mut headers, payload) = (HeaderMap::new(), payload);
            headers.insert("Kept", "1");
            let sent = context.publish_with_headers(subject.clone(), headers, payload.clone());
            in_time(sent.await.unwrap().into_future()).await.unwrap();
            let publish = PublishMessage::build().payload(payload).header("Kept", "2");
            let sent = context.send_publish(subject.clone(), publish).await.unwrap();
            in_time(sent.into_future()).await.unwrap();
        }
        let stored = payloads().into_iter().flat_map(|it| [it.clone(), it.clone(), it]);
        for (sequence, (payload, is_compressed)) in (1..).zip(stored) {
            let message = stream.get_raw_message(sequence).await.unwrap();
            let what = format!("{encoding}, {} bytes", payload.len());
            let expected = is_compressed.then_some(name);
            assert_eq!(label(Some(&message.headers)), expected, "{what}");
            assert_eq!(message.payload.len() < payload.len(), is_compressed, "{what}");
        }
        let consumer = stream.create_consumer(pull::Config::default()).await.unwrap();
        let mut messages = context.consumer(consumer).messages().await.unwrap();
        for (payload, _) in payloads() {
            for kept in [None, Some("1"), Some("2")] {
                let message = next(&mut messages).await.unwrap();
                assert!(message.payload == payload, "{encoding}, {} bytes", payload.len());
                let found = message.headers.as_ref().map(|it| it.get("Kept").unwrap().as_str());
                assert_eq!(found, kept);
                message.ack().await.unwrap();
            }
        }
    }
}

/// Publishes ten messages, every other one raw.
async fn ten(server: &NatsServer, context: &CompressedContext, name: &str) -> Vec<Bytes> {
    let raw = jetstream::new(server.raw().await);
    let payloads: Vec<Bytes> = (0..10).map(|seed| json(2000, seed)).collect();
    for (at, payload) in payloads.iter().enumerate() {
        let subject = format!("{name}.{at}");
        let sent = if at % 2 == 0 {
            context.publish(subject, payload.clone()).await.unwrap()
        } else {
            raw.publish(subject, payload.clone()).await.unwrap()
        };
        in_time(sent.into_future()).await.unwrap();
    }
    payloads
}

async fn all_come<S, E>(messages: &mut S, expected: &[Bytes], acks: bool)
where
    S: Stream<Item = Result<jetstream::Message, E>> + Unpin,
    E: std::error::Error,
{
    for payload in expected {
        let message = next(messages).await.unwrap();
        assert!(message.payload == *payload, "{}", message.subject);
        if acks {
            in_time(message.double_ack()).await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_every_kind_of_consumer_restores() {
    let Some(server) = NatsServer::start().await else { return };
    let client = server.client(&ClientCompressionConfig::new(Encoding::Zstd)).await;
    let context = client.jetstream();
    let stream = stream(&context, "kinds").await;
    let sent = ten(&server, &context, "kinds").await;

    let pulled = || async {
        context.consumer(stream.create_consumer(pull::Config::default()).await.unwrap())
    };
    all_come(&mut pulled().await.messages().await.unwrap(), &sent, true).await;
    let consumer = pulled().await;
    let mut fives = consumer.stream(|stream| stream.max_messages_per_batch(5)).await.unwrap();
    all_come(&mut fives, &sent, true).await;
    let mut batch = pulled().await.fetch(|fetch| fetch.max_messages(20)).await.unwrap();
    all_come(&mut batch, &sent, true).await;
    assert!(in_time(batch.next()).await.is_none());
    let mut batch = pulled().await.batch(|batch| batch.max_messages(10)).await.unwrap();
    all_come(&mut batch, &sent, true).await;
    assert!(in_time(batch.next()).await.is_none());
    let consumer = pulled().await;
    let mut batches = consumer.inner().sequence(10).unwrap();
    let mut batch = consumer.restored(next(&mut batches).await.unwrap());
    all_come(&mut batch, &sent, true).await;

    let config = pull::OrderedConfig::default();
    let ordered = context.consumer(stream.create_consumer(config).await.unwrap());
    all_come(&mut ordered.messages().await.unwrap(), &sent, false).await;

    let config = push::Config { deliver_subject: client.new_inbox(), ..push::Config::default() };
    let pushed = context.consumer(stream.create_consumer(config).await.unwrap());
    all_come(&mut pushed.messages().await.unwrap(), &sent, true).await;

    let config = push::OrderedConfig { deliver_subject: client.new_inbox(), ..Default::default() };
    let ordered = context.consumer(stream.create_consumer(config).await.unwrap());
    all_come(&mut ordered.messages().await.unwrap(), &sent, false).await;
}

/// The consumer's own numbers: waiting for an ack, and delivered for good.
async fn pending(consumer: &CompressedConsumer<pull::Config>) -> (usize, u64) {
    let info = consumer.inner().get_info().await.unwrap();
    (info.num_ack_pending, info.ack_floor.stream_sequence)
}

async fn until(consumer: &CompressedConsumer<pull::Config>, expected: (usize, u64)) {
    let started = std::time::Instant::now();
    while pending(consumer).await != expected {
        let now = pending(consumer).await;
        assert!(started.elapsed() < HANGS, "{now:?} is not {expected:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_acks_of_restored_messages_reach_the_server() {
    let Some(server) = NatsServer::start().await else { return };
    let context = server.client(&ClientCompressionConfig::new(Encoding::Gzip)).await.jetstream();
    let stream = stream(&context, "acks").await;
    let sent = ten(&server, &context, "acks").await;
    let config = pull::Config {
        durable_name: Some("worker".to_owned()),
        ack_wait: Duration::from_secs(4),
        ..pull::Config::default()
    };
    let consumer = context.consumer(stream.create_consumer(config).await.unwrap());
    let mut messages = consumer.messages().await.unwrap();
    let first = next(&mut messages).await.unwrap();
    assert_eq!(first.info().unwrap().stream_sequence, 1);
    first.ack().await.unwrap();
    let second = next(&mut messages).await.unwrap();
    second.ack_with(AckKind::Nak(None)).await.unwrap();
    let third = next(&mut messages).await.unwrap();
    third.ack_with(AckKind::Term).await.unwrap();
    let mut rest = Vec::new();
    for _ in 0..8 {
        rest.push(next(&mut messages).await.unwrap());
    }
    // The one that was refused comes again, whole.
    let again = rest.iter().find(|it| it.info().unwrap().delivered == 2).unwrap();
    assert_eq!(again.info().unwrap().stream_sequence, 2);
    assert!(again.payload == sent[1]);
    let (slow, others): (Vec<_>, Vec<_>) =
        rest.into_iter().partition(|it| it.info().unwrap().stream_sequence == 10);
    for message in others {
        let (message, acker) = message.split();
        assert!(message.reply.is_none());
        in_time(acker.double_ack()).await.unwrap();
    }
    until(&consumer, (1, 9)).await;
    // Progress keeps it from coming again for longer than `ack_wait`.
    for _ in 0..5 {
        tokio::time::sleep(Duration::from_secs(1)).await;
        slow[0].ack_with(AckKind::Progress).await.unwrap();
    }
    nothing_more(&mut messages).await;
    in_time(slow[0].double_ack()).await.unwrap();
    until(&consumer, (0, 10)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_ids_deduplicate_as_ever() {
    let Some(server) = NatsServer::start().await else { return };
    let context = server.client(&ClientCompressionConfig::new(Encoding::Zstd)).await.jetstream();
    let mut stream = stream(&context, "ids").await;
    let off = server.client(&ClientCompressionConfig::off()).await.jetstream();
    let payload = json(4000, 1);
    let publish = || PublishMessage::build().payload(payload.clone()).message_id("order-1");
    // The same message again, and again by a producer that does not compress.
    for (context, is_again) in [(&context, false), (&context, true), (&off, true)] {
        let sent = context.send_publish("ids.a", publish()).await.unwrap();
        assert_eq!(in_time(sent.into_future()).await.unwrap().duplicate, is_again);
    }
    assert_eq!(stream.info().await.unwrap().state.messages, 1);
    let stored = stream.get_raw_message(1).await.unwrap();
    assert_eq!(stored.headers.get("Nats-Msg-Id").unwrap().as_str(), "order-1");
    assert_eq!(label(Some(&stored.headers)), Some("zstd"));
    // What the publisher expects of the stream is still heard.
    let publish = PublishMessage::build().payload(json(4000, 2)).expected_last_sequence(7);
    let sent = context.send_publish("ids.a", publish).await.unwrap();
    in_time(sent.into_future()).await.unwrap_err();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_a_consumer_of_headers_alone_gets_them() {
    let Some(server) = NatsServer::start().await else { return };
    let context = server.client(&ClientCompressionConfig::new(Encoding::Zstd)).await.jetstream();
    let stream = stream(&context, "headers").await;
    let sent = context.publish("headers.a", json(4000, 1)).await.unwrap();
    in_time(sent.into_future()).await.unwrap();
    let config = pull::Config {
        headers_only: true,
        ack_policy: AckPolicy::Explicit,
        deliver_policy: DeliverPolicy::All,
        ..pull::Config::default()
    };
    let consumer = context.consumer(stream.create_consumer(config).await.unwrap());
    let message = next(&mut consumer.messages().await.unwrap()).await.unwrap();
    assert!(message.payload.is_empty());
    assert_eq!(label(message.headers.as_ref()), Some("zstd"));
}
