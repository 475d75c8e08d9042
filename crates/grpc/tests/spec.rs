//! gRPC's compression document, case by case, and what hostile or odd peers send: without a
//! network, on the frames themselves.

#![expect(
    clippy::unwrap_used,
    reason = "a test may stop where it fails; the lints allow it in test functions only"
)]

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::{Body, Frame};
use http_body_util::{BodyExt, StreamBody};
use thinwire::{Decoder, Encoder, Encoding};
use thinwire_grpc::{ClientCompressionLayer, MessageBody, Rewrap, ServerCompressionLayer};
use tower::{Layer, Service, ServiceExt, service_fn};

const LIMIT: usize = 1 << 20;

/// A body of given frames, that can stand for any other.
type Frames = Pin<Box<dyn Body<Data = Bytes, Error = thinwire_grpc::BoxError> + Send>>;

struct Wire(Frames);

impl Body for Wire {
    type Data = Bytes;
    type Error = thinwire_grpc::BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        self.0.as_mut().poll_frame(cx)
    }
}

impl Rewrap for Wire {
    fn rewrap(body: MessageBody<Self>) -> Self {
        Self(Box::pin(body))
    }
}

impl Wire {
    fn new(data: Vec<Bytes>, trailers: Option<HeaderMap>) -> Self {
        let frames = data
            .into_iter()
            .map(Frame::data)
            .chain(trailers.map(Frame::trailers))
            .map(Ok::<_, thinwire_grpc::BoxError>);
        Self(Box::pin(StreamBody::new(tokio_stream::iter(frames))))
    }
}

fn framed(flag: u8, body: &[u8]) -> Bytes {
    let len = u32::try_from(body.len()).unwrap().to_be_bytes();
    [&[flag], &len[..], body].concat().into()
}

fn trailers(status: &str) -> HeaderMap {
    HeaderMap::from_iter([("grpc-status".parse().unwrap(), status.parse().unwrap())])
}

fn compressed(encoding: Encoding, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    Encoder::new(encoding).unwrap().compress_into(payload, &mut out).unwrap();
    out
}

/// What a call gave: headers, data, and the status wherever it stood.
#[derive(Debug)]
struct Outcome {
    headers: HeaderMap,
    data: Vec<u8>,
    status: Option<String>,
    message: String,
}

async fn collect<B>(response: Response<B>) -> Outcome
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: std::fmt::Debug,
{
    let (parts, mut body) = response.into_parts();
    let (mut data, mut last) = (Vec::new(), parts.headers.clone());
    while let Some(frame) = body.frame().await {
        match frame.unwrap().into_data() {
            Ok(more) => data.extend_from_slice(&more),
            Err(frame) => last = frame.into_trailers().unwrap(),
        }
    }
    let text = |name: &str| last.get(name).map(|it| it.to_str().unwrap().to_owned());
    let message = text("grpc-message").unwrap_or_default();
    Outcome { headers: parts.headers, data, status: text("grpc-status"), message }
}

/// Sends a request through the server's layer to a service that echoes its body, or fails with the
/// body's error as tonic would.
async fn to_server(headers: &[(&str, &str)], data: Vec<Bytes>) -> Outcome {
    let layer = ServerCompressionLayer::new(
        [Encoder::new(Encoding::SnappyBlock).unwrap(), Encoder::new(Encoding::Gzip).unwrap()],
        Decoder::new(LIMIT).accept([Encoding::Identity, Encoding::SnappyBlock, Encoding::Gzip]),
    );
    let service = layer.layer(service_fn(|request: Request<MessageBody<Wire>>| async {
        let (parts, body) = request.into_parts();
        assert!(!parts.headers.contains_key("grpc-encoding"), "it was taken off");
        let mut response = match body.collect().await {
            Ok(all) => Response::new(Wire::new(vec![all.to_bytes()], Some(trailers("0")))),
            Err(error) => {
                let status = tonic::Status::from_error(error);
                let (mut parts, ()) = status.into_http::<()>().into_parts();
                let mut response = Response::new(Wire::new(vec![], None));
                response
                    .headers_mut()
                    .extend(parts.headers.drain().filter_map(|(k, v)| Some((k?, v))));
                response
            }
        };
        response.headers_mut().insert("content-type", "application/grpc".parse().unwrap());
        Ok::<_, Infallible>(response)
    }));
    let mut request = Request::new(Wire::new(data, None));
    request.headers_mut().insert("content-type", "application/grpc+proto".parse().unwrap());
    for (name, value) in headers {
        request
            .headers_mut()
            .append(name.parse::<http::HeaderName>().unwrap(), value.parse().unwrap());
    }
    collect(service.oneshot(request).await.unwrap()).await
}

