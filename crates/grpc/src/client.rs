//! The client's side: requests are compressed on their way out, responses decompressed on their
//! way in.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body::Body;
use pin_project_lite::pin_project;
use thinwire::{Decoder, Encoding};
use tower_layer::Layer;
use tower_service::Service;

use crate::body::{BoxError, MessageBody, Role};
use crate::choice::{Compress, Encoders, NoEncoder, choose};
use crate::counters::{Counters, Direction};
use crate::headers::{self, GRPC_ACCEPT_ENCODING, GRPC_ENCODING, GRPC_STATUS};
use crate::pipe::{Pipe, Step};
use crate::scan::Scan;
use crate::settings::Settings;
use crate::status::{CallError, Cause, Side};

/// Gives a gRPC client encodings: those of its encoders to speak in, those that its decoder
/// accepts to be answered in.
///
/// ```
/// use thinwire::{Decoder, Encoder, Encoding};
/// use thinwire_grpc::ClientCompressionLayer;
///
/// let encoder = Encoder::new(Encoding::SnappyBlock)?;
/// let layer = ClientCompressionLayer::new(encoder, Decoder::new(4 << 20));
/// # Ok::<(), thinwire::EncodeError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ClientCompressionLayer {
    settings: Arc<Settings>,
}

impl ClientCompressionLayer {
    /// Speaks in the first of `encoders`; limits responses by `decoder`.
    pub fn new(encoders: impl Into<Encoders>, decoder: Decoder) -> Self {
        Self { settings: Arc::new(Settings::new(encoders.into(), decoder)) }
    }

    /// Sets the length in bytes above which a message is compressed or decompressed on a thread of
    /// tokio's for blocking work, so that it does not keep the runtime from other calls;
    /// `usize::MAX` for never. The default is 1 MiB.
    ///
    /// Without a tokio runtime all is done in place.
    #[must_use]
    pub fn offload_above(mut self, bytes: usize) -> Self {
        self.settings_mut().offload_len = bytes;
        self
    }

    /// Sets a function of the path (`/package.Service/Method`) that says what a method wants; an
    /// extension of the request comes before it.
    #[must_use]
    pub fn per_method(
        mut self,
        choose: impl Fn(&str) -> Option<Compress> + Send + Sync + 'static,
    ) -> Self {
        self.settings_mut().per_method = Some(Arc::new(choose));
        self
    }

    /// Returns what has been counted by all clients of this layer.
    #[must_use]
    pub fn counters(&self) -> &Arc<Counters> {
        &self.settings.counters
    }

    /// Layers made from this one before keep what they have.
    fn settings_mut(&mut self) -> &mut Settings {
        Arc::make_mut(&mut self.settings)
    }
}

impl<S> Layer<S> for ClientCompressionLayer {
    type Service = ClientCompression<S>;

    fn layer(&self, inner: S) -> ClientCompression<S> {
        ClientCompression { inner, settings: self.settings.clone() }
    }
}

/// A body type that can hold any body with the same data, so that a channel which takes nothing
/// else takes ours: tonic's, and the boxed ones of `http-body-util` in a wrapper of yours.
pub trait Rewrap: Body + Sized {
    /// Wraps a body of this type that has been mapped.
    fn rewrap(body: MessageBody<Self>) -> Self;
}

/// A channel behind [`ClientCompressionLayer`]. What is not gRPC passes untouched.
#[derive(Debug, Clone)]
pub struct ClientCompression<S> {
    inner: S,
    settings: Arc<Settings>,
}

impl<S, B, R> Service<Request<B>> for ClientCompression<S>
where
    S: Service<Request<B>, Response = Response<R>>,
    B: Rewrap,
    R: Body,
    R::Error: Into<BoxError>,
{
    type Response = Response<MessageBody<R>>;
    type Error = S::Error;
    type Future = ClientFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        if !headers::is_grpc(request.headers()) {
            let inner = self.inner.call(request);
            return ClientFuture { state: State::Running { inner, settings: None } };
        }
        let state = match self.settings.compress_request(request) {
            Ok(request) => State::Running {
                inner: self.inner.call(request),
                settings: Some(self.settings.clone()),
            },
            Err(error) => State::Refused { error: Some(error) },
        };
        ClientFuture { state }
    }
}

