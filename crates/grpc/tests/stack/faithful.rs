//! What an application says beside its messages arrives as it was said.

use std::collections::HashMap;
use std::future::pending;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use thinwire::{Decoder, Encoding};
use thinwire_grpc::{ClientCompressionLayer, ServerCompressionLayer};
use tokio::sync::mpsc;
use tonic::client::Grpc;
use tonic::metadata::{MetadataMap, MetadataValue};
use tonic::service::Routes;
use tonic::{Code, Status};
use tower::Layer;

use crate::frames::{Wire, all_encoders, encoder, framed, name, response, trailers};
use crate::handled::{Handled, Plain, all, answer, call, send, serve, soon};
use crate::support::Tap;

const PAYLOAD: &[u8] = &[b'a'; 3000];

fn layers(encoding: Encoding) -> (ClientCompressionLayer, ServerCompressionLayer) {
    let decoder = Decoder::new(1 << 20);
    (
        ClientCompressionLayer::new(encoder(encoding), decoder.clone()),
        ServerCompressionLayer::new(encoder(encoding), decoder),
    )
}

fn metadata() -> MetadataMap {
    let mut map = MetadataMap::new();
    map.insert("x-text", "some text".parse().unwrap());
    map.append("x-often", "one".parse().unwrap());
    map.append("x-often", "two".parse().unwrap());
    map.insert_bin("x-bytes-bin", MetadataValue::from_bytes(&[0, 255, 10]));
    map
}

fn assert_has_all(map: &MetadataMap) {
    assert_eq!(map.get("x-text").unwrap(), "some text");
    assert!(map.get_all("x-often").iter().eq(["one", "two"]), "{map:?}");
    assert_eq!(map.get_bin("x-bytes-bin").unwrap().to_bytes().unwrap(), &[0, 255, 10][..]);
}

#[tokio::test]
async fn metadata_arrives_as_it_was_said_both_ways() {
    let (seen, mut on_seen) = mpsc::unbounded_channel();
    let handled = Handled::new(move |request| {
        seen.send(request.metadata().clone()).unwrap();
        async {
            let mut response = answer(request.into_inner());
            *response.metadata_mut() = metadata();
            Ok(response)
        }
    });
    let (client, server) = layers(Encoding::SnappyBlock);
    let tap = Tap::new(serve(Routes::new(handled), Some(server)).await);
    let mut request = tonic::Request::new(tokio_stream::iter([Bytes::from(PAYLOAD)]));
    *request.metadata_mut() = metadata();
    let grpc = Grpc::new(client.layer(tap.clone()));
    let answer = send(grpc, "/test.Handled/Call", request).await.unwrap();
    assert_has_all(answer.metadata());
    let (messages, end) = all(answer.into_inner()).await;
    assert_eq!((messages, end.is_ok()), (vec![Bytes::from(PAYLOAD)], true));
    let seen = on_seen.recv().await.unwrap();
    assert_has_all(&seen);
    assert_eq!(seen.get("te").unwrap(), "trailers");
    // What is the layers' own is not seen, and it was on the wire.
    for gone in ["grpc-encoding", "grpc-accept-encoding"] {
        assert!(seen.get(gone).is_none(), "{gone}");
        assert!(tap.seen().request.contains_key(gone), "{gone}");
    }
    assert_eq!((tap.seen().sent[0].0, tap.seen().received[0].0), (1, 1));
}

#[tokio::test]
async fn trailers_arrive_after_compressed_messages() {
    let plain = Plain(std::sync::Arc::new(|_| {
        let mut end = trailers("0");
        end.insert(name("x-trailer"), HeaderValue::from_static("at last"));
        end.append(name("x-trailer"), HeaderValue::from_static("and again"));
        end.insert(name("x-bytes-bin"), HeaderValue::from_static("AP8K"));
        let body = Wire::new([framed(0, PAYLOAD), framed(0, b"x")], Some(end));
        response(&[], tonic::body::Body::new(body))
    }));
    for encoding in [Encoding::Gzip, Encoding::Lz4] {
        let (client, server) = layers(encoding);
        let tap = Tap::new(serve(Routes::new(plain.clone()), Some(server)).await);
        let grpc = Grpc::new(client.layer(tap.clone()));
        let request = tonic::Request::new(tokio_stream::iter([Bytes::new()]));
        let mut answers = send(grpc, "/test.Plain/Call", request).await.unwrap().into_inner();
        assert_eq!(answers.message().await.unwrap().unwrap(), PAYLOAD);
        assert_eq!(answers.message().await.unwrap().unwrap(), "x");
        let end = answers.trailers().await.unwrap().unwrap();
        assert!(end.get_all("x-trailer").iter().eq(["at last", "and again"]), "{end:?}");
        assert_eq!(end.get_bin("x-bytes-bin").unwrap().to_bytes().unwrap(), &[0, 255, 10][..]);
        let flags: Vec<_> = tap.seen().received.iter().map(|(flag, _)| *flag).collect();
        assert_eq!(flags, [1, 0], "{encoding}");
    }
}

fn failure() -> Status {
    let details = Bytes::from_static(&[8, 5, 0, 255]);
    Status::with_details_and_metadata(Code::DataLoss, "50 % are \u{e4}", details, metadata())
}

