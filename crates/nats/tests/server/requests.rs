//! Requests and replies.

use std::time::Duration;

use async_nats::client::RequestErrorKind;
use async_nats::{Client, HeaderMap, Request};
use bytes::Bytes;
use futures_util::StreamExt as _;
use thinwire::Encoding;
use thinwire_nats::{ClientCompressionConfig, CompressedClient, OnError, RequestError};

use crate::nats_server::{NatsServer, heard};
use crate::payloads::{encodings, in_time, json, label, labelled, next, payloads};

/// Answers with the request's payload.
async fn echo(client: CompressedClient) {
    let mut requests = client.subscribe("echo").await.unwrap();
    heard(&client).await;
    tokio::spawn(async move {
        while let Some(request) = requests.next().await {
            let request = request.unwrap();
            client.publish(request.reply.unwrap(), request.payload).await.unwrap();
        }
    });
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_requests_and_replies_are_compressed_both_ways() {
    for encoding in encodings() {
        let Some(server) = NatsServer::start().await else { return };
        let client = server.client(&ClientCompressionConfig::new(encoding)).await;
        echo(server.client(&ClientCompressionConfig::new(encoding)).await).await;
        let raw = server.raw().await;
        let mut requests = raw.subscribe("echo").await.unwrap();
        let mut replies = raw.subscribe("_INBOX.>").await.unwrap();
        heard(&raw).await;
        for (payload, is_compressed) in payloads() {
            let what = format!("{encoding}, {} bytes", payload.len());
            let reply = client.request("echo", payload.clone()).await.unwrap();
            assert!(reply.payload == payload, "{what}");
            assert!(reply.headers.is_none(), "{what}");
            let expected = is_compressed.then_some(encoding.name());
            for crossed in [next(&mut requests).await, next(&mut replies).await] {
                let what = format!("{what}: {}", crossed.subject);
                assert_eq!(label(crossed.headers.as_ref()), expected, "{what}");
            }
        }
        let mut headers = HeaderMap::new();
        headers.insert("Id", "1");
        let reply = client.request_with_headers("echo", headers, json(999, 1)).await.unwrap();
        assert!(reply.payload == json(999, 1));
        let request = Request::new().payload(json(998, 2)).inbox(client.new_inbox());
        let reply = client.send_request("echo", request).await.unwrap();
        assert!(reply.payload == json(998, 2));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_a_bad_reply_is_an_error_with_the_reply_in_it() {
    let Some(server) = NatsServer::start().await else { return };
    answer_badly(server.raw().await).await;
    for on_error in [OnError::Report, OnError::Skip, OnError::Stop] {
        let config = ClientCompressionConfig::new(Encoding::Zstd).on_error(on_error);
        let client = server.client(&config).await;
        let error = in_time(client.request("bad", "?".into())).await.unwrap_err();
        let RequestError::BadReply(bad) = error else { panic!("{on_error:?}: {error}") };
        assert_eq!(bad.message().payload, "no frame");
        assert_eq!(bad.encoding(), Some(Encoding::Zstd));
    }
    let config = ClientCompressionConfig::new(Encoding::Zstd).on_error(OnError::Raw);
    let client = server.client(&config).await;
    let reply = in_time(client.request("bad", "?".into())).await.unwrap();
    assert_eq!(reply.payload, "no frame");
    let request = Request::new().timeout(Some(Duration::from_secs(30)));
    let error = client.send_request("nobody", request).await.unwrap_err();
    assert_eq!(error.kind(), Some(RequestErrorKind::NoResponders));
}

async fn answer_badly(raw: Client) {
    let mut requests = raw.subscribe("bad").await.unwrap();
    heard(&raw).await;
    tokio::spawn(async move {
        while let Some(request) = requests.next().await {
            let bad = Bytes::from_static(b"no frame");
            let reply = request.reply.unwrap();
            raw.publish_with_headers(reply, labelled("zstd"), bad).await.unwrap();
        }
    });
}
