//! The client's side: requests are compressed on their way out, responses decompressed on their
//! way in.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body::Body;
use pin_project_lite::pin_project;
use thinwire::counters::{Counters, Direction, ErrorKind};
use thinwire::{Decoder, Encoding};
use tower_layer::Layer;
use tower_service::Service;

use crate::body::{BoxError, MessageBody, Role};
use crate::choice::{Compress, Encoders, choose};
use crate::deadline::Deadline;
use crate::fallback::{
    Fallback, Learned, Recorder, is_unimplemented, refuses_encoding, sent_encoding,
};
use crate::headers::{self, Accepted, GRPC_ACCEPT_ENCODING, GRPC_ENCODING, GRPC_STATUS};
use crate::pipe::Pipe;
use crate::scan::Scan;
use crate::settings::Settings;
use crate::status::{CallError, Cause, Side};
use crate::step::Step;

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
    /// extension of the request comes before it.
    #[must_use]
    pub fn per_method(
        mut self,
        choose: impl Fn(&str) -> Option<Compress> + Send + Sync + 'static,
    ) -> Self {
        self.settings_mut().per_method = Some(Arc::new(choose));
        self
    }

    /// Sets what happens when a server answers UNIMPLEMENTED to an encoding.
    #[must_use]
    pub fn fallback(mut self, fallback: Fallback) -> Self {
        self.settings_mut().fallback = fallback;
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
        ClientCompression { inner, settings: self.settings.clone(), learned: Arc::default() }
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
    /// Shared by clones, which speak to the same server.
    learned: Arc<Learned>,
}

impl<S, B, R> Service<Request<B>> for ClientCompression<S>
where
    S: Service<Request<B>, Response = Response<R>> + Clone,
    B: Rewrap,
    R: Body,
    R::Error: Into<BoxError>,
{
    type Response = Response<MessageBody<R>>;
    type Error = S::Error;
    type Future = ClientFuture<S, B>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        if !headers::is_grpc(request.headers()) {
            return ClientFuture::running(self.inner.call(request), None);
        }
        let may_retry = self.settings.fallback == Fallback::Uncompressed;
        let recorder = may_retry.then(Recorder::default);
        let learned = may_retry.then(|| self.learned.get()).flatten();
        let request = match self.settings.compress_request(request, learned, recorder.clone()) {
            Ok(request) => request,
            Err(error) => return ClientFuture { state: State::Refused { error: Some(error) } },
        };
        let encoding = sent_encoding(request.headers());
        let again = recorder.filter(|_| encoding.is_some()).map(|recorder| {
            let mut head = Request::new(());
            *head.method_mut() = request.method().clone();
            *head.uri_mut() = request.uri().clone();
            *head.version_mut() = request.version();
            *head.headers_mut() = request.headers().clone();
            *head.extensions_mut() = request.extensions().clone();
            head.headers_mut().remove(GRPC_ENCODING);
            let deadline = Deadline::read(request.headers());
            Again { service: self.inner.clone(), head, recorder, deadline }
        });
        let call = Call {
            settings: self.settings.clone(),
            learned: may_retry.then(|| self.learned.clone()),
            encoding,
            again,
            is_second: false,
        };
        ClientFuture::running(self.inner.call(request), Some(call))
    }
}

impl Settings {
    /// Compresses a request, unless something above us already does.
    fn compress_request<B: Rewrap>(
        &self,
        request: Request<B>,
        learned: Option<Accepted>,
        recorder: Option<Recorder>,
    ) -> Result<Request<B>, CallError> {
        let (mut parts, body) = request.into_parts();
        parts.headers.insert(GRPC_ACCEPT_ENCODING, self.accepted.clone());
        if parts.headers.contains_key(GRPC_ENCODING) {
            return Ok(Request::from_parts(parts, body));
        }
        let asked = self.asked(&parts.extensions, parts.uri.path());
        let counts = self.counts(Direction::Encode);
        let encoder = match choose(&self.encoders, asked, learned) {
            Ok(Ok(encoder)) => encoder,
            Ok(Err(reason)) => {
                let scan = Scan::sent(Side::Client, reason, counts);
                let body = B::rewrap(MessageBody::scan(body, Role::Request, scan));
                return Ok(Request::from_parts(parts, body));
            }
            Err(cause) => return Err(counts.failed(CallError::new(Side::Client, cause))),
        };
        parts.headers.insert(GRPC_ENCODING, headers::value(encoder.encoding()));
        parts.headers.remove(CONTENT_LENGTH);
        let step = Step::encode(encoder.clone(), self.encode_on_runtime(encoder));
        let pipe = Pipe::new(step, Side::Client, counts, self).recorded_by(recorder);
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
        let encoding = self.take_encoding(&mut parts.headers);
        // Nothing comes behind a status in the headers; if it does, it is nobody's message.
        let body = if encoding == Ok(Encoding::Identity) || is_status_alone(&parts.headers) {
            let scan = Scan::received(Side::Client, self.decoder.max_payload_len(), counts);
            MessageBody::scan(body, Role::Response, scan)
        } else {
            parts.headers.remove(CONTENT_LENGTH);
            let step = Step::decode(&self.decoder, encoding, self.decode_on_runtime());
            MessageBody::map(body, Role::Response, Pipe::new(step, Side::Client, counts, self))
        };
        Response::from_parts(parts, body)
    }
}

