//! What carries messages: one small interface, and who implements it.
//!
//! A [`Transport`] is reached once for a benchmark. It opens a [`Session`] for each encoding and
//! repeat, whose connections serve the warm-up and the run. A batch goes through a [`Produce`], a
//! [`Consume`] or, there and back, an [`Exchange`].

pub(crate) mod address;
#[cfg(any(feature = "grpc", feature = "nats"))]
mod child;
mod fault;
#[cfg(feature = "grpc")]
pub mod grpc;
#[cfg(feature = "iggy")]
pub mod iggy;
pub mod link;
mod memory;
#[cfg(feature = "nats")]
pub mod nats;
mod queue;

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use thinwire::Level;

use super::args::{Options, Storage, TransportArgs};
use super::counts::Counts;
use super::ledger::Found;
use super::patience::Pulse;
use super::plan::Purpose;
use super::report;
use crate::failure::Failure;

pub use fault::Fault;
use link::{Link, Shape};
pub use memory::Memory;

/// What is done when it is awaited.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A way to carry messages.
pub trait Transport: Send + Sync {
    /// Says what it is.
    fn describe(&self) -> report::Transport;

    /// Opens a session.
    fn open(&self, setup: Setup) -> BoxFuture<'_, Result<Box<dyn Session>, Fault>>;

    /// Waits until the server is gone, if it is one that was started for the benchmark; says what
    /// is known of its end. Pending for ever otherwise.
    fn gone(&self) -> BoxFuture<'_, String> {
        Box::pin(std::future::pending())
    }
}

/// What a session is for.
#[derive(Debug, Clone)]
pub struct Setup {
    /// How payloads are compressed.
    pub level: Level,
    /// Below this they are not.
    pub min_size: usize,
    /// No message is longer.
    pub max_len: usize,
    /// What becomes of what is sent.
    pub purpose: Purpose,
    /// Numbered from 0.
    pub destinations: u32,
    /// Numbered from 0.
    pub senders: u32,
    /// Consumers, all destinations together.
    pub receivers: u32,
    /// Distinguishes the names of this session from all others.
    pub id: u64,
    /// To beat with each step of what takes many, such as to make, empty or remove destinations.
    pub pulse: Pulse,
}

/// Connections for one encoding, and what they count.
pub trait Session: Send + Sync {
    /// Makes all destinations.
    fn prepare(&self) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Empties all destinations, for messages of a run of this id.
    fn begin(&self, run_id: u64) -> BoxFuture<'_, Result<(), Fault>>;

    /// Connects a producer.
    fn producer(&self, destination: u32) -> BoxFuture<'_, Result<Box<dyn Produce>, Fault>>;

    /// Connects a consumer; those of the same destination share its messages.
    fn consumer(&self, destination: u32) -> BoxFuture<'_, Result<Box<dyn Consume>, Fault>>;

    /// Connects an actor that waits for what it sent.
    fn pair(&self, destination: u32) -> BoxFuture<'_, Result<Box<dyn Exchange>, Fault>> {
        Box::pin(async move {
            let producer = self.producer(destination).await?;
            let consumer = self.consumer(destination).await?;
            let pair: Box<dyn Exchange> = Box::new(ThereAndBack { producer, consumer });
            Ok(pair)
        })
    }

    /// Returns what the clients counted until now.
    fn counts(&self) -> Counts;

    /// Asks the server, where it is ours, what it knows.
    fn server(&self) -> BoxFuture<'_, ServerFacts>;

    /// Removes what the session made, also what it made in part.
    fn end(&self) -> BoxFuture<'_, ()>;
}

/// What is known of the server.
#[derive(Debug, Clone, Default)]
pub struct ServerFacts {
    /// CPU time until now.
    pub cpu_ns: Option<u64>,
    /// True when this process's CPU time has the server's in it.
    pub is_in_process: bool,
    /// Largest resident memory until now.
    pub peak_memory_bytes: Option<u64>,
    /// What its layer counted until now.
    pub counts: Counts,
    /// What it found in the messages of the current run, where it checks them.
    pub found: Option<Found>,
    /// Messages of the current run that are not kept any more.
    pub not_kept: u64,
}

/// Sends.
pub trait Produce: Send {
    /// Sends a batch and waits until all of it is acknowledged.
    fn send(&mut self, batch: Vec<Bytes>) -> BoxFuture<'_, Result<(), Fault>>;
}

/// Receives.
pub trait Consume: Send {
    /// Receives at most so many messages; none if none comes in this time.
    fn receive(&mut self, most: usize, wait: Duration) -> BoxFuture<'_, Result<Vec<Bytes>, Fault>>;
}

/// Sends and receives.
pub trait Exchange: Send {
    /// Sends a batch and waits until all of it is back.
    fn exchange(&mut self, batch: Vec<Bytes>) -> BoxFuture<'_, Result<Vec<Bytes>, Fault>>;
}

/// An exchange by a producer and a consumer of the same destination.
struct ThereAndBack {
    producer: Box<dyn Produce>,
    consumer: Box<dyn Consume>,
}

