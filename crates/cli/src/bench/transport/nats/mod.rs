//! NATS JetStream: a destination is a stream of its own, a batch is as many messages that are
//! published before the first acknowledgement is waited for.
//!
//! | kind | the stream | consumers |
//! |---|---|---|
//! | producers only | keeps the last messages | read it after the run |
//! | consumers only | keeps all | fetch batch after batch |
//! | both | deletes what was delivered | pull all the time; what is there by then is a batch |
//!
//! Consumers acknowledge nothing to the server. The streams bear the session's number in their
//! names and are deleted when it ends.

mod actor;
mod local;
mod session;

use std::sync::Mutex;

use async_nats::jetstream::stream::StorageType;
use async_nats::{Client, ConnectOptions};

use super::link::Link;
use super::{BoxFuture, Fault, Session, Setup, Transport};
use crate::bench::args::Storage;
use crate::bench::counts::Tally;
use crate::bench::report;
use crate::failure::Failure;
use crate::measure::nanos;
use local::Local;
use session::NatsSession;

/// A server that was reached, or started.
#[derive(Debug)]
pub struct Nats {
    url: String,
    local: Option<Local>,
    storage: StorageType,
    version: String,
}

impl Nats {
    /// Reaches a server, or starts one of the benchmark's own.
    ///
    /// # Errors
    ///
    /// [`Failure::Input`] when none is installed, none answers, or it has no JetStream.
    pub async fn reach(
        url: Option<&str>,
        storage: Storage,
        link: Option<Link>,
    ) -> Result<Self, Failure> {
        let (url, local) = match url {
            Some(url) => (url.to_owned(), None),
            None => {
                let local = Local::start(link).await?;
                (local.url.clone(), Some(local))
            }
        };
        let storage = match storage {
            Storage::Memory => StorageType::Memory,
            Storage::File => StorageType::File,
        };
        let client = options().connect(&url).await;
        let client = client.map_err(|error| Failure::input(&url, error))?;
        let info = client.server_info();
        if !info.jetstream {
            return Err(Failure::Input(format!("{url}: the server runs without JetStream (-js)")));
        }
        Ok(Self { url, local, storage, version: info.version })
    }
}

/// Named, so that whoever looks at the server knows.
fn options() -> ConnectOptions {
    ConnectOptions::new().name("thinwire bench")
}

impl Transport for Nats {
    fn describe(&self) -> report::Transport {
        let link = self.local.as_ref().and_then(|local| local.link.as_ref());
        let shape = link.map(Link::shape).unwrap_or_default();
        let storage = if self.storage == StorageType::File { "files" } else { "memory" };
        let at = match self.local {
            Some(_) => "started for this run".to_owned(),
            None => format!("at {}", self.url),
        };
        let is_local = self.local.is_some()
            || ["localhost", "127.0.0.1", "[::1]"].iter().any(|host| self.url.contains(host));
        report::Transport {
            name: "nats".to_owned(),
            server: Some(format!("nats-server {}, {at}, streams in {storage}", self.version)),
            is_local,
            link_bits_per_second: shape.bits_per_second,
            link_delay_ns: shape.delay.map(nanos),
        }
    }

    fn open(&self, setup: Setup) -> BoxFuture<'_, Result<Box<dyn Session>, Fault>> {
        Box::pin(async move {
            let session = NatsSession {
                url: self.url.clone(),
                pid: self.local.as_ref().map(|local| local.pid),
                storage: self.storage,
                control: connect(&self.url).await?,
                setup,
                begun: Mutex::default(),
                tally: Tally::default(),
            };
            let session: Box<dyn Session> = Box::new(session);
            Ok(session)
        })
    }

    fn gone(&self) -> BoxFuture<'_, String> {
        Box::pin(async move {
            match &self.local {
                Some(local) => local.gone().await,
                None => std::future::pending().await,
            }
        })
    }
}

async fn connect(url: &str) -> Result<Client, Fault> {
    let client = options().connect(url).await;
    client.map_err(|error| Fault::new("connect", format!("{url}: {error}")))
}
