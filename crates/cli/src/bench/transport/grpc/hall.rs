//! The server's side of one session: its queues, its account, and the service behind the layer.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::Body;
use thinwire::counters::Counters;
use thinwire::{Decoder, Encoder, Level, Policy};
use thinwire_grpc::{ServerCompression, ServerCompressionLayer};
use tokio_stream::{Stream, StreamExt};
use tonic::{Status, Streaming};
use tower::Layer;

use super::protocol::{CONSUME, DESTINATION, Facts, MOST, Open, PRODUCE, WAIT_MS};
use super::raw::Raw;
use crate::bench::counts::Counts;
use crate::bench::ledger::Ledger;
use crate::bench::plan::Purpose;
use crate::bench::transport::queue::Queue;

/// One session.
#[derive(Debug)]
pub(super) struct Hall {
    service: ServerCompression<Service>,
    counters: Arc<Counters>,
    state: Arc<State>,
}

#[derive(Debug)]
struct State {
    purpose: Purpose,
    senders: u32,
    max_len: usize,
    queues: Vec<Queue<Bytes>>,
    /// Of what nobody receives: the server checks it itself.
    ledger: Mutex<Arc<Ledger>>,
}

impl Hall {
    /// Opens a session as the client wants it, within limits.
    pub(super) fn open(open: &Open) -> Result<Self, Status> {
        let bad = |why: &dyn std::fmt::Display| Status::invalid_argument(why.to_string());
        let level: Level = open.level.parse().map_err(|why| bad(&why))?;
        let encoder = Encoder::new(level).map_err(|why| bad(&why))?;
        let encoder = encoder.policy(Policy::default().min_len(open.min_size));
        if open.destinations > MAX_DESTINATIONS || open.senders > MAX_DESTINATIONS {
            return Err(bad(&"too many destinations or senders"));
        }
        let max_len = open.max_len.min(MAX_LEN);
        let purpose = open.purpose.into();
        let state = Arc::new(State {
            purpose,
            senders: open.senders,
            max_len,
            queues: (0..open.destinations)
                .map(|_| Queue::new(purpose, open.destinations))
                .collect(),
            ledger: Mutex::new(Arc::new(Ledger::new(0, open.senders))),
        });
        let layer = ServerCompressionLayer::new(encoder, Decoder::new(max_len));
        let counters = layer.counters().clone();
        let service = layer.layer(Service { state: state.clone() });
        Ok(Self { service, counters, state })
    }

    pub(super) fn begin(&self, run_id: u64) {
        let ledger = Arc::new(Ledger::new(run_id, self.state.senders));
        *self.state.ledger.lock().unwrap_or_else(PoisonError::into_inner) = ledger;
        for queue in &self.state.queues {
            queue.clear();
        }
    }

    /// What is known of this session; of the process the caller knows more.
    pub(super) fn facts(&self) -> Facts {
        let is_checked = self.state.purpose == Purpose::SendOnly;
        Facts {
            counts: Counts::of(&self.counters),
            found: is_checked.then(|| self.state.ledger().found()),
            not_kept: self.state.queues.iter().map(Queue::not_kept).sum(),
            ..Facts::default()
        }
    }

    pub(super) fn service(&self) -> ServerCompression<Service> {
        self.service.clone()
    }
}

impl State {
    fn ledger(&self) -> Arc<Ledger> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn queue(&self, headers: &HeaderMap) -> Result<&Queue<Bytes>, Status> {
        let queue = number(headers, DESTINATION).and_then(|at: usize| self.queues.get(at));
        queue.ok_or_else(|| Status::not_found("there is no such destination"))
    }

