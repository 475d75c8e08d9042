//! A service that takes messages and answers with an empty one.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use thinwire_grpc::ServerCompressionLayer;
use tokio::net::TcpListener;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::server::NamedService;
use tonic::transport::{Channel, Endpoint, Server};
use tonic::{Status, Streaming};

use crate::support::Raw;

/// Takes messages and answers with an empty one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sink {
    /// tonic's own compression.
    pub(crate) own: Option<tonic::codec::CompressionEncoding>,
}

impl NamedService for Sink {
    const NAME: &'static str = "test.Sink";
}

impl tonic::server::UnaryService<Bytes> for Sink {
    type Response = Bytes;
    type Future = std::future::Ready<Result<tonic::Response<Bytes>, Status>>;

    fn call(&mut self, _: tonic::Request<Bytes>) -> Self::Future {
        std::future::ready(Ok(tonic::Response::new(Bytes::new())))
    }
}

impl tonic::server::ClientStreamingService<Bytes> for Sink {
    type Response = Bytes;
    type Future = Pin<Box<dyn Future<Output = Result<tonic::Response<Bytes>, Status>> + Send>>;

    fn call(&mut self, request: tonic::Request<Streaming<Bytes>>) -> Self::Future {
        Box::pin(async move {
            let mut messages = request.into_inner();
            while let Some(message) = messages.next().await {
                message?;
            }
            Ok(tonic::Response::new(Bytes::new()))
        })
    }
}

impl<B> tower::Service<Request<B>> for Sink
where
    B: Body + Send + 'static,
    B::Error: Into<tonic::codegen::StdError> + Send,
{
    type Response = Response<tonic::body::Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let sink = *self;
        Box::pin(async move {
            let mut grpc = tonic::server::Grpc::new(Raw);
            if let Some(encoding) = sink.own {
                grpc = grpc.accept_compressed(encoding);
            }
            Ok(match request.uri().path() {
                "/test.Sink/Unary" => grpc.unary(sink, request).await,
                _ => grpc.client_streaming(sink, request).await,
            })
        })
    }
}

/// Serves until the runtime ends, maybe without a layer.
pub(crate) async fn serve_sink(sink: Sink, layer: Option<ServerCompressionLayer>) -> Channel {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let incoming = TcpListenerStream::new(listener);
    match layer {
        None => tokio::spawn(Server::builder().add_service(sink).serve_with_incoming(incoming)),
        Some(layer) => tokio::spawn(
            Server::builder().layer(layer).add_service(sink).serve_with_incoming(incoming),
        ),
    };
    Endpoint::from_shared(format!("http://{address}")).unwrap().connect().await.unwrap()
}
