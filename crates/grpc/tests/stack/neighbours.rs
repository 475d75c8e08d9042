//! tonic's own services through the layers: health, reflection, and browsers.

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt, Full};
use thinwire::{Decoder, Encoding};
use thinwire_grpc::{ClientCompressionLayer, Compress, ServerCompressionLayer};
use tokio_stream::StreamExt;
use tonic::service::Routes;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tower::{Layer, ServiceExt};

use crate::frames::{all_encoders, compressed, encoder, framed};
use crate::handled::{Handled, serve};
use crate::support::Tap;

fn layers() -> (ClientCompressionLayer, ServerCompressionLayer) {
    (
        ClientCompressionLayer::new(encoder(Encoding::SnappyBlock), Decoder::new(1 << 20)),
        ServerCompressionLayer::new(all_encoders(), Decoder::new(1 << 20)),
    )
}

#[tokio::test]
async fn health_is_answered_and_watched() {
    let (client, server) = layers();
    let (reporter, health) = tonic_health::server::health_reporter();
    reporter.set_service_status("ingest", tonic_health::ServingStatus::Serving).await;
    let channel = serve(Routes::new(health), Some(server)).await;
    let mut health = HealthClient::new(client.layer(channel));
    let ask = HealthCheckRequest { service: "ingest".into() };
    let answer = health.check(ask.clone()).await.unwrap().into_inner();
    assert_eq!(answer.status(), ServingStatus::Serving);
    let mut changes = health.watch(ask).await.unwrap().into_inner();
    assert_eq!(changes.next().await.unwrap().unwrap().status(), ServingStatus::Serving);
    reporter.set_service_status("ingest", tonic_health::ServingStatus::NotServing).await;
    assert_eq!(changes.next().await.unwrap().unwrap().status(), ServingStatus::NotServing);
    let unknown = health.check(HealthCheckRequest { service: "?".into() }).await.unwrap_err();
    assert_eq!(unknown.code(), tonic::Code::NotFound);
}

#[tokio::test]
async fn reflection_answers_compressed() {
    let (client, server) = layers();
    let reflection = tonic_reflection::server::Builder::configure()
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .build_v1()
        .unwrap();
    let tap = Tap::new(serve(Routes::new(reflection), Some(server)).await);
    let mut reflection = ServerReflectionClient::new(client.layer(tap.clone()));
    let ask = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::FileContainingSymbol("grpc.health.v1.Health".into())),
    };
    let answers = reflection.server_reflection_info(tokio_stream::once(ask)).await.unwrap();
    let answer = answers.into_inner().next().await.unwrap().unwrap();
    let Some(MessageResponse::FileDescriptorResponse(files)) = answer.message_response else {
        panic!("{answer:?}");
    };
    assert!(files.file_descriptor_proto[0].windows(6).any(|it| it == b"Health"));
    assert_eq!(tap.seen().received[0].0, 1, "it is long enough to be compressed");
}

/// What an interceptor puts into the extensions reaches the layer inside of it.
#[tokio::test]
async fn a_generated_client_takes_the_layer_beside_an_origin_and_an_interceptor() {
    let (_, server) = layers();
    let client = ClientCompressionLayer::new(all_encoders(), Decoder::new(1 << 20));
    let (reporter, health) = tonic_health::server::health_reporter();
    let name = "a service of a long name ".repeat(40);
    reporter.set_service_status(&name, tonic_health::ServingStatus::Serving).await;
    let tap = Tap::new(serve(Routes::new(health), Some(server)).await);
    let ask = HealthCheckRequest { service: name };

    let origin = "http://example.org".parse().unwrap();
    let mut with_origin = HealthClient::with_origin(client.layer(tap.clone()), origin);
    with_origin.check(ask.clone()).await.unwrap();
    assert_eq!(tap.seen().request["grpc-encoding"], "gzip");

    let choose = |mut request: tonic::Request<()>| {
        request.extensions_mut().insert(Compress::With(Encoding::Lz4));
        Ok(request)
    };
    let mut intercepted = HealthClient::with_interceptor(client.layer(tap.clone()), choose);
    intercepted.check(ask).await.unwrap();
    assert_eq!(tap.seen().request["grpc-encoding"], "lz4");
    assert_eq!(tap.seen().sent.iter().map(|(flag, _)| *flag).collect::<Vec<_>>(), [1, 1]);
}

/// grpc-web's layer outside, ours inside: the browser's request is gRPC by then.
#[tokio::test]
async fn a_browser_is_answered_through_both_layers() {
    let (_, server) = layers();
    let service = tonic_web::GrpcWebLayer::new().layer(server.layer(Routes::new(Handled::echo())));
    let payload = Bytes::from(vec![b'a'; 3000]);
    for (lines, message) in [
        (&[][..], framed(0, &payload)),
        (&[("grpc-encoding", "gzip")], framed(1, &compressed(Encoding::Gzip, &payload))),
        (
            &[("grpc-encoding", "gzip"), ("grpc-accept-encoding", "gzip")],
            framed(1, &compressed(Encoding::Gzip, &payload)),
        ),
    ] {
        let mut request = Request::post("/test.Handled/Call")
            .header("content-type", "application/grpc-web+proto")
            .body(tonic::body::Body::new(Full::new(message)))
            .unwrap();
        for (key, value) in lines {
            request.headers_mut().insert(*key, value.parse().unwrap());
        }
        let answer = service.clone().oneshot(request).await.unwrap();
        assert_eq!(answer.headers()["content-type"], "application/grpc-web+proto");
        let is_compressed = lines.len() == 2;
        assert_eq!(answer.headers().contains_key("grpc-encoding"), is_compressed);
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        let expected = if is_compressed {
            framed(1, &compressed(Encoding::Gzip, &payload))
        } else {
            framed(0, &payload)
        };
        assert_eq!(body[..expected.len()], expected);
        // grpc-web puts the trailers into the body.
        assert_eq!(body[expected.len()], 0x80);
        assert!(body.ends_with(b"grpc-status:0\r\n"), "{body:?}");
    }
}