/// Sends a call through the client's layer to a server that answers with this.
async fn to_client(headers: &[(&str, &str)], data: Vec<Bytes>, end: Option<HeaderMap>) -> Outcome {
    let layer = ClientCompressionLayer::new(
        Encoder::new(Encoding::Gzip).unwrap(),
        Decoder::new(LIMIT).accept([Encoding::Identity, Encoding::SnappyBlock, Encoding::Gzip]),
    );
    let mut answer = Response::new(Wire::new(data, end));
    answer.headers_mut().insert("content-type", "application/grpc".parse().unwrap());
    for (name, value) in headers {
        answer
            .headers_mut()
            .insert(name.parse::<http::HeaderName>().unwrap(), value.parse().unwrap());
    }
    let answer = Arc::new(Mutex::new(Some(answer)));
    let mut service = layer.layer(service_fn(move |_: Request<Wire>| {
        let answer = answer.lock().unwrap().take().unwrap();
        async { Ok::<_, Infallible>(answer) }
    }));
    let mut request = Request::new(Wire::new(vec![framed(0, b"hello")], None));
    request.headers_mut().insert("content-type", "application/grpc".parse().unwrap());
    poll_fn(|cx| Service::<Request<Wire>>::poll_ready(&mut service, cx)).await.unwrap();
    collect(service.call(request).await.unwrap()).await
}

const INTERNAL: Option<&str> = Some("13");

#[tokio::test]
async fn case_1_an_encoding_unknown_to_the_server_is_unimplemented_with_the_list() {
    for unknown in ["br", "zstd", "gzip, gzip", "enN0ZA=="] {
        let outcome = to_server(&[("grpc-encoding", unknown)], vec![framed(1, b"?")]).await;
        assert_eq!(outcome.status.as_deref(), Some("12"), "{unknown}: {outcome:?}");
        assert_eq!(outcome.headers["grpc-accept-encoding"], "gzip,snappy-block,identity");
        assert!(outcome.message.contains(unknown.split(',').next().unwrap()), "{outcome:?}");
    }
}

#[tokio::test]
async fn case_2_an_encoding_unknown_to_the_client_is_internal() {
    for unknown in ["br", "zstd"] {
        let end = Some(trailers("0"));
        let headers = [("grpc-encoding", unknown)];
        let outcome = to_client(&headers, vec![framed(1, b"?")], end.clone()).await;
        assert_eq!(outcome.status.as_deref(), INTERNAL, "{outcome:?}");
        // No message needs it.
        let outcome = to_client(&headers, vec![framed(0, b"plain")], end).await;
        assert_eq!(outcome.status.as_deref(), Some("0"), "{outcome:?}");
        assert_eq!(outcome.data, framed(0, b"plain"));
    }
}

#[tokio::test]
async fn case_3_a_flag_without_an_encoding_is_internal() {
    for headers in [&[][..], &[("grpc-encoding", "identity")], &[("grpc-encoding", "")]] {
        let outcome = to_server(headers, vec![framed(1, b"?")]).await;
        assert_eq!(outcome.status.as_deref(), INTERNAL, "{outcome:?}");
        let outcome = to_client(headers, vec![framed(1, b"?")], Some(trailers("0"))).await;
        assert_eq!(outcome.status.as_deref(), INTERNAL, "{outcome:?}");
        assert!(outcome.message.contains("flag"), "{outcome:?}");
    }
}

