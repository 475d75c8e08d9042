//! The server, in this process beside the clients or in one of its own.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use serde::Serialize;
use tokio::net::TcpListener;
use tonic::Status;
use tonic::body::Body;
use tonic::server::NamedService;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

use super::hall::Hall;
use super::protocol::{BEGIN, Begin, CLOSE, FACTS, Facts, OPEN, Open, SESSION, Which};
use super::raw::Raw;
use crate::bench::usage;
use crate::failure::Failure;

/// Serves on a socket until the future is dropped.
pub(super) async fn serve(listener: TcpListener, house: House) -> Result<(), Failure> {
    // As tonic does where it listens by itself; an answer would wait for the peer's delayed ACK.
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    let server = Server::builder().add_service(house).serve_with_incoming(incoming);
    server.await.map_err(|error| Failure::input("server", error))
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
    halls: Arc<Mutex<BTreeMap<u64, Arc<Hall>>>>,
    place: Place,
}

impl House {
    pub(super) fn new(place: Place) -> Self {
        Self { halls: Arc::default(), place }
    }

    fn halls(&self) -> MutexGuard<'_, BTreeMap<u64, Arc<Hall>>> {
        self.halls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hall(&self, session: u64) -> Result<Arc<Hall>, Status> {
        let hall = self.halls().get(&session).cloned();
        hall.ok_or_else(|| Status::failed_precondition("there is no such session (any more)"))
    }

    /// Does what a control call wants.
    fn control(&self, path: &str, request: &Bytes) -> Result<Bytes, Status> {
        match path {
            OPEN => {
                let open: Open = parsed(request)?;
                let hall = Arc::new(Hall::open(&open)?);
                let mut halls = self.halls();
                while halls.len() >= MAX_SESSIONS {
                    halls.pop_first(); // of a client that never closed it
                }
                halls.insert(open.session, hall);
                Ok(Bytes::new())
            }
            BEGIN => {
                let begin: Begin = parsed(request)?;
                self.hall(begin.session)?.begin(begin.run_id);
                if self.place == Place::OwnProcess {
                    usage::forget_peak(None);
                }
                Ok(Bytes::new())
            }
            FACTS => {
                let which: Which = parsed(request)?;
                let facts = self.hall(which.session)?.facts();
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
                self.halls().remove(&which.session);
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
        let answer = self.0.control(&self.1, request.get_ref());
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
        let hall = self.hall(session.unwrap_or_default());
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

/// Clients close their sessions; those that died did not.
const MAX_SESSIONS: usize = 16;
