//! Calls that are sent again, uncompressed, because the server does not know their encoding.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body_util::BodyExt;
use thinwire::counters::{Direction, ErrorKind};
use thinwire::{Decoder, Encoding};
use thinwire_grpc::{ClientCompressionLayer, Fallback, MessageBody};
use thinwire_testkit::payload::{self, Kind};
use tower::{Layer, Service, ServiceExt, service_fn};

use crate::frames::{Lines, Wire, encoder, framed, read, request, response};

/// What an old server saw of one call.
#[derive(Debug)]
struct Seen {
    headers: HeaderMap,
    data: Vec<u8>,
}

const REFUSES: Lines<'_> = &[("grpc-status", b"12"), ("grpc-accept-encoding", b"gzip")];

const ACCEPTS: Lines<'_> = &[("grpc-status", b"0")];

/// A server that answers a call with an encoding as soon as its first frame has come, with these
/// headers, and reads any other to its end.
fn old_server(
    refusal: Lines<'static>,
    keep: Arc<Mutex<Vec<Seen>>>,
) -> impl Service<Request<Wire>, Response = Response<Wire>, Error = Infallible, Future: Send> + Clone
{
    service_fn(move |request: Request<Wire>| {
        let keep = keep.clone();
        async move {
            let (parts, mut body) = request.into_parts();
            let refuses = parts.headers.contains_key("grpc-encoding");
            let data = if refuses {
                let first = body.frame().await;
                first.map_or(Vec::new(), |frame| frame.unwrap().into_data().unwrap().to_vec())
            } else {
                read(body).await.data
            };
            keep.lock().unwrap().push(Seen { headers: parts.headers, data });
            let lines = if refuses { refusal } else { ACCEPTS };
            Ok(response(lines, Wire::new([], None)))
        }
    })
}

fn layer() -> ClientCompressionLayer {
    ClientCompressionLayer::new(encoder(Encoding::SnappyBlock), Decoder::new(8 << 20))
        .fallback(Fallback::Uncompressed)
}

fn status(answer: &Response<MessageBody<Wire>>) -> &HeaderValue {
    &answer.headers()["grpc-status"]
}

fn text(len: usize) -> Vec<u8> {
    payload::make(Kind::JsonEvents, len, 1)
}

fn noise(len: usize) -> Vec<u8> {
    payload::make(Kind::Random, len, 1)
}

#[tokio::test]
async fn a_refusal_that_comes_with_the_first_frame_is_not_too_early() {
    for len in [0, 300, 5000, 20_000, 60_000, 1_000_000, 3_000_000] {
        for payload in [text(len), noise(len)] {
            let seen = Arc::default();
            let server = old_server(REFUSES, Arc::clone(&seen));
            let layer = layer();
            let message = framed(0, &payload);
            let call = request(&[], Wire::new([message.clone()], None));
            let answer = layer.layer(server).oneshot(call).await.unwrap();
            assert_eq!(status(&answer), "0", "{len} bytes");
            let seen = seen.lock().unwrap();
            assert_eq!(seen.len(), 2, "{len} bytes");
            assert!(!seen[1].headers.contains_key("grpc-encoding"));
            assert!(seen[1].data == message, "{len} bytes: not the message itself");
            let refused = [(Direction::Encode, ErrorKind::Unsupported, 1)];
            assert_eq!(layer.counters().snapshot().errors, refused);
        }
    }
}

#[tokio::test]
async fn a_call_without_a_message_is_sent_again_too() {
    let seen = Arc::default();
    let server = old_server(REFUSES, Arc::clone(&seen));
    let call = request(&[], Wire::new([], None));
    let answer = layer().layer(server).oneshot(call).await.unwrap();
    assert_eq!(status(&answer), "0");
    assert_eq!(seen.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn the_second_time_has_what_is_left_of_the_first() {
    let seen = Arc::default();
    let server = old_server(REFUSES, Arc::clone(&seen));
    let call = request(&[("grpc-timeout", b"20S")], Wire::new([framed(0, &text(900))], None));
    assert_eq!(status(&layer().layer(server).oneshot(call).await.unwrap()), "0");
    let seen = seen.lock().unwrap();
    assert_eq!(seen[0].headers["grpc-timeout"], "20S");
    let rest = seen[1].headers["grpc-timeout"].to_str().unwrap().strip_suffix('u').unwrap();
    assert!(Duration::from_micros(rest.parse().unwrap()) < Duration::from_secs(20), "{rest}");
}

#[tokio::test]
async fn without_time_left_the_first_answer_stands() {
    let seen = Arc::default();
    let server = old_server(REFUSES, Arc::clone(&seen));
    let call = request(&[("grpc-timeout", b"0n")], Wire::new([framed(0, &text(900))], None));
    assert_eq!(status(&layer().layer(server).oneshot(call).await.unwrap()), "12");
    assert_eq!(seen.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_missing_service_that_is_named_like_an_encoding_teaches_nothing() {
    const REFUSAL: Lines<'_> =
        &[("grpc-status", b"12"), ("grpc-message", b"unknown service snappy-block.Store")];
    let seen = Arc::default();
    let server = old_server(REFUSAL, Arc::clone(&seen));
    let mut service = layer().layer(server);
    for calls in 1..=2 {
        let call = request(&[], Wire::new([framed(0, &text(900))], None));
        let answer = service.ready().await.unwrap().call(call).await.unwrap();
        assert_eq!(status(&answer), "12");
        let seen = seen.lock().unwrap();
        assert_eq!(seen.len(), calls, "none is sent again, and each is compressed");
        assert!(seen.iter().all(|it| it.headers.contains_key("grpc-encoding")));
    }
}

#[tokio::test]
async fn an_old_server_that_names_the_encoding_in_words_is_learnt_once_it_answers() {
    const REFUSAL: Lines<'_> = &[
        ("grpc-status", b"12"),
        ("grpc-message", b"grpc: Decompressor is not installed for grpc-encoding \"snappy-block\""),
    ];
    let seen = Arc::default();
    let server = old_server(REFUSAL, Arc::clone(&seen));
    let mut service = layer().layer(server);
    for calls in [2, 3] {
        let call = request(&[], Wire::new([framed(0, &text(900))], None));
        let answer = service.ready().await.unwrap().call(call).await.unwrap();
        assert_eq!(status(&answer), "0");
        assert_eq!(seen.lock().unwrap().len(), calls, "the second call goes out plain at once");
    }
}

#[tokio::test]
async fn a_message_is_not_kept_once_the_answer_is_there() {
    let server = service_fn(async |request: Request<Wire>| {
        let mut body = request.into_body();
        let first: Bytes = body.frame().await.unwrap().unwrap().into_data().unwrap();
        drop(first);
        Ok::<_, Infallible>(response(&[], body))
    });
    let payload = framed(0, &noise(100_000));
    let (feed, frames) = tokio::sync::mpsc::unbounded_channel::<Bytes>();
    feed.send(payload.clone()).unwrap();
    let stream = tokio_stream::StreamExt::map(
        tokio_stream::wrappers::UnboundedReceiverStream::new(frames),
        |data| Ok(http_body::Frame::data(data)),
    );
    let body = Wire::of(http_body_util::StreamBody::new(stream));
    let answer = layer().layer(server).oneshot(request(&[], body)).await.unwrap();
    assert!(payload.is_unique(), "the call runs, but nobody holds its first message");
    drop((answer, feed));
}
