//! Allocations of the layers, counted exactly: in steady state none per message on encode, and on
//! decode one for each frame of payloads.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test may stop where it fails; the lints allow it in test functions only"
)]

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body, Frame};
use thinwire::{Decoder, Encoder, Encoding};
use thinwire_grpc::{
    BoxError, ClientCompressionLayer, MessageBody, Rewrap, ServerCompressionLayer,
};
use thinwire_testkit::alloc::{self, Allocations};
use thinwire_testkit::payload::{self, Kind};
use tower::{Layer, Service, service_fn};

/// One message in each frame, as it came or behind the layer.
enum Messages {
    Given(VecDeque<Bytes>),
    Mapped(Box<MessageBody<Self>>),
}

impl Body for Messages {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match self.get_mut() {
            Self::Given(frames) => Poll::Ready(frames.pop_front().map(|it| Ok(Frame::data(it)))),
            Self::Mapped(body) => Pin::new(body).poll_frame(cx),
        }
    }
}

impl Rewrap for Messages {
    fn rewrap(body: MessageBody<Self>) -> Self {
        Self::Mapped(Box::new(body))
    }
}

/// Polls a body to its end as a transport does that is done with a frame before the next.
fn frames<B: Body<Data = Bytes, Error = BoxError>>(body: B, mut each: impl FnMut(Bytes)) {
    let mut body = pin!(body);
    let mut cx = Context::from_waker(Waker::noop());
    loop {
        match body.as_mut().poll_frame(&mut cx) {
            Poll::Ready(Some(frame)) => each(frame.unwrap().into_data().unwrap()),
            Poll::Ready(None) => return,
            Poll::Pending => {}
        }
    }
}

fn request(encoding: Encoding, frames: impl IntoIterator<Item = Bytes>) -> Request<Messages> {
    Request::builder()
        .uri("/test.Sink/Stream")
        .header("content-type", "application/grpc")
        .header("grpc-encoding", encoding.name())
        .body(Messages::Given(frames.into_iter().collect()))
        .unwrap()
}

/// What the client's layer makes of a request.
fn sent(layer: &ClientCompressionLayer, messages: &[Bytes]) -> Messages {
    let mut request = request(Encoding::Identity, messages.iter().cloned());
    request.headers_mut().remove("grpc-encoding");
    let mut sent = None;
    let mut service = layer.layer(Taking(&mut sent));
    drop(service.call(request));
    sent.unwrap()
}

/// Keeps the body of a request, and answers nothing.
struct Taking<'a>(&'a mut Option<Messages>);

impl Clone for Taking<'_> {
    fn clone(&self) -> Self {
        panic!("a call is sent again only if that was asked for")
    }
}

impl Service<Request<Messages>> for Taking<'_> {
    type Response = Response<Messages>;
    type Error = Infallible;
    type Future = Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Messages>) -> Self::Future {
        *self.0 = Some(request.into_body());
        ready(Ok(Response::new(Messages::Given(VecDeque::new()))))
    }
}

fn framed(len: usize, at: u64) -> Bytes {
    let payload = payload::make(Kind::JsonEvents, len, at);
    let len = u32::try_from(len).unwrap().to_be_bytes();
    [&[0], &len[..], &payload].concat().into()
}

fn compressing() -> impl Iterator<Item = Encoding> {
    Encoding::ALL.into_iter().filter(|encoding| *encoding != Encoding::Identity)
}

/// Short ones, those of the benchmark, and one that takes more than a frame.
const LENS: [usize; 4] = [400, 10_000, 60_000, 700_000];

#[test]
fn no_message_costs_an_allocation_on_encode() {
    for encoding in compressing() {
        let layer = ClientCompressionLayer::new(Encoder::new(encoding).unwrap(), Decoder::new(0));
        for len in LENS {
            let messages: Vec<_> = (0..20).map(|at| framed(len, at)).collect();
            let mut wire_len = 0;
            frames(sent(&layer, &messages), |frame| wire_len += frame.len());
            assert!(wire_len < 20 * len, "{encoding}, {len} bytes: compressed");
            let body = sent(&layer, &messages);
            let ((), steady) = alloc::measure(|| frames(body, drop));
            assert_eq!(steady.count, 0, "{encoding}, {len} bytes: {steady:?}");
        }
    }
}

