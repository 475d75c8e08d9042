//! A producer and consumer of a kind, on a connection of its own.

use std::sync::atomic::Ordering;

use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::{self, stream};
use async_nats::{Client, Subject};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use thinwire_nats::CompressedContext;

use crate::nats_server::{NatsServer, connect};
use crate::plan::Kind;

#[derive(Debug)]
pub(crate) struct Peer {
    kind: Kind,
    client: Client,
    raw: jetstream::Context,
    /// In place of `raw`.
    compressed: Option<CompressedContext>,
}

impl Peer {
    pub(crate) async fn connect(kind: Kind, server: &NatsServer) -> Self {
        let client = connect(server.url()).await;
        let raw = jetstream::new(client.clone());
        let compressed =
            kind.config().map(|config| CompressedContext::new(raw.clone(), &config).unwrap());
        Self { kind, client, raw, compressed }
    }

    pub(crate) const fn kind(&self) -> Kind {
        self.kind
    }

    /// A stream with nothing in it, in files.
    pub(crate) async fn fresh_stream(&self) -> stream::Stream {
        let config = stream::Config {
            name: STREAM.to_owned(),
            subjects: vec![SUBJECT.to_owned()],
            ..stream::Config::default()
        };
        self.raw.create_stream(config).await.unwrap()
    }

    pub(crate) async fn delete_stream(&self) {
        self.raw.delete_stream(STREAM).await.unwrap();
    }

    /// Publishes a message, waits for the server's word and returns its number in the stream.
    pub(crate) async fn publish(&self, payload: Bytes) -> u64 {
        let subject = Subject::from_static(SUBJECT);
        let sent = match &self.compressed {
            None => self.raw.publish(subject, payload).await.unwrap(),
            Some(compressed) => compressed.publish(subject, payload).await.unwrap(),
        };
        sent.await.unwrap().sequence
    }

    /// Reads as many messages by a pull consumer of the client's defaults, each to be looked at.
    pub(crate) async fn read(
        &self,
        stream: &stream::Stream,
        count: usize,
        look: impl FnMut(usize, Bytes),
    ) {
        let config = pull::Config { ack_policy: AckPolicy::None, ..pull::Config::default() };
        let consumer = stream.create_consumer(config).await.unwrap();
        match &self.compressed {
            None => read(consumer.messages().await.unwrap(), count, look).await,
            Some(compressed) => {
                let consumer = compressed.consumer(consumer);
                read(consumer.messages().await.unwrap(), count, look).await;
            }
        }
    }

    /// What the connection has carried: to the server, and from it.
    pub(crate) fn carried(&self) -> (u64, u64) {
        let statistics = self.client.statistics();
        let of = [&statistics.out_bytes, &statistics.in_bytes].map(|it| it.load(Ordering::Relaxed));
        (of[0], of[1])
    }
}

async fn read<S, E>(mut messages: S, count: usize, mut look: impl FnMut(usize, Bytes))
where
    S: Stream<Item = Result<jetstream::Message, E>> + Unpin,
    E: std::fmt::Debug,
{
    for at in 0..count {
        let message = messages.next().await.unwrap().unwrap();
        look(at, message.message.payload);
    }
}

const STREAM: &str = "bench";
const SUBJECT: &str = "bench.a";
