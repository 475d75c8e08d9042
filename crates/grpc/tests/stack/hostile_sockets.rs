//! Hostile peers over real connections: a call fails by itself, and nothing beside it does.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use thinwire::{Decoder, Encoding};
use thinwire_grpc::{BoxError, ClientCompressionLayer, ServerCompressionLayer};
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::client::Grpc;
use tonic::service::Routes;
use tonic::transport::Channel;
use tonic::{Code, Streaming};
use tower::{Layer, ServiceExt};

use crate::frames::{
    Lines, Wire, all_encoders, compressed, encoder, framed, request, response, trailers,
};
use crate::handled::{Handled, Plain, all, send, serve, soon};
use crate::support::{Echo, exchange, serve as serve_echo};

const LIMIT: usize = 1 << 20;

/// What a hostile peer says.
#[derive(Clone)]
struct Case {
    name: &'static str,
    lines: Lines<'static>,
    data: Vec<Bytes>,
    has_trailers: bool,
    is_broken_off: bool,
    at_server: Code,
    at_client: Code,
}

fn cases() -> Vec<Case> {
    const GZIP: Lines<'_> = &[("grpc-encoding", b"gzip")];
    const LONG: Lines<'_> = &[("grpc-encoding", &[b'x'; 300])];
    const TWO: Lines<'_> = &[("grpc-encoding", b"gzip"), ("grpc-encoding", b"zstd")];
    const NO_TEXT: Lines<'_> = &[("grpc-encoding", b"\xff\xfe")];
    let case = |name, lines, data: &[Bytes], at_server, at_client| Case {
        name,
        lines,
        data: data.to_vec(),
        has_trailers: true,
        is_broken_off: false,
        at_server,
        at_client,
    };
    let whole = framed(1, &compressed(Encoding::Gzip, &[b'a'; 3000]));
    let bomb = framed(1, &compressed(Encoding::Gzip, &vec![0; 32 << 20]));
    let huge = Bytes::from([&[1][..], &u32::MAX.to_be_bytes(), &[0; 100]].concat());
    let x = [framed(1, b"x")];
    let mut cases = vec![
        case("flag 2", GZIP, &[framed(2, b"x")], Code::Internal, Code::Internal),
        case("flag 255", &[], &[framed(255, b"x")], Code::Internal, Code::Internal),
        case("flag alone", &[], &x, Code::Internal, Code::Internal),
        case("4 GB", GZIP, &[huge], Code::ResourceExhausted, Code::ResourceExhausted),
        case("bomb", GZIP, &[bomb], Code::ResourceExhausted, Code::ResourceExhausted),
        case("damaged", GZIP, &x, Code::Internal, Code::Internal),
        case("cut", GZIP, &[whole.slice(..20)], Code::Internal, Code::Internal),
        case("long name", LONG, &x, Code::Unimplemented, Code::Internal),
        case("two names", TWO, &x, Code::Unimplemented, Code::Internal),
        case("no text", NO_TEXT, &x, Code::Unimplemented, Code::Internal),
        case("empty frames", GZIP, &vec![Bytes::new(); 50], Code::Ok, Code::Ok),
        case("empty messages", GZIP, &[framed(1, b"").repeat(9999).into()], Code::Ok, Code::Ok),
    ];
    let mut cut =
        case("cut, and no trailers", GZIP, &[whole.slice(..20)], Code::Internal, Code::Internal);
    cut.has_trailers = false;
    cases.push(cut.clone());
    cut.name = "broken off";
    cut.is_broken_off = true;
    cases.push(cut);
    cases
}

impl Case {
    fn body(&self, end: Option<HeaderMap>) -> tonic::body::Body {
        let data = self.data.iter().cloned().map(Frame::data);
        let end = end.filter(|_| self.has_trailers).map(Frame::trailers);
        let broken = self.is_broken_off.then(|| Err(BoxError::from("given up")));
        let frames = data.chain(end).map(Ok).chain(broken).collect::<Vec<_>>();
        tonic::body::Body::new(StreamBody::new(tokio_stream::iter(frames)))
    }
}