impl Exchange for ThereAndBack {
    fn exchange(&mut self, batch: Vec<Bytes>) -> BoxFuture<'_, Result<Vec<Bytes>, Fault>> {
        Box::pin(async move {
            let count = batch.len();
            self.producer.send(batch).await?;
            let mut back = Vec::with_capacity(count);
            while back.len() < count {
                let more = self.consumer.receive(count - back.len(), RECEIVE_WAIT).await?;
                back.extend(more);
            }
            Ok(back)
        })
    }
}

/// Reaches what was asked for.
///
/// # Errors
///
/// * [`Failure::Usage`] for one that is not built in.
/// * [`Failure::Input`] when it can't be reached or started.
pub async fn reach(args: &TransportArgs, options: &Options) -> Result<Box<dyn Transport>, Failure> {
    let shape = Shape {
        bits_per_second: options.link.map(|rate| rate.0),
        delay: options.delay.map(|delay| delay.0),
    };
    let has_server = match args {
        TransportArgs::Memory => return memory(shape),
        TransportArgs::Grpc { server } | TransportArgs::Iggy { server, .. } => server.is_some(),
        TransportArgs::Nats { url, .. } => url.is_some(),
    };
    if has_server && !shape.is_plain() {
        let why = "--link and --delay shape the link to a server that is started for the run";
        return Err(Failure::Usage(why.to_owned()));
    }
    let link = || (!shape.is_plain()).then(|| Link::lay(shape)).transpose();
    match args {
        TransportArgs::Memory => memory(shape),
        TransportArgs::Grpc { server } => grpc(server.as_deref(), link).await,
        TransportArgs::Nats { url, storage } => nats(url.as_deref(), *storage, link).await,
        TransportArgs::Iggy { server, user, password } => {
            iggy(server.as_deref(), user, password, &shape).await
        }
    }
}

fn memory(shape: Shape) -> Result<Box<dyn Transport>, Failure> {
    if shape.is_plain() {
        return Ok(Box::new(Memory));
    }
    Err(Failure::Usage("--link and --delay: memory has no link".to_owned()))
}

/// Lays a link if one is wanted.
trait Lay: FnOnce() -> Result<Option<Link>, Failure> + Send {}

impl<F: FnOnce() -> Result<Option<Link>, Failure> + Send> Lay for F {}

#[cfg(feature = "grpc")]
async fn grpc(server: Option<&str>, link: impl Lay) -> Result<Box<dyn Transport>, Failure> {
    Ok(Box::new(match (server, link()?) {
        (Some(url), _) => grpc::Grpc::reach(url).await?,
        (None, Some(link)) => grpc::Grpc::linked(link).await?,
        (None, None) => grpc::Grpc::embedded().await?,
    }))
}

#[cfg(not(feature = "grpc"))]
async fn grpc(_: Option<&str>, _: impl Lay) -> Result<Box<dyn Transport>, Failure> {
    Err(absent("grpc"))
}

#[cfg(feature = "nats")]
async fn nats(
    url: Option<&str>,
    storage: Storage,
    link: impl Lay,
) -> Result<Box<dyn Transport>, Failure> {
    Ok(Box::new(nats::Nats::reach(url, storage, link()?).await?))
}

#[cfg(not(feature = "nats"))]
async fn nats(_: Option<&str>, _: Storage, _: impl Lay) -> Result<Box<dyn Transport>, Failure> {
    Err(absent("nats"))
}

#[cfg(feature = "iggy")]
async fn iggy(
    server: Option<&str>,
    user: &str,
    password: &str,
    shape: &Shape,
) -> Result<Box<dyn Transport>, Failure> {
    if !shape.is_plain() {
        let why = "--link and --delay: no Iggy server is started for the run";
        return Err(Failure::Usage(why.to_owned()));
    }
    let server = server.unwrap_or("127.0.0.1:8090");
    let address::Address { url, login } = address::Address::of(server);
    if login.is_some() {
        let why = format!("--server {url}: user and password go with --user and --password");
        return Err(Failure::Usage(why));
    }
    Ok(Box::new(iggy::Iggy::reach(server, user, password).await?))
}

#[cfg(not(feature = "iggy"))]
async fn iggy(_: Option<&str>, _: &str, _: &str, _: &Shape) -> Result<Box<dyn Transport>, Failure> {
    Err(absent("iggy"))
}

/// Serves until Ctrl-C.
///
/// # Errors
///
/// * [`Failure::Usage`] where it is not built in.
/// * [`Failure::Input`] when it can't listen.
pub async fn serve_grpc(address: std::net::SocketAddr) -> Result<(), Failure> {
    #[cfg(feature = "grpc")]
    return grpc::serve_forever(address).await;
    #[cfg(not(feature = "grpc"))]
    Err(Failure::Usage(format!("{} (to listen on {address})", absent("grpc"))))
}

/// What is not built in names the feature to turn on.
#[cfg(not(all(feature = "grpc", feature = "nats", feature = "iggy")))]
fn absent(feature: &str) -> Failure {
    Failure::Usage(format!(
        "{feature} is not built in; build with `cargo build --release -p thinwire-cli --features \
         {feature}`"
    ))
}

/// How long a receiver waits before it looks around.
pub const RECEIVE_WAIT: Duration = Duration::from_millis(100);
