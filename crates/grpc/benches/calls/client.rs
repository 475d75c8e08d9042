//! The client: sends messages as it is told.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use http::uri::PathAndQuery;
use serde_json::{Value, json};
use thinwire::{Decoder, Encoder, Level};
use thinwire_grpc::ClientCompressionLayer;
use tokio::runtime::Runtime;
use tokio_stream::iter;
use tonic::client::{Grpc, GrpcService};
use tonic::codec::CompressionEncoding;
use tonic::codegen::StdError;
use tonic::transport::Endpoint;
use tower::Layer;

use crate::messages;
use crate::plan::{Kind, Stack};
use crate::role::{MAX_PAYLOAD_LEN, nanoseconds, obey, runtime, say, version};
use crate::server::own;
use crate::support::Raw;

/// Calls a server, over one connection, until the input ends.
pub(crate) fn call(kind: Kind, address: &str) {
    let runtime = runtime();
    let endpoint = Endpoint::from_shared(format!("http://{address}")).unwrap();
    let channel = runtime.block_on(endpoint.connect()).unwrap();
    match kind.stack {
        Stack::Thinwire => {
            let encoder = Encoder::new(kind.encoding.parse::<Level>().unwrap()).unwrap();
            let layer = ClientCompressionLayer::new(encoder, Decoder::new(MAX_PAYLOAD_LEN));
            obey_over(&runtime, &layer.layer(channel), None);
        }
        Stack::Tonic | Stack::Go => obey_over(&runtime, &channel, own(kind)),
    }
}

fn obey_over<S>(runtime: &Runtime, service: &S, own: Option<CompressionEncoding>)
where
    S: GrpcService<tonic::body::Body> + Clone + Send + 'static,
    S::ResponseBody: http_body::Body<Data = Bytes> + Send + 'static,
    <S::ResponseBody as http_body::Body>::Error: Into<StdError> + Send,
    S::Error: Into<StdError>,
    S::Future: Send,
{
    let mut messages: Arc<[Bytes]> = Arc::default();
    say(&json!({ "version": version() }));
    obey(|words| match words {
        ["messages", path] => {
            messages = messages::read(path).into();
            json!({ "count": messages.len() })
        }
        ["run", method, in_flight, count] => {
            let is_stream = *method == "stream";
            let (in_flight, count) = (in_flight.parse().unwrap(), count.parse().unwrap());
            let started = Instant::now();
            let calls: Vec<_> = (0..in_flight)
                .map(|first| {
                    let messages = messages.clone();
                    let mine = (first..count)
                        .step_by(in_flight)
                        .map(move |at| messages[at % messages.len()].clone());
                    runtime.spawn(send(service.clone(), own, is_stream, mine))
                })
                .collect();
            let payload_len: usize =
                calls.into_iter().map(|call| runtime.block_on(call).unwrap()).sum();
            json!({ "wall_ns": nanoseconds(started.elapsed()), "payload_bytes": payload_len })
        }
        _ => Value::Null,
    });
}

/// Sends messages one after another; returns their length.
async fn send<S>(
    service: S,
    own: Option<CompressionEncoding>,
    is_stream: bool,
    messages: impl Iterator<Item = Bytes> + Clone + Send + 'static,
) -> usize
where
    S: GrpcService<tonic::body::Body>,
    S::ResponseBody: http_body::Body<Data = Bytes> + Send + 'static,
    <S::ResponseBody as http_body::Body>::Error: Into<StdError> + Send,
    S::Error: Into<StdError>,
{
    let mut grpc = Grpc::new(service);
    if let Some(encoding) = own {
        grpc = grpc.send_compressed(encoding).accept_compressed(encoding);
    }
    let sent_len = messages.clone().map(|message| message.len()).sum();
    if is_stream {
        grpc.ready().await.map_err(Into::into).unwrap();
        let request = tonic::Request::new(iter(messages));
        let path = PathAndQuery::from_static("/test.Sink/Stream");
        grpc.client_streaming(request, path, Raw).await.unwrap();
        return sent_len;
    }
    for message in messages {
        grpc.ready().await.map_err(Into::into).unwrap();
        let request = tonic::Request::new(message);
        let path = PathAndQuery::from_static("/test.Sink/Unary");
        grpc.unary(request, path, Raw).await.unwrap();
    }
    sent_len
}
