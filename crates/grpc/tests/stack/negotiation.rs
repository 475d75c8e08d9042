//! What the headers say decides, and nothing else.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use thinwire::{Decoder, Encoding};
use thinwire_grpc::{ClientCompressionLayer, Compress, Fallback, ServerCompressionLayer};
use tower::{Layer, Service, service_fn};

use crate::frames::{
    Lines, Wire, all_encoders, answered_by_service, compressed, compressing, encoder, framed, read,
    request, response, through_client,
};

fn answer() -> http::Response<Wire> {
    response(&[], Wire::new([framed(0, &[b'a'; 3000])], None))
}

async fn chosen(layer: &ServerCompressionLayer, lines: Lines<'_>) -> Option<String> {
    let call = request(lines, Wire::new([], None));
    let answered = answered_by_service(layer, call, answer()).await;
    assert_eq!(answered.headers().get_all("grpc-accept-encoding").iter().count(), 1);
    answered.headers().get("grpc-encoding").map(|it| it.to_str().unwrap().to_owned())
}

/// Every set of encodings that there is.
fn all_sets() -> impl Iterator<Item = Vec<Encoding>> {
    (0..1_u32 << 6).map(|bits| {
        compressing().enumerate().filter(|(i, _)| bits >> i & 1 == 1).map(|(_, it)| it).collect()
    })
}

#[tokio::test]
async fn a_server_uses_the_first_of_its_own_that_the_client_lists_and_no_other() {
    for mut own in all_sets() {
        own.reverse(); // another order than any list's
        let encoders: Vec<_> = own.iter().map(|it| encoder(*it)).collect();
        let layer = ServerCompressionLayer::new(encoders, Decoder::new(1 << 20));
        for listed in all_sets() {
            let text = listed.iter().map(|it| it.name()).collect::<Vec<_>>().join(", ");
            let expected = own.iter().find(|it| listed.contains(it)).map(|it| it.name());
            let lines = [("grpc-accept-encoding", text.as_bytes())];
            assert_eq!(chosen(&layer, &lines).await.as_deref(), expected, "{own:?}, {listed:?}");
        }
        assert_eq!(chosen(&layer, &[]).await, None, "the client does not say");
    }
}

