//! tonic services made of closures, over real connections.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::uri::PathAndQuery;
use http::{Request, Response};
use http_body::Body;
use thinwire_grpc::ServerCompressionLayer;
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tokio_stream::{Stream, StreamExt};
use tonic::client::{Grpc, GrpcService};
use tonic::server::NamedService;
use tonic::service::Routes;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Status, Streaming};

use crate::support::Raw;

pub(crate) type Messages = Pin<Box<dyn Stream<Item = Result<Bytes, Status>> + Send>>;
type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;
type Answer = Result<tonic::Response<Messages>, Status>;
type Handler = Arc<dyn Fn(tonic::Request<Streaming<Bytes>>) -> Boxed<Answer> + Send + Sync>;
type Tune = fn(tonic::server::Grpc<Raw>) -> tonic::server::Grpc<Raw>;

/// A streaming method that does what the closure says.
#[derive(Clone)]
pub(crate) struct Handled {
    handler: Handler,
    tune: Tune,
}

impl Handled {
    pub(crate) fn new<F>(
        handler: impl Fn(tonic::Request<Streaming<Bytes>>) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Answer> + Send + 'static,
    {
        let handler: Handler = Arc::new(move |request| Box::pin(handler(request)));
        Self { handler, tune: |grpc| grpc }
    }

    /// Answers each message with itself.
    pub(crate) fn echo() -> Self {
        Self::new(|request| async { Ok(answer(request.into_inner())) })
    }

    /// Changes tonic's own settings.
    pub(crate) fn tuned(mut self, tune: Tune) -> Self {
        self.tune = tune;
        self
    }
}

impl NamedService for Handled {
    const NAME: &'static str = "test.Handled";
}

impl tonic::server::StreamingService<Bytes> for Handled {
    type Response = Bytes;
    type ResponseStream = Messages;
    type Future = Boxed<Answer>;

    fn call(&mut self, request: tonic::Request<Streaming<Bytes>>) -> Self::Future {
        (self.handler)(request)
    }
}

impl<B> tower::Service<Request<B>> for Handled
where
    B: Body + Send + 'static,
    B::Error: Into<tonic::codegen::StdError> + Send,
{
    type Response = Response<tonic::body::Body>;
    type Error = Infallible;
    type Future = Boxed<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let this = self.clone();
        let mut grpc = (this.tune)(tonic::server::Grpc::new(Raw));
        Box::pin(async move { Ok(grpc.streaming(this, request).await) })
    }
}

/// An answer of these messages.
pub(crate) fn answer(
    messages: impl Stream<Item = Result<Bytes, Status>> + Send + 'static,
) -> tonic::Response<Messages> {
    tonic::Response::new(Box::pin(messages))
}

/// A service that answers with what the closure says, gRPC or not.
#[derive(Clone)]
pub(crate) struct Plain(
    pub(crate) Arc<dyn Fn(Request<tonic::body::Body>) -> Response<tonic::body::Body> + Send + Sync>,
);

impl NamedService for Plain {
    const NAME: &'static str = "test.Plain";
}

impl tower::Service<Request<tonic::body::Body>> for Plain {
    type Response = Response<tonic::body::Body>;
    type Error = Infallible;
    type Future = std::future::Ready<Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<tonic::body::Body>) -> Self::Future {
        std::future::ready(Ok((self.0)(request)))
    }
}

/// Serves until the test's runtime ends, with a window of 64 KiB for each stream either way.
pub(crate) async fn serve(routes: Routes, layer: Option<ServerCompressionLayer>) -> Channel {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let incoming = TcpListenerStream::new(listener);
    let mut server = Server::builder().initial_stream_window_size(WINDOW);
    match layer {
        Some(layer) => {
            let router = server.layer(layer).add_routes(routes);
            tokio::spawn(router.serve_with_incoming(incoming));
        }
        None => {
            let router = server.add_routes(routes);
            tokio::spawn(router.serve_with_incoming(incoming));
        }
    }
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    endpoint.initial_stream_window_size(WINDOW).connect().await.unwrap()
}

/// HTTP/2's default window.
pub(crate) const WINDOW: u32 = (1 << 16) - 1;

/// Calls [`Handled`] with these messages.
pub(crate) async fn call<S>(
    grpc: Grpc<S>,
    messages: impl IntoIterator<Item = Bytes, IntoIter: Send + 'static>,
) -> Result<tonic::Response<Streaming<Bytes>>, Status>
where
    S: GrpcService<tonic::body::Body>,
    S::ResponseBody: Body<Data = Bytes> + Send + 'static,
    <S::ResponseBody as Body>::Error: Into<tonic::codegen::StdError> + Send,
{
    send(grpc, "/test.Handled/Call", tonic::Request::new(tokio_stream::iter(messages))).await
}

/// Calls a path with this request.
pub(crate) async fn send<S>(
    mut grpc: Grpc<S>,
    path: &'static str,
    request: tonic::Request<impl Stream<Item = Bytes> + Send + 'static>,
) -> Result<tonic::Response<Streaming<Bytes>>, Status>
where
    S: GrpcService<tonic::body::Body>,
    S::ResponseBody: Body<Data = Bytes> + Send + 'static,
    <S::ResponseBody as Body>::Error: Into<tonic::codegen::StdError> + Send,
{
    grpc.ready().await.map_err(|error| Status::unknown(error.into().to_string()))?;
    grpc.streaming(request, PathAndQuery::from_static(path), Raw).await
}

/// All messages of an answer, and how it ended.
pub(crate) async fn all(mut answers: Streaming<Bytes>) -> (Vec<Bytes>, Result<(), Status>) {
    let mut messages = Vec::new();
    while let Some(answer) = answers.next().await {
        match answer {
            Ok(message) => messages.push(message),
            Err(status) => return (messages, Err(status)),
        }
    }
    (messages, Ok(()))
}

/// Waits for what has to happen; the time is only so that a test that fails ends.
pub(crate) async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), what).await.unwrap()
}