/// A stream of its own on the same connection, that goes on all the time.
struct Neighbour {
    messages: mpsc::UnboundedSender<Bytes>,
    answers: Streaming<Bytes>,
}

impl Neighbour {
    async fn open(channel: Channel) -> Self {
        let layer = ClientCompressionLayer::new(encoder(Encoding::Zstd), Decoder::new(LIMIT));
        let (messages, receiver) = mpsc::unbounded_channel();
        let request = tonic::Request::new(UnboundedReceiverStream::new(receiver));
        let grpc = Grpc::new(layer.layer(channel));
        let answers = send(grpc, "/test.Handled/Call", request).await.unwrap().into_inner();
        Self { messages, answers }
    }

    async fn assert_goes_on(&mut self) {
        let message = Bytes::from(vec![b'n'; 3000]);
        self.messages.send(message.clone()).unwrap();
        assert_eq!(soon(self.answers.message()).await.unwrap(), Some(message));
    }
}

fn server() -> ServerCompressionLayer {
    ServerCompressionLayer::new(all_encoders(), Decoder::new(LIMIT))
}

fn client() -> ClientCompressionLayer {
    ClientCompressionLayer::new(encoder(Encoding::SnappyBlock), Decoder::new(LIMIT))
}

fn good() -> Vec<Bytes> {
    vec![Bytes::from(vec![b'g'; 3000]), Bytes::new(), Bytes::from_static(b"good")]
}

fn status_of(response: &Response<tonic::body::Body>, end: Option<&HeaderMap>) -> Option<i32> {
    let status = end.and_then(|end| end.get("grpc-status"));
    status.or(response.headers().get("grpc-status"))?.to_str().unwrap().parse().ok()
}

#[tokio::test]
async fn a_hostile_client_hurts_nobody_but_itself() {
    let routes = Routes::new(Handled::echo()).add_service(Echo::default());
    let channel = serve(routes, Some(server())).await;
    let mut neighbour = Neighbour::open(channel.clone()).await;
    for case in cases() {
        let mut call = request(case.lines, case.body(None));
        *call.uri_mut() = "/test.Handled/Call".parse().unwrap();
        *call.method_mut() = http::Method::POST;
        let answer = soon(channel.clone().oneshot(call)).await;
        if case.is_broken_off {
            // It reset its own stream: what it hears of it is its own affair.
            drop(answer);
        } else {
            let mut answer = answer.unwrap();
            let body = std::mem::take(answer.body_mut());
            let end = soon(body.collect()).await.unwrap().trailers().cloned();
            let status = status_of(&answer, end.as_ref());
            assert_eq!(status, Some(case.at_server.into()), "{}: {answer:?} {end:?}", case.name);
        }
        neighbour.assert_goes_on().await;
        let answers = soon(exchange(client().layer(channel.clone()), good(), None)).await;
        assert!(answers.unwrap() == good(), "after {}", case.name);
    }
}

#[tokio::test]
async fn a_hostile_server_fails_a_call_and_nothing_beside_it() {
    let all_cases = Arc::new(cases());
    let answers = all_cases.clone();
    let plain = Plain(Arc::new(move |call: Request<tonic::body::Body>| {
        let index: usize = call.headers()["x-case"].to_str().unwrap().parse().unwrap();
        response(answers[index].lines, answers[index].body(Some(trailers("0"))))
    }));
    let routes = Routes::new(Handled::echo()).add_service(Echo::default()).add_service(plain);
    let channel = serve(routes, None).await;
    // No layer there: its neighbours speak plain gRPC.
    let client = ClientCompressionLayer::new(Vec::new(), Decoder::new(LIMIT));
    for (index, case) in all_cases.iter().enumerate() {
        let mut call = tonic::Request::new(tokio_stream::iter([Bytes::new()]));
        call.metadata_mut().insert("x-case", index.to_string().parse().unwrap());
        let grpc = Grpc::new(client.layer(channel.clone()));
        let answer = soon(send(grpc, "/test.Plain/Call", call)).await;
        let end = match answer {
            Ok(answer) => {
                let (messages, end) = soon(all(answer.into_inner())).await;
                let allowed = case.at_client == Code::Ok;
                assert!(messages.is_empty() || allowed, "{}: a part arrived", case.name);
                end
            }
            Err(status) => Err(status),
        };
        let code = end.err().map_or(Code::Ok, |status| status.code());
        assert_eq!(code, case.at_client, "{}", case.name);
        let answers = soon(exchange(client.layer(channel.clone()), good(), None)).await;
        assert!(answers.unwrap() == good(), "after {}", case.name);
    }
}

