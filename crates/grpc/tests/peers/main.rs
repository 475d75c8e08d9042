//! gRPC of other hands: they answer our calls and we answer theirs, in every encoding that they
//! have, in all four kinds of call; what crossed the wire is looked at.
//!
//! The peers are grpc-go with the compressors of Go's services (built from Debian's packages),
//! grpcio and @grpc/grpc-js. A missing one fails the test where `CI` is set; elsewhere it says that
//! it was skipped. `THINWIRE_PYTHON` names a Python that has grpcio; `THINWIRE_NODE_MODULES` a
//! folder that has @grpc/grpc-js.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "test code outside of the test functions"
)]

mod answering;
mod calling;
mod messages;
mod peer;
#[path = "../support/mod.rs"]
#[expect(dead_code, reason = "another test uses the rest")]
mod support;

use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use messages::{calls, payloads};
use peer::Peer;
use thinwire::{Decoder, Encoder, Encoding};
use thinwire_grpc::{ClientCompressionLayer, Encoders, ServerCompressionLayer};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tonic::transport::Endpoint;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_go_answers_our_calls() {
    if let Some(peer) = peer::go() {
        it_answers_our_calls(peer).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_go_gets_our_answers() {
    if let Some(peer) = peer::go() {
        it_gets_our_answers(peer).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_python_answers_our_calls() {
    if let Some(peer) = peer::python() {
        it_answers_our_calls(peer).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_python_gets_our_answers() {
    if let Some(peer) = peer::python() {
        it_gets_our_answers(peer).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_node_answers_our_calls() {
    if let Some(peer) = peer::node() {
        it_answers_our_calls(peer).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn independent_tools_node_gets_our_answers() {
    if let Some(peer) = peer::node() {
        it_gets_our_answers(peer).await;
    }
}

async fn it_answers_our_calls(peer: Peer) {
    let server = peer.serve();
    println!("a server on {}", server.version);
    let channel = Endpoint::from_shared(format!("http://{}", server.address)).unwrap();
    let channel = timeout(HANGS, channel.connect()).await.unwrap().unwrap();
    for &encoding in peer.encodings {
        let layer = ClientCompressionLayer::new(all(), Decoder::new(LIMIT));
        for call in calls() {
            let what = format!("{encoding}, {call}");
            let made = calling::make(channel.clone(), &layer, &call, encoding);
            let (answers, seen) = timeout(HANGS, made).await.expect(&what);
            let answers = answers.unwrap_or_else(|status| panic!("{what}: {status:?}"));
            assert!(answers == call.answers, "{what}: another message came back");
            let accepted = &seen.request["grpc-accept-encoding"];
            assert_eq!(accepted, "gzip,deflate,zstd,lz4,snappy,snappy-block,identity", "{what}");
            ours_crossed(&what, encoding, &call.messages, &seen.sent);
            let answered = if peer.answers_compressed { encoding } else { Encoding::Identity };
            theirs_crossed(&what, &peer, answered, &call.answers, &seen.received);
            headers_name(&what, encoding, &seen.request);
            headers_name(&what, answered, &seen.response);
        }
    }
}

async fn it_gets_our_answers(peer: Peer) {
    let layer = ServerCompressionLayer::new(all(), Decoder::new(LIMIT));
    let server = answering::serve(layer).await;
    for &encoding in peer.encodings {
        let (peer, address) = (peer.clone(), server.address);
        spawn_blocking(move || peer.call(address, encoding, &payloads())).await.unwrap();
    }
    let mut seen = server.seen().into_iter();
    for &encoding in peer.encodings {
        for call in calls() {
            let what = format!("{encoding}, {call}");
            let (path, seen) = seen.next().expect(&what);
            assert_eq!(path, call.kind.path(), "{what}");
            theirs_crossed(&what, &peer, encoding, &call.messages, &seen.sent);
            ours_crossed(&what, encoding, &call.answers, &seen.received);
            headers_name(&what, encoding, &seen.request);
            headers_name(&what, encoding, &seen.response);
            if encoding != Encoding::Identity {
                let accepted = seen.request["grpc-accept-encoding"].to_str().unwrap();
                let lists = accepted.split(',').any(|it| it.trim() == encoding.name());
                assert!(lists, "{what}: {accepted}");
            }
        }
    }
    assert_eq!(seen.count(), 0, "the peer made more calls");
}

/// Ours are compressed from the least length of the policy on, if it pays.
fn ours_crossed(what: &str, encoding: Encoding, messages: &[Bytes], seen: &[(u8, usize)]) {
    assert_eq!(seen.len(), messages.len(), "{what}");
    for (message, &(flag, len)) in messages.iter().zip(seen) {
        let what = format!("{what}: ours of {} bytes as {len}", message.len());
        let compressed = encoding != Encoding::Identity && messages::pays(message);
        assert_eq!(flag, u8::from(compressed), "{what}");
        assert!(if compressed { len < message.len() } else { len == message.len() }, "{what}");
    }
}

/// What a peer does with a message that does not get smaller, or is empty, is its own choice.
fn theirs_crossed(
    what: &str,
    peer: &Peer,
    encoding: Encoding,
    messages: &[Bytes],
    seen: &[(u8, usize)],
) {
    assert_eq!(seen.len(), messages.len(), "{what}");
    for (message, &(flag, len)) in messages.iter().zip(seen) {
        let what = format!("{what}: theirs of {} bytes as {len}", message.len());
        if encoding == Encoding::Identity {
            assert_eq!((flag, len), (0, message.len()), "{what}");
        } else if messages::shrinks(message) {
            assert!(flag == 1 && len < message.len(), "{what}");
        } else if peer.compresses_all && !message.is_empty() {
            assert_eq!(flag, 1, "{what}");
        } else if flag == 0 {
            assert_eq!(len, message.len(), "{what}");
        }
    }
}

fn headers_name(what: &str, encoding: Encoding, headers: &HeaderMap) {
    let named = headers.get("grpc-encoding").map_or("identity", |it| it.to_str().unwrap());
    assert_eq!(named, encoding.name(), "{what}");
}

fn all() -> Encoders {
    let compressing = Encoding::ALL.into_iter().filter(|it| *it != Encoding::Identity);
    compressing.map(|it| Encoder::new(it).unwrap()).collect::<Vec<_>>().into()
}

const LIMIT: usize = 64 << 20;

/// A call takes milliseconds; after so long it will never end.
const HANGS: Duration = Duration::from_secs(100);