    /// Takes a batch, and answers when it has all of it.
    async fn take(
        &self,
        headers: &HeaderMap,
        mut messages: Streaming<Bytes>,
    ) -> Result<(), Status> {
        let queue = self.queue(headers)?;
        let ledger = (self.purpose == Purpose::SendOnly).then(|| self.ledger());
        let mut batch = Vec::new();
        while let Some(message) = messages.next().await {
            let message = message?;
            match &ledger {
                Some(ledger) => {
                    ledger.came(&message).map_err(|why| Status::data_loss(why.to_string()))?;
                }
                None => batch.push((message.clone(), message.len())),
            }
        }
        if ledger.is_none() {
            queue.send(batch).await;
        }
        Ok(())
    }

    async fn give(&self, headers: &HeaderMap) -> Result<Vec<Bytes>, Status> {
        let queue = self.queue(headers)?;
        let wanted = number(headers, MOST).zip(number(headers, WAIT_MS));
        let (most, wait_ms) =
            wanted.ok_or_else(|| Status::invalid_argument("it is not said what is wanted"))?;
        let wait_ms: u64 = wait_ms;
        Ok(queue.receive(most, Duration::from_millis(wait_ms.min(MAX_WAIT_MS))).await)
    }
}

fn number<T: std::str::FromStr>(headers: &HeaderMap, name: &str) -> Option<T> {
    headers.get(name)?.to_str().ok()?.parse().ok()
}

/// The service that sees plain messages.
#[derive(Debug, Clone)]
pub(super) struct Service {
    state: Arc<State>,
}

type Boxed<T> = Pin<Box<dyn Future<Output = Result<tonic::Response<T>, Status>> + Send>>;

type Messages = Pin<Box<dyn Stream<Item = Result<Bytes, Status>> + Send>>;

struct Produce(Arc<State>, HeaderMap);

impl tonic::server::ClientStreamingService<Bytes> for Produce {
    type Response = Bytes;
    type Future = Boxed<Bytes>;

    fn call(&mut self, request: tonic::Request<Streaming<Bytes>>) -> Self::Future {
        let (state, headers) = (self.0.clone(), self.1.clone());
        Box::pin(async move {
            state.take(&headers, request.into_inner()).await?;
            Ok(tonic::Response::new(Bytes::new()))
        })
    }
}

struct Consume(Arc<State>, HeaderMap);

impl tonic::server::StreamingService<Bytes> for Consume {
    type Response = Bytes;
    type ResponseStream = Messages;
    type Future = Boxed<Messages>;

    fn call(&mut self, _: tonic::Request<Streaming<Bytes>>) -> Self::Future {
        let (state, headers) = (self.0.clone(), self.1.clone());
        Box::pin(async move {
            let batch = state.give(&headers).await?;
            let messages: Messages = Box::pin(tokio_stream::iter(batch.into_iter().map(Ok)));
            Ok(tonic::Response::new(messages))
        })
    }
}

struct Echo;

impl tonic::server::StreamingService<Bytes> for Echo {
    type Response = Bytes;
    type ResponseStream = Messages;
    type Future = Boxed<Messages>;

    fn call(&mut self, request: tonic::Request<Streaming<Bytes>>) -> Self::Future {
        let messages: Messages = Box::pin(request.into_inner());
        Box::pin(std::future::ready(Ok(tonic::Response::new(messages))))
    }
}

impl<B> tower::Service<Request<B>> for Service
where
    B: Body + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>> + Send,
{
    type Response = Response<tonic::body::Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let state = self.state.clone();
        Box::pin(async move {
            let mut grpc = tonic::server::Grpc::new(Raw).max_decoding_message_size(state.max_len);
            let headers = request.headers().clone();
            Ok(match request.uri().path() {
                PRODUCE => grpc.client_streaming(Produce(state, headers), request).await,
                CONSUME => grpc.streaming(Consume(state, headers), request).await,
                _ => grpc.streaming(Echo, request).await,
            })
        })
    }
}

/// No client can have a server take longer messages.
const MAX_LEN: usize = 64 << 20;

/// As many as a plan has actors.
const MAX_DESTINATIONS: u32 = 10_000;

const MAX_WAIT_MS: u64 = 10_000;
