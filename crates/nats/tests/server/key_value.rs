//! Key-value buckets and object stores.

use async_nats::jetstream::kv::{Entry, Operation};
use async_nats::jetstream::{object_store, stream};
use bytes::Bytes;
use futures_util::StreamExt as _;
use thinwire::Encoding;
use thinwire_nats::{
    ClientCompressionConfig, CompressedContext, CompressedStore, Entries, KeyValueError, OnError,
    StreamError,
};

use crate::nats_server::NatsServer;
use crate::payloads::{encodings, in_time, json, label, labelled, next, payloads};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_key_value_buckets_keep_compressed_values() {
    let Some(server) = NatsServer::start().await else { return };
    for encoding in encodings() {
        let config = ClientCompressionConfig::new(encoding);
        let context = server.client(&config).await.jetstream();
        let bucket = bucket(&context, encoding.name(), encoding != Encoding::Lz4).await;
        assert!(bucket.get("a.b").await.unwrap().is_none());
        let mut revision = 0;
        for (value, is_compressed) in payloads() {
            let what = format!("{encoding}, {} bytes", value.len());
            let written = bucket.put("a.b", value.clone()).await.unwrap();
            assert!(written > revision);
            revision = written;
            let read = bucket.get("a.b").await.unwrap().unwrap();
            assert!(read == value, "{what}");
            let stored = bucket.inner().stream.get_raw_message(revision).await.unwrap();
            let expected = is_compressed.then_some(encoding.name());
            assert_eq!(label(Some(&stored.headers)), expected, "{what}");
        }
        revision = bucket.update("a.b", json(5000, 1), revision).await.unwrap();
        bucket.update("a.b", json(5000, 2), revision - 1).await.unwrap_err();
        assert!(bucket.get("a.b").await.unwrap().unwrap() == json(5000, 1));
        bucket.update("new", json(5000, 3), 0).await.unwrap();
        bucket.update("new", json(5000, 3), 0).await.unwrap_err();
        // What another client wrote raw, and what the store itself does.
        bucket.inner().put("a.b", json(5000, 4)).await.unwrap();
        assert!(bucket.get("a.b").await.unwrap().unwrap() == json(5000, 4));
        bucket.inner().delete("a.b").await.unwrap();
        assert!(bucket.get("a.b").await.unwrap().is_none());
        bucket.inner().purge("new").await.unwrap();
        assert!(bucket.get("new").await.unwrap().is_none());
        for key in ["", ".a", "a.", "a b", "a*", "ä"] {
            let error = bucket.put(key, Bytes::new()).await.unwrap_err();
            assert!(matches!(error, KeyValueError::InvalidKey), "{key}: {error}");
            let error = bucket.get(key).await.unwrap_err();
            assert!(matches!(error, KeyValueError::InvalidKey), "{key}: {error}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_what_the_documentation_says_of_stores_is_so() {
    let Some(server) = NatsServer::start().await else { return };
    let config = ClientCompressionConfig::new(Encoding::Zstd);
    let context = server.client(&config).await.jetstream();
    let bucket = bucket(&context, "kv", true).await;
    bucket.put("key", json(5000, 1)).await.unwrap();
    // The client's own reader has no headers to go by.
    let entry = bucket.inner().entry("key").await.unwrap().unwrap();
    assert!(entry.value.len() < 5000);
    // Through the same context an object store is the client's own, and its chunks are raw.
    let config = object_store::Config { bucket: "objects".to_owned(), ..Default::default() };
    let objects = context.create_object_store(config).await.unwrap();
    let object = json(300_000, 1);
    objects.put("object", &mut &object[..]).await.unwrap();
    let mut read = Vec::new();
    let mut stored = objects.get("object").await.unwrap();
    tokio::io::AsyncReadExt::read_buf(&mut stored, &mut read).await.unwrap();
    assert!(!read.is_empty() && object.starts_with(&read));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_key_value_buckets_tell_what_was_and_what_changes() {
    let Some(server) = NatsServer::start().await else { return };
    for allow_direct in [true, false] {
        let context =
            server.client(&ClientCompressionConfig::new(Encoding::Zstd)).await.jetstream();
        let bucket = bucket(&context, &format!("kv-{allow_direct}"), allow_direct).await;
        let mut none = bucket.history("a").await.unwrap();
        assert!(in_time(none.next()).await.is_none());
        let (mut all, mut ones) =
            (bucket.watch_all().await.unwrap(), bucket.watch("a").await.unwrap());

        let first = bucket.create("a", json(5000, 1)).await.unwrap();
        let error = bucket.create("a", json(5000, 2)).await.unwrap_err();
        assert!(matches!(error, KeyValueError::AlreadyExists), "{error}");
        bucket.inner().delete("a").await.unwrap();
        let deleted = bucket.entry("a").await.unwrap().unwrap();
        assert_eq!((deleted.operation, deleted.value.len()), (Operation::Delete, 0));
        let second = bucket.create("a", json(5000, 2)).await.unwrap();
        bucket.inner().put("b.c", json(300, 3)).await.unwrap(); // raw

        let expected = [
            ("a", Operation::Put, json(5000, 1)),
            ("a", Operation::Delete, Bytes::new()),
            ("a", Operation::Put, json(5000, 2)),
            ("b.c", Operation::Put, json(300, 3)),
        ];
        for it in &expected {
            assert!(told(&next(&mut all).await.unwrap()) == *it);
        }
        let mut history = bucket.history("a").await.unwrap();
        for it in &expected[..3] {
            assert!(told(&next(&mut ones).await.unwrap()) == *it);
            assert!(told(&next(&mut history).await.unwrap()) == *it);
        }
        assert!(in_time(history.next()).await.is_none(), "it ends");
        let mut since = bucket.watch_from_revision("*", second).await.unwrap();
        assert_eq!(next(&mut since).await.unwrap().revision, second);
        let mut last = bucket.watch_with_history(">").await.unwrap();
        let (a, b) = (next(&mut last).await.unwrap(), next(&mut last).await.unwrap());
        assert_eq!([(a.seen_current, a.delta), (b.seen_current, b.delta)], [(false, 1), (true, 0)]);
        let keys: Vec<_> = bucket.inner().keys().await.unwrap().map(Result::unwrap).collect().await;
        assert_eq!(keys, ["a", "b.c"]);

        let entry = bucket.entry_for_revision("a", first).await.unwrap().unwrap();
        assert_eq!((entry.revision, entry.key.as_str()), (first, "a"));
        assert!(entry.value == json(5000, 1) && entry.created <= deleted.created);
        assert!(bucket.entry_for_revision("b.c", first).await.unwrap().is_none());
        assert!(bucket.entry_for_revision("a", 1000).await.unwrap().is_none());
        bucket.inner().purge("a").await.unwrap();
        assert_eq!(bucket.entry("a").await.unwrap().unwrap().operation, Operation::Purge);
        assert!(bucket.entry_for_revision("a", first).await.unwrap().is_none());
        for key in ["", "a b", "ä"] {
            let error = bucket.watch(key).await.unwrap_err();
            assert!(matches!(error, KeyValueError::InvalidKey), "{key}: {error}");
        }
        let error = bucket.history("*").await.unwrap_err();
        assert!(matches!(error, KeyValueError::InvalidKey), "{error}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_a_bad_value_of_a_bucket_is_one_bad_value() {
    let Some(server) = NatsServer::start().await else { return };
    for on_error in [OnError::Report, OnError::Skip, OnError::Stop, OnError::Raw] {
        let config = ClientCompressionConfig::new(Encoding::Lz4).on_error(on_error);
        let context = server.client(&config).await.jetstream();
        let bucket = bucket(&context, &format!("{on_error:?}"), true).await;
        bucket.put("a", json(5000, 1)).await.unwrap();
        let (headers, damaged) = (labelled("lz4"), Bytes::from("damaged"));
        let subject = format!("$KV.{on_error:?}.a");
        let sent = context.inner().publish_with_headers(subject, headers, damaged.clone());
        let revision = in_time(sent.await.unwrap().into_future()).await.unwrap().sequence;
        let read = bucket.get("a").await;
        if on_error == OnError::Raw {
            assert!(read.unwrap().unwrap() == damaged);
        } else {
            let KeyValueError::BadValue(bad) = read.unwrap_err() else { panic!("another error") };
            assert!(bad.place().offset == Some(revision) && bad.message().payload == damaged);
        }
        bucket.put("a", json(5000, 2)).await.unwrap();

        let mut history = bucket.history("a").await.unwrap();
        assert!(next(&mut history).await.unwrap().value == json(5000, 1));
        check_bad(&mut history, on_error, revision).await;
        if on_error != OnError::Stop {
            assert!(next(&mut history).await.unwrap().value == json(5000, 2));
        }
        assert!(in_time(history.next()).await.is_none(), "{on_error:?}");
        assert_eq!(history.skipped(), u64::from(on_error == OnError::Skip));
    }
}

async fn check_bad(history: &mut Entries, on_error: OnError, revision: u64) {
    match on_error {
        OnError::Skip => {}
        OnError::Raw => assert_eq!(next(history).await.unwrap().value, "damaged"),
        OnError::Report | OnError::Stop | _ => {
            let told = next(history).await;
            let is_it = matches!(&told, Err(StreamError::BadMessage(bad))
                if bad.place().offset == Some(revision));
            assert!(is_it, "{told:?}");
        }
    }
}

fn told(entry: &Entry) -> (&str, Operation, Bytes) {
    (&entry.key, entry.operation, entry.value.clone())
}

/// By its stream: the client's `create_key_value` does not read what old servers say of an account.
async fn bucket(context: &CompressedContext, name: &str, allow_direct: bool) -> CompressedStore {
    let config = stream::Config {
        name: format!("KV_{name}"),
        subjects: vec![format!("$KV.{name}.>")],
        max_messages_per_subject: 5,
        allow_rollup: true,
        deny_delete: true,
        allow_direct,
        storage: stream::StorageType::Memory,
        discard: stream::DiscardPolicy::New,
        ..stream::Config::default()
    };
    context.create_stream(config).await.unwrap();
    context.key_value(context.get_key_value(name).await.unwrap())
}