fn is_status_alone(headers: &HeaderMap) -> bool {
    headers.contains_key(GRPC_STATUS)
}

/// What is known of a call while it runs.
#[derive(Debug)]
struct Call<S> {
    settings: Arc<Settings>,
    learned: Option<Arc<Learned>>,
    /// What the request went out in.
    encoding: Option<Encoding>,
    again: Option<Again<S>>,
    is_second: bool,
}

/// What it takes to send a call once more, uncompressed.
#[derive(Debug)]
struct Again<S> {
    service: S,
    head: Request<()>,
    recorder: Recorder,
    deadline: Option<Deadline>,
}

impl<S> Again<S> {
    /// Writes what is left of the call's time, and says whether anything is.
    fn still_has_time(&mut self) -> bool {
        self.deadline.is_none_or(|deadline| deadline.write_rest(self.head.headers_mut()))
    }
}

impl<S> Call<S> {
    /// Learns from an answer, and says whether the call is to be sent again.
    fn hear<R, B: Rewrap>(&mut self, answer: &Response<R>) -> Option<(S, Request<B>)> {
        let is_refused =
            self.encoding.take().is_some_and(|it| refuses_encoding(answer.headers(), it));
        if is_refused {
            self.settings.counters.failed(Direction::Encode, ErrorKind::Unsupported);
        }
        let learned = self.learned.as_ref()?;
        if let Some(accepted) = Accepted::read(answer.headers()) {
            learned.set(accepted);
        } else if std::mem::take(&mut self.is_second) && !is_unimplemented(answer.headers()) {
            // It named nothing, but without an encoding it answers: now that is known.
            learned.set(Accepted::NOTHING);
        }
        let mut again = self.again.take()?;
        let message = again.recorder.take();
        if !is_refused || !again.still_has_time() {
            return None;
        }
        self.is_second = true;
        let body = B::rewrap(MessageBody::given(message?));
        Some((again.service, again.head.map(|()| body)))
    }
}

pin_project! {
    /// The answer to a [`ClientCompression`], to come.
    pub struct ClientFuture<S, B>
    where
        S: Service<Request<B>>,
    {
        #[pin]
        state: State<S, B>,
    }
}

pin_project! {
    #[project = StateProj]
    enum State<S, B>
    where
        S: Service<Request<B>>,
    {
        Running { #[pin] inner: S::Future, call: Option<Call<S>> },
        // The second time.
        Waiting { service: S, request: Option<Request<B>>, call: Option<Call<S>> },
        Refused { error: Option<CallError> },
    }
}

impl<S: Service<Request<B>>, B> ClientFuture<S, B> {
    const fn running(inner: S::Future, call: Option<Call<S>>) -> Self {
        Self { state: State::Running { inner, call } }
    }
}

impl<S: Service<Request<B>>, B> fmt::Debug for ClientFuture<S, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientFuture").finish_non_exhaustive()
    }
}

impl<S, B, R> Future for ClientFuture<S, B>
where
    S: Service<Request<B>, Response = Response<R>>,
    B: Rewrap,
{
    type Output = Result<Response<MessageBody<R>>, S::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            let next = match this.state.as_mut().project() {
                StateProj::Running { inner, call } => {
                    let answer = ready!(inner.poll(cx))?;
                    let Some(mut call) = call.take() else {
                        return Poll::Ready(Ok(answer.map(MessageBody::pass)));
                    };
                    let Some((service, request)) = call.hear(&answer) else {
                        return Poll::Ready(Ok(call.settings.decompress_response(answer)));
                    };
                    State::Waiting { service, request: Some(request), call: Some(call) }
                }
                StateProj::Waiting { service, request, call } => {
                    ready!(service.poll_ready(cx))?;
                    let Some(request) = request.take() else { return Poll::Pending };
                    State::Running { inner: service.call(request), call: call.take() }
                }
                StateProj::Refused { error } => {
                    let Some(error) = error.take() else { return Poll::Pending };
                    return Poll::Ready(Ok(error.to_response()));
                }
            };
            this.state.set(next);
        }
    }
}

const MAX_TYPE_CHARS: usize = 64;
