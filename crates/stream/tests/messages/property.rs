//! Any payload under any headers comes back, and any bytes under any label are one message or one
//! error.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use thinwire::Encoding;
use thinwire_stream::ClientCompressionConfig;

use crate::support::{Broker, Iggy, Nats, codec, compressed};

fn payload() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..600),
        (any::<u8>(), 0..40_000_usize).prop_map(|(byte, len)| vec![byte; len]),
        (0..800_usize).prop_map(|times| b"some label=\"value\" ".repeat(times)),
    ]
}

fn encoding() -> impl Strategy<Value = Encoding> {
    proptest::sample::select(&Encoding::ALL[..])
}

fn header() -> impl Strategy<Value = (String, Vec<u8>)> {
    let name = prop_oneof![
        "[a-z-]{1,20}",
        Just("Content-Encoding".to_owned()),
        Just("content-encoding".to_owned()),
        Just("Thinwire".to_owned()),
        Just("iggy-compression".to_owned()),
    ];
    let value = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..300),
        proptest::sample::select(vec!["0", "1", "br", "gzip, gzip"]).prop_map(|it| it.into()),
        encoding().prop_map(|it| it.name().to_uppercase().into_bytes()),
        encoding().prop_map(|it| it.name().into()),
    ];
    (name, value)
}

fn headers() -> impl Strategy<Value = Vec<(String, Vec<u8>)>> {
    proptest::collection::vec(header(), 0..4)
}

fn message<M: Broker>(payload: Vec<u8>, headers: &[(String, Vec<u8>)]) -> M {
    headers.iter().fold(M::new(payload), |it, (name, value)| it.header(name, value))
}

/// Is or is not labelled: what was not, comes back; what was, was not touched.
fn assert_round_trip<M: Broker>(message: &M, encoding: Encoding, min_size: usize) {
    let config = ClientCompressionConfig::new(encoding).min_size(min_size);
    let Ok(codec) = thinwire_stream::MessageCodec::new(&config, M::LABEL) else {
        return assert!(M::LABEL.value(encoding).is_none());
    };
    let mut is_labelled = false;
    message.get(M::LABEL.name(), &mut |_| is_labelled = true).unwrap();
    let sent = codec.maybe_compress(message).unwrap();
    if is_labelled {
        let sent = sent.unwrap_or_else(|| message.clone());
        assert_eq!(sent.payload(), message.payload());
        match codec.maybe_decompress(sent.clone()) {
            Ok(received) if received.payload() == sent.payload() => {}
            Ok(received) => assert!(!received.names().contains(&M::LABEL.name())),
            Err(bad) => assert_eq!(*bad.message(), sent),
        }
        return;
    }
    let sent = match sent {
        None => message.clone(),
        Some(sent) => {
            assert!(sent.wire_len() < message.wire_len() && message.payload().len() >= min_size);
            sent
        }
    };
    assert_eq!(codec.maybe_compress(&sent).unwrap().filter(|_| sent != *message), None);
    let received = codec.maybe_decompress(sent).unwrap();
    assert_eq!(received.payload(), message.payload());
    // A mark without a label is nobody's, and goes with ours.
    let kept = |message: &M| -> Vec<String> {
        let names = message.names().into_iter().map(str::to_owned);
        names.filter(|name| !name.eq_ignore_ascii_case("thinwire")).collect()
    };
    assert_eq!(kept(&received), kept(message));
}

fn assert_one_message_or_one_error<M: Broker>(message: &M) {
    let codec = codec::<M>(&ClientCompressionConfig::off().max_payload_size(50_000));
    match codec.maybe_decompress(message.clone()) {
        Ok(restored) => assert!(restored.payload().len() <= 50_000),
        Err(bad) => assert_eq!(bad.into_message(), *message),
    }
    let counted = codec.counters().snapshot();
    assert_eq!(counted.rows.len() + counted.errors.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        rng_seed: RngSeed::Fixed(0x7417),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_payload_in_any_encoding_under_any_headers_comes_back(
        payload in payload(),
        encoding in encoding(),
        headers in headers(),
        min_size in prop_oneof![Just(0), 0..2000_usize],
    ) {
        assert_round_trip::<Nats>(&message(payload.clone(), &headers), encoding, min_size);
        assert_round_trip::<Iggy>(&message(payload, &headers), encoding, min_size);
    }

    #[test]
    fn any_bytes_under_any_headers_are_one_message_or_one_error(
        payload in payload(),
        encoding in encoding(),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
        headers in headers(),
    ) {
        let mut bytes = compressed(encoding, &payload).to_vec();
        if is_cut && !bytes.is_empty() {
            bytes.truncate(cut.index(bytes.len()));
        }
        assert_one_message_or_one_error::<Nats>(&message(bytes.clone(), &headers));
        assert_one_message_or_one_error::<Iggy>(&message(bytes, &headers));
    }
}
