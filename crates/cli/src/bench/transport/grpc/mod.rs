//! gRPC: a batch is a call. Producers send a stream of messages and wait for the answer,
//! consumers ask for a batch and get a stream of them, and pairs send a stream that comes back.
//!
//! A service without generated code carries messages as they are, behind Thinwire's layers on
//! both sides. Each actor has a connection of its own. The server runs on threads of its own in
//! this process, or elsewhere; it keeps what producers send until consumers ask for it, and checks
//! what nobody asks for.

mod actor;
mod hall;
mod protocol;
mod raw;
mod server;
mod session;
mod sessions;
mod socket;

use std::time::{Duration, Instant};

use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tonic::transport::{Channel, Endpoint};

use super::address::Address;
use super::child::Child;
use super::fault::whole;
use super::link::Link;
use super::{BoxFuture, Fault, Session, Setup, Transport};
use crate::bench::report;
use crate::failure::Failure;
use crate::measure::nanos;
pub use server::serve_forever;
use server::{House, Place, THREADS};
use session::GrpcSession;

/// A server that was reached.
#[derive(Debug)]
pub struct Grpc {
    endpoint: Endpoint,
    url: String,
    /// The server beside the clients, if it is.
    threads: Option<Runtime>,
    /// The server at the other end of a link, if it is.
    linked: Option<(Child, Link)>,
}

impl Grpc {
    /// Starts a server on threads of its own.
    ///
    /// # Errors
    ///
    /// [`Failure::Input`] when it can't listen on loopback.
    pub async fn embedded() -> Result<Self, Failure> {
        let fail = |error: std::io::Error| Failure::input("server", error);
        let listener = TcpListener::bind("127.0.0.1:0").await.map_err(fail)?;
        let address = listener.local_addr().map_err(fail)?;
        let socket = listener.into_std().map_err(fail)?;
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let threads = builder.enable_all().thread_name(THREADS).build().map_err(fail)?;
        threads.spawn(async move {
            let Ok(listener) = TcpListener::from_std(socket) else { return };
            let _ = server::serve(listener, House::new(Place::Threads)).await;
        });
        let mut grpc = Self::at(&format!("http://{address}"))?;
        grpc.threads = Some(threads);
        Ok(grpc)
    }

    /// Reaches a server.
    ///
    /// # Errors
    ///
    /// * [`Failure::Usage`] for what is no URL.
    /// * [`Failure::Input`] when nothing listens there.
    pub async fn reach(url: &str) -> Result<Self, Failure> {
        let grpc = Self::at(url)?;
        grpc.connect().await.map_err(|fault| Failure::Input(fault.why))?;
        Ok(grpc)
    }

    fn at(url: &str) -> Result<Self, Failure> {
        let Address { url, login } = Address::of(url);
        if login.is_some() {
            let why = format!("--server {url}: it lets everybody in, without user and password");
            return Err(Failure::Usage(why));
        }
        let url = if url.contains("://") { url } else { format!("http://{url}") };
        let bad = |error| Failure::Usage(format!("--server {url}: {error}"));
        let endpoint = Endpoint::from_shared(url.clone()).map_err(bad)?;
        let endpoint = endpoint.connect_timeout(CONNECT);
        Ok(Self { endpoint, url, threads: None, linked: None })
    }

    /// Starts a server in a process of its own at the far end of a link.
    ///
    /// # Errors
    ///
    /// [`Failure::Input`] when it does not start.
    pub async fn linked(link: Link) -> Result<Self, Failure> {
        let fail = |error: std::io::Error| Failure::input("server", error);
        let program = std::env::current_exe().map_err(fail)?;
        let mut command = link.command(program);
        command.args(["bench", "serve", "grpc", "--listen", &format!("{}:0", link.far())]);
        let child = Child::prepare(&command).map_err(fail)?;
        child.start().map_err(fail)?;
        let begin = Instant::now();
        let line = loop {
            let said = child.said();
            if let Some((line, _)) = said.split_once('\n') {
                break line.to_owned();
            }
            if child.end().is_some() || begin.elapsed() > CONNECT {
                return Err(Failure::input("server", "it did not start"));
            }
            tokio::time::sleep(GLANCE).await;
        };
        let url = line.split([' ', ',']).find(|word| word.starts_with("http://"));
        let url = url.ok_or_else(|| Failure::input("server", "it did not start"))?;
        let mut grpc = Self::at(url)?;
        grpc.linked = Some((child, link));
        Ok(grpc)
    }

    async fn connect(&self) -> Result<Channel, Fault> {
        let connected = self.endpoint.connect().await;
        connected.map_err(|error| Fault::new("connect", format!("{}: {}", self.url, whole(&error))))
    }
}

impl Drop for Grpc {
    fn drop(&mut self) {
        if let Some(threads) = self.threads.take() {
            threads.shutdown_background();
        }
    }
}

impl Transport for Grpc {
    fn describe(&self) -> report::Transport {
        let shape = self.linked.as_ref().map(|(_, link)| link.shape()).unwrap_or_default();
        let is_local = self.threads.is_some()
            || self.linked.is_some()
            || ["localhost", "127.0.0.1", "[::1]"].iter().any(|host| self.url.contains(host));
        let server = match self.threads {
            Some(_) => "in this process".to_owned(),
            None => self.url.clone(),
        };
        report::Transport {
            name: "grpc".to_owned(),
            server: Some(server),
            is_local,
            link_bits_per_second: shape.bits_per_second,
            link_delay_ns: shape.delay.map(nanos),
        }
    }

    fn gone(&self) -> BoxFuture<'_, String> {
        Box::pin(async move {
            match &self.linked {
                Some((child, _)) => child.gone().await,
                None => std::future::pending().await,
            }
        })
    }

    fn open(&self, setup: Setup) -> BoxFuture<'_, Result<Box<dyn Session>, Fault>> {
        Box::pin(async move {
            let channel = self.connect().await?;
            let is_in_process = self.threads.is_some();
            let opened =
                GrpcSession::open(self.endpoint.clone(), channel, setup, is_in_process).await;
            let opened = opened
                .map_err(|Fault { kind, why }| Fault::new(kind, format!("{}: {why}", self.url)));
            let session: Box<dyn Session> = Box::new(opened?);
            Ok(session)
        })
    }
}

const CONNECT: Duration = Duration::from_secs(5);

const GLANCE: Duration = Duration::from_millis(20);
