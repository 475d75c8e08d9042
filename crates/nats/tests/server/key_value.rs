//! Key-value buckets and object stores.

use async_nats::jetstream::{object_store, stream};
use bytes::Bytes;
use thinwire::Encoding;
use thinwire_nats::{ClientCompressionConfig, CompressedContext, CompressedStore, KeyValueError};

use crate::nats_server::NatsServer;
use crate::payloads::{encodings, json, label, payloads};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_key_value_buckets_keep_compressed_values() {
    let Some(server) = NatsServer::start().await else { return };
    for encoding in encodings() {
        let config = ClientCompressionConfig::new(encoding);
        let context = server.client(&config).await.jetstream();
        let bucket = bucket(&context, encoding.name()).await;
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
    let bucket = bucket(&context, "kv").await;
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

/// By its stream: the client's `create_key_value` does not read what old servers say of an account.
async fn bucket(context: &CompressedContext, name: &str) -> CompressedStore {
    let config = stream::Config {
        name: format!("KV_{name}"),
        subjects: vec![format!("$KV.{name}.>")],
        max_messages_per_subject: 5,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        storage: stream::StorageType::Memory,
        discard: stream::DiscardPolicy::New,
        ..stream::Config::default()
    };
    context.create_stream(config).await.unwrap();
    context.key_value(context.get_key_value(name).await.unwrap())
}
