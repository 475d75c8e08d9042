//! The whole content or a clear error: what is cut, padded or joined. Wrong checksums, reserved
//! bits and the like are among the vectors.

mod property;

use proptest::prelude::*;
use thinwire::Encoding;
use thinwire_testkit::payload::{self, Kind};
use thinwire_testkit::prefixes::prefixes;
use thinwire_testkit::{levels, promise, vectors};

#[test]
fn decode_gives_the_whole_content_of_what_we_write() {
    for level in levels::quick() {
        for kind in Kind::ALL {
            for len in [1, 50, 3000] {
                let payload = payload::make(kind, len, 5);
                let encoded = promise::compress(level, &payload);
                promise::decode_gives_the_whole_content(level.encoding(), &encoded, &payload);
            }
        }
        let empty = promise::compress(level, b"");
        promise::decode_gives_the_whole_content(level.encoding(), &empty, b"");
    }
}

#[test]
fn decode_gives_the_whole_content_of_several_blocks() {
    for encoding in levels::compressing() {
        for kind in [Kind::Random, Kind::LogLines] {
            let payload = payload::make(kind, 140_000, 6);
            let encoded = promise::compress(encoding.into(), &payload);
            promise::decode_gives_the_whole_content(encoding, &encoded, &payload);
        }
    }
}

#[test]
fn what_reference_tools_write_may_have_no_junk_after_its_end() {
    for vector in vectors::all() {
        if let vectors::Expect::Payload(payload) = &vector.expect {
            promise::junk_after_the_end_is_an_error(vector.encoding, &vector.encoded, payload);
        }
    }
}

#[test]
fn what_reference_tools_write_may_follow_each_other() {
    for encoding in levels::compressing() {
        let all = vectors::all();
        let units: Vec<_> = all
            .iter()
            .filter(|vector| vector.encoding == encoding)
            .filter_map(|vector| {
                let vectors::Expect::Payload(payload) = &vector.expect else { return None };
                Some((&vector.encoded[..], &payload[..]))
            })
            .collect();
        assert!(units.len() > 5, "{encoding}");
        promise::units_may_follow(encoding, &units);
    }
}

/// One encoding's bytes under the label of another: an error, whatever they are.
#[test]
fn another_encoding_is_never_taken_for_the_one_on_the_label() {
    let payload = payload::make(Kind::JsonEvents, 500, 7);
    for level in levels::quick() {
        let encoded = promise::compress(level, &payload);
        for label in levels::compressing().filter(|&label| label != level.encoding()) {
            let result = promise::decode(label, &encoded, 1 << 20);
            assert!(result.is_err(), "{level} under the label {label}");
        }
    }
}

#[test]
fn vectors_never_panic_under_any_label() {
    for vector in vectors::all() {
        promise::decode_never_panics(&vector.encoded, vector.limit.min(1 << 20));
    }
}

proptest! {
    #![proptest_config(property::config(1000))]

    #[test]
    fn any_bytes_never_panic(
        encoding in prop::sample::select(Encoding::ALL.as_slice()),
        prefix: prop::sample::Index,
        rest in prop::collection::vec(any::<u8>(), 0..300),
        limit in 0..100_000_usize,
    ) {
        let encoded = [*prefix.get(prefixes(encoding)), &rest[..]].concat();
        promise::decode_never_panics(&encoded, limit);
    }

    #[test]
    fn any_payload_is_whole_or_an_error(
        level in prop::sample::select(levels::quick()),
        kind in prop::sample::select(Kind::ALL.as_slice()),
        len in 0..200_usize,
        seed: u64,
    ) {
        let payload = payload::make(kind, len, seed);
        let encoded = promise::compress(level, &payload);
        promise::decode_gives_the_whole_content(level.encoding(), &encoded, &payload);
    }
}
