//! A session on a server: the layer of its clients, and the calls about it.

use std::sync::Arc;

use bytes::Bytes;
use http::uri::PathAndQuery;
use serde::Serialize;
use thinwire::counters::Counters;
use thinwire::{Decoder, Encoder, Policy};
use thinwire_grpc::ClientCompressionLayer;
use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};
use tower::Layer;

use super::actor::{Actor, said};
use super::protocol::{BEGIN, Begin, CLOSE, FACTS, Facts, OPEN, Open, Which};
use super::raw::Raw;
use crate::bench::counts::Counts;
use crate::bench::transport::fault::whole;
use crate::bench::transport::{
    BoxFuture, Consume, Exchange, Fault, Produce, ServerFacts, Session, Setup,
};

#[derive(Debug)]
pub(super) struct GrpcSession {
    endpoint: Endpoint,
    layer: ClientCompressionLayer,
    counters: Arc<Counters>,
    control: Control,
    setup: Setup,
    is_in_process: bool,
}

/// Calls about a session, which are not compressed.
#[derive(Debug, Clone)]
struct Control {
    channel: Channel,
}

impl Control {
    async fn call(&self, path: &'static str, request: &impl Serialize) -> Result<Bytes, Fault> {
        let fail = |status: Status| {
            let said = said(&status);
            let is_doubtful = path == OPEN && !REFUSALS.contains(&status.code());
            let doubt = if is_doubtful { "; is it `thinwire bench serve grpc`?" } else { "" };
            Fault::new("connect", format!("{said}{doubt}"))
        };
        let request = serde_json::to_vec(request).map_err(|why| Fault::new("connect", why))?;
        let mut grpc = tonic::client::Grpc::new(self.channel.clone());
        grpc.ready().await.map_err(|error| Fault::new("connect", whole(&error)))?;
        let request = Request::new(Bytes::from(request));
        let answer = grpc.unary(request, PathAndQuery::from_static(path), Raw).await;
        answer.map(tonic::Response::into_inner).map_err(fail)
    }
}

impl GrpcSession {
    /// Opens a session on a server; `channel` is for calls about it.
    pub(super) async fn open(
        endpoint: Endpoint,
        channel: Channel,
        setup: Setup,
        is_in_process: bool,
    ) -> Result<Self, Fault> {
        let encoder = Encoder::new(setup.level).map_err(|why| Fault::new("connect", why))?;
        let encoder = encoder.policy(Policy::default().min_len(setup.min_size));
        let layer = ClientCompressionLayer::new(encoder, Decoder::new(setup.max_len));
        let control = Control { channel };
        let open = Open {
            session: setup.id,
            level: setup.level.to_string(),
            min_size: setup.min_size,
            max_len: setup.max_len,
            purpose: setup.purpose.into(),
            destinations: setup.destinations,
            senders: setup.senders,
        };
        control.call(OPEN, &open).await?;
        let counters = layer.counters().clone();
        Ok(Self { endpoint, layer, counters, control, setup, is_in_process })
    }

    async fn actor(&self, destination: u32) -> Result<Actor, Fault> {
        let channel = self.endpoint.connect().await;
        let channel = channel.map_err(|error| Fault::new("connect", whole(&error)))?;
        let grpc = tonic::client::Grpc::new(self.layer.layer(channel))
            .max_decoding_message_size(self.setup.max_len);
        Ok(Actor { grpc, session: self.setup.id, destination })
    }
}

impl Session for GrpcSession {
    fn begin(&self, run_id: u64) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            let begin = Begin { session: self.setup.id, run_id };
            self.control.call(BEGIN, &begin).await.map(drop)
        })
    }

    fn producer(&self, destination: u32) -> BoxFuture<'_, Result<Box<dyn Produce>, Fault>> {
        Box::pin(async move {
            let actor: Box<dyn Produce> = Box::new(self.actor(destination).await?);
            Ok(actor)
        })
    }

    fn consumer(&self, destination: u32) -> BoxFuture<'_, Result<Box<dyn Consume>, Fault>> {
        Box::pin(async move {
            let actor: Box<dyn Consume> = Box::new(self.actor(destination).await?);
            Ok(actor)
        })
    }

    fn pair(&self, destination: u32) -> BoxFuture<'_, Result<Box<dyn Exchange>, Fault>> {
        Box::pin(async move {
            let actor: Box<dyn Exchange> = Box::new(self.actor(destination).await?);
            Ok(actor)
        })
    }

    fn counts(&self) -> Counts {
        Counts::of(&self.counters)
    }

    fn server(&self) -> BoxFuture<'_, ServerFacts> {
        Box::pin(async move {
            let which = Which { session: self.setup.id };
            let answer = self.control.call(FACTS, &which).await.ok();
            let facts: Option<Facts> = answer.and_then(|it| serde_json::from_slice(&it).ok());
            let facts = facts.unwrap_or_default();
            ServerFacts {
                cpu_ns: facts.cpu_ns,
                is_in_process: self.is_in_process,
                peak_memory_bytes: facts.peak_memory_bytes,
                counts: facts.counts,
                found: facts.found,
                not_kept: facts.not_kept,
            }
        })
    }

    fn end(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let _ = self.control.call(CLOSE, &Which { session: self.setup.id }).await;
        })
    }
}

/// With which a server of ours does not open a session.
const REFUSALS: [Code; 3] = [Code::InvalidArgument, Code::ResourceExhausted, Code::AlreadyExists];
