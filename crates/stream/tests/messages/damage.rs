//! Bytes that were damaged on their way.

use thinwire::Encoding;
use thinwire::counters::ErrorKind;
use thinwire_stream::ClientCompressionConfig;
use thinwire_testkit::random::Random;

use crate::support::{Broker, Iggy, Nats, codec, encodings, errors, events, labelled};

/// Of a framed Snappy stream.
const IDENTIFIER_LEN: usize = 10;

#[test]
fn a_message_cut_short_anywhere_is_an_error_with_the_message_in_it() {
    fn check<M: Broker>() {
        let codec = codec::<M>(&ClientCompressionConfig::off());
        let mut count = 0;
        for encoding in encodings::<M>() {
            let whole = labelled::<M>(encoding, &events(700, 60));
            for len in 1..whole.payload().len() {
                if encoding == Encoding::SnappyFramed && len == IDENTIFIER_LEN {
                    continue; // a whole stream of nothing: the format has no end mark
                }
                let cut = whole.carrying(whole.payload().slice(..len));
                let bad = codec.maybe_decompress(cut.clone()).unwrap_err();
                assert_eq!((bad.message(), bad.encoded_len()), (&cut, len), "{encoding}");
                count += 1;
            }
        }
        let counted: Vec<_> = errors(codec.counters()).iter().map(|it| (it.1, it.2)).collect();
        assert_eq!(counted, [(ErrorKind::Malformed, count)]);
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn bytes_after_the_end_are_an_error() {
    fn check<M: Broker>() {
        let codec = codec::<M>(&ClientCompressionConfig::off());
        for encoding in encodings::<M>() {
            let whole = labelled::<M>(encoding, &events(700, 61));
            let long = whole.carrying([whole.payload(), &b"!"[..]].concat().into());
            assert_eq!(*codec.maybe_decompress(long.clone()).unwrap_err().message(), long);
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

/// Not every encoding has a checksum, so a flipped bit may go unseen; but it is one message, and
/// within the limit.
#[test]
fn a_flipped_bit_is_one_message_or_one_error() {
    fn check<M: Broker>() {
        let codec = codec::<M>(&ClientCompressionConfig::off().max_payload_size(2000));
        let mut random = Random::new(62);
        for encoding in encodings::<M>() {
            let whole = labelled::<M>(encoding, &events(700, 62));
            for at in 0..whole.payload().len() {
                let mut bytes = whole.payload().to_vec();
                bytes[at] ^= 1 << random.below(8);
                let flipped = whole.carrying(bytes.into());
                match codec.maybe_decompress(flipped.clone()) {
                    Ok(restored) => assert!(restored.payload().len() <= 2000),
                    Err(bad) => assert_eq!(*bad.message(), flipped),
                }
            }
        }
    }
    check::<Nats>();
    check::<Iggy>();
}
