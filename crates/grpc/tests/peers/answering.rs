//! Our server: tonic's behind the layer, with a tap on the wire.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use thinwire::Encoding;
use thinwire_grpc::{Compress, ServerCompressionLayer};
use tokio::net::TcpListener;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::body::Body;
use tonic::server::NamedService;
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming};
use tower::{Layer, Service, service_fn};

use crate::support::{Raw, Seen, Watched};

/// Serves until the test's runtime ends.
pub(crate) struct Serving {
    pub(crate) address: SocketAddr,
    tap: Tap,
}

impl Serving {
    /// Returns the path of each call, in order, and what crossed the wire.
    pub(crate) fn seen(&self) -> Vec<(String, Seen)> {
        let calls = self.tap.calls.lock().unwrap();
        calls.iter().map(|it| (it.path.clone(), it.seen.lock().unwrap().clone())).collect()
    }
}

pub(crate) async fn serve(layer: ServerCompressionLayer) -> Serving {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let serving = Serving { address: listener.local_addr().unwrap(), tap: Tap::default() };
    tokio::spawn(
        Server::builder()
            .layer(serving.tap.clone())
            .layer(layer)
            .add_service(Echo)
            .serve_with_incoming(TcpListenerStream::new(listener)),
    );
    serving
}

/// Answers in the encoding that `x-answer` names.
#[derive(Clone)]
struct Echo;

impl NamedService for Echo {
    const NAME: &'static str = "test.Echo";
}

impl<B> Service<http::Request<B>> for Echo
where
    B: http_body::Body + Send + 'static,
    B::Error: Into<tonic::codegen::StdError> + Send,
{
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        Box::pin(async move {
            let mut grpc = tonic::server::Grpc::new(Raw)
                .max_decoding_message_size(usize::MAX)
                .max_encoding_message_size(usize::MAX);
            Ok(match request.uri().path() {
                "/test.Echo/Unary" => {
                    grpc.unary(service_fn(async |it: Request<Bytes>| Ok(answer(it))), request).await
                }
                "/test.Echo/ServerStream" => {
                    grpc.server_streaming(service_fn(answer_twice), request).await
                }
                "/test.Echo/ClientStream" => {
                    grpc.client_streaming(service_fn(answer_joined), request).await
                }
                _ => {
                    let each = async |it: Request<Streaming<Bytes>>| Ok(answer(it));
                    grpc.streaming(service_fn(each), request).await
                }
            })
        })
    }
}

fn answer<T>(request: Request<T>) -> Response<T> {
    let asked = request.metadata().get("x-answer").unwrap().to_str().unwrap();
    let asked: Encoding = asked.parse().unwrap();
    let mut response = Response::new(request.into_inner());
    response.extensions_mut().insert(Compress::With(asked));
    response
}

type Answers = tokio_stream::Iter<std::array::IntoIter<Result<Bytes, Status>, 2>>;

async fn answer_twice(request: Request<Bytes>) -> Result<Response<Answers>, Status> {
    Ok(answer(request).map(|message| tokio_stream::iter([Ok(message.clone()), Ok(message)])))
}

async fn answer_joined(request: Request<Streaming<Bytes>>) -> Result<Response<Bytes>, Status> {
    let mut response = answer(request);
    let mut joined = Vec::new();
    while let Some(message) = response.get_mut().next().await {
        joined.extend_from_slice(&message?);
    }
    Ok(response.map(|_| joined.into()))
}

/// Looks on between the layer and the wire.
#[derive(Clone, Default)]
struct Tap {
    calls: Arc<Mutex<Vec<Watching>>>,
}

struct Watching {
    path: String,
    seen: Arc<Mutex<Seen>>,
}

impl<S> Layer<S> for Tap {
    type Service = Tapped<S>;

    fn layer(&self, inner: S) -> Tapped<S> {
        Tapped { inner, tap: self.clone() }
    }
}

#[derive(Clone)]
struct Tapped<S> {
    inner: S,
    tap: Tap,
}

impl<S, R> Service<http::Request<Body>> for Tapped<S>
where
    S: Service<http::Request<Body>, Response = http::Response<R>>,
    S::Future: Send + 'static,
    R: http_body::Body<Data = Bytes> + Send + 'static,
    R::Error: Into<tonic::codegen::StdError>,
{
    type Response = http::Response<Body>;
    type Error = S::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, S::Error>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let call = Watching { path: request.uri().path().to_owned(), seen: seen.clone() };
        self.tap.calls.lock().unwrap().push(call);
        seen.lock().unwrap().request = request.headers().clone();
        let (into, from) = (seen.clone(), seen.clone());
        let response = self.inner.call(request.map(|body| {
            Body::new(Watched::new(body, move |it| into.lock().unwrap().sent.push(it)))
        }));
        Box::pin(async move {
            let response = response.await?;
            seen.lock().unwrap().response = response.headers().clone();
            Ok(response.map(|body| {
                let on_message = move |it| from.lock().unwrap().received.push(it);
                Body::new(Watched::new(Body::new(body), on_message))
            }))
        })
    }
}
