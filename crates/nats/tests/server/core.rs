//! Core NATS: every encoding and size, to ours and to a plain client.

use async_nats::HeaderMap;
use bytes::Bytes;
use futures_util::StreamExt as _;
use thinwire::Encoding;
use thinwire::counters::Direction;
use thinwire_nats::{ClientCompressionConfig, CompressedClient, Label};

use crate::nats_server::{NatsServer, heard};
use crate::payloads::{encoded, encodings, in_time, json, label, labelled, next, payloads};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_core_nats_carries_every_encoding_and_size() {
    let Some(server) = NatsServer::start().await else { return };
    let raw = server.raw().await;
    let mut wire = raw.subscribe("core.>").await.unwrap();
    heard(&raw).await;
    for encoding in encodings() {
        let client = server.client(&ClientCompressionConfig::new(encoding)).await;
        let mut ours = client.subscribe("core.>").await.unwrap();
        heard(&client).await;
        for (payload, is_compressed) in payloads() {
            let what = format!("{encoding}, {} bytes", payload.len());
            let mut headers = HeaderMap::new();
            headers.insert("Kept", "as it is");
            client.publish_with_headers("core.a", headers, payload.clone()).await.unwrap();
            let crossed = next(&mut wire).await;
            assert_eq!(crossed.payload.len() < payload.len(), is_compressed, "{what}");
            let expected = is_compressed.then_some(encoding.name());
            assert_eq!(label(crossed.headers.as_ref()), expected, "{what}");
            let restored = next(&mut ours).await.unwrap();
            assert!(restored.payload == payload, "{what}");
            let headers = restored.headers.unwrap();
            assert_eq!(headers.len(), 1, "{what}: {headers:?}");
            assert_eq!(headers.get("Kept").unwrap().as_str(), "as it is", "{what}");
        }
        drop(ours);
        let counted = client.counters().snapshot();
        let messages = |direction| -> u64 {
            let rows = counted.rows.iter().filter(|row| row.direction == direction);
            rows.map(|row| row.messages).sum()
        };
        assert_eq!((messages(Direction::Encode), messages(Direction::Decode)), (5, 5));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_every_way_to_publish_compresses() {
    let Some(server) = NatsServer::start().await else { return };
    let client = server.client(&ClientCompressionConfig::new(Encoding::Lz4)).await;
    let mut wire = server.raw().await.subscribe("ways").await.unwrap();
    let mut ours = client.queue_subscribe("ways", "group".to_owned()).await.unwrap();
    heard(&client).await;
    let payload = json(2000, 1);
    let headers = labelled_with_id();
    client.publish("ways", payload.clone()).await.unwrap();
    client.publish_with_reply("ways", "back", payload.clone()).await.unwrap();
    client.publish_with_headers("ways", headers.clone(), payload.clone()).await.unwrap();
    let (subject, reply) = ("ways", "back");
    client.publish_with_reply_and_headers(subject, reply, headers, payload.clone()).await.unwrap();
    for (reply, id) in
        [(None, None), (Some("back"), None), (None, Some("7")), (Some("back"), Some("7"))]
    {
        let crossed = next(&mut wire).await;
        assert_eq!(label(crossed.headers.as_ref()), Some("lz4"));
        let restored = next(&mut ours).await.unwrap();
        assert!(restored.payload == payload);
        assert_eq!(restored.reply.as_deref(), reply);
        let found = restored.headers.as_ref().and_then(|it| it.get("Id")).map(|it| it.as_str());
        assert_eq!(found, id);
    }
    ours.get_mut().unsubscribe().await.unwrap();
    assert!(in_time(ours.next()).await.is_none());
}

fn labelled_with_id() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("Id", "7");
    headers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_labels_are_read_in_any_letter_case_and_raw_ones_interleave() {
    let Some(server) = NatsServer::start().await else { return };
    let client = server.client(&ClientCompressionConfig::off()).await;
    let mut ours = client.subscribe("mixed").await.unwrap();
    heard(&client).await;
    let raw = server.raw().await;
    let payload = json(3000, 5);
    for (name, value) in [
        ("Content-Encoding", "zstd"),
        ("content-encoding", "zstd"),
        ("CONTENT-ENCODING", "ZSTD"),
        ("cOnTeNt-EnCoDiNg", " Zstd "),
    ] {
        let mut headers = HeaderMap::new();
        headers.insert(name, value);
        let bytes = encoded(Encoding::Zstd, &payload);
        raw.publish_with_headers("mixed", headers, bytes).await.unwrap();
        raw.publish("mixed", payload.clone()).await.unwrap();
        for _ in 0..2 {
            let restored = next(&mut ours).await.unwrap();
            assert!(restored.payload == payload, "{name}: {value}");
            assert!(restored.headers.is_none(), "{:?}", restored.headers);
        }
    }
    // The same value twice, in other letters, is one label.
    let mut headers = labelled("gzip");
    headers.insert("content-encoding", "GZIP");
    raw.publish_with_headers("mixed", headers, encoded(Encoding::Gzip, &payload)).await.unwrap();
    assert!(next(&mut ours).await.unwrap().payload == payload);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_an_applications_own_label_is_passed_on() {
    let Some(server) = NatsServer::start().await else { return };
    let client = server.client(&ClientCompressionConfig::new(Encoding::Zstd)).await;
    let mut ours = client.subscribe("own").await.unwrap();
    heard(&client).await;
    // As an application does that compresses itself, or uses the header for something else.
    for (value, payload) in
        [("gzip", encoded(Encoding::Gzip, &json(3000, 1))), ("utf-8", json(3000, 2))]
    {
        client.publish_with_headers("own", labelled(value), payload.clone()).await.unwrap();
        let passed = next(&mut ours).await.unwrap();
        assert!(passed.payload == payload, "{value}");
        assert_eq!(label(passed.headers.as_ref()), Some(value));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_an_applications_own_label_is_decoded_where_that_is_asked_for() {
    let Some(server) = NatsServer::start().await else { return };
    let label = Label::CONTENT_ENCODING.decode_applications();
    let config = ClientCompressionConfig::new(Encoding::Zstd);
    let client = CompressedClient::with_label(server.raw().await, &config, label).unwrap();
    let mut ours = client.subscribe("own").await.unwrap();
    heard(&client).await;
    let bytes = encoded(Encoding::Gzip, &json(3000, 1));
    client.publish_with_headers("own", labelled("gzip"), bytes).await.unwrap();
    assert!(next(&mut ours).await.unwrap().payload == json(3000, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_off_sends_raw_and_reads_both() {
    let Some(server) = NatsServer::start().await else { return };
    let client = server.client(&ClientCompressionConfig::new(Encoding::Zstd)).await;
    let mut wire = client.inner().subscribe("secret").await.unwrap();
    let off = client.off();
    let mut ours = off.subscribe("secret").await.unwrap();
    for (client, is_compressed) in [(&off, false), (&client, true)] {
        client.publish("secret", json(3000, 1)).await.unwrap();
        assert_eq!(next(&mut wire).await.payload.len() < 3000, is_compressed);
        assert!(next(&mut ours).await.unwrap().payload == json(3000, 1));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_what_was_received_is_never_compressed_twice() {
    let Some(server) = NatsServer::start().await else { return };
    let client = server.client(&ClientCompressionConfig::new(Encoding::Gzip)).await;
    let raw = server.raw().await;
    let mut wire = raw.subscribe("first").await.unwrap();
    let mut ours = client.subscribe("second").await.unwrap();
    heard(&client).await;
    heard(&raw).await;
    let payload = json(3000, 1);
    client.publish("first", payload.clone()).await.unwrap();
    // A bridge that forwards what crossed, by a client that compresses.
    let crossed = next(&mut wire).await;
    let forwarded = (crossed.headers.clone().unwrap(), crossed.payload.clone());
    client.publish_with_headers("second", forwarded.0, forwarded.1).await.unwrap();
    let restored = next(&mut ours).await.unwrap();
    assert!(restored.payload == payload);
    assert!(restored.headers.is_none());
    // One that forwards what it restored.
    republish(&client, restored).await;
    assert!(next(&mut ours).await.unwrap().payload == payload);
}

async fn republish(client: &CompressedClient, message: async_nats::Message) {
    let headers = message.headers.unwrap_or_default();
    client.publish_with_headers("second", headers, message.payload).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_a_slow_consumer_loses_whole_messages_only() {
    let Some(server) = NatsServer::start().await else { return };
    let options = async_nats::ConnectOptions::new().subscription_capacity(16);
    let slow = options.connect(server.url()).await.unwrap();
    let config = ClientCompressionConfig::new(Encoding::SnappyBlock);
    let slow = CompressedClient::new(slow, &config).unwrap();
    let mut ours = slow.subscribe("slow").await.unwrap();
    heard(&slow).await;
    let client = server.client(&config).await;
    let sent: Vec<Bytes> = (0..400).map(|seed| json(1000, seed)).collect();
    for payload in &sent {
        client.publish("slow", payload.clone()).await.unwrap();
    }
    client.publish("slow", Bytes::from_static(b"end")).await.unwrap();
    heard(&client).await;
    heard(&slow).await;
    let (mut at, mut came) = (0, 0);
    while let Ok(Some(message)) =
        tokio::time::timeout(std::time::Duration::from_millis(500), ours.next()).await
    {
        let payload = message.unwrap().payload;
        let Some(found) = sent[at..].iter().position(|it| *it == payload) else {
            assert_eq!(payload, "end");
            break;
        };
        at += found + 1;
        came += 1;
    }
    assert!((16..400).contains(&came), "{came} of 400 came");
}
