//! Our limit beside tonic's own: each holds for the payload, the smaller one counts.

use bytes::Bytes;
use http_body::Body;
use thinwire::{Decoder, Encoding};
use thinwire_grpc::{ClientCompressionLayer, Compress, ServerCompressionLayer};
use tonic::client::{Grpc, GrpcService};
use tonic::service::Routes;
use tonic::transport::Channel;
use tonic::{Code, Status};
use tower::Layer;

use crate::frames::{
    Wire, all_encoders, compressed, compressing, encoder, framed, read, request, response,
    seen_by_service, through_client,
};
use crate::handled::{Handled, all, call, serve};

const MIB: usize = 1 << 20;

/// A server's side that does not limit anything but by our layer, if that.
async fn open_server(layer: usize) -> Channel {
    let handled = Handled::echo().tuned(|grpc| grpc.max_decoding_message_size(usize::MAX));
    let layer = ServerCompressionLayer::new(all_encoders(), Decoder::new(layer));
    serve(Routes::new(handled), Some(layer)).await
}

/// With tonic's own limit of 4 MiB on requests.
async fn server_with_tonics_limit(layer: usize) -> Channel {
    let layer = ServerCompressionLayer::new(all_encoders(), Decoder::new(layer));
    serve(Routes::new(Handled::echo()), Some(layer)).await
}

/// Sends a payload of so many bytes and waits for it to come back.
async fn echo(
    channel: Channel,
    encoding: Encoding,
    layer: usize,
    tonics: Option<usize>,
    len: usize,
) -> Result<usize, Status> {
    let layer = ClientCompressionLayer::new(encoder(encoding), Decoder::new(layer));
    let mut grpc = Grpc::new(layer.layer(channel));
    if let Some(tonics) = tonics {
        grpc = grpc.max_decoding_message_size(tonics);
    }
    let answer = call(grpc, [Bytes::from(vec![b'a'; len])]).await?;
    let (answers, end) = all(answer.into_inner()).await;
    end.map(|()| answers[0].len())
}

#[tokio::test]
async fn tonics_limit_holds_for_the_payload_behind_a_larger_one_of_ours() {
    for encoding in compressing() {
        // On the wire it is far below either limit.
        let at_server = server_with_tonics_limit(64 * MIB).await;
        let open = open_server(64 * MIB).await;
        let max = Some(usize::MAX);
        let fits = echo(at_server.clone(), encoding, 64 * MIB, max, 4 * MIB).await;
        assert_eq!(fits.unwrap(), 4 * MIB, "{encoding}");
        let status = echo(at_server, encoding, 64 * MIB, max, 4 * MIB + 1).await.unwrap_err();
        assert_eq!(status.code(), Code::OutOfRange, "{encoding}: {status:?}");
        assert!(status.message().contains("4194305"), "{encoding}: {status:?}");
        let status = echo(open.clone(), encoding, 64 * MIB, None, 4 * MIB + 1).await.unwrap_err();
        assert_eq!(status.code(), Code::OutOfRange, "{encoding}: {status:?}");
        assert_eq!(echo(open, encoding, 64 * MIB, max, 4 * MIB + 1).await.unwrap(), 4 * MIB + 1);
    }
}

#[tokio::test]
async fn our_limit_comes_first_also_where_tonics_would_hold_too() {
    for encoding in compressing().chain([Encoding::Identity]) {
        for len in [2 * MIB, 5 * MIB] {
            let at_server = server_with_tonics_limit(MIB).await;
            let status = echo(at_server, encoding, 64 * MIB, None, len).await.unwrap_err();
            assert_eq!(status.code(), Code::ResourceExhausted, "{encoding}: {status:?}");
            assert!(status.message().contains("max_payload_len"), "{encoding}: {status:?}");
            let open = open_server(64 * MIB).await;
            let status = echo(open, encoding, MIB, None, len).await.unwrap_err();
            assert_eq!(status.code(), Code::ResourceExhausted, "{encoding}: {status:?}");
            assert!(status.message().contains("max_payload_len"), "{encoding}: {status:?}");
        }
    }
}

