//! Sends a call through a layer, and notes what each side saw.

use std::convert::Infallible;
use std::future::{Future, Ready, ready};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::Body;
use thinwire_grpc::BoxError;
use tower_layer::Layer;
use tower_service::Service;

use super::call::Call;
use super::drain::{Drained, drain};
use super::wire::Wire;

/// A head and a body on the far side of a layer.
#[derive(Debug)]
#[non_exhaustive]
pub struct Seen {
    /// Of an answer.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Drained,
}

/// What was seen of a call.
#[derive(Debug)]
#[non_exhaustive]
pub struct Trip {
    /// What the service saw: nothing, if the layer answered itself; twice, if it tried again.
    pub requests: Vec<Seen>,
    /// What the caller saw.
    pub answer: Seen,
}

/// Through the server's layer: the caller is the peer.
pub(crate) fn to_server(call: &Call) -> Trip {
    let requests = Arc::default();
    let service = call.settings.server().layer(Peer { call, requests: Arc::clone(&requests) });
    trip("server", call, service, &requests)
}

/// Through the client's layer: the service is the peer. Of two calls the latter, so that what the
/// first one taught is seen.
pub(crate) fn to_client(call: &Call) -> (Trip, Trip) {
    let requests = Arc::default();
    let mut service = call.settings.client().layer(Peer { call, requests: Arc::clone(&requests) });
    let first = trip("client", call, &mut service, &requests);
    let second = trip("client, once more", call, &mut service, &requests);
    (first, second)
}

fn trip<S, B>(what: &str, call: &Call, mut service: S, requests: &Mutex<Vec<Seen>>) -> Trip
where
    S: Service<Request<Wire>, Response = Response<B>, Error = Infallible>,
    B: Body<Data = Bytes, Error = BoxError> + Unpin,
{
    let mut request = Request::new(call.request_body());
    *request.headers_mut() = call.request_headers.clone();
    request.extensions_mut().extend(asked(call));
    let mut cx = Context::from_waker(Waker::noop());
    let mut answer = pin!(service.call(request));
    let Poll::Ready(Ok(answer)) = answer.as_mut().poll(&mut cx) else {
        panic!("{what}: the answer is there, but does not come");
    };
    let answer = see(&format!("{what}, answer"), call, answer.map(|body| body));
    let requests = std::mem::take(&mut *requests.lock().unwrap_or_else(PoisonError::into_inner));
    Trip { requests, answer }
}

fn see<B>(what: &str, call: &Call, answer: Response<B>) -> Seen
where
    B: Body<Data = Bytes, Error = BoxError> + Unpin,
{
    let (parts, body) = answer.into_parts();
    let body = drain(what, call, body);
    Seen { status: parts.status.as_u16(), headers: parts.headers, body }
}

fn asked(call: &Call) -> http::Extensions {
    let mut extensions = http::Extensions::new();
    if let Some(asked) = call.settings.asked {
        extensions.insert(asked);
    }
    extensions
}

/// Reads a request to its end, and gives the call's answer.
#[derive(Clone, Debug)]
struct Peer<'a> {
    call: &'a Call,
    requests: Arc<Mutex<Vec<Seen>>>,
}

impl<B> Service<Request<B>> for Peer<'_>
where
    B: Body<Data = Bytes, Error = BoxError> + Unpin,
{
    type Response = Response<Wire>;
    type Error = Infallible;
    type Future = Ready<Result<Response<Wire>, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (parts, body) = request.into_parts();
        let body = drain("request", self.call, body);
        let seen = Seen { status: 0, headers: parts.headers, body };
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(seen);
        let mut answer = Response::new(self.call.answer_body());
        if let Ok(status) = http::StatusCode::from_u16(self.call.status) {
            *answer.status_mut() = status;
        }
        *answer.headers_mut() = self.call.answer_headers.clone();
        answer.extensions_mut().extend(asked(self.call));
        ready(Ok(answer))
    }
}
