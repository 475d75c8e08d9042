//! Bodies of given frames, and calls of them through a layer without a network.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use thinwire::{Encoder, Encoding};
use thinwire_grpc::{
    BoxError, ClientCompressionLayer, MessageBody, Rewrap, ServerCompressionLayer,
};
use tower::{Layer, Service, ServiceExt, service_fn};

/// A body that can stand for any other.
pub(crate) struct Wire(Pin<Box<dyn Body<Data = Bytes, Error = BoxError> + Send>>);

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire").finish_non_exhaustive()
    }
}

impl Wire {
    pub(crate) fn of(body: impl Body<Data = Bytes, Error = BoxError> + Send + 'static) -> Self {
        Self(Box::pin(body))
    }

    pub(crate) fn new(data: impl IntoIterator<Item = Bytes>, end: Option<HeaderMap>) -> Self {
        Self::of(Listed::new(data, end))
    }
}

impl Body for Wire {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.0.as_mut().poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

impl Rewrap for Wire {
    fn rewrap(body: MessageBody<Self>) -> Self {
        Self::of(body)
    }
}

/// These frames, whose end is known beforehand, as that of HTTP/2's is.
pub(crate) struct Listed(VecDeque<Frame<Bytes>>);

impl Listed {
    fn new(data: impl IntoIterator<Item = Bytes>, end: Option<HeaderMap>) -> Self {
        Self(data.into_iter().map(Frame::data).chain(end.map(Frame::trailers)).collect())
    }
}

impl Body for Listed {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        Poll::Ready(self.0.pop_front().map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        let data = self.0.iter().filter_map(Frame::data_ref);
        SizeHint::with_exact(data.map(|data| data.len() as u64).sum())
    }
}

pub(crate) fn framed(flag: u8, body: &[u8]) -> Bytes {
    let len = u32::try_from(body.len()).unwrap().to_be_bytes();
    [&[flag], &len[..], body].concat().into()
}

pub(crate) fn trailers(status: &'static str) -> HeaderMap {
    HeaderMap::from_iter([(name("grpc-status"), HeaderValue::from_static(status))])
}

pub(crate) fn name(text: &'static str) -> HeaderName {
    HeaderName::from_static(text)
}

pub(crate) fn encoder(encoding: Encoding) -> Encoder {
    Encoder::new(encoding).unwrap()
}

pub(crate) fn compressed(encoding: Encoding, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    encoder(encoding).compress_into(payload, &mut out).unwrap();
    out
}

pub(crate) fn compressing() -> impl Iterator<Item = Encoding> {
    Encoding::ALL.into_iter().filter(|it| *it != Encoding::Identity)
}

/// One of every encoding, in the order of [`Encoding::ALL`].
pub(crate) fn all_encoders() -> Vec<Encoder> {
    compressing().map(encoder).collect()
}

/// Header lines of bytes, as a hostile peer writes them.
pub(crate) type Lines<'a> = &'a [(&'static str, &'a [u8])];

fn add(headers: &mut HeaderMap, lines: Lines<'_>) {
    for (key, value) in lines {
        headers.append(name(key), HeaderValue::from_bytes(value).unwrap());
    }
}

pub(crate) fn request<B>(lines: Lines<'_>, body: B) -> Request<B> {
    let mut request = Request::new(body);
    request.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
    add(request.headers_mut(), lines);
    request
}

pub(crate) fn response<B>(lines: Lines<'_>, body: B) -> Response<B> {
    let mut response = Response::new(body);
    response.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
    add(response.headers_mut(), lines);
    response
}

/// Gives the request that a service behind the server's layer sees, unless the layer answers.
pub(crate) async fn seen_by_service(
    layer: &ServerCompressionLayer,
    request: Request<Wire>,
) -> Result<Request<MessageBody<Wire>>, Response<MessageBody<Wire>>> {
    let seen = Arc::new(Mutex::new(None));
    let keep = seen.clone();
    let service = layer.layer(service_fn(move |request: Request<MessageBody<Wire>>| {
        *keep.lock().unwrap() = Some(request);
        async { Ok::<_, Infallible>(response(&[], Wire::new([], None))) }
    }));
    let answer = service.oneshot(request).await.unwrap();
    seen.lock().unwrap().take().ok_or(answer)
}

/// Gives what becomes of a service's answer at the server's layer.
pub(crate) async fn answered_by_service(
    layer: &ServerCompressionLayer,
    request: Request<Wire>,
    answer: Response<Wire>,
) -> Response<MessageBody<Wire>> {
    let answer = Arc::new(Mutex::new(Some(answer)));
    let service = layer.layer(service_fn(move |_: Request<MessageBody<Wire>>| {
        let answer = answer.lock().unwrap().take().unwrap();
        async { Ok::<_, Infallible>(answer) }
    }));
    service.oneshot(request).await.unwrap()
}

/// Gives what the client's layer sends, and what it makes of the answer.
pub(crate) async fn through_client(
    layer: &ClientCompressionLayer,
    request: Request<Wire>,
    answer: Response<Wire>,
) -> (Request<Wire>, Response<MessageBody<Wire>>) {
    let sent = Arc::new(Mutex::new(None));
    let (keep, answer) = (sent.clone(), Arc::new(Mutex::new(Some(answer))));
    let mut service = layer.layer(service_fn(move |request: Request<Wire>| {
        *keep.lock().unwrap() = Some(request);
        let answer = answer.lock().unwrap().take().unwrap();
        async { Ok::<_, Infallible>(answer) }
    }));
    poll_fn(|cx| Service::<Request<Wire>>::poll_ready(&mut service, cx)).await.unwrap();
    let response = service.call(request).await.unwrap();
    let request = sent.lock().unwrap().take().unwrap();
    (request, response)
}

/// What a body gave: its data, and how it ended.
#[derive(Debug, Default)]
pub(crate) struct Read {
    pub(crate) data: Vec<u8>,
    pub(crate) trailers: Option<HeaderMap>,
    pub(crate) error: Option<tonic::Status>,
}

impl Read {
    /// The code of the body's error, or of its trailers.
    pub(crate) fn code(&self) -> Option<i32> {
        if let Some(error) = &self.error {
            return Some(error.code().into());
        }
        self.trailers.as_ref()?.get("grpc-status")?.to_str().ok()?.parse().ok()
    }
}

pub(crate) async fn read<B>(mut body: B) -> Read
where
    B: Body<Data = Bytes, Error = BoxError> + Unpin,
{
    let mut read = Read::default();
    while let Some(frame) = body.frame().await {
        assert!(read.error.is_none() && read.trailers.is_none(), "a frame after the end");
        match frame.map(Frame::into_data) {
            Ok(Ok(data)) => read.data.extend_from_slice(&data),
            Ok(Err(frame)) => read.trailers = frame.into_trailers().ok(),
            Err(error) => read.error = Some(tonic::Status::from_error(error)),
        }
    }
    read
}
