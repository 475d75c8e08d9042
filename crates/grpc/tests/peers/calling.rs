//! Our client: tonic's behind the layer, with a tap on the wire.

use bytes::Bytes;
use http::uri::PathAndQuery;
use thinwire::Encoding;
use thinwire_grpc::{ClientCompressionLayer, Compress};
use tokio_stream::StreamExt;
use tonic::transport::Channel;
use tonic::{Request, Status};
use tower::Layer;

use crate::messages::{Call, Kind};
use crate::support::{Raw, Seen, Tap};

/// Makes a call in an encoding, asking for the answer in it, too.
pub(crate) async fn make(
    channel: Channel,
    layer: &ClientCompressionLayer,
    call: &Call,
    encoding: Encoding,
) -> (Result<Vec<Bytes>, Status>, Seen) {
    let tap = Tap::new(channel);
    let mut client = tonic::client::Grpc::new(layer.layer(tap.clone()))
        .max_decoding_message_size(usize::MAX)
        .max_encoding_message_size(usize::MAX);
    client.ready().await.unwrap();
    let path = PathAndQuery::from_static(call.kind.path());
    let one = request(call.messages[0].clone(), encoding);
    let many = request(tokio_stream::iter(call.messages.clone()), encoding);
    let answers = match call.kind {
        Kind::Unary => client.unary(one, path, Raw).await.map(|it| vec![it.into_inner()]),
        Kind::ClientStream => {
            client.client_streaming(many, path, Raw).await.map(|it| vec![it.into_inner()])
        }
        Kind::ServerStream => match client.server_streaming(one, path, Raw).await {
            Ok(answers) => answers.into_inner().collect().await,
            Err(status) => Err(status),
        },
        Kind::Bidi => match client.streaming(many, path, Raw).await {
            Ok(answers) => answers.into_inner().collect().await,
            Err(status) => Err(status),
        },
    };
    (answers, tap.seen())
}

fn request<T>(message: T, encoding: Encoding) -> Request<T> {
    let mut request = Request::new(message);
    request.extensions_mut().insert(Compress::With(encoding));
    request.metadata_mut().insert("x-answer", encoding.name().parse().unwrap());
    request
}
