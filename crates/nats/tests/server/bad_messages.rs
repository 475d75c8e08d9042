//! Corrupt, mislabelled and oversized messages in the middle of a batch, with each `on_error`.

use std::time::Duration;

use async_nats::HeaderMap;
use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::{self, AckKind, stream};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use thinwire::Encoding;
use thinwire_nats::{
    ClientCompressionConfig, CompressedContext, DecompressError, OnError, StreamError,
};

use crate::nats_server::{NatsServer, heard, stream};
use crate::payloads::{encoded, in_time, json, labelled, next, nothing_more};

const LIMIT: usize = 100_000;

/// A busy machine takes its time to acknowledge fifteen messages.
const ACK_WAIT: Duration = Duration::from_secs(4);

/// Good, then each of the bad ones between good ones: 15 messages, of which the even are bad.
fn mixture() -> Vec<(HeaderMap, Bytes, bool)> {
    let zstd = encoded(Encoding::Zstd, &json(4000, 7));
    let mut other = labelled("zstd");
    other.insert("content-encoding", "gzip");
    let bad = [
        (labelled("zstd"), zstd.slice(..zstd.len() / 2)),
        (labelled("gzip"), zstd.clone()),
        (labelled("br"), zstd.clone()),
        (labelled(&"x".repeat(300)), zstd.clone()),
        (other, zstd),
        (labelled("zstd"), encoded(Encoding::Zstd, &vec![0; LIMIT + 1])),
        (HeaderMap::new(), json(LIMIT + 1, 1)),
    ];
    let mut all = Vec::new();
    for (seed, (headers, payload)) in (0..).zip(bad) {
        all.push((labelled("lz4"), encoded(Encoding::Lz4, &json(3000, seed)), true));
        all.push((headers, payload, false));
    }
    all.push((HeaderMap::new(), json(3000, 99), true));
    all
}

fn config(on_error: OnError) -> ClientCompressionConfig {
    ClientCompressionConfig::new(Encoding::Zstd).max_payload_size(LIMIT).on_error(on_error)
}

async fn publish_mixture(server: &NatsServer, subject: &str) {
    let raw = jetstream::new(server.raw().await);
    for (headers, payload, _) in mixture() {
        let sent = raw.publish_with_headers(subject.to_owned(), headers, payload).await.unwrap();
        in_time(sent.into_future()).await.unwrap();
    }
}

fn good(sequence: u64) -> Bytes {
    if sequence == 15 { json(3000, 99) } else { json(3000, sequence / 2) }
}

async fn consumer(stream: &stream::Stream, policy: AckPolicy) -> jetstream::consumer::PullConsumer {
    let config = pull::Config { ack_policy: policy, ack_wait: ACK_WAIT, ..pull::Config::default() };
    stream.create_consumer(config).await.unwrap()
}

/// Takes the 15 messages; the bad ones go to `handle`.
async fn take<S, E>(messages: &mut S, until: u64, mut handle: impl FnMut(u64, Bad<E>))
where
    S: Stream<Item = Result<jetstream::Message, Bad<E>>> + Unpin,
    E: std::error::Error,
{
    for sequence in 1..=until {
        match next(messages).await {
            Ok(message) => {
                assert_eq!(message.info().unwrap().stream_sequence, sequence);
                assert!(message.payload == good(sequence), "{sequence}");
                in_time(message.double_ack()).await.unwrap();
            }
            Err(bad) => handle(sequence, bad),
        }
    }
}

