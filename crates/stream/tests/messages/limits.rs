//! No payload above the limit is sent or received: exactly that limit, raw or compressed.

use bytes::Bytes;
use thinwire::counters::{Direction, ErrorKind};
use thinwire::{DecodeError, Encoding};
use thinwire_stream::{ClientCompressionConfig, CompressError, DecompressError};
use thinwire_testkit::alloc;

use crate::support::{Broker, Iggy, Nats, codec, eager, encodings, errors, events, labelled};

#[test]
fn a_producer_sends_what_is_within_the_limit_and_refuses_one_byte_more() {
    fn check<M: Broker>() {
        for encoding in encodings::<M>().chain([Encoding::Identity]) {
            let config = ClientCompressionConfig::new(encoding).max_payload_size(3000);
            let codec = codec::<M>(&config);
            codec.maybe_compress(&M::new(events(3000, 40))).unwrap();
            let long = M::new(events(3001, 40));
            let error = codec.maybe_compress(&long).unwrap_err();
            let CompressError::TooLong { len, limit, .. } = error else { panic!("{error}") };
            assert_eq!((len, limit), (3001, 3000));
            let counted = errors(codec.counters());
            assert_eq!(counted, [(Direction::Encode, ErrorKind::TooLong, 1)]);
            // What it refuses, such a consumer would.
            codec.maybe_decompress(long).unwrap_err();
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn a_consumer_takes_what_is_within_the_limit_and_refuses_one_byte_more() {
    fn check<M: Broker>() {
        for encoding in encodings::<M>() {
            let codec = codec::<M>(&ClientCompressionConfig::off().max_payload_size(3000));
            let fits = codec.maybe_decompress(labelled::<M>(encoding, &events(3000, 41))).unwrap();
            assert_eq!(fits, M::new(events(3000, 41)));
            let long = labelled::<M>(encoding, &events(3001, 41));
            let bad = codec.maybe_decompress(long.clone()).unwrap_err();
            assert_eq!((bad.message(), bad.encoding()), (&long, Some(encoding)));
            let error = bad.reason();
            let DecompressError::Decode(DecodeError::TooLong { limit, .. }) = error else {
                panic!("{error}")
            };
            assert_eq!(*limit, 3000);
            let counted = errors(codec.counters());
            assert_eq!(counted, [(Direction::Decode, ErrorKind::TooLong, 1)]);
        }
        let codec = codec::<M>(&ClientCompressionConfig::off().max_payload_size(3000));
        codec.maybe_decompress(M::new(events(3000, 41))).unwrap();
        let long = M::new(events(3001, 41));
        let bad = codec.maybe_decompress(long.clone()).unwrap_err();
        assert_eq!((bad.message(), bad.encoding()), (&long, None));
        let error = bad.reason();
        let DecompressError::TooLong { len, limit, .. } = error else { panic!("{error}") };
        assert_eq!((*len, *limit), (3001, 3000));
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn by_default_the_limit_is_the_brokers_own() {
    fn check<M: Broker>() {
        let codec = codec::<M>(&ClientCompressionConfig::new(Encoding::Lz4));
        assert_eq!(codec.max_payload_size(), M::MAX_PAYLOAD_LEN);
        let zeros = Bytes::from(vec![0; M::MAX_PAYLOAD_LEN + 1]);
        let fits = M::new(zeros.slice(1..));
        let sent = codec.maybe_compress(&fits).unwrap().unwrap();
        assert!(codec.maybe_decompress(sent).unwrap() == fits);
        codec.maybe_decompress(fits).unwrap();
        let long = M::new(zeros);
        codec.maybe_compress(&long).unwrap_err();
        codec.maybe_decompress(long).unwrap_err();
    }
    check::<Nats>();
    check::<Iggy>();
}

/// Our limit counts before compression, the broker's after.
#[test]
fn a_payload_above_the_brokers_limit_passes_compressed_where_both_ends_allow_it() {
    let raised = ClientCompressionConfig::new(Encoding::Lz4).max_payload_size(70_000_000);
    let raised = codec::<Iggy>(&raised);
    let message = Iggy::new(vec![0; 70_000_000]);
    let sent = raised.maybe_compress(&message).unwrap().unwrap();
    assert!(sent.payload.len() < 1_000_000, "the broker sees so many bytes");
    let usual = codec::<Iggy>(&ClientCompressionConfig::new(Encoding::Lz4));
    usual.maybe_decompress(sent.clone()).unwrap_err();
    assert!(raised.maybe_decompress(sent).unwrap() == message);
}

#[test]
fn a_bomb_takes_no_more_memory_than_the_limit_allows() {
    fn check<M: Broker>() {
        let zeros = vec![0; 20_000_000];
        for encoding in encodings::<M>() {
            let codec = codec::<M>(&ClientCompressionConfig::off().max_payload_size(100_000));
            let bomb = labelled::<M>(encoding, &zeros);
            let (result, used) = alloc::measure(|| codec.maybe_decompress(bomb));
            let bad = result.unwrap_err();
            let is_too_long =
                matches!(bad.reason(), DecompressError::Decode(DecodeError::TooLong { .. }));
            assert!(is_too_long, "{bad}");
            assert!(used.peak_bytes < 600_000, "{encoding}: {used:?}");
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn a_refused_message_can_be_sent_by_a_producer_that_allows_it() {
    let message = Iggy::new(events(3001, 42));
    let strict = codec::<Iggy>(&ClientCompressionConfig::new(Encoding::Lz4).max_payload_size(3000));
    strict.maybe_compress(&message).unwrap_err();
    assert!(eager::<Iggy>(Encoding::Lz4).maybe_compress(&message).unwrap().is_some());
}
