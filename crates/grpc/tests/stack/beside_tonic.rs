//! tonic's own compression left on, at either end or both, with our layers at either end or both.

use bytes::Bytes;
use http::HeaderMap;
use thinwire::{Decoder, Encoding};
use thinwire_grpc::{ClientCompressionLayer, ServerCompressionLayer};
use tonic::client::Grpc;
use tonic::codec::CompressionEncoding;
use tonic::service::Routes;
use tonic::transport::Channel;
use tonic::{Code, Status};
use tower::Layer;

use crate::frames::{all_encoders, encoder};
use crate::handled::{Handled, all, call, send, serve};
use crate::support::{Seen, Tap};

/// What tonic is told.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Own {
    Off,
    Gzip,
    Zstd,
}

impl Own {
    const ALL: [Self; 3] = [Self::Off, Self::Gzip, Self::Zstd];

    const fn tonics(self) -> Option<CompressionEncoding> {
        match self {
            Self::Off => None,
            Self::Gzip => Some(CompressionEncoding::Gzip),
            Self::Zstd => Some(CompressionEncoding::Zstd),
        }
    }

    const fn name(self) -> Option<&'static str> {
        match self {
            Self::Off => None,
            Self::Gzip => Some("gzip"),
            Self::Zstd => Some("zstd"),
        }
    }
}

fn handled(own: Own) -> Handled {
    match own {
        Own::Off => Handled::echo(),
        Own::Gzip => Handled::echo().tuned(|grpc| {
            grpc.send_compressed(CompressionEncoding::Gzip)
                .accept_compressed(CompressionEncoding::Gzip)
                .accept_compressed(CompressionEncoding::Zstd)
        }),
        Own::Zstd => Handled::echo().tuned(|grpc| {
            grpc.send_compressed(CompressionEncoding::Zstd)
                .accept_compressed(CompressionEncoding::Gzip)
                .accept_compressed(CompressionEncoding::Zstd)
        }),
    }
}

fn tuned<S>(mut grpc: Grpc<S>, own: Own) -> Grpc<S> {
    if let Some(encoding) = own.tonics() {
        grpc = grpc
            .send_compressed(encoding)
            .accept_compressed(CompressionEncoding::Gzip)
            .accept_compressed(CompressionEncoding::Zstd);
    }
    grpc
}

fn payload() -> Bytes {
    "{\"series\": \"up\", \"value\": 1}".repeat(400).into()
}

async fn echo(
    tap: Tap<Channel>,
    layer: Option<&ClientCompressionLayer>,
    own: Own,
) -> Result<Vec<Bytes>, Status> {
    let messages = [payload(), Bytes::new(), payload()];
    let answer = match layer {
        Some(layer) => call(tuned(Grpc::new(layer.layer(tap)), own), messages).await?,
        None => call(tuned(Grpc::new(tap), own), messages).await?,
    };
    let (answers, end) = all(answer.into_inner()).await;
    end.map(|()| answers)
}

fn encoding(headers: &HeaderMap) -> Option<&str> {
    headers.get("grpc-encoding").map(|it| it.to_str().unwrap())
}

fn accept_lines(headers: &HeaderMap) -> Vec<&str> {
    headers.get_all("grpc-accept-encoding").iter().map(|it| it.to_str().unwrap()).collect()
}

fn client_layer() -> ClientCompressionLayer {
    ClientCompressionLayer::new(encoder(Encoding::SnappyBlock), Decoder::new(1 << 20))
}

fn server_layer() -> ServerCompressionLayer {
    let encoders =
        [encoder(Encoding::SnappyBlock), encoder(Encoding::Zstd), encoder(Encoding::Gzip)];
    ServerCompressionLayer::new(encoders, Decoder::new(1 << 20))
}

const OURS: &str = "gzip,deflate,zstd,lz4,snappy,snappy-block,identity";