/// Which error it is, tonic says, with our layers as without.
#[tokio::test]
async fn tonics_limit_on_what_is_sent_holds_for_the_payload_before_compression() {
    async fn end_of<S>(grpc: Grpc<S>, len: usize) -> Option<(Code, String)>
    where
        S: GrpcService<tonic::body::Body>,
        S::ResponseBody: Body<Data = Bytes> + Send + 'static,
        <S::ResponseBody as Body>::Error: Into<tonic::codegen::StdError> + Send,
    {
        let end = match call(grpc, [Bytes::from(vec![b'a'; len])]).await {
            Ok(answer) => all(answer.into_inner()).await.1,
            Err(status) => Err(status),
        };
        end.err().map(|status| (status.code(), status.message().to_owned()))
    }
    let client = ClientCompressionLayer::new(encoder(Encoding::Gzip), Decoder::new(64 * MIB));
    let server = ServerCompressionLayer::new(all_encoders(), Decoder::new(64 * MIB));
    let open = Handled::echo();
    let limited = open.clone().tuned(|grpc| grpc.max_encoding_message_size(1000));
    for (handled, at_client) in [(open, 1000), (limited, usize::MAX)] {
        let routes = Routes::new(handled);
        let bare = serve(routes.clone(), None).await;
        let layered = client.layer(serve(routes, Some(server.clone())).await);
        for len in [1000, 1001] {
            let bare = Grpc::new(bare.clone()).max_encoding_message_size(at_client);
            let layered = Grpc::new(layered.clone()).max_encoding_message_size(at_client);
            let expected = end_of(bare, len).await;
            assert_eq!(end_of(layered, len).await, expected, "{len}");
            assert_eq!(expected.is_some(), len > 1000, "{expected:?}");
        }
    }
}

#[tokio::test]
async fn the_limit_is_exact_in_every_encoding_on_both_sides() {
    const LIMIT: usize = 10_000;
    for encoding in compressing() {
        for (len, expected) in [(LIMIT, None), (LIMIT + 1, Some(8))] {
            let coded = framed(1, &compressed(encoding, &vec![b'a'; len]));
            let lines = [("grpc-encoding", encoding.name().as_bytes())];
            let server = ServerCompressionLayer::new(all_encoders(), Decoder::new(LIMIT));
            let call = request(&lines, Wire::new([coded.clone()], None));
            let seen = read(seen_by_service(&server, call).await.unwrap().into_body()).await;
            assert_eq!(seen.code(), expected, "{encoding}: {seen:?}");
            assert_eq!(seen.data.len(), if expected.is_none() { len + 5 } else { 0 });
            let client = ClientCompressionLayer::new(all_encoders(), Decoder::new(LIMIT));
            let mut call = request(&[], Wire::new([], None));
            call.extensions_mut().insert(Compress::Off);
            let (_, heard) =
                through_client(&client, call, response(&lines, Wire::new([coded], None))).await;
            assert_eq!(read(heard.into_body()).await.code(), expected, "{encoding}");
        }
    }
}

/// The server has answered long before the client has sent what its window does not hold.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_refusal_reaches_a_client_that_is_still_sending() {
    let noise = (0..2_u32 << 20).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes());
    let long: Bytes = noise.collect();
    let gzip_alone = Decoder::new(64 * MIB).accept([Encoding::Gzip]);
    for (decoder, expected) in
        [(gzip_alone, Code::Unimplemented), (Decoder::new(MIB), Code::ResourceExhausted)]
    {
        let server = ServerCompressionLayer::new(all_encoders(), decoder);
        let channel = serve(Routes::new(Handled::echo()), Some(server)).await;
        for _ in 0..3 {
            let client = ClientCompressionLayer::new(encoder(Encoding::Zstd), Decoder::new(MIB));
            let messages = std::iter::repeat_n(long.clone(), 3);
            let end = match call(Grpc::new(client.layer(channel.clone())), messages).await {
                Ok(answer) => all(answer.into_inner()).await.1,
                Err(status) => Err(status),
            };
            assert_eq!(end.unwrap_err().code(), expected);
        }
    }
}

#[tokio::test]
async fn a_damaged_message_is_told_with_the_limit_that_was_set() {
    for encoding in compressing() {
        let layer = ServerCompressionLayer::new(all_encoders(), Decoder::new(8 << 20));
        let mut damaged = compressed(encoding, &[b'a'; 5000]);
        damaged.pop();
        let lines = [("grpc-encoding", encoding.name().as_bytes())];
        let call = request(&lines, Wire::new([framed(1, &damaged)], None));
        let read = read(seen_by_service(&layer, call).await.unwrap().into_body()).await;
        let error = read.error.unwrap();
        assert_eq!(error.code(), Code::Internal, "{encoding}");
        let text = error.message();
        assert!(text.starts_with("request: malformed"), "{encoding}: {text}");
        assert!(text.contains("the limit is 8388608 bytes"), "{encoding}: {text}");
    }
}