impl Settings {
    /// Compresses a request, unless something above us already does.
    fn compress_request<B: Rewrap>(&self, request: Request<B>) -> Result<Request<B>, CallError> {
        let (mut parts, body) = request.into_parts();
        parts.headers.insert(GRPC_ACCEPT_ENCODING, self.accepted.to_value());
        if parts.headers.contains_key(GRPC_ENCODING) {
            return Ok(Request::from_parts(parts, body));
        }
        let counts = self.counts(Direction::Encode);
        let asked = self.asked(&parts.extensions, parts.uri.path());
        let encoder = choose(&self.encoders, asked, None).map_err(|NoEncoder(encoding)| {
            counts.failed(CallError::new(Side::Client, Cause::NoEncoder(encoding)))
        })?;
        let Some(encoder) = encoder else { return Ok(Request::from_parts(parts, body)) };
        parts.headers.insert(GRPC_ENCODING, headers::value(encoder.encoding()));
        parts.headers.remove(CONTENT_LENGTH);
        let step = Step::Encode(encoder.clone());
        let pipe = Pipe::new(step, Side::Client, counts, self.offload_len);
        let body = B::rewrap(MessageBody::map(body, Role::Request, pipe));
        Ok(Request::from_parts(parts, body))
    }

    /// Takes off what is ours, so that the client sees a plain answer.
    fn decompress_response<R>(&self, response: Response<R>) -> Response<MessageBody<R>> {
        let counts = self.counts(Direction::Decode);
        if !headers::is_grpc(response.headers()) {
            // The client knows what another HTTP status means; that 200 means nothing, it does not.
            if response.status() != StatusCode::OK || is_status_alone(response.headers()) {
                return response.map(MessageBody::pass);
            }
            let content_type = response.headers().get(CONTENT_TYPE);
            let content_type = content_type.map_or(String::new(), |value| {
                String::from_utf8_lossy(value.as_bytes()).chars().take(MAX_TYPE_CHARS).collect()
            });
            let error = CallError::new(Side::Client, Cause::NotGrpc(content_type));
            return counts.failed(error).to_response();
        }
        let (mut parts, body) = response.into_parts();
        let encoding = match headers::encoding(&parts.headers) {
            Ok(encoding) if self.accepts(encoding) => Ok(encoding),
            Ok(encoding) => Err(Cause::NotAccepted(encoding)),
            Err(unknown) => Err(Cause::from(unknown)),
        };
        parts.headers.remove(GRPC_ENCODING);
        if is_status_alone(&parts.headers) {
            return Response::from_parts(parts, MessageBody::pass(body));
        }
        let body = if encoding == Ok(Encoding::Identity) {
            let scan = Scan::new(Side::Client, self.decoder.max_payload_len(), counts);
            MessageBody::scan(body, Role::Response, scan)
        } else {
            parts.headers.remove(CONTENT_LENGTH);
            let step = Step::Decode(self.decoder.clone(), encoding);
            MessageBody::map(
                body,
                Role::Response,
                Pipe::new(step, Side::Client, counts, self.offload_len),
            )
        };
        Response::from_parts(parts, body)
    }
}

fn is_status_alone(headers: &HeaderMap) -> bool {
    headers.contains_key(GRPC_STATUS)
}

pin_project! {
    /// The answer to a [`ClientCompression`], to come.
    #[derive(Debug)]
    pub struct ClientFuture<F> {
        #[pin]
        state: State<F>,
    }
}

pin_project! {
    #[project = StateProj]
    #[derive(Debug)]
    enum State<F> {
        Running { #[pin] inner: F, settings: Option<Arc<Settings>> },
        Refused { error: Option<CallError> },
    }
}

impl<F, R, E> Future for ClientFuture<F>
where
    F: Future<Output = Result<Response<R>, E>>,
{
    type Output = Result<Response<MessageBody<R>>, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().state.project() {
            StateProj::Running { inner, settings } => {
                let response = ready!(inner.poll(cx))?;
                Poll::Ready(Ok(match settings {
                    None => response.map(MessageBody::pass),
                    Some(settings) => settings.decompress_response(response),
                }))
            }
            StateProj::Refused { error } => {
                let Some(error) = error.take() else { return Poll::Pending };
                Poll::Ready(Ok(error.to_response()))
            }
        }
    }
}

const MAX_TYPE_CHARS: usize = 64;
