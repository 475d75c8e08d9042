//! The server, in this process beside the clients or in one of its own.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Request, Response};
use serde::Serialize;
use tokio::net::TcpListener;
use tokio_stream::StreamExt;
use tonic::Status;
use tonic::body::Body;
use tonic::server::NamedService;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use super::hall::Hall;
use super::protocol::{BEGIN, Begin, CLOSE, FACTS, Facts, OPEN, Open, SESSION, Which};
use super::raw::Raw;
use super::sessions::Sessions;
use super::socket::{Line, Socket};
use crate::bench::usage;
use crate::failure::Failure;

/// Serves on a socket until the future is dropped.
pub(super) async fn serve(listener: TcpListener, house: House) -> Result<(), Failure> {
    // As tonic does where it listens by itself; an answer would wait for the peer's delayed ACK.
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let incoming = incoming.map(|accepted| accepted.map(Socket::new));
    let sessions = house.sessions.clone();
    let server = Server::builder()
        // A client's machine that is gone closes nothing.
        .http2_keepalive_interval(Some(KEEPALIVE))
        .http2_keepalive_timeout(Some(KEEPALIVE))
        .add_service(house)
        .serve_with_incoming(incoming);
    tokio::select! {
        served = server => served.map_err(|error| Failure::input("server", error)),
        never = sessions.sweep() => match never {},
    }
}

/// Serves until Ctrl-C.
///
/// # Errors
///
/// [`Failure::Input`] when it can't listen.
pub async fn serve_forever(address: SocketAddr) -> Result<(), Failure> {
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|error| Failure::input(address, error))?;
    let at = listener.local_addr().map_err(|error| Failure::input(address, error))?;
    crate::output::print(&format!("serving on http://{at}, until Ctrl-C\n"))?;
    tokio::select! {
        served = serve(listener, House::new(Place::OwnProcess)) => served,
        _ = tokio::signal::ctrl_c() => Ok(()),
    }
}

/// Where a server runs, which says what its CPU time is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// On threads of this name, beside the clients.
    Threads,
    /// In a process of its own.
    OwnProcess,
}

/// The threads of a server beside the clients.
pub(super) const THREADS: &str = "bench-server";

/// All sessions of a server.
#[derive(Debug, Clone)]
pub(super) struct House {
    sessions: Arc<Sessions>,
    place: Place,
}

impl House {
    pub(super) fn new(place: Place) -> Self {
        Self { sessions: Arc::default(), place }
    }

    /// Does what a control call wants.
    fn control(&self, path: &str, request: &Bytes, line: &Line) -> Result<Bytes, Status> {
        let of_call = |session| self.sessions.of_call(session, line, Instant::now());
        match path {
            OPEN => {
                let open: Open = parsed(request)?;
                let hall = Arc::new(Hall::open(&open)?);
                self.sessions.open(open.session, hall, line, Instant::now())?;
                Ok(Bytes::new())
            }
            BEGIN => {
                let begin: Begin = parsed(request)?;
                of_call(begin.session)?.begin(begin.run_id);
                if self.place == Place::OwnProcess {
                    usage::forget_peak(None);
                }
                Ok(Bytes::new())
            }
            FACTS => {
                let which: Which = parsed(request)?;
                let facts = of_call(which.session)?.facts();
                written(&match self.place {
                    Place::Threads => Facts { cpu_ns: usage::cpu_ns_of_threads(THREADS), ..facts },
                    Place::OwnProcess => Facts {
                        cpu_ns: usage::own_cpu_ns(),
                        peak_memory_bytes: usage::peak_memory_bytes(None),
                        ..facts
                    },
                })
            }
            _ => {
                let which: Which = parsed(request)?;
                self.sessions.close(which.session);
                Ok(Bytes::new())
            }
        }
    }
}

struct Control(House, String);

impl tonic::server::UnaryService<Bytes> for Control {
    type Response = Bytes;
    type Future = std::future::Ready<Result<tonic::Response<Bytes>, Status>>;

    fn call(&mut self, request: tonic::Request<Bytes>) -> Self::Future {
        let line = request.extensions().get::<Line>().cloned().unwrap_or_default();
        let answer = self.0.control(&self.1, request.get_ref(), &line);
        std::future::ready(answer.map(tonic::Response::new))
    }
}

impl NamedService for House {
    const NAME: &'static str = "thinwire.bench.v1.Bench";
}

impl tower::Service<Request<Body>> for House {
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let path = request.uri().path().to_owned();
        if [OPEN, BEGIN, FACTS, CLOSE].contains(&path.as_str()) {
            let control = Control(self.clone(), path);
            return Box::pin(async move {
                Ok(tonic::server::Grpc::new(Raw).unary(control, request).await)
            });
        }
        let session = request.headers().get(SESSION).and_then(|it| it.to_str().ok()?.parse().ok());
        let hall = self.sessions.of_batch(session.unwrap_or_default(), Instant::now());
        Box::pin(async move {
            match hall {
                Ok(hall) => {
                    let answer = tower::Service::call(&mut hall.service(), request).await;
                    answer.map(|answer| answer.map(Body::new))
                }
                Err(status) => Ok(status.into_http()),
            }
        })
    }
}

fn parsed<T: serde::de::DeserializeOwned>(request: &Bytes) -> Result<T, Status> {
    serde_json::from_slice(request).map_err(|why| Status::invalid_argument(why.to_string()))
}

fn written(answer: &impl Serialize) -> Result<Bytes, Status> {
    let text = serde_json::to_vec(answer).map_err(|why| Status::internal(why.to_string()))?;
    Ok(text.into())
}

/// How often a connection without traffic is asked for a sign of life, and how long that may take.
const KEEPALIVE: Duration = Duration::from_secs(30);
