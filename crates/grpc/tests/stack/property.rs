//! Any messages, in any encoding, in DATA frames cut anywhere, are the same messages.

use bytes::Bytes;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use thinwire::{Decoder, Encoding};
use thinwire_grpc::{ClientCompressionLayer, ServerCompressionLayer};

use crate::frames::{
    Wire, answered_by_service, encoder, framed, read, request, response, seen_by_service,
    through_client, trailers,
};

/// Cuts bytes into chunks of these lengths, taken round and round.
fn cut(bytes: &[u8], lens: &[usize]) -> Vec<Bytes> {
    let mut rest = bytes;
    let mut chunks = Vec::new();
    for len in lens.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (chunk, after) = rest.split_at((*len).min(rest.len()));
        chunks.push(Bytes::copy_from_slice(chunk));
        rest = after;
    }
    chunks
}

async fn assert_same(
    encoding: Encoding,
    messages: &[Vec<u8>],
    lens: &[usize],
    offload_above: usize,
) {
    let client = ClientCompressionLayer::new(encoder(encoding), Decoder::new(1 << 20))
        .offload_above(offload_above);
    let server = ServerCompressionLayer::new(encoder(encoding), Decoder::new(1 << 20))
        .offload_above(offload_above);
    let expected: Vec<u8> = messages.iter().flat_map(|it| framed(0, it)).collect();
    let lines = [("grpc-encoding", encoding.name().as_bytes())];
    let accept = [("grpc-accept-encoding", encoding.name().as_bytes())];
    let nothing = || Wire::new([], None);

    let call = request(&[], Wire::new(cut(&expected, lens), None));
    let (sent, _) = through_client(&client, call, response(&[], nothing())).await;
    let sent = read(sent.into_body()).await.data;
    let call = request(&lines, Wire::new(cut(&sent, lens), None));
    let seen = read(seen_by_service(&server, call).await.unwrap().into_body()).await;
    assert_eq!((seen.data == expected, seen.code()), (true, None), "{encoding}: requests");

    let answer = response(&[], Wire::new(cut(&expected, lens), Some(trailers("0"))));
    let answered = answered_by_service(&server, request(&accept, nothing()), answer).await;
    let answered = read(answered.into_body()).await;
    assert_eq!(answered.code(), Some(0));
    assert_eq!(answered.data, sent, "{encoding}: both sides write the same");
    let answer = response(&lines, Wire::new(cut(&answered.data, lens), Some(trailers("0"))));
    let (_, heard) = through_client(&client, request(&[], nothing()), answer).await;
    let heard = read(heard.into_body()).await;
    assert_eq!((heard.data == expected, heard.code()), (true, Some(0)), "{encoding}: answers");
}

fn message() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        Just(Vec::new()),
        proptest::collection::vec(any::<u8>(), 0..600),
        (any::<u8>(), 0..40_000_usize).prop_map(|(byte, len)| vec![byte; len]),
        (0..800_usize).prop_map(|times| b"some label=\"value\" ".repeat(times)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 60,
        rng_seed: RngSeed::Fixed(0x7417),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_messages_in_any_frames_in_any_encoding_are_the_same_messages(
        messages in proptest::collection::vec(message(), 0..6),
        lens in proptest::collection::vec(prop_oneof![1..8_usize, 1..20_000_usize], 1..6),
        offload_above in prop_oneof![Just(0), Just(1000), Just(usize::MAX)],
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        for encoding in Encoding::ALL {
            runtime.block_on(assert_same(encoding, &messages, &lens, offload_above));
        }
    }
}
