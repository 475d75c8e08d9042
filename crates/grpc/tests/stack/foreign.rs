//! What is not gRPC passes untouched, byte for byte and frame for frame.

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body::Body;
use http_body_util::BodyExt;
use thinwire::Decoder;
use thinwire_grpc::{BoxError, ClientCompressionLayer, ServerCompressionLayer};

use crate::frames::{
    Wire, all_encoders, answered_by_service, framed, name, request, seen_by_service, through_client,
};

const FOREIGN: [Option<&str>; 8] = [
    None,
    Some("application/json"),
    Some("text/html; charset=utf-8"),
    Some("application/grpc-web"),
    Some("application/grpc-web+proto"),
    Some("application/grpc-web-text"),
    Some("application/grpcx"),
    Some("application/grp"),
];

/// Bytes that would be a mistake in gRPC.
fn frames() -> Vec<Bytes> {
    vec![framed(1, b"?"), framed(9, b"!"), Bytes::from(vec![255; 3000]), Bytes::new(), "x".into()]
}

fn end() -> HeaderMap {
    HeaderMap::from_iter([(name("x-end"), "1".parse().unwrap())])
}

/// Headers that gRPC's layers would change.
fn headers(content_type: Option<&str>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    if let Some(content_type) = content_type {
        headers.insert("content-type", content_type.parse().unwrap());
    }
    headers.insert("content-length", "3013".parse().unwrap());
    headers.append("grpc-encoding", "br".parse().unwrap());
    headers.append("grpc-accept-encoding", "br".parse().unwrap());
    headers.append("grpc-accept-encoding", "gzip".parse().unwrap());
    headers
}

fn client() -> ClientCompressionLayer {
    ClientCompressionLayer::new(all_encoders(), Decoder::new(100))
}

fn server() -> ServerCompressionLayer {
    ServerCompressionLayer::new(all_encoders(), Decoder::new(100))
}

fn body() -> Wire {
    Wire::new(frames(), Some(end()))
}

async fn assert_untouched<B>(what: &str, mut body: B)
where
    B: Body<Data = Bytes, Error = BoxError> + Unpin,
{
    assert_eq!(body.size_hint().exact(), self::body().size_hint().exact(), "{what}");
    for expected in frames() {
        assert_eq!(body.frame().await.unwrap().unwrap().into_data().unwrap(), expected, "{what}");
    }
    assert_eq!(body.frame().await.unwrap().unwrap().into_trailers().unwrap(), end(), "{what}");
    assert!(body.is_end_stream(), "{what}");
    assert!(body.frame().await.is_none(), "{what}");
}

fn foreign_request(content_type: Option<&str>) -> Request<Wire> {
    let mut request = Request::put("/some/where?else").body(body()).unwrap();
    *request.headers_mut() = headers(content_type);
    request
}

fn foreign_answer(content_type: Option<&str>, status: StatusCode) -> Response<Wire> {
    let mut answer = Response::new(body());
    *answer.headers_mut() = headers(content_type);
    *answer.status_mut() = status;
    answer
}

#[tokio::test]
async fn a_request_that_is_not_grpc_passes_untouched_and_so_does_its_answer() {
    for content_type in FOREIGN {
        let what = format!("{content_type:?}");
        let seen = seen_by_service(&server(), foreign_request(content_type)).await.unwrap();
        assert_eq!(
            (seen.method().as_str(), seen.uri()),
            ("PUT", &"/some/where?else".parse().unwrap())
        );
        assert_eq!(*seen.headers(), headers(content_type));
        assert_untouched(&what, seen.into_body()).await;
        for (answer_type, status) in
            [(content_type, 200), (Some("application/grpc"), 200), (content_type, 404)]
        {
            let status = StatusCode::from_u16(status).unwrap();
            let answer = foreign_answer(answer_type, status);
            let (sent, heard) =
                through_client(&client(), foreign_request(content_type), answer).await;
            assert_eq!(*sent.headers(), headers(content_type));
            assert_untouched(&what, sent.into_body()).await;
            assert_eq!((heard.status(), heard.headers()), (status, &headers(answer_type)));
            assert_untouched(&what, heard.into_body()).await;
            let answer = foreign_answer(answer_type, status);
            let answered =
                answered_by_service(&server(), foreign_request(content_type), answer).await;
            assert_eq!((answered.status(), answered.headers()), (status, &headers(answer_type)));
            assert_untouched(&what, answered.into_body()).await;
        }
    }
}

#[tokio::test]
async fn an_http_error_in_answer_to_grpc_passes_untouched() {
    for content_type in FOREIGN {
        for status in [StatusCode::NOT_FOUND, StatusCode::BAD_GATEWAY] {
            let what = format!("{status} {content_type:?}");
            let call = request(&[], Wire::new([framed(0, b"hello")], None));
            let (_, heard) =
                through_client(&client(), call, foreign_answer(content_type, status)).await;
            assert_eq!((heard.status(), heard.headers()), (status, &headers(content_type)));
            assert_untouched(&what, heard.into_body()).await;
            let call = request(&[("grpc-accept-encoding", b"gzip")], Wire::new([], None));
            let answered =
                answered_by_service(&server(), call, foreign_answer(content_type, status)).await;
            assert_eq!((answered.status(), answered.headers()), (status, &headers(content_type)));
            assert_untouched(&what, answered.into_body()).await;
        }
    }
}

#[tokio::test]
async fn every_spelling_of_grpc_is_grpc() {
    for grpc in [
        "application/grpc",
        "application/grpc+proto",
        "application/grpc+json",
        "Application/GRPC;x=y",
    ] {
        let mut call = request(&[], Wire::new([framed(0, &[b'a'; 3000])], None));
        call.headers_mut().insert("content-type", grpc.parse().unwrap());
        let answer = foreign_answer(None, StatusCode::NOT_FOUND);
        let (sent, _) = through_client(&client(), call, answer).await;
        assert_eq!(sent.headers()["grpc-encoding"], "gzip", "{grpc}");
        assert_eq!(sent.headers()["content-type"], grpc);
    }
}