type Bad<E> = StreamError<thinwire_nats::Nats<jetstream::Message>, E>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_a_bad_message_is_one_error_with_all_about_it() {
    let Some(server) = NatsServer::start().await else { return };
    let context = server.client(&config(OnError::Report)).await.jetstream();
    let stream = stream(&context, "bad").await;
    publish_mixture(&server, "bad.a").await;
    let consumer = context.consumer(consumer(&stream, AckPolicy::Explicit).await);
    let mut messages = consumer.messages().await.unwrap();
    let mut kept = Vec::new();
    take(&mut messages, 15, |sequence, error| {
        let StreamError::BadMessage(bad) = error else { panic!("{sequence}: {error}") };
        assert_eq!(sequence % 2, 0);
        assert_eq!(bad.place().stream, "bad.a");
        assert_eq!(bad.place().offset, Some(sequence));
        let (_, payload, _) = mixture().swap_remove(usize::try_from(sequence).unwrap() - 1);
        assert_eq!(bad.encoded_len(), payload.len());
        assert!(bad.message().payload == payload, "{sequence}");
        kept.push(bad);
    })
    .await;
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
        assert!(bad.to_string().starts_with("bad.a, offset "), "{bad}");
    }
    // Nothing comes again in a loop; what was not acknowledged comes after `ack_wait`, and what
    // then is told to the server it hears.
    for _ in 0..7 {
        let Err(StreamError::BadMessage(bad)) = next(&mut messages).await else {
            panic!("a message came that was acknowledged");
        };
        assert_eq!(bad.message().info().unwrap().delivered, 2);
        in_time(bad.message().double_ack_with(AckKind::Term)).await.unwrap();
    }
    tokio::time::sleep(ACK_WAIT).await;
    nothing_more(&mut messages).await;
    assert_eq!(consumer.inner().get_info().await.unwrap().num_ack_pending, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_what_is_skipped_is_counted_and_does_not_come_again() {
    let Some(server) = NatsServer::start().await else { return };
    let context = server.client(&config(OnError::Skip)).await.jetstream();
    let stream = stream(&context, "skip").await;
    publish_mixture(&server, "skip.a").await;
    let consumer = context.consumer(consumer(&stream, AckPolicy::Explicit).await);
    let mut messages = consumer.messages().await.unwrap();
    for sequence in (1..=15).step_by(2) {
        let message = next(&mut messages).await.unwrap();
        assert_eq!(message.info().unwrap().stream_sequence, sequence);
        assert!(message.payload == good(sequence), "{sequence}");
        in_time(message.double_ack()).await.unwrap();
    }
    tokio::time::sleep(ACK_WAIT).await;
    nothing_more(&mut messages).await;
    assert_eq!(messages.skipped(), 7);
    let info = consumer.inner().get_info().await.unwrap();
    assert_eq!((info.num_ack_pending, info.ack_floor.stream_sequence), (0, 15));
    let failed: u64 = context.counters().snapshot().errors.iter().map(|(_, _, count)| count).sum();
    assert_eq!(failed, 7);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_skipping_acknowledges_nothing_else() {
    let Some(server) = NatsServer::start().await else { return };
    let context = server.client(&config(OnError::Skip)).await.jetstream();
    let stream = stream(&context, "all").await;
    publish_mixture(&server, "all.a").await;
    // With `All` a word about the second would be one about the first.
    let all = context.consumer(consumer(&stream, AckPolicy::All).await);
    let mut messages = all.messages().await.unwrap();
    for _ in 0..2 {
        next(&mut messages).await.unwrap();
    }
    assert_eq!(messages.skipped(), 1);
    let info = all.inner().get_info().await.unwrap();
    assert_eq!(info.ack_floor.stream_sequence, 0);
    drop(messages);
    // Consumers without acks: nothing to say.
    let none = context.consumer(consumer(&stream, AckPolicy::None).await);
    let mut messages = none.messages().await.unwrap();
    let ordered = stream.create_consumer(pull::OrderedConfig::default()).await.unwrap();
    let mut in_order = context.consumer(ordered).messages().await.unwrap();
    for sequence in (1..=15).step_by(2) {
        assert!(next(&mut messages).await.unwrap().payload == good(sequence), "{sequence}");
        assert!(next(&mut in_order).await.unwrap().payload == good(sequence), "{sequence}");
    }
    assert_eq!((messages.skipped(), in_order.skipped()), (7, 7));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_stopping_leaves_the_message_to_the_server() {
    let Some(server) = NatsServer::start().await else { return };
    let context = server.client(&config(OnError::Stop)).await.jetstream();
    let stream = stream(&context, "stop").await;
    publish_mixture(&server, "stop.a").await;
    let consumer = context.consumer(consumer(&stream, AckPolicy::Explicit).await);
    let mut messages = consumer.messages().await.unwrap();
    take(&mut messages, 1, |_, error| panic!("{error}")).await;
    let error = next(&mut messages).await.unwrap_err();
    assert!(matches!(error, StreamError::BadMessage(_)), "{error}");
    assert!(in_time(messages.next()).await.is_none());
    drop(messages);
    // Another stream of the same consumer gets it again.
    let mut messages = consumer.messages().await.unwrap();
    let started = std::time::Instant::now();
    loop {
        match next(&mut messages).await {
            Err(StreamError::BadMessage(bad)) => {
                assert_eq!(bad.place().offset.map(|it| it % 2), Some(0));
                break;
            }
            Err(error) => panic!("{error}"),
            Ok(_) => assert!(started.elapsed() < crate::nats_server::HANGS),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_raw_delivers_what_came() {
    let Some(server) = NatsServer::start().await else { return };
    let context = server.client(&config(OnError::Raw)).await.jetstream();
    let stream = stream(&context, "raw").await;
    publish_mixture(&server, "raw.a").await;
    let consumer = consumer(&stream, AckPolicy::Explicit).await;
    let mut batch = context.consumer(consumer).fetch(|fetch| fetch.max_messages(15)).await.unwrap();
    for (sequence, (headers, payload, is_good)) in (1..).zip(mixture()) {
        let message = next(&mut batch).await.unwrap();
        if is_good {
            assert!(message.payload == good(sequence), "{sequence}");
        } else {
            assert!(message.payload == payload, "{sequence}");
            assert_eq!(message.headers.clone().unwrap_or_default(), headers, "{sequence}");
        }
        in_time(message.double_ack()).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_core_subscriptions_do_as_on_error_says() {
    let Some(server) = NatsServer::start().await else { return };
    for on_error in [OnError::Report, OnError::Skip, OnError::Stop, OnError::Raw] {
        let client = server.client(&config(on_error)).await;
        let mut ours = client.subscribe("core.bad").await.unwrap();
        heard(&client).await;
        for (headers, payload, _) in mixture() {
            client.inner().publish_with_headers("core.bad", headers, payload).await.unwrap();
        }
        for (sequence, (_, payload, is_good)) in (1..).zip(mixture()) {
            if !is_good && on_error == OnError::Skip {
                continue;
            }
            match next(&mut ours).await {
                Ok(message) if is_good => assert!(message.payload == good(sequence)),
                Ok(message) => {
                    assert_eq!(on_error, OnError::Raw);
                    assert!(message.payload == payload);
                }
                Err(StreamError::BadMessage(bad)) => assert!(bad.message().payload == payload),
                Err(error) => panic!("{error}"),
            }
            if !is_good && on_error == OnError::Stop {
                assert!(in_time(ours.next()).await.is_none());
                break;
            }
        }
        assert_eq!(ours.skipped(), if on_error == OnError::Skip { 7 } else { 0 });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_thousands_of_bad_messages_keep_nobody_else_waiting() {
    let Some(server) = NatsServer::start().await else { return };
    let context: CompressedContext = server.client(&config(OnError::Skip)).await.jetstream();
    let stream = stream(&context, "many").await;
    let client = server.raw().await;
    for _ in 0..3000 {
        client
            .publish_with_headers("many.a", labelled("zstd"), Bytes::from_static(b"no frame"))
            .await
            .unwrap();
    }
    heard(&client).await;
    let sent = context.publish("many.a", Bytes::from_static(b"good")).await.unwrap();
    assert_eq!(in_time(sent.into_future()).await.unwrap().sequence, 3001);
    let consumer = context.consumer(consumer(&stream, AckPolicy::Explicit).await);
    let mut messages = consumer.messages().await.unwrap();
    let message = next(&mut messages).await.unwrap();
    assert_eq!(message.payload, "good");
    in_time(message.double_ack()).await.unwrap();
    assert!(messages.skipped() >= 3000);
    tokio::time::sleep(ACK_WAIT).await;
    nothing_more(&mut messages).await;
    assert_eq!(consumer.inner().get_info().await.unwrap().num_ack_pending, 0);
}
