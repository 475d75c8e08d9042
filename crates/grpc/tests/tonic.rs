//! tonic on both ends, over a real connection: what arrives, and what crossed the wire.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use support::{Echo, Tap, exchange, serve, unary};
use thinwire::{Decoder, Encoder, Encoding};
use thinwire_grpc::{ClientCompressionLayer, Compress, Encoders, Fallback, ServerCompressionLayer};
use tonic::Code;
use tower::Layer;

fn compressing() -> impl Iterator<Item = Encoding> {
    Encoding::ALL.into_iter().filter(|it| *it != Encoding::Identity)
}

fn all() -> Encoders {
    compressing().filter_map(|it| Encoder::new(it).ok()).collect::<Vec<_>>().into()
}

fn messages() -> Vec<Bytes> {
    let noise: Vec<u8> =
        (0..4096u32).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    vec![
        Bytes::new(),
        Bytes::from_static(b"x"),
        Bytes::from(vec![b'a'; 255]),
        Bytes::from(vec![b'a'; 256]),
        Bytes::from("{\"series\": \"up\", \"value\": 1}".repeat(400)),
        Bytes::from(noise),
        Bytes::from("a large message ".repeat(250_000)),
        Bytes::from_static(b"the last"),
    ]
}

#[tokio::test]
async fn every_encoding_carries_every_message_both_ways() {
    let layer = ServerCompressionLayer::new(all(), Decoder::new(64 << 20));
    for encoding in compressing() {
        let channel =
            Tap::new(serve(Echo { answer: Some(Compress::With(encoding)) }, layer.clone()).await);
        let client =
            ClientCompressionLayer::new(Encoder::new(encoding).unwrap(), Decoder::new(64 << 20));
        let answers = exchange(client.layer(channel.clone()), messages(), None).await.unwrap();
        assert_eq!(answers.len(), messages().len(), "{encoding}");
        assert!(answers == messages(), "{encoding}: another message came back");
        let seen = channel.seen();
        assert_eq!(seen.request["grpc-encoding"], encoding.name());
        assert_eq!(seen.response["grpc-encoding"], encoding.name());
        assert_eq!(seen.response["x-echo"], "yes");
        assert_eq!(
            seen.request["grpc-accept-encoding"],
            "gzip,deflate,zstd,lz4,snappy,snappy-block,identity"
        );
        for way in [&seen.sent, &seen.received] {
            let flags: Vec<u8> = way.iter().map(|(flag, _)| *flag).collect();
            // Empty, one byte, one below the least length, and noise stay as they are.
            assert_eq!(flags, [0, 0, 0, 1, 1, 0, 1, 0], "{encoding}");
            assert!(way[6].1 < 400_000, "{encoding}: {way:?}");
        }
    }
}

#[tokio::test]
async fn a_call_may_ask_for_an_encoding_or_for_none() {
    let layer = ServerCompressionLayer::new(all(), Decoder::new(64 << 20));
    let channel = serve(Echo::default(), layer).await;
    let client = ClientCompressionLayer::new(all(), Decoder::new(64 << 20));
    let long = vec![Bytes::from(vec![b'a'; 5000])];
    for (choice, expected) in [
        (None, Some("gzip")),
        (Some(Compress::With(Encoding::Lz4)), Some("lz4")),
        (Some(Compress::Off), None),
        (Some(Compress::With(Encoding::Identity)), None),
    ] {
        let tap = Tap::new(channel.clone());
        exchange(client.layer(tap.clone()), long.clone(), choice).await.unwrap();
        let named =
            tap.seen().request.get("grpc-encoding").map(|it| it.to_str().unwrap().to_owned());
        assert_eq!(named.as_deref(), expected, "{choice:?}");
        assert_eq!(tap.seen().sent[0].0, u8::from(expected.is_some()));
    }
    let one = ClientCompressionLayer::new(Encoder::new(Encoding::Gzip).unwrap(), Decoder::new(1));
    let error = exchange(one.layer(channel), long, Some(Compress::With(Encoding::Zstd))).await;
    assert_eq!(error.unwrap_err().code(), Code::Internal);
}