#[test]
fn a_frame_of_payloads_costs_one_allocation_on_decode() {
    for encoding in compressing() {
        let encoder = Encoder::new(encoding).unwrap();
        let client = ClientCompressionLayer::new(encoder.clone(), Decoder::new(0));
        let server = ServerCompressionLayer::new(encoder, Decoder::new(1 << 20));
        for len in LENS {
            let messages: Vec<_> = (0..20).map(|at| framed(len, at)).collect();
            let mut wire = Vec::new();
            frames(sent(&client, &messages), |frame| wire.push(frame));
            let mut counts = Vec::new();
            for _ in 0..3 {
                let service = service_fn(|request: Request<_>| {
                    let mut count = 0;
                    let ((), steady) = alloc::measure(|| {
                        frames::<MessageBody<Messages>>(request.into_body(), |_| count += 1);
                    });
                    counts.push((count, steady));
                    ready(Ok::<_, Infallible>(Response::new(Messages::Given(VecDeque::new()))))
                });
                let call = server.layer(service).call(request(encoding, wire.iter().cloned()));
                let mut call = pin!(call);
                let answer = call.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                assert!(answer.is_ready());
            }
            let (frames, steady) = counts.last().copied().unwrap_or((0, Allocations::default()));
            assert!((1..=20).contains(&frames), "{encoding}, {len} bytes: {frames} frames");
            assert_eq!(steady.count, frames, "{encoding}, {len} bytes: {steady:?}");
        }
    }
}

/// Gives its frames, then has nothing for ever.
struct Waiting(VecDeque<Bytes>);

impl Body for Waiting {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.0.pop_front().map_or(Poll::Pending, |frame| Poll::Ready(Some(Ok(Frame::data(frame)))))
    }
}

/// What the server's layer keeps of a stream whose message has passed and which waits for more.
fn kept_by_waiting(server: &ServerCompressionLayer, frames: Vec<Bytes>, answers: bool) -> i64 {
    let (given, kept) = alloc::measure(|| {
        let (incoming, outgoing) =
            if answers { (Vec::new(), frames) } else { (frames, Vec::new()) };
        let outgoing = Waiting(outgoing.into());
        let mut seen = None;
        let mut answer = Response::new(outgoing);
        answer
            .headers_mut()
            .insert("content-type", http::HeaderValue::from_static("application/grpc"));
        let mut answer = Some(answer);
        let service = service_fn(|request: Request<MessageBody<Waiting>>| {
            seen = Some(request.into_body());
            ready(Ok::<_, Infallible>(answer.take().unwrap()))
        });
        let call = Request::builder()
            .header("content-type", "application/grpc")
            .header("grpc-encoding", "gzip")
            .header("grpc-accept-encoding", "gzip")
            .body(Waiting(incoming.into()))
            .unwrap();
        let mut call = Box::pin(server.layer(service).call(call));
        let mut cx = Context::from_waker(Waker::noop());
        let Poll::Ready(Ok(answer)) = call.as_mut().poll(&mut cx) else { panic!("not answered") };
        drop(call);
        let mut given = 0;
        let mut bodies = (seen.unwrap(), answer.into_body());
        let mut body = Pin::new(if answers { &mut bodies.1 } else { &mut bodies.0 });
        // Pending is also what gives others their turn.
        for _ in 0..10 {
            while let Poll::Ready(Some(frame)) = body.as_mut().poll_frame(&mut cx) {
                given += frame.unwrap().into_data().unwrap().len();
            }
        }
        (given, bodies)
    });
    assert!(given.0 > 1000, "the message passed");
    drop(given);
    kept.kept_bytes
}

#[test]
fn a_stream_that_waits_holds_no_buffer_of_the_message_before() {
    let encoder = Encoder::new(Encoding::Gzip).unwrap();
    for kind in [Kind::Random, Kind::JsonEvents] {
        for len in [900_000, 4 << 20] {
            let payload = payload::make(kind, len, 1);
            let message: Bytes =
                [&[0], &u32::try_from(len).unwrap().to_be_bytes()[..], &payload].concat().into();
            let mut wire = Vec::new();
            let compressed = thinwire_testkit::promise::compress(Encoding::Gzip.into(), &payload);
            let compressed_len = u32::try_from(compressed.len()).unwrap().to_be_bytes();
            let framed = Bytes::from([&[1], &compressed_len[..], &compressed].concat());
            wire.extend(framed.chunks(16 << 10).map(|chunk| framed.slice_ref(chunk)));
            for (frames, answers) in [(vec![message], true), (wire, false)] {
                let server = ServerCompressionLayer::new(encoder.clone(), Decoder::new(8 << 20));
                // The first makes what the layer keeps, once for all streams.
                kept_by_waiting(&server, frames.clone(), answers);
                let kept = kept_by_waiting(&server, frames, answers);
                assert!(
                    kept < 64 << 10,
                    "{kind:?} of {len} bytes, answers: {answers}: {kept} bytes"
                );
            }
        }
    }
}