#[tokio::test]
async fn case_4_flag_and_encoding_decode_and_what_has_no_flag_passes() {
    let payload = b"said again and said again and said again and said again";
    for encoding in [Encoding::Gzip, Encoding::SnappyBlock] {
        let headers = [("grpc-encoding", encoding.name())];
        let data =
            vec![framed(1, &compressed(encoding, payload)), framed(0, b"plain"), framed(1, b"")];
        let expected = [framed(0, payload), framed(0, b"plain"), framed(0, b"")].concat();
        let outcome = to_server(&headers, data.clone()).await;
        assert_eq!(outcome.status.as_deref(), Some("0"), "{outcome:?}");
        assert_eq!(outcome.data, expected);
        let outcome = to_client(&headers, data, Some(trailers("0"))).await;
        assert_eq!(outcome.data, expected);
        assert!(!outcome.headers.contains_key("grpc-encoding"), "{outcome:?}");
    }
}

#[tokio::test]
async fn case_5_a_server_uses_no_encoding_that_the_client_did_not_list() {
    let long = framed(0, &[b'a'; 4000]);
    for (accepts, expected) in [
        (&[][..], None),
        (&["identity"][..], None),
        (&["zstd, lz4"], None), // not given to the server
        (&["deflate,gzip"], Some("gzip")),
        (&["gzip , snappy-block"], Some("snappy-block")),
        (&["br,,", " GZIP"], Some("gzip")),
    ] {
        let headers: Vec<_> = accepts.iter().map(|it| ("grpc-accept-encoding", *it)).collect();
        let outcome = to_server(&headers, vec![long.clone()]).await;
        let used = outcome.headers.get("grpc-encoding").map(|it| it.to_str().unwrap());
        assert_eq!(used, expected, "{accepts:?}");
        assert_eq!(outcome.data[0], u8::from(expected.is_some()));
    }
}

#[tokio::test]
async fn case_6_other_flags_are_internal() {
    for flag in [2, 60, 255] {
        let headers = [("grpc-encoding", "gzip")];
        for headers in [&headers[..], &[]] {
            let outcome = to_server(headers, vec![framed(flag, b"?")]).await;
            assert_eq!(outcome.status.as_deref(), INTERNAL, "{outcome:?}");
            let outcome = to_client(headers, vec![framed(flag, b"?")], Some(trailers("0"))).await;
            assert_eq!(outcome.status.as_deref(), INTERNAL, "{outcome:?}");
        }
    }
}

#[tokio::test]
async fn the_limit_holds_for_wire_claim_and_output() {
    let bomb = compressed(Encoding::Gzip, &vec![0; LIMIT + 1]);
    let fits = compressed(Encoding::Gzip, &vec![0; LIMIT]);
    let claim = b"\xff\xff\xff\xff\x0f\x00".to_vec(); // 4 GiB of snappy-block
    let wire = [&[1][..], &u32::MAX.to_be_bytes()].concat();
    for (encoding, data, status) in [
        ("gzip", framed(1, &bomb), "8"),
        ("gzip", framed(1, &fits), "0"),
        ("snappy-block", framed(1, &claim), "8"),
        ("gzip", wire.clone().into(), "8"),
        ("identity", framed(0, &vec![7; LIMIT + 1]), "8"),
        ("identity", framed(0, &vec![7; LIMIT]), "0"),
    ] {
        let headers = [("grpc-encoding", encoding)];
        let server = to_server(&headers, vec![data.clone()]).await;
        let client = to_client(&headers, vec![data], Some(trailers("0"))).await;
        for outcome in [server, client] {
            assert_eq!(outcome.status.as_deref(), Some(status), "{encoding}: {}", outcome.message);
            let says_it =
                ["1048576", "max_payload_len"].iter().all(|it| outcome.message.contains(it));
            assert!(status == "0" || says_it, "{}", outcome.message);
        }
    }
}

