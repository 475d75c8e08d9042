//! The server: takes messages and answers with an empty one.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use serde_json::{Value, json};
use thinwire::{Decoder, Encoder, Level};
use thinwire_grpc::ServerCompressionLayer;
use tokio::net::TcpListener;
use tokio_stream::StreamExt;
use tonic::codec::CompressionEncoding;
use tonic::server::NamedService;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;
use tonic::{Status, Streaming};

use crate::plan::{Kind, Stack};
use crate::role::{MAX_PAYLOAD_LEN, obey, runtime, say, version};
use crate::support::Raw;

/// Serves on an address until the input ends.
pub(crate) fn serve(kind: Kind, address: &str) {
    let runtime = runtime();
    let listener = runtime.block_on(TcpListener::bind(address)).unwrap();
    let address = listener.local_addr().unwrap().to_string();
    // As tonic does where it listens by itself; an answer would wait for the peer's delayed ACK.
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let sink = Sink { own: own(kind) };
    match layer(kind) {
        None => {
            runtime.spawn(Server::builder().add_service(sink).serve_with_incoming(incoming));
        }
        Some(layer) => {
            let server = Server::builder().layer(layer).add_service(sink);
            runtime.spawn(server.serve_with_incoming(incoming));
        }
    }
    say(&json!({ "version": version(), "address": address }));
    obey(|_| Value::Null);
    runtime.shutdown_background();
}

fn layer(kind: Kind) -> Option<ServerCompressionLayer> {
    if kind.stack != Stack::Thinwire {
        return None;
    }
    let encoder = Encoder::new(kind.encoding.parse::<Level>().unwrap()).unwrap();
    Some(ServerCompressionLayer::new(encoder, Decoder::new(MAX_PAYLOAD_LEN)))
}

/// tonic's own compression.
pub(crate) fn own(kind: Kind) -> Option<CompressionEncoding> {
    match (kind.stack, kind.encoding) {
        (Stack::Tonic, "gzip") => Some(CompressionEncoding::Gzip),
        (Stack::Tonic, "zstd") => Some(CompressionEncoding::Zstd),
        _ => None,
    }
}

#[derive(Debug, Clone, Copy)]
struct Sink {
    own: Option<CompressionEncoding>,
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
                grpc = grpc.accept_compressed(encoding).send_compressed(encoding);
            }
            Ok(match request.uri().path() {
                "/test.Sink/Unary" => grpc.unary(sink, request).await,
                _ => grpc.client_streaming(sink, request).await,
            })
        })
    }
}
