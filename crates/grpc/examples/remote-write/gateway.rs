//! The near end: takes remote writes over HTTP and pushes them on over gRPC.

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use axum::routing::post;
use bytes::Bytes;
use http::uri::PathAndQuery;
use http_body::Body as _;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use prost::Message;
use thinwire::{DecodeError, Decoder, Encoded, Encoding};
use thinwire_grpc::ClientCompression;
use tonic::client::Grpc;
use tonic::transport::Channel;
use tonic::{Code, Status};
use tonic_prost::ProstCodec;

use crate::ingester::PUSH;
use crate::message::{WriteRequest, WriteResponse};

#[derive(Debug, Clone)]
pub(crate) struct Gateway {
    decoder: Decoder,
    ingester: ClientCompression<Channel>,
}

/// A status that Prometheus understands (it sends again after 5xx only), and a line for its log.
type Refusal = (StatusCode, String);

impl Gateway {
    pub(crate) const fn new(decoder: Decoder, ingester: ClientCompression<Channel>) -> Self {
        Self { decoder, ingester }
    }

    pub(crate) fn router(self) -> Router {
        Router::new().route("/api/v1/write", post(write)).with_state(self)
    }

    /// Reads no more than the limit, and decodes no more than the limit.
    async fn read(&self, body: Body) -> Result<Bytes, Refusal> {
        let limit = self.decoder.max_payload_len();
        let too_long = || {
            let text = format!("the body exceeds the limit of {limit} bytes\n");
            (StatusCode::PAYLOAD_TOO_LARGE, text)
        };
        // What content-length says; without one it shows on the way.
        if body.size_hint().lower() > limit as u64 {
            return Err(too_long());
        }
        let block = match Limited::new(body, limit).collect().await {
            Ok(body) => body.to_bytes(),
            Err(error) if error.is::<LengthLimitError>() => return Err(too_long()),
            Err(error) => return Err((StatusCode::BAD_REQUEST, format!("{error}\n"))),
        };
        self.decoder.decode(Encoded::new(Encoding::SnappyBlock, block)).map_err(|error| {
            let is_long = matches!(error, DecodeError::TooLong { .. });
            let status =
                if is_long { StatusCode::PAYLOAD_TOO_LARGE } else { StatusCode::BAD_REQUEST };
            (status, format!("{error}\n"))
        })
    }

    async fn push(&self, request: WriteRequest) -> Result<(), Status> {
        let mut grpc = Grpc::new(self.ingester.clone()).max_encoding_message_size(usize::MAX);
        grpc.ready().await.map_err(|error| Status::unavailable(error.to_string()))?;
        let codec = ProstCodec::<WriteRequest, WriteResponse>::default();
        let path = PathAndQuery::from_static(PUSH);
        grpc.unary(tonic::Request::new(request), path, codec).await?;
        Ok(())
    }
}

async fn write(State(gateway): State<Gateway>, request: Request) -> Result<StatusCode, Refusal> {
    let (parts, body) = request.into_parts();
    check_headers(&parts.headers)?;
    let payload = gateway.read(body).await?;
    let request = WriteRequest::decode(payload)
        .map_err(|error| (StatusCode::BAD_REQUEST, format!("{error}\n")))?;
    gateway.push(request).await.map_err(|status| {
        let is_long = status.code() == Code::ResourceExhausted;
        let code =
            if is_long { StatusCode::PAYLOAD_TOO_LARGE } else { StatusCode::SERVICE_UNAVAILABLE };
        (code, format!("{}\n", status.message()))
    })?;
    Ok(StatusCode::NO_CONTENT)
}

/// Prometheus calls a raw block `snappy` here, where gRPC says `snappy-block`.
fn check_headers(headers: &HeaderMap) -> Result<(), Refusal> {
    for (name, expected) in [(CONTENT_ENCODING, "snappy"), (CONTENT_TYPE, "application/x-protobuf")]
    {
        let is = headers.get(&name).map(|value| value.as_bytes());
        if !is.is_some_and(|is| is.eq_ignore_ascii_case(expected.as_bytes())) {
            let text = format!("{name} must be {expected} (remote write 1.0)\n");
            return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, text));
        }
    }
    Ok(())
}
