//! The server's limits and ours.

use async_nats::client::PublishErrorKind;
use async_nats::jetstream::context;
use async_nats::{HeaderMap, HeaderValue};
use bytes::Bytes;
use thinwire::Encoding;
use thinwire_nats::{ClientCompressionConfig, CompressError, OnError, PublishError, StreamError};
use thinwire_testkit::payload::{self, Kind};

use crate::nats_server::{NatsServer, heard, stream};
use crate::payloads::{encoded, in_time, json, label, labelled, next};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_max_payload_counts_what_is_on_the_wire() {
    let Some(server) = NatsServer::with("max_payload: 65536").await else { return };
    let on = server.client(&ClientCompressionConfig::new(Encoding::Zstd)).await;
    let off = server.client(&ClientCompressionConfig::off()).await;
    let (context, raw) = (on.jetstream(), off.jetstream());
    let stream = stream(&context, "max").await;
    let long = json(400_000, 1);
    let noise: Bytes = payload::make(Kind::Random, 65_537, 1).into();

    // More than the server takes, compressed to less.
    let mut ours = off.subscribe("max.>").await.unwrap();
    heard(&off).await;
    on.publish("max.core", long.clone()).await.unwrap();
    assert!(next(&mut ours).await.unwrap().payload == long);
    let sent = context.publish("max.stored", long.clone()).await.unwrap();
    in_time(sent.into_future()).await.unwrap();
    assert!(stream.get_raw_message(2).await.unwrap().payload.len() < 65_536);
    assert!(next(&mut ours).await.unwrap().payload == long);

    // Not compressed, or not to less: the client's own error.
    for (client, payload) in [(&off, &long), (&on, &noise)] {
        let error = client.publish("max.core", payload.clone()).await.unwrap_err();
        let PublishError::Client(error) = error else { panic!("{error}") };
        assert_eq!(error.kind(), PublishErrorKind::MaxPayloadExceeded);
    }
    for (context, payload) in [(&raw, &long), (&context, &noise)] {
        let error = context.publish("max.stored", payload.clone()).await.unwrap_err();
        let PublishError::Client(error) = error else { panic!("{error}") };
        assert_eq!(error.kind(), context::PublishErrorKind::MaxPayloadExceeded);
    }
    // The connection is as it was.
    on.publish("max.core", "still".into()).await.unwrap();
    assert_eq!(next(&mut ours).await.unwrap().payload, "still");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_max_payload_size_counts_the_applications_bytes() {
    let Some(server) = NatsServer::start().await else { return };
    let config = ClientCompressionConfig::new(Encoding::Gzip).max_payload_size(10_000);
    let client = server.client(&config.clone().on_error(OnError::Report)).await;
    let context = client.jetstream();
    stream(&context, "ours").await;
    let mut ours = client.subscribe("ours.>").await.unwrap();
    heard(&client).await;
    // What our own consumer would refuse does not leave the producer.
    for len in [10_001, 600_000] {
        let error = client.publish("ours.a", json(len, 1)).await.unwrap_err();
        assert!(matches!(error, PublishError::Compress(CompressError::TooLong { .. })), "{error}");
        let error = context.publish("ours.a", json(len, 1)).await.unwrap_err();
        assert!(matches!(error, PublishError::Compress(CompressError::TooLong { .. })), "{error}");
    }
    client.publish("ours.a", json(10_000, 1)).await.unwrap();
    assert!(next(&mut ours).await.unwrap().payload == json(10_000, 1));
    // What another producer sends is refused, however small it is on the wire.
    let bomb = encoded(Encoding::Gzip, &vec![0; 50 << 20]);
    client.inner().publish_with_headers("ours.a", labelled("gzip"), bomb).await.unwrap();
    let error = next(&mut ours).await.unwrap_err();
    let StreamError::BadMessage(bad) = error else { panic!("{error}") };
    assert!(bad.to_string().contains("10000"), "{bad}");
    // A megabyte, by threads of their own on both sides.
    let big = server.client(&ClientCompressionConfig::new(Encoding::Gzip)).await;
    let mut restored = big.subscribe("big").await.unwrap();
    heard(&big).await;
    big.publish("big", json(5 << 20, 1)).await.unwrap();
    assert!(next(&mut restored).await.unwrap().payload == json(5 << 20, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_long_headers_go_with_compressed_payloads_up_to_the_servers_limit() {
    let Some(server) = NatsServer::start().await else { return };
    let client = server.client(&ClientCompressionConfig::new(Encoding::Zstd)).await;
    let context = client.jetstream();
    let stream = stream(&context, "long").await;
    let mut ours = client.subscribe("long.>").await.unwrap();
    heard(&client).await;
    let payload = json(4000, 1);
    // The server stores no more than 65,535 bytes of headers; "NATS/1.0", the name and line ends
    // are 20 of them, the label 37.
    let mut sequence = 0;
    for (len, expected) in
        [(60_000, Some("zstd")), (65_400, Some("zstd")), (65_479, None), (65_515, None)]
    {
        let mut headers = HeaderMap::new();
        headers.insert("Long", HeaderValue::from("v".repeat(len)));
        let sent = context.publish_with_headers("long.a", headers.clone(), payload.clone());
        in_time(sent.await.unwrap().into_future()).await.unwrap();
        sequence += 1;
        let stored = stream.get_raw_message(sequence).await.unwrap();
        assert_eq!(label(Some(&stored.headers)), expected, "{len}");
        let restored = next(&mut ours).await.unwrap();
        assert!(restored.payload == payload, "{len}");
        assert_eq!(restored.headers, Some(headers), "{len}");
    }
}