#[tokio::test]
async fn the_limit_is_on_the_payload_on_both_sides() {
    let bomb = vec![Bytes::from(vec![0; 2 << 20])];
    for encoding in compressing() {
        // At the server, and at the client.
        for (server, client) in [(1 << 20, 64 << 20), (64 << 20, 1 << 20)] {
            let layer = ServerCompressionLayer::new(all(), Decoder::new(server));
            let channel = serve(Echo { answer: Some(Compress::With(encoding)) }, layer).await;
            let encoder = Encoder::new(encoding).unwrap();
            let client = ClientCompressionLayer::new(encoder, Decoder::new(client));
            let status = exchange(client.layer(channel), bomb.clone(), None).await.unwrap_err();
            assert_eq!(status.code(), Code::ResourceExhausted, "{encoding}: {status:?}");
            for part in ["1048576", "max_payload_len"] {
                assert!(status.message().contains(part), "{encoding}: {status:?}");
            }
        }
    }
}

#[tokio::test]
async fn an_encoding_that_the_server_does_not_accept_is_unimplemented() {
    let decoder = Decoder::new(64 << 20).accept([Encoding::Identity, Encoding::Gzip]);
    let layer = ServerCompressionLayer::new(all(), decoder);
    let channel = serve(Echo::default(), layer).await;
    let client =
        ClientCompressionLayer::new(Encoder::new(Encoding::Zstd).unwrap(), Decoder::new(64 << 20));
    let status = exchange(client.layer(channel), messages(), None).await.unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
    assert_eq!(status.metadata().get("grpc-accept-encoding").unwrap(), "gzip,identity");
}

#[tokio::test]
async fn a_server_answers_only_in_what_the_client_accepts() {
    let layer = ServerCompressionLayer::new(all(), Decoder::new(64 << 20));
    let channel = serve(Echo::default(), layer).await;
    for accepted in [Encoding::Lz4, Encoding::Identity] {
        let tap = Tap::new(channel.clone());
        let decoder = Decoder::new(64 << 20).accept([Encoding::Identity, accepted]);
        let client = ClientCompressionLayer::new(Encoder::new(Encoding::Gzip).unwrap(), decoder);
        exchange(client.layer(tap.clone()), messages(), None).await.unwrap();
        let named =
            tap.seen().response.get("grpc-encoding").map(|it| it.to_str().unwrap().to_owned());
        let expected = (accepted != Encoding::Identity).then_some(accepted.name());
        assert_eq!(named.as_deref(), expected);
    }
    // A client without our layer does not say that it accepts anything.
    let tap = Tap::new(channel);
    exchange(tap.clone(), messages(), None).await.unwrap();
    assert!(tap.seen().received.iter().all(|(flag, _)| *flag == 0));
}

#[tokio::test]
async fn what_passed_is_counted() {
    let layer = ServerCompressionLayer::new(all(), Decoder::new(64 << 20));
    let channel = serve(Echo::default(), layer.clone()).await;
    let client =
        ClientCompressionLayer::new(Encoder::new(Encoding::Zstd).unwrap(), Decoder::new(64 << 20));
    exchange(client.layer(channel), messages(), None).await.unwrap();
    let sent = client.counters().snapshot();
    let received = layer.counters().snapshot();
    let row = |snapshot: &thinwire_grpc::Snapshot, direction| {
        let row = snapshot
            .rows
            .iter()
            .find(|it| it.direction == direction && it.encoding == Encoding::Zstd);
        row.map(|it| (it.messages, it.payload_bytes, it.wire_bytes)).unwrap()
    };
    let out = row(&sent, thinwire_grpc::Direction::Encode);
    assert_eq!(out.0, 3);
    assert_eq!(out, row(&received, thinwire_grpc::Direction::Decode));
    assert!(out.1 > 10 * out.2, "{out:?}");
    assert!(sent.errors.is_empty());
}

#[expect(clippy::unwrap_used, reason = "all are built in")]
fn encoder(encoding: Encoding) -> Encoder {
    Encoder::new(encoding).unwrap()
}