/// One call; what it must say is worked out beside it.
async fn check(at_client: Own, client: bool, at_server: Own, server: bool) {
    let what =
        format!("client {at_client:?} and layer {client}, server {at_server:?} and layer {server}");
    let channel = serve(Routes::new(handled(at_server)), server.then(server_layer)).await;
    let tap = Tap::new(channel);
    let layer = client_layer();
    let answers = echo(tap.clone(), client.then_some(&layer), at_client).await;
    let Seen { request, response, sent, received } = tap.seen();

    // tonic picks first, then the layer.
    let asked = at_client.name().or(client.then_some("snappy-block"));
    assert_eq!(encoding(&request), asked, "{what}");
    let server_reads =
        asked.is_none_or(|asked| server || (at_server != Own::Off && asked != "snappy-block"));
    if !server_reads {
        assert_eq!(answers.unwrap_err().code(), Code::Unimplemented, "{what}");
        return;
    }
    assert!(answers.unwrap() == [payload(), Bytes::new(), payload()], "{what}: other bytes");
    let expected = match (server, client, at_client) {
        // The first of the server's three that the client reads.
        (true, true, _) => Some("snappy-block"),
        (true, false, Own::Off) => None,
        (true, false, _) => Some("zstd"),
        // tonic's, whose choice is the client's first that it knows.
        (false, ..) => encoding(&response),
    };
    assert_eq!(encoding(&response), expected, "{what}");
    if !server {
        let may = at_server != Own::Off && (client || at_client != Own::Off);
        assert_eq!(expected.is_some(), may, "{what}");
    }
    for (messages, encoding) in [(&sent, asked), (&received, expected)] {
        assert_eq!(messages.len(), 3, "{what}");
        assert_eq!(messages[0].0, u8::from(encoding.is_some()), "{what}: {messages:?}");
        // Once: under any of them, and not more.
        assert_eq!(messages[0].1 < payload().len() / 4, encoding.is_some(), "{what}: {messages:?}");
    }
    // One line, whoever wrote it.
    let lines = accept_lines(&request);
    match (client, at_client) {
        (true, _) => assert_eq!(lines, [OURS], "{what}"),
        (false, Own::Off) => assert!(lines.is_empty(), "{what}: {lines:?}"),
        (false, _) => assert_eq!(lines.len(), 1, "{what}: {lines:?}"),
    }
    if server {
        assert_eq!(accept_lines(&response), [OURS], "{what}");
    }
}

#[tokio::test]
async fn every_pairing_carries_the_messages_and_says_how() {
    for at_client in Own::ALL {
        for at_server in Own::ALL {
            for (client, server) in [(true, true), (true, false), (false, true), (false, false)] {
                check(at_client, client, at_server, server).await;
            }
        }
    }
}

/// The lengths on the wire are those of compressing once.
#[tokio::test]
async fn nothing_is_compressed_twice() {
    let mut lens = Vec::new();
    for (at_client, at_server) in [(Own::Gzip, Own::Off), (Own::Gzip, Own::Gzip)] {
        for client in [true, false] {
            let channel = serve(Routes::new(handled(at_server)), Some(server_layer())).await;
            let tap = Tap::new(channel);
            let layer = ClientCompressionLayer::new(all_encoders(), Decoder::new(1 << 20));
            echo(tap.clone(), client.then_some(&layer), at_client).await.unwrap();
            lens.push(tap.seen().sent);
        }
    }
    assert!(lens.iter().all(|it| *it == lens[3]), "{lens:?}");
}

#[tokio::test]
async fn an_error_of_tonics_own_lists_what_the_layer_reads_in_one_line() {
    for own in Own::ALL {
        for layer in [false, true] {
            for path in ["/test.Nothing/Here", "/test.Handled/Call"] {
                let handled = match path {
                    "/test.Nothing/Here" => handled(own),
                    _ => Handled::new(|_| async { Err(Status::unimplemented("not here")) }),
                };
                let channel = serve(Routes::new(handled), Some(server_layer())).await;
                let tap = Tap::new(channel);
                let request = tonic::Request::new(tokio_stream::iter([payload()]));
                let answer = if layer {
                    let grpc = tuned(Grpc::new(client_layer().layer(tap.clone())), own);
                    send(grpc, path, request).await
                } else {
                    send(tuned(Grpc::new(tap.clone()), own), path, request).await
                };
                assert_eq!(answer.unwrap_err().code(), Code::Unimplemented);
                let response = tap.seen().response;
                assert_eq!(accept_lines(&response), [OURS], "{own:?} {path}");
                assert_eq!(encoding(&response), None, "{own:?} {path}");
            }
        }
    }
}
