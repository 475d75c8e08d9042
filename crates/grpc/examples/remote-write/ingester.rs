//! The far end: a gRPC service that counts what is pushed to it.

use std::collections::HashSet;
use std::convert::Infallible;
use std::future::Future;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use http_body::Body;
use thinwire_grpc::ServerCompressionLayer;
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::codegen::StdError;
use tonic::server::{Grpc, NamedService, UnaryService};
use tonic::transport::Server;
use tonic::{Request, Response, Status};
use tonic_prost::ProstCodec;

use crate::message::{WriteRequest, WriteResponse};

/// What arrived.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) requests: u64,
    pub(crate) series: usize,
    pub(crate) samples: u64,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Ingester {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    requests: u64,
    samples: u64,
    /// A hash of each series' labels, to count those that differ.
    series: HashSet<u64>,
    hasher: RandomState,
}

impl Ingester {
    /// Serves on a free port, in the background, and says where.
    pub(crate) async fn start(&self, layer: ServerCompressionLayer) -> io::Result<SocketAddr> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let server = Server::builder().layer(layer).add_service(self.clone());
        tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
        Ok(address)
    }

    pub(crate) fn totals(&self) -> Totals {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        Totals { requests: state.requests, series: state.series.len(), samples: state.samples }
    }

    fn count(&self, request: &WriteRequest) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.requests += 1;
        for series in &request.timeseries {
            state.samples += series.samples.len() as u64;
            let hash = state.hasher.hash_one(&series.labels);
            state.series.insert(hash);
        }
    }
}

impl UnaryService<WriteRequest> for Ingester {
    type Response = WriteResponse;
    type Future = std::future::Ready<Result<Response<WriteResponse>, Status>>;

    fn call(&mut self, request: Request<WriteRequest>) -> Self::Future {
        self.count(request.get_ref());
        std::future::ready(Ok(Response::new(WriteResponse {})))
    }
}

// From here on: what tonic-build would have generated from a .proto file.

pub(crate) const PUSH: &str = "/thinwire.example.Ingester/Push";

impl NamedService for Ingester {
    const NAME: &'static str = "thinwire.example.Ingester";
}

impl<B> tower::Service<http::Request<B>> for Ingester
where
    B: Body + Send + 'static,
    B::Error: Into<StdError> + Send,
{
    type Response = http::Response<tonic::body::Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let ingester = self.clone();
        Box::pin(async move {
            if request.uri().path() != PUSH {
                return Ok(Status::unimplemented("the only method is Push").into_http());
            }
            let codec = ProstCodec::<WriteResponse, WriteRequest>::default();
            // The layer's limit holds for the decoded message; tonic's must let that through.
            let mut grpc = Grpc::new(codec).max_decoding_message_size(usize::MAX);
            Ok(grpc.unary(ingester, request).await)
        })
    }
}
