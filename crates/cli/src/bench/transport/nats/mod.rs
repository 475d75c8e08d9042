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
mod server;
mod session;

use std::sync::Mutex;

use async_nats::jetstream::stream::StorageType;

use super::link::Link;
use super::{BoxFuture, Fault, Session, Setup, Transport};
use crate::bench::args::Storage;
use crate::bench::counts::Tally;
use crate::bench::report;
use crate::failure::Failure;
use crate::measure::nanos;
use local::Local;
use server::Server;
use session::NatsSession;

/// A server that was reached, or started.
#[derive(Debug)]
pub struct Nats {
    server: Server,
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
        let (server, local) = match url {
            Some(url) => (Server::at(url), None),
            None => {
                let local = Local::start(link).await?;
                (Server::at(&local.url), Some(local))
            }
        };
        let storage = match storage {
            Storage::Memory => StorageType::Memory,
            Storage::File => StorageType::File,
        };
        let client = server.connect().await.map_err(|fault| Failure::Input(fault.why))?;
        let info = client.server_info();
        if !info.jetstream {
            return Err(Failure::input(server.url(), "the server runs without JetStream (-js)"));
        }
        Ok(Self { server, local, storage, version: info.version })
    }
}

impl Transport for Nats {
    fn describe(&self) -> report::Transport {
        let link = self.local.as_ref().and_then(|local| local.link.as_ref());
        let shape = link.map(Link::shape).unwrap_or_default();
        let storage = if self.storage == StorageType::File { "files" } else { "memory" };
        let at = match self.local {
            Some(_) => "started for this run".to_owned(),
            None => format!("at {}", self.server.url()),
        };
        let here = ["localhost", "127.0.0.1", "[::1]"];
        let is_local =
            self.local.is_some() || here.iter().any(|host| self.server.url().contains(host));
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
                server: self.server.clone(),
                pid: self.local.as_ref().map(|local| local.pid),
                storage: self.storage,
                control: self.server.connect().await?,
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
