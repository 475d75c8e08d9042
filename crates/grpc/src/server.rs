//! The server's side: requests are decompressed before the service sees them, responses
//! compressed behind it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use http::header::CONTENT_LENGTH;
use http::{HeaderMap, Request, Response};
use http_body::Body;
use pin_project_lite::pin_project;
use thinwire::counters::{Counters, Direction};
use thinwire::{Decoder, Encoding};
use tower_layer::Layer;
use tower_service::Service;

use crate::body::{BoxError, MessageBody, Role};
use crate::choice::{Compress, Encoders, choose};
use crate::headers::{self, Accepted, GRPC_ACCEPT_ENCODING, GRPC_ENCODING, GRPC_STATUS};
use crate::pipe::Pipe;
use crate::scan::Scan;
use crate::settings::Settings;
use crate::status::{CallError, Side};
use crate::step::Step;

/// Gives a gRPC server encodings: those of its encoders to answer in, those that its decoder
/// accepts to be spoken to in.
///
/// ```
/// use thinwire::{Decoder, Encoder, Encoding};
/// use thinwire_grpc::ServerCompressionLayer;
///
/// let layer = ServerCompressionLayer::new(
///     [Encoder::new(Encoding::SnappyBlock)?, Encoder::new(Encoding::Gzip)?],
///     Decoder::new(4 << 20),
/// );
/// # Ok::<(), thinwire::EncodeError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ServerCompressionLayer {
    settings: Arc<Settings>,
}

impl ServerCompressionLayer {
    /// Answers in the first of `encoders` that the client accepts; limits requests by `decoder`.
    ///
    /// tonic's own `max_decoding_message_size`, 4 MiB unless set, holds behind that limit: what
    /// exceeds it is `OUT_OF_RANGE`.
    pub fn new(encoders: impl Into<Encoders>, decoder: Decoder) -> Self {
        Self { settings: Arc::new(Settings::new(encoders.into(), decoder)) }
    }

    /// Sets the length in bytes, in either form, above which a message is compressed or
    /// decompressed on a thread of tokio's for blocking work, so that it does not keep the runtime
    /// from other calls; `usize::MAX` for never. The default is 1 MiB, or less for an encoder's
    /// slower levels: [`Level::prompt_len`](thinwire::Level::prompt_len).
    ///
    /// Without a tokio runtime all is done in place.
    #[must_use]
    pub fn offload_above(mut self, bytes: usize) -> Self {
        self.settings_mut().offload_len = Some(bytes);
        self
    }

    /// Sets a function of the path (`/package.Service/Method`) that says what a method wants; an
    /// extension of the response comes before it.
    #[must_use]
    pub fn per_method(
        mut self,
        choose: impl Fn(&str) -> Option<Compress> + Send + Sync + 'static,
    ) -> Self {
        self.settings_mut().per_method = Some(Arc::new(choose));
        self
    }

    /// Returns what has been counted by all services of this layer.
    #[must_use]
    pub fn counters(&self) -> &Arc<Counters> {
        &self.settings.counters
    }

    /// Layers made from this one before keep what they have.
    fn settings_mut(&mut self) -> &mut Settings {
        Arc::make_mut(&mut self.settings)
    }
}

impl<S> Layer<S> for ServerCompressionLayer {
    type Service = ServerCompression<S>;

    fn layer(&self, inner: S) -> ServerCompression<S> {
        ServerCompression { inner, settings: self.settings.clone() }
    }
}

/// A gRPC service behind [`ServerCompressionLayer`]. What is not gRPC passes untouched.
#[derive(Debug, Clone)]
pub struct ServerCompression<S> {
    inner: S,
    settings: Arc<Settings>,
}

impl<S, B, R> Service<Request<B>> for ServerCompression<S>
where
    S: Service<Request<MessageBody<B>>, Response = Response<R>>,
    B: Body,
    B::Error: Into<BoxError>,
    R: Body,
    R::Error: Into<BoxError>,
{
    type Response = Response<MessageBody<R>>;
    type Error = S::Error;
    type Future = ServerFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        if !headers::is_grpc(request.headers()) {
            let inner = self.inner.call(request.map(MessageBody::pass));
            return ServerFuture { state: State::Running { inner, client: None } };
        }
        let settings = &self.settings;
        let client = Client {
            settings: settings.clone(),
            accepted: Accepted::read(request.headers()).unwrap_or(Accepted::NOTHING),
            method: settings.per_method.as_ref().and_then(|of| of(request.uri().path())),
        };
        let state = match settings.decompress_request(request) {
            Ok(request) => State::Running { inner: self.inner.call(request), client: Some(client) },
            Err(error) => State::Refused { error: Some(error), settings: settings.clone() },
        };
        ServerFuture { state }
    }
}