/// As without the layer: the same status, whatever it is.
#[tokio::test]
async fn what_is_no_answer_at_all_is_told_as_tonic_tells_it() {
    for (content_type, status, body, has_end) in [
        ("application/grpc", 200, framed(0, b"x"), false),
        ("application/grpc", 200, Bytes::new(), false),
        ("text/html", 404, Bytes::from_static(b"<html>"), false),
        ("text/html", 503, Bytes::from_static(b"<html>"), false),
        ("application/json", 429, Bytes::from_static(b"{}"), false),
    ] {
        let plain = Plain(Arc::new(move |_| {
            let body = Wire::new([body.clone()], has_end.then(|| trailers("0")));
            let mut answer = response(&[], tonic::body::Body::new(body));
            answer.headers_mut().insert("content-type", content_type.parse().unwrap());
            *answer.status_mut() = status.try_into().unwrap();
            answer
        }));
        let channel = serve(Routes::new(plain), None).await;
        let mut told = Vec::new();
        for is_layered in [false, true] {
            let call = tonic::Request::new(tokio_stream::iter([Bytes::new()]));
            let path = "/test.Plain/Call";
            let answer = if is_layered {
                send(Grpc::new(client().layer(channel.clone())), path, call).await
            } else {
                send(Grpc::new(channel.clone()), path, call).await
            };
            told.push(match answer {
                Ok(answer) => {
                    let (messages, end) = soon(all(answer.into_inner())).await;
                    (messages, end.err().map(|it| (it.code(), it.message().to_owned())))
                }
                Err(status) => (vec![], Some((status.code(), status.message().to_owned()))),
            });
        }
        assert_eq!(told[0], told[1], "{content_type} {status}");
    }
}

#[tokio::test]
async fn html_with_status_200_is_said_so() {
    let plain = Plain(Arc::new(|_| {
        let body = Wire::new([Bytes::from_static(b"<html>log in</html>")], None);
        let mut answer = response(&[], tonic::body::Body::new(body));
        answer.headers_mut().insert("content-type", "text/html".parse().unwrap());
        answer
    }));
    let channel = serve(Routes::new(plain), None).await;
    let call = tonic::Request::new(tokio_stream::iter([Bytes::new()]));
    let grpc = Grpc::new(client().layer(channel));
    let status = send(grpc, "/test.Plain/Call", call).await.unwrap_err();
    assert_eq!(status.code(), Code::Unknown);
    assert!(status.message().contains("text/html"), "{status:?}");
}

/// Streams share buffers, but nothing that is in them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_streams_of_every_encoding_pass_beside_each_other() {
    let channel = serve_echo(Echo::default(), server()).await;
    let messages = |call: usize| -> Vec<Bytes> {
        let lens = [3000, 0, 40, 40_000, 900, 20_000, 300, 100_000, 5000];
        let lens = lens.into_iter().cycle().skip(call % 7).take(20);
        lens.map(|len| {
            format!("call {call}, ").into_bytes().into_iter().cycle().take(len).collect()
        })
        .collect()
    };
    let mut calls = Vec::new();
    for encoder in all_encoders() {
        let layer = ClientCompressionLayer::new(encoder, Decoder::new(LIMIT)).offload_above(50_000);
        for _ in 0..10 {
            let sent = messages(calls.len());
            calls.push(tokio::spawn(exchange(layer.layer(channel.clone()), sent, None)));
        }
    }
    for (call, answers) in calls.into_iter().enumerate() {
        assert!(soon(answers).await.unwrap().unwrap() == messages(call), "call {call}");
    }
}