fn assert_is_failure(status: &Status) {
    assert_eq!((status.code(), status.message()), (Code::DataLoss, "50 % are \u{e4}"));
    assert_eq!(status.details(), [8, 5, 0, 255]);
    assert_has_all(status.metadata());
}

#[tokio::test]
async fn an_error_after_messages_keeps_its_details() {
    let handled = Handled::new(|_| async {
        let messages = [Ok(Bytes::from(PAYLOAD)), Ok(Bytes::from(PAYLOAD)), Err(failure())];
        Ok(answer(tokio_stream::iter(messages)))
    });
    for encoding in [Encoding::Zstd, Encoding::SnappyFramed] {
        let (client, server) = layers(encoding);
        let channel = serve(Routes::new(handled.clone()), Some(server)).await;
        let answer = call(Grpc::new(client.layer(channel)), [Bytes::from(PAYLOAD)]).await.unwrap();
        let (messages, end) = all(answer.into_inner()).await;
        assert_eq!(messages, [PAYLOAD, PAYLOAD]);
        assert_is_failure(&end.unwrap_err());
    }
}

#[tokio::test]
async fn a_reply_of_a_status_alone_keeps_its_details() {
    let handled = Handled::new(|_| async { Err(failure()) });
    let (client, server) = layers(Encoding::Gzip);
    let tap = Tap::new(serve(Routes::new(handled), Some(server)).await);
    let answer = call(Grpc::new(client.layer(tap.clone())), [Bytes::from(PAYLOAD)]).await;
    assert_is_failure(&answer.unwrap_err());
    let seen = tap.seen().response;
    assert_eq!(seen["grpc-status"], "15", "it is in the headers");
    assert!(!seen.contains_key("grpc-encoding"), "{seen:?}");
}

/// A call with a deadline to a service that never answers.
async fn expire(
    client: Option<&ClientCompressionLayer>,
    tap: Tap<tonic::transport::Channel>,
) -> Status {
    let mut request = tonic::Request::new(tokio_stream::iter([Bytes::from(PAYLOAD)]));
    request.set_timeout(Duration::from_millis(30));
    let path = "/test.Handled/Call";
    let answer = match client {
        Some(layer) => soon(send(Grpc::new(layer.layer(tap)), path, request)).await,
        None => soon(send(Grpc::new(tap), path, request)).await,
    };
    answer.unwrap_err()
}

#[tokio::test]
async fn a_deadline_arrives_and_expires_as_without_the_layers() {
    let (seen, mut on_seen) = mpsc::unbounded_channel();
    let handled = Handled::new(move |request| {
        seen.send(request.metadata().clone()).unwrap();
        pending()
    });
    let (client, server) = layers(Encoding::Zstd);
    let mut told = HashMap::new();
    for layer in [None, Some(server)] {
        let is_layered = layer.is_some();
        let channel = serve(Routes::new(handled.clone()), layer).await;
        let client = is_layered.then_some(&client);
        let status = expire(client, Tap::new(channel)).await;
        let timeout = on_seen.recv().await.unwrap().get("grpc-timeout").cloned().unwrap();
        told.insert(is_layered, (status.code(), status.message().to_owned(), timeout));
    }
    assert_eq!(told[&true], told[&false]);
    assert!([Code::Cancelled, Code::DeadlineExceeded].contains(&told[&true].0), "{told:?}");
}

#[tokio::test]
async fn a_layer_of_every_encoding_changes_no_header_of_the_application() {
    let (client, server) = (
        ClientCompressionLayer::new(all_encoders(), Decoder::new(1 << 20)),
        ServerCompressionLayer::new(all_encoders(), Decoder::new(1 << 20)),
    );
    let lines: crate::frames::Lines<'_> =
        &[("te", b"trailers"), ("grpc-timeout", b"30m"), ("x", b"1"), ("x", b"2"), ("y", b"\xff")];
    let body = || Wire::new([framed(0, PAYLOAD)], None);
    let answer = response(&[("z", b"1"), ("z", b"\xff")], body());
    let (sent, heard) =
        crate::frames::through_client(&client, crate::frames::request(lines, body()), answer).await;
    let but_ours = |headers: &HeaderMap| {
        let mut headers = headers.clone();
        headers.remove("grpc-encoding");
        headers.remove("grpc-accept-encoding");
        headers
    };
    let (before, answer) =
        (crate::frames::request(lines, ()), response(&[("z", b"1"), ("z", b"\xff")], ()));
    assert_eq!(but_ours(sent.headers()), *before.headers());
    assert_eq!(heard.headers(), answer.headers());
    let (before, expected) = (sent.headers().clone(), answer.headers().clone());
    let answer = answer.map(|()| body());
    let answered = crate::frames::answered_by_service(&server, sent, answer).await;
    assert_eq!(but_ours(answered.headers()), expected);
    let mut again = crate::frames::request(&[], body());
    *again.headers_mut() = before.clone();
    let seen = crate::frames::seen_by_service(&server, again).await.unwrap();
    assert_eq!(*seen.headers(), but_ours(&before));
}