impl Settings {
    /// Takes off a request what is ours, so that the service sees a plain one.
    fn decompress_request<B>(
        &self,
        request: Request<B>,
    ) -> Result<Request<MessageBody<B>>, CallError> {
        let (mut parts, body) = request.into_parts();
        let counts = self.counts(Direction::Decode);
        let encoding = self
            .take_encoding(&mut parts.headers)
            .map_err(|cause| counts.failed(CallError::new(Side::Server, cause)))?;
        // The service would compress its own answer if it knew.
        parts.headers.remove(GRPC_ACCEPT_ENCODING);
        let body = if encoding == Encoding::Identity {
            let scan = Scan::received(Side::Server, self.decoder.max_payload_len(), counts);
            MessageBody::scan(body, Role::Request, scan)
        } else {
            parts.headers.remove(CONTENT_LENGTH);
            let step = Step::decode(&self.decoder, Ok(encoding), self.decode_on_runtime());
            let pipe = Pipe::new(step, Side::Server, counts, self);
            MessageBody::map(body, Role::Request, pipe)
        };
        Ok(Request::from_parts(parts, body))
    }
}

/// What the answer has to know of the call.
#[derive(Debug)]
struct Client {
    settings: Arc<Settings>,
    accepted: Accepted,
    method: Option<Compress>,
}

impl Client {
    /// Compresses an answer, if it has messages and the client can read one of our encodings.
    fn answer<R>(&self, response: Response<R>) -> Response<MessageBody<R>> {
        if !headers::is_grpc(response.headers()) {
            return response.map(MessageBody::pass);
        }
        let settings = &self.settings;
        let (mut parts, body) = response.into_parts();
        parts.headers.insert(GRPC_ACCEPT_ENCODING, settings.accepted.clone());
        let is_status_alone = parts.headers.contains_key(GRPC_STATUS);
        if is_status_alone || is_compressed(&parts.headers) {
            return Response::from_parts(parts, MessageBody::pass(body));
        }
        let asked = parts.extensions.get().copied().or(self.method);
        let counts = settings.counts(Direction::Encode);
        let encoder = match choose(&settings.encoders, asked, Some(self.accepted)) {
            Ok(Ok(encoder)) => encoder,
            Ok(Err(reason)) => {
                let scan = Scan::sent(Side::Server, reason, counts);
                let body = MessageBody::scan(body, Role::Response, scan);
                return Response::from_parts(parts, body);
            }
            Err(cause) => {
                return refuse(&counts.failed(CallError::new(Side::Server, cause)), settings);
            }
        };
        parts.headers.insert(GRPC_ENCODING, headers::value(encoder.encoding()));
        parts.headers.remove(CONTENT_LENGTH);
        let step = Step::encode(encoder.clone(), settings.encode_on_runtime(encoder));
        let pipe = Pipe::new(step, Side::Server, counts, settings);
        Response::from_parts(parts, MessageBody::map(body, Role::Response, pipe))
    }
}

/// A reply of headers alone, with what would have been accepted.
fn refuse<B: Default>(error: &CallError, settings: &Settings) -> Response<B> {
    let mut response = error.to_response();
    response.headers_mut().insert(GRPC_ACCEPT_ENCODING, settings.accepted.clone());
    response
}

fn is_compressed(headers: &HeaderMap) -> bool {
    headers.get(GRPC_ENCODING).is_some_and(|value| value != Encoding::Identity.name())
}

pin_project! {
    /// The answer of a [`ServerCompression`], to come.
    #[derive(Debug)]
    pub struct ServerFuture<F> {
        #[pin]
        state: State<F>,
    }
}

pin_project! {
    #[project = StateProj]
    #[derive(Debug)]
    enum State<F> {
        Running { #[pin] inner: F, client: Option<Client> },
        Refused { error: Option<CallError>, settings: Arc<Settings> },
    }
}

impl<F, R, E> Future for ServerFuture<F>
where
    F: Future<Output = Result<Response<R>, E>>,
{
    type Output = Result<Response<MessageBody<R>>, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        match self.project().state.project() {
            StateProj::Running { inner, client } => {
                let response = ready!(inner.poll(cx))?;
                Poll::Ready(Ok(match client {
                    None => response.map(MessageBody::pass),
                    Some(client) => client.answer(response),
                }))
            }
            StateProj::Refused { error, settings } => {
                let Some(error) = error.take() else { return Poll::Pending };
                Poll::Ready(Ok(refuse(&error, settings)))
            }
        }
    }
}