#[tokio::test]
async fn a_client_falls_back_once_and_remembers_what_the_server_accepts() {
    let decoder = Decoder::new(64 << 20).accept([Encoding::Identity, Encoding::Gzip]);
    let layer = ServerCompressionLayer::new(all(), decoder);
    let channel = serve(Echo::default(), layer).await;
    let long = Bytes::from(vec![b'a'; 5000]);
    for (encoders, second) in [
        (Encoders::from(encoder(Encoding::Zstd)), None),
        (Encoders::from([encoder(Encoding::Zstd), encoder(Encoding::Gzip)]), Some("gzip")),
    ] {
        let tap = Tap::new(channel.clone());
        let client = ClientCompressionLayer::new(encoders, Decoder::new(64 << 20))
            .fallback(Fallback::Uncompressed);
        let service = client.layer(tap.clone());
        assert_eq!(unary(service.clone(), long.clone()).await.unwrap(), long);
        // Sent in zstd, refused, and sent again as it is.
        assert_eq!(tap.seen().sent.last(), Some(&(0, 5000)));
        assert!(!tap.seen().request.contains_key("grpc-encoding"));
        let before = tap.seen().sent.len();
        assert_eq!(unary(service, long.clone()).await.unwrap(), long);
        assert_eq!(tap.seen().sent.len(), before + 1, "it is remembered");
        let named =
            tap.seen().request.get("grpc-encoding").map(|it| it.to_str().unwrap().to_owned());
        assert_eq!(named.as_deref(), second);
    }
}

#[tokio::test]
async fn a_call_of_several_messages_is_not_sent_again() {
    let decoder = Decoder::new(64 << 20).accept([Encoding::Identity]);
    let channel = serve(Echo::default(), ServerCompressionLayer::new(all(), decoder)).await;
    let client = ClientCompressionLayer::new(encoder(Encoding::Lz4), Decoder::new(64 << 20));
    let service = client.clone().fallback(Fallback::Uncompressed).layer(channel.clone());
    let status = exchange(service.clone(), messages(), None).await.unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
    assert!(exchange(service, messages(), None).await.unwrap() == messages(), "it is remembered");
    // And without fallback every call fails.
    for _ in 0..2 {
        let status = unary(client.layer(channel.clone()), messages()[4].clone()).await.unwrap_err();
        assert_eq!(status.code(), Code::Unimplemented);
    }
}

#[tokio::test]
async fn a_method_may_have_its_own_encoding() {
    let layer = ServerCompressionLayer::new(all(), Decoder::new(64 << 20))
        .per_method(|path| (path == "/test.Echo/Unary").then_some(Compress::Off));
    let channel = serve(Echo::default(), layer).await;
    let client = ClientCompressionLayer::new(all(), Decoder::new(64 << 20)).per_method(|path| {
        path.ends_with("/Unary").then_some(Compress::With(Encoding::SnappyBlock))
    });
    let long = Bytes::from(vec![b'a'; 5000]);
    let tap = Tap::new(channel);
    unary(client.layer(tap.clone()), long.clone()).await.unwrap();
    assert_eq!(tap.seen().request["grpc-encoding"], "snappy-block");
    assert!(!tap.seen().response.contains_key("grpc-encoding"));
    exchange(client.layer(tap.clone()), vec![long], None).await.unwrap();
    assert_eq!(tap.seen().request["grpc-encoding"], "gzip");
    assert_eq!(tap.seen().response["grpc-encoding"], "gzip");
}

/// On a runtime of one thread, and the threads that it starts for blocking work.
#[test]
fn large_messages_are_worked_on_beside_the_runtime() {
    for (offload_len, is_beside) in [(1 << 20, true), (usize::MAX, false)] {
        let started = Arc::new(AtomicUsize::new(0));
        let count = started.clone();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .on_thread_start(move || {
                count.fetch_add(1, Ordering::Relaxed);
            })
            .build()
            .unwrap();
        runtime.block_on(async {
            let server = ServerCompressionLayer::new(all(), Decoder::new(64 << 20));
            let channel = serve(Echo::default(), server.offload_above(offload_len)).await;
            let client = ClientCompressionLayer::new(all(), Decoder::new(64 << 20));
            let client = client.offload_above(offload_len).layer(channel);
            let noise = (0..500_000u32).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes());
            let large = vec![noise.collect::<Vec<u8>>().into(); 3];
            assert!(exchange(client, large.clone(), None).await.unwrap() == large);
        });
        assert_eq!(started.load(Ordering::Relaxed) > 0, is_beside, "{offload_len}");
    }
}
