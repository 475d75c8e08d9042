//! One actor's connection: what it sends and asks for.

use std::error::Error as _;
use std::time::Duration;

use bytes::Bytes;
use http::uri::PathAndQuery;
use thinwire_grpc::ClientCompression;
use tokio_stream::StreamExt;
use tonic::metadata::MetadataValue;
use tonic::transport::Channel;
use tonic::{Request, Status};

use super::protocol::{CONSUME, DESTINATION, ECHO, MOST, PRODUCE, SESSION, WAIT_MS};
use super::raw::Raw;
use crate::bench::transport::fault::whole;
use crate::bench::transport::{BoxFuture, Consume, Exchange, Fault, Produce};

/// A connection of one actor.
pub(super) struct Actor {
    pub(super) grpc: tonic::client::Grpc<ClientCompression<Channel>>,
    pub(super) session: u64,
    pub(super) destination: u32,
}

impl Actor {
    fn request<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        let metadata = request.metadata_mut();
        metadata.insert(SESSION, MetadataValue::from(self.session));
        metadata.insert(DESTINATION, MetadataValue::from(self.destination));
        request
    }

    async fn ready(&mut self, kind: &'static str) -> Result<(), Fault> {
        self.grpc.ready().await.map_err(|error| Fault::new(kind, whole(&error)))
    }
}

impl Produce for Actor {
    fn send(&mut self, batch: Vec<Bytes>) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            self.ready("send").await?;
            let request = self.request(tokio_stream::iter(batch));
            let path = PathAndQuery::from_static(PRODUCE);
            let sent = self.grpc.client_streaming(request, path, Raw).await;
            sent.map(drop).map_err(|status| Fault::new("send", said(&status)))
        })
    }
}

impl Consume for Actor {
    fn receive(&mut self, most: usize, wait: Duration) -> BoxFuture<'_, Result<Vec<Bytes>, Fault>> {
        Box::pin(async move {
            let fail = |status: Status| Fault::new("receive", said(&status));
            self.ready("receive").await?;
            let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX);
            // What is wanted is no payload: there is no message that a layer would count.
            let mut request = self.request(tokio_stream::empty());
            request.metadata_mut().insert(MOST, MetadataValue::from(most));
            request.metadata_mut().insert(WAIT_MS, MetadataValue::from(wait_ms));
            let path = PathAndQuery::from_static(CONSUME);
            let answer = self.grpc.streaming(request, path, Raw).await.map_err(fail)?;
            gathered(answer.into_inner()).await.map_err(fail)
        })
    }
}

impl Exchange for Actor {
    fn exchange(&mut self, batch: Vec<Bytes>) -> BoxFuture<'_, Result<Vec<Bytes>, Fault>> {
        Box::pin(async move {
            let fail = |status: Status| Fault::new("exchange", said(&status));
            self.ready("exchange").await?;
            let request = self.request(tokio_stream::iter(batch));
            let path = PathAndQuery::from_static(ECHO);
            let answer = self.grpc.streaming(request, path, Raw).await.map_err(fail)?;
            gathered(answer.into_inner()).await.map_err(fail)
        })
    }
}

async fn gathered(mut messages: tonic::Streaming<Bytes>) -> Result<Vec<Bytes>, Status> {
    let mut batch = Vec::new();
    while let Some(message) = messages.next().await {
        batch.push(message?);
    }
    Ok(batch)
}

/// What a status says and what it comes from, without its metadata.
pub(super) fn said(status: &Status) -> String {
    let said = format!("{:?}: {}", status.code(), status.message());
    match status.source().map(whole) {
        Some(cause) if !said.contains(&cause) => format!("{said}: {cause}"),
        _ => said,
    }
}