#[tokio::test]
async fn any_split_of_the_frames_gives_the_same_messages() {
    let payload = "one part after the other ".repeat(30);
    let headers = [("grpc-encoding", "snappy-block")];
    let body = compressed(Encoding::SnappyBlock, payload.as_bytes());
    let stream = [framed(1, &body), framed(0, b"plain"), framed(1, &body)].concat();
    let expected =
        [framed(0, payload.as_bytes()), framed(0, b"plain"), framed(0, payload.as_bytes())]
            .concat();
    for step in [1, 2, 3, 4, 5, 6, 7, 50, 1000] {
        let chunks: Vec<_> = stream.chunks(step).map(Bytes::copy_from_slice).collect();
        assert_eq!(to_server(&headers, chunks.clone()).await.data, expected, "in steps of {step}");
        let outcome = to_client(&headers, chunks, Some(trailers("0"))).await;
        assert_eq!(outcome.data, expected, "in steps of {step}");
    }
}

#[tokio::test]
async fn a_stream_that_ends_within_a_message_is_an_error_but_the_peers_own_error_wins() {
    let whole = framed(0, b"a message");
    for len in 1..whole.len() {
        let cut = vec![whole.slice(..len)];
        for headers in [&[("grpc-encoding", "gzip")][..], &[]] {
            let outcome = to_server(headers, cut.clone()).await;
            assert_eq!(outcome.status.as_deref(), INTERNAL, "{len}: {outcome:?}");
            let outcome = to_client(headers, cut.clone(), Some(trailers("0"))).await;
            assert_eq!(outcome.status.as_deref(), INTERNAL, "{len}: {outcome:?}");
            let outcome = to_client(headers, cut.clone(), Some(trailers("14"))).await;
            assert_eq!(outcome.status.as_deref(), Some("14"), "{len}: {outcome:?}");
        }
    }
}

#[tokio::test]
async fn what_is_not_grpc_is_said_so() {
    let html = vec![Bytes::from_static(b"<html>welcome</html>")];
    let outcome = to_client(&[("content-type", "text/html")], html, None).await;
    assert_eq!(outcome.status.as_deref(), Some("2"), "{outcome:?}");
    assert!(outcome.message.contains("text/html"), "{outcome:?}");
    assert!(outcome.data.is_empty());
}

#[tokio::test]
async fn a_status_alone_passes_as_it_is() {
    let outcome = to_client(&[("grpc-status", "5"), ("grpc-encoding", "br")], vec![], None).await;
    assert_eq!(outcome.status.as_deref(), Some("5"));
}

#[tokio::test]
async fn messages_before_a_bad_one_arrive_also_from_the_same_frame() {
    let payload = b"said again and said again and said again and said again";
    let good = [framed(1, &compressed(Encoding::Gzip, payload)), framed(0, b"plain")].concat();
    let arrived = [framed(0, payload), framed(0, b"plain")].concat();
    let over = [&[0][..], &u32::MAX.to_be_bytes()].concat();
    for bad in [framed(1, b"no gzip").to_vec(), framed(2, b"?").to_vec(), over.clone()] {
        let data = vec![Bytes::from([good.clone(), bad].concat())];
        let outcome = to_client(&[("grpc-encoding", "gzip")], data, Some(trailers("0"))).await;
        assert_eq!(outcome.data, arrived);
        assert_ne!(outcome.status.as_deref(), Some("0"));
    }
    let plain = framed(0, b"plain");
    for bad in [framed(1, b"?").to_vec(), framed(2, b"?").to_vec(), over] {
        let data = vec![Bytes::from([&plain[..], &bad].concat())];
        let outcome = to_client(&[], data, Some(trailers("0"))).await;
        assert_eq!(outcome.data, plain);
        assert_ne!(outcome.status.as_deref(), Some("0"));
    }
}
