//! A session: its streams, and its connections.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use async_nats::Client;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::stream::{self, DiscardPolicy, RetentionPolicy, StorageType};
use async_nats::jetstream::{self, Context};
use thinwire_nats::{
    ClientCompressionConfig, CompressedClient, CompressedConsumer, CompressedContext,
};

use super::actor::{Fetcher, Producer, Puller};
use super::server::Server;
use crate::bench::counts::{Counts, Tally};
use crate::bench::plan::Purpose;
use crate::bench::transport::{BoxFuture, Consume, Fault, Produce, ServerFacts, Session, Setup};
use crate::bench::usage;

#[derive(Debug)]
pub(super) struct NatsSession {
    pub(super) server: Server,
    pub(super) pid: Option<u32>,
    pub(super) storage: StorageType,
    pub(super) control: Client,
    pub(super) setup: Setup,
    /// The sequence with which the run began in each stream.
    pub(super) begun: Mutex<BTreeMap<u32, u64>>,
    /// Of each actor's connection.
    pub(super) tally: Tally,
}

impl NatsSession {
    fn name(&self, destination: u32) -> String {
        format!("thinwire-bench-{:016x}-{destination}", self.setup.id)
    }

    /// The stream's only subject.
    fn subject(&self, destination: u32) -> String {
        self.name(destination).replace('-', ".")
    }

    fn context(&self) -> Context {
        jetstream::new(self.control.clone())
    }

    async fn make_streams(&self) -> Result<(), Fault> {
        let context = self.context();
        let share = KEPT_LEN / i64::from(self.setup.destinations.max(1));
        for destination in 0..self.setup.destinations {
            let config = stream::Config {
                name: self.name(destination),
                subjects: vec![self.subject(destination)],
                storage: self.storage,
                retention: match self.setup.purpose {
                    Purpose::SendOnly | Purpose::FillFirst => RetentionPolicy::Limits,
                    // Who acknowledges nothing has acknowledged what was delivered.
                    Purpose::Relay | Purpose::RoundTrip => RetentionPolicy::Interest,
                },
                discard: DiscardPolicy::Old,
                max_bytes: if self.setup.purpose == Purpose::SendOnly { share } else { -1 },
                ..stream::Config::default()
            };
            let made = context.create_stream(config).await;
            let mut stream = made.map_err(|error| Fault::new("connect", error))?;
            if matches!(self.setup.purpose, Purpose::Relay | Purpose::RoundTrip) {
                consumer_of(&mut stream).await?; // without one, nobody has an interest
            }
            self.setup.pulse.beat();
        }
        Ok(())
    }

    /// A connection of an actor's own.
    async fn client(&self) -> Result<CompressedContext, Fault> {
        let level = self.setup.level;
        let config = ClientCompressionConfig::new(level.encoding()); // identity is off
        let mut config = config.min_size(self.setup.min_size);
        if let Some(number) = level.number() {
            config = config.level(number);
        }
        let config = config.max_payload_size(self.setup.max_len.max(1));
        let client = self.server.connect().await?;
        let client = CompressedClient::new(client, &config);
        let client = client.map_err(|error| Fault::new("connect", error))?;
        self.tally.add(client.counters());
        Ok(client.jetstream())
    }

    async fn consumer_at(
        &self,
        destination: u32,
    ) -> Result<CompressedConsumer<pull::Config>, Fault> {
        let context = self.client().await?;
        let stream = context.get_stream(self.name(destination)).await;
        let mut stream = stream.map_err(|error| Fault::new("connect", error))?;
        Ok(context.consumer(consumer_of(&mut stream).await?))
    }
}

/// The one consumer of a stream, for all who receive from it.
async fn consumer_of(stream: &mut stream::Stream) -> Result<PullConsumer, Fault> {
    let config = pull::Config {
        durable_name: Some(CONSUMER.to_owned()),
        ack_policy: AckPolicy::None,
        ..pull::Config::default()
    };
    let consumer = stream.get_or_create_consumer(CONSUMER, config).await;
    consumer.map_err(|error| Fault::new("connect", error))
}

impl Session for NatsSession {
    fn prepare(&self) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(self.make_streams())
    }

    fn begin(&self, _: u64) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            let context = self.context();
            for destination in 0..self.setup.destinations {
                let stream = context.get_stream(self.name(destination)).await;
                let mut stream = stream.map_err(|error| Fault::new("connect", error))?;
                stream.purge().await.map_err(|error| Fault::new("connect", error))?;
                let info = stream.info().await.map_err(|error| Fault::new("connect", error))?;
                let next = info.state.last_sequence + 1;
                self.begun.lock().unwrap_or_else(PoisonError::into_inner).insert(destination, next);
                self.setup.pulse.beat();
            }
            if let Some(pid) = self.pid {
                usage::forget_peak(Some(pid));
            }
            Ok(())
        })
    }

    fn producer(&self, destination: u32) -> BoxFuture<'_, Result<Box<dyn Produce>, Fault>> {
        Box::pin(async move {
            let context = self.client().await?;
            let producer: Box<dyn Produce> =
                Box::new(Producer::new(context, self.subject(destination)));
            Ok(producer)
        })
    }

    fn consumer(&self, destination: u32) -> BoxFuture<'_, Result<Box<dyn Consume>, Fault>> {
        Box::pin(async move {
            let consumer = self.consumer_at(destination).await?;
            let consumer: Box<dyn Consume> = match self.setup.purpose {
                Purpose::SendOnly | Purpose::FillFirst => Box::new(Fetcher::new(consumer)),
                Purpose::Relay | Purpose::RoundTrip => Box::new(Puller::new(consumer)),
            };
            Ok(consumer)
        })
    }

    fn counts(&self) -> Counts {
        self.tally.counts()
    }

    fn server(&self) -> BoxFuture<'_, ServerFacts> {
        Box::pin(async move {
            let mut not_kept = 0;
            if self.setup.purpose == Purpose::SendOnly {
                let context = self.context();
                for destination in 0..self.setup.destinations {
                    self.setup.pulse.beat();
                    let Ok(mut stream) = context.get_stream(self.name(destination)).await else {
                        continue;
                    };
                    let Ok(info) = stream.info().await else { continue };
                    let first = info.state.first_sequence;
                    let begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
                    let begun = begun.get(&destination).copied().unwrap_or(first);
                    not_kept += first.saturating_sub(begun);
                }
            }
            ServerFacts {
                cpu_ns: self.pid.and_then(usage::cpu_ns_of_process),
                peak_memory_bytes: self.pid.and_then(|pid| usage::peak_memory_bytes(Some(pid))),
                not_kept,
                ..ServerFacts::default()
            }
        })
    }

    fn end(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let context = self.context();
            for destination in 0..self.setup.destinations {
                let _ = context.delete_stream(self.name(destination)).await;
                self.setup.pulse.beat();
            }
        })
    }
}

const CONSUMER: &str = "bench";

/// What is kept of what nobody receives, to be verified afterwards; of all streams together. The
/// server sets so much aside, and refuses where it has less.
const KEPT_LEN: i64 = 256 << 20;