#[tokio::test]
async fn a_list_is_read_however_it_is_written() {
    let layer = ServerCompressionLayer::new(
        [encoder(Encoding::Zstd), encoder(Encoding::Lz4)],
        Decoder::new(1 << 20),
    );
    let long = [b'x'; 300];
    let lists: [(Lines<'_>, Option<&str>); 9] = [
        (&[("grpc-accept-encoding", b"identity")], None),
        (&[("grpc-accept-encoding", b"")], None),
        (&[("grpc-accept-encoding", b"gzip,snappy")], None),
        (&[("grpc-accept-encoding", b"lz4"), ("grpc-accept-encoding", b"zstd")], Some("zstd")),
        (&[("grpc-accept-encoding", b"identity,,\tLZ4 ,")], Some("lz4")),
        (&[("grpc-accept-encoding", b"\xff,lz4"), ("grpc-accept-encoding", b"\x80")], Some("lz4")),
        (&[("grpc-accept-encoding", &long), ("grpc-accept-encoding", b"zstd")], Some("zstd")),
        (&[("grpc-accept-encoding", b"zstd;q=1.0")], None),
        (&[("accept-encoding", b"zstd")], None), // HTTP's own, as grpc-web's layer sends it
    ];
    for (lines, expected) in lists {
        assert_eq!(chosen(&layer, lines).await.as_deref(), expected, "{lines:?}");
    }
}

#[tokio::test]
async fn what_an_answer_asks_for_is_used_only_if_the_client_lists_it() {
    let layer = ServerCompressionLayer::new(all_encoders(), Decoder::new(1 << 20));
    for listed in [&b"gzip"[..], b"gzip,lz4", b""] {
        let mut asking = answer();
        asking.extensions_mut().insert(Compress::With(Encoding::Lz4));
        let lines = [("grpc-accept-encoding", listed)];
        let call = request(&lines, Wire::new([], None));
        let answered = answered_by_service(&layer, call, asking).await;
        let used = answered.headers().get("grpc-encoding").map(|it| it.to_str().unwrap());
        assert_eq!(used, (listed == b"gzip,lz4").then_some("lz4"));
    }
}

#[tokio::test]
async fn both_sides_list_what_their_decoder_reads_and_only_that() {
    for accepted in all_sets() {
        let decoder = Decoder::new(1 << 20).accept(accepted.clone());
        let server = ServerCompressionLayer::new(all_encoders(), decoder.clone());
        let client = ClientCompressionLayer::new(all_encoders(), decoder);
        let nothing = || Wire::new([], None);
        let answered = answered_by_service(&server, request(&[], nothing()), answer()).await;
        // What something above wrote does not stay beside it.
        let lines: Lines<'_> =
            &[("grpc-accept-encoding", b"br"), ("grpc-accept-encoding", b"deflate,gzip")];
        let (sent, _) = through_client(&client, request(lines, nothing()), answer()).await;
        for headers in [answered.headers(), sent.headers()] {
            let lines: Vec<_> = headers.get_all("grpc-accept-encoding").iter().collect();
            assert_eq!(lines.len(), 1, "{lines:?}");
            let listed: BTreeSet<_> = lines[0].to_str().unwrap().split(',').collect();
            let names = accepted.iter().map(|it| it.name()).chain(["identity"]);
            assert_eq!(listed, names.collect(), "{accepted:?}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_asks_for_what_the_layer_lacks_is_internal_and_still_lists() {
    let layer = ServerCompressionLayer::new(encoder(Encoding::Gzip), Decoder::new(1 << 20));
    let mut asking = answer();
    asking.extensions_mut().insert(Compress::With(Encoding::Lz4));
    let call = request(&[("grpc-accept-encoding", b"lz4,gzip")], Wire::new([], None));
    let answered = answered_by_service(&layer, call, asking).await;
    assert_eq!(answered.headers()["grpc-status"], "13");
    assert!(answered.headers()["grpc-message"].to_str().unwrap().contains("lz4"));
    assert!(answered.headers().contains_key("grpc-accept-encoding"), "{answered:?}");
    assert!(!answered.headers().contains_key("grpc-encoding"), "{answered:?}");
}

#[tokio::test]
async fn a_server_that_refuses_whatever_it_hears_is_asked_twice_and_no_more() {
    let layer = ClientCompressionLayer::new(all_encoders(), Decoder::new(1 << 20))
        .fallback(Fallback::Uncompressed);
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let mut service = layer.layer(service_fn(move |call: http::Request<Wire>| {
        count.fetch_add(1, Ordering::Relaxed);
        async {
            read(call.into_body()).await;
            let lines: Lines<'_> = &[("grpc-status", b"12"), ("grpc-accept-encoding", b"\xff,")];
            Ok::<_, Infallible>(response(lines, Wire::new([], None)))
        }
    }));
    for expected in [2, 3] {
        let call = request(&[], Wire::new([framed(0, &[b'a'; 3000])], None));
        let answer = service.call(call).await.unwrap();
        assert_eq!(answer.headers()["grpc-status"], "12");
        // The second call is uncompressed from the start.
        assert_eq!(asked.load(Ordering::Relaxed), expected);
    }
}

/// Whoever wrote `grpc-encoding` wrote the messages.
#[tokio::test]
async fn what_was_compressed_above_or_below_the_layer_passes_as_it_is() {
    let coded = framed(1, &compressed(Encoding::Gzip, &[b'a'; 3000]));
    let both = || Wire::new([coded.clone(), framed(0, &[b'a'; 3000])], None);
    let lines: Lines<'_> = &[("grpc-encoding", b"gzip")];
    let layer = ServerCompressionLayer::new(encoder(Encoding::Lz4), Decoder::new(1 << 20));
    let call = request(&[("grpc-accept-encoding", b"lz4,gzip")], Wire::new([], None));
    let answered = answered_by_service(&layer, call, response(lines, both())).await;
    assert_eq!(answered.headers()["grpc-encoding"], "gzip");
    let expected = [&coded[..], &framed(0, &[b'a'; 3000])].concat();
    assert!(read(answered.into_body()).await.data == expected);
    let layer = ClientCompressionLayer::new(encoder(Encoding::Lz4), Decoder::new(1 << 20));
    let (sent, _) = through_client(&layer, request(lines, both()), answer()).await;
    assert_eq!(sent.headers()["grpc-encoding"], "gzip");
    assert!(read(sent.into_body()).await.data == expected);
}
