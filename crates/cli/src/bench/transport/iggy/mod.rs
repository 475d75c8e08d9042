//! Apache Iggy over TCP: a destination is a stream with one topic, a batch is sent at once, and a
//! consumer polls batch after batch.
//!
//! Where several consumers share a destination, its topic has as many partitions and they are
//! members of a group. Each actor has a connection of its own. Streams bear the session's number
//! in their names and are deleted when it ends.

mod actor;
mod connection;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use iggy::prelude::{
    Client, Consumer, ConsumerGroupClient, Identifier, IggyClient, IggyError, MessageClient,
    Partitioning, PollingStrategy, StreamClient, SystemClient,
};
use iggy_binary_protocol::codes::CREATE_TOPIC_CODE;
use iggy_binary_protocol::requests::topics::CreateTopicRequest;
use iggy_binary_protocol::{WireEncode as _, WireIdentifier, WireName, WireOptions};
use thinwire_iggy::{ClientCompressionConfig, CompressedProducer, Label, MessageCodec};
use tokio::time::timeout;

use super::fault::whole;
use super::{BoxFuture, Consume, Fault, Produce, ServerFacts, Session, Setup, Transport};
use crate::bench::counts::{Counts, Tally};
use crate::bench::report;
use crate::failure::Failure;
use actor::{Place, Poller, Producer};
use connection::Connection;

/// A server that was reached.
#[derive(Debug)]
pub struct Iggy {
    address: String,
    /// With the login, so it is never shown.
    connection: Connection,
    version: Option<String>,
}

impl Iggy {
    /// Reaches a server.
    ///
    /// # Errors
    ///
    /// [`Failure::Input`] when it does not answer, or does not know the user.
    pub async fn reach(address: &str, user: &str, password: &str) -> Result<Self, Failure> {
        let address = address.trim_start_matches("iggy://").trim_start_matches("tcp://");
        let connection = Connection::new(address, user, password);
        let connection = connection.map_err(|error| Failure::input(address, whole(&error)))?;
        let reached = timeout(CONNECT, connection.open()).await;
        let reached = reached.map_err(|_| Failure::input(address, "it does not answer"))?;
        let client = reached.map_err(|fault| Failure::input(address, fault))?;
        let stats = client.get_stats().await.ok();
        let version = stats.map(|stats| stats.iggy_server_version);
        let _ = client.disconnect().await;
        Ok(Self { address: address.to_owned(), connection, version })
    }
}

impl Transport for Iggy {
    fn describe(&self) -> report::Transport {
        let is_local =
            ["localhost", "127.0.0.1", "[::1]"].iter().any(|host| self.address.contains(host));
        let version = self.version.as_deref().unwrap_or("of an unknown version");
        report::Transport {
            name: "iggy".to_owned(),
            server: Some(format!("Iggy {version} at {}", self.address)),
            is_local,
            link_bits_per_second: None,
            link_delay_ns: None,
        }
    }

    fn open(&self, setup: Setup) -> BoxFuture<'_, Result<Box<dyn Session>, Fault>> {
        Box::pin(async move {
            let session = IggySession {
                connection: self.connection.clone(),
                control: self.connection.open().await?,
                config: config(&setup)?,
                setup,
                runs: Arc::default(),
                tally: Tally::default(),
            };
            let session: Box<dyn Session> = Box::new(session);
            Ok(session)
        })
    }
}

struct IggySession {
    connection: Connection,
    control: IggyClient,
    config: ClientCompressionConfig,
    setup: Setup,
    /// How many runs have begun.
    runs: Arc<AtomicU64>,
    tally: Tally,
}

fn config(setup: &Setup) -> Result<ClientCompressionConfig, Fault> {
    let mut config = ClientCompressionConfig::new(setup.level.encoding()); // identity is off
    if let Some(number) = setup.level.number() {
        config = config.level(number);
    }
    let config = config.min_size(setup.min_size).max_payload_size(setup.max_len.max(1));
    config.validate().map_err(|error| Fault::new("connect", error))?;
    Ok(config)
}

impl IggySession {
    fn name(&self, destination: u32) -> String {
        format!("thinwire-bench-{:016x}-{destination}", self.setup.id)
    }

    fn stream(&self, destination: u32) -> Result<Identifier, Fault> {
        named(&self.name(destination))
    }

    /// Consumers that share a destination have a partition each.
    fn partitions(&self) -> u32 {
        self.setup.receivers.div_ceil(self.setup.destinations.max(1)).max(1)
    }

