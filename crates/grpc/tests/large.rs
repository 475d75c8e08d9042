//! Large messages do not hold up what runs beside them on the same thread.

#![expect(
    clippy::unwrap_used,
    reason = "a test may stop where it fails; the lints allow it in test functions only"
)]

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderValue, Request, Response};
use http_body::{Body, Frame};
use http_body_util::{BodyExt, Full};
use thinwire::{Decoder, Encoder, Encoding, Policy};
use thinwire_grpc::{
    BoxError, ClientCompressionLayer, Compress, MessageBody, Rewrap, ServerCompressionLayer,
};
use tower::{Layer, ServiceExt, service_fn};

type Inner = Pin<Box<dyn Body<Data = Bytes, Error = BoxError> + Send>>;

/// A body that can stand for any other.
struct Wire(Inner);

impl Body for Wire {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.0.as_mut().poll_frame(cx)
    }
}

impl Rewrap for Wire {
    fn rewrap(body: MessageBody<Self>) -> Self {
        Self(Box::pin(body))
    }
}

fn framed(flag: u8, body: &[u8]) -> Bytes {
    let len = u32::try_from(body.len()).unwrap().to_be_bytes();
    [&[flag], &len[..], body].concat().into()
}

fn wire(message: Bytes) -> Wire {
    Wire(Box::pin(Full::new(message).map_err(Into::into)))
}

const LIMIT: usize = 64 << 20;

/// Sends a message through both layers to a service that sends it back, with nothing in between
/// that would wait: request encoded and decoded, answer encoded and decoded.
async fn pass(encoding: Encoding, offload_above: usize, message: Bytes) -> usize {
    let encoder = || Encoder::new(encoding).unwrap().policy(Policy::always());
    let server = ServerCompressionLayer::new(encoder(), Decoder::new(LIMIT));
    let client = ClientCompressionLayer::new(encoder(), Decoder::new(LIMIT));
    let echo = service_fn(|request: Request<MessageBody<Wire>>| async {
        let mut answer = Response::new(Wire(Box::pin(request.into_body())));
        answer.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
        Ok::<_, Infallible>(answer)
    });
    let service = server.offload_above(offload_above).layer(echo);
    let service = client.offload_above(offload_above).layer(service);
    let mut request = Request::new(wire(message));
    request.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
    let answer = service.oneshot(request).await.unwrap();
    answer.into_body().collect().await.unwrap().to_bytes().len()
}

/// Runs something on a runtime of one thread beside a ticker, and says how often that ticked.
fn ticks_beside<T>(work: impl Future<Output = T>) -> (T, usize) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let ticks = Arc::new(AtomicUsize::new(0));
    let count = ticks.clone();
    let result = runtime.block_on(async {
        tokio::spawn(async move {
            let mut ticker = tokio::time::interval(std::time::Duration::from_millis(1));
            ticker.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
            loop {
                ticker.tick().await;
                count.fetch_add(1, Ordering::Relaxed);
            }
        });
        work.await
    });
    (result, ticks.load(Ordering::Relaxed))
}

/// Four megabytes, which no encoding's window spans, over and over.
fn half_noise(len: usize) -> Vec<u8> {
    let noise = (0..1 << 20).map(|i: u32| i.wrapping_mul(2_654_435_761) >> 20);
    let block: Vec<u8> = noise.flat_map(|i| [b'a', b'b', i.to_le_bytes()[0], b'c']).collect();
    block.repeat(len / block.len())
}

#[test]
fn a_ticker_keeps_time_while_32_megabytes_pass_both_ways_in_any_encoding() {
    let long = framed(0, &half_noise(32 << 20));
    let shorter = framed(0, &half_noise(8 << 20));
    for encoding in Encoding::ALL.into_iter().filter(|it| *it != Encoding::Identity) {
        let (len, in_place) = ticks_beside(pass(encoding, usize::MAX, shorter.clone()));
        assert_eq!(len, shorter.len(), "{encoding}");
        let (len, beside) = ticks_beside(pass(encoding, 1 << 20, long.clone()));
        assert_eq!(len, long.len(), "{encoding}");
        // In place there is no moment for it.
        assert!(beside > 5 * (in_place + 1), "{encoding}: {beside} ticks, {in_place} in place");
    }
}

/// Few bytes on the wire may be many behind it: what a message says of its length counts too.
#[test]
fn a_ticker_keeps_time_while_a_small_message_becomes_a_large_one() {
    for (encoding, len) in
        [(Encoding::Zstd, 32 << 20), (Encoding::Lz4, 32 << 20), (Encoding::SnappyBlock, 16 << 20)]
    {
        let mut coded = Vec::new();
        Encoder::new(encoding).unwrap().compress_into(&vec![b'a'; len], &mut coded).unwrap();
        assert!(coded.len() < 1 << 20, "{encoding}: it is small on the wire");
        let layer = ServerCompressionLayer::new(Vec::new(), Decoder::new(LIMIT));
        let service = layer.layer(service_fn(|request: Request<MessageBody<Wire>>| async {
            let len = request.into_body().collect().await.unwrap().to_bytes().len();
            let mut answer = Response::new(wire(Bytes::new()));
            answer.extensions_mut().insert(Compress::Off);
            answer.headers_mut().insert("x-len", len.into());
            Ok::<_, Infallible>(answer)
        }));
        let mut request = Request::new(wire(framed(1, &coded)));
        let headers = request.headers_mut();
        headers.insert("content-type", HeaderValue::from_static("application/grpc"));
        headers.insert("grpc-encoding", encoding.name().parse().unwrap());
        let (answer, ticks) = ticks_beside(service.oneshot(request));
        assert_eq!(answer.unwrap().headers()["x-len"], (len + 5).to_string());
        assert!(ticks > 0, "{encoding}: {ticks} ticks");
    }
}