    async fn make_streams(&self) -> Result<(), Fault> {
        let fail = |error: IggyError| Fault::new("connect", whole(&error));
        for destination in 0..self.setup.destinations {
            let name = self.name(destination);
            self.control.create_stream(&name).await.map_err(fail)?;
            // The SDK's own call sends options that older servers refuse.
            let wire = |error: &dyn std::fmt::Display| Fault::new("connect", error);
            let request = CreateTopicRequest {
                stream_id: WireIdentifier::named(&name).map_err(|error| wire(&error))?,
                partitions_count: self.partitions(),
                name: WireName::new(TOPIC).map_err(|error| wire(&error))?,
                options: WireOptions::empty(),
            };
            let made = self.control.send_binary_request(CREATE_TOPIC_CODE, request.to_bytes());
            made.await.map_err(fail)?;
            if self.partitions() > 1 {
                let (stream, topic) = (self.stream(destination)?, named(TOPIC)?);
                let made = self.control.create_consumer_group(&stream, &topic, GROUP);
                made.await.map_err(fail)?;
            }
            self.setup.pulse.beat();
        }
        Ok(())
    }

    /// A server was seen to give messages of a deleted stream to who polls one of the same name
    /// soon after.
    async fn wait_until_empty(&self) -> Result<(), Fault> {
        let fail = |error: IggyError| Fault::new("connect", whole(&error));
        let consumer = Consumer::new(Identifier::numeric(WATCHER).map_err(fail)?);
        let begin = Instant::now();
        for destination in 0..self.setup.destinations {
            let (stream, topic) = (self.stream(destination)?, named(TOPIC)?);
            for partition in 0..self.partitions() {
                loop {
                    let first = PollingStrategy::offset(0);
                    let polled = self.control.poll_messages(
                        &stream,
                        &topic,
                        Some(partition),
                        &consumer,
                        &first,
                        1,
                        false,
                    );
                    if polled.await.map_err(fail)?.messages.is_empty() {
                        self.setup.pulse.beat();
                        break;
                    }
                    if begin.elapsed() > EMPTY {
                        let why = "a new stream has messages of a deleted one";
                        return Err(Fault::new("connect", why));
                    }
                    tokio::time::sleep(GLANCE).await;
                }
            }
        }
        Ok(())
    }

    /// Deletes what can be deleted, and returns the first fault.
    async fn delete_streams(&self, control: &IggyClient) -> Result<(), Fault> {
        let mut all = Ok(());
        for destination in 0..self.setup.destinations {
            let deleted = control.delete_stream(&self.stream(destination)?).await;
            self.setup.pulse.beat();
            all = all.and(deleted.map_err(|error| Fault::new("connect", whole(&error))));
        }
        all
    }
}

fn named(name: &str) -> Result<Identifier, Fault> {
    Identifier::named(name).map_err(|error| Fault::new("connect", error))
}

impl Session for IggySession {
    fn prepare(&self) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(self.make_streams())
    }

    fn begin(&self, _: u64) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            if self.runs.load(Ordering::Acquire) > 0 {
                self.delete_streams(&self.control).await?;
                self.make_streams().await?;
                self.wait_until_empty().await?;
            }
            self.runs.fetch_add(1, Ordering::AcqRel);
            Ok(())
        })
    }

    fn producer(&self, destination: u32) -> BoxFuture<'_, Result<Box<dyn Produce>, Fault>> {
        Box::pin(async move {
            let fail = |error: IggyError| Fault::new("connect", whole(&error));
            let client = self.connection.open().await?;
            let partitioning = match self.partitions() {
                1 => Partitioning::partition_id(0),
                _ => Partitioning::balanced(),
            };
            let builder = client.producer(&self.name(destination), TOPIC).map_err(fail)?;
            let producer = builder.partitioning(partitioning).build();
            let producer = CompressedProducer::new(producer, &self.config)
                .map_err(|error| Fault::new("connect", error))?;
            producer.init().await.map_err(fail)?;
            self.tally.add(producer.counters());
            let producer: Box<dyn Produce> = Box::new(Producer { client, producer });
            Ok(producer)
        })
    }

    fn consumer(&self, destination: u32) -> BoxFuture<'_, Result<Box<dyn Consume>, Fault>> {
        Box::pin(async move {
            let client = self.connection.open().await?;
            let codec = MessageCodec::new(&self.config, Label::IGGY)
                .map_err(|error| Fault::new("connect", error))?;
            self.tally.add(codec.counters());
            let place = match self.partitions() {
                1 => Place::Partition(0),
                _ => Place::Group(named(GROUP)?),
            };
            let poller: Box<dyn Consume> = Box::new(Poller {
                client,
                codec,
                stream: self.stream(destination)?,
                topic: named(TOPIC)?,
                place,
                runs: self.runs.clone(),
                run: 0,
            });
            Ok(poller)
        })
    }

    fn counts(&self) -> Counts {
        self.tally.counts()
    }

    fn server(&self) -> BoxFuture<'_, ServerFacts> {
        Box::pin(std::future::ready(ServerFacts::default()))
    }

    fn end(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            // On a connection of its own: the other may wait for an answer that nobody read.
            let Ok(control) = self.connection.open().await else { return };
            let _ = self.delete_streams(&control).await;
        })
    }
}

const TOPIC: &str = "bench";

const GROUP: &str = "bench";

/// No consumer has this number.
const WATCHER: u32 = 9;

const CONNECT: Duration = Duration::from_secs(5);

const EMPTY: Duration = Duration::from_secs(2);

const GLANCE: Duration = Duration::from_millis(5);
