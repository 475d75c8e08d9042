//! Decoding undoes encoding: every encoding, every level, payloads of every kind.

mod property;

use proptest::prelude::*;
use thinwire::Level;
use thinwire_testkit::payload::{self, Kind};
use thinwire_testkit::{levels, promise};

#[test]
fn every_level_undoes_a_payload_of_each_kind() {
    for level in levels::all() {
        for kind in Kind::ALL {
            for len in [1, 61, 1025, 5000] {
                promise::decoding_undoes_encoding(level, &payload::make(kind, len, 1));
            }
        }
        promise::decoding_undoes_encoding(level, b"");
    }
}

#[test]
fn every_small_payload_is_undone() {
    for level in levels::quick() {
        for payload in payload::all_small() {
            promise::decoding_undoes_encoding(level, &payload.bytes);
        }
    }
}

#[test]
fn lengths_around_the_block_sizes_of_the_formats_are_undone() {
    for level in levels::quick() {
        for payload in payload::block_edges() {
            promise::decoding_undoes_encoding(level, &payload.bytes);
        }
    }
}

#[test]
fn a_payload_of_several_megabytes_is_undone() {
    for encoding in levels::compressing() {
        for kind in [Kind::Zeros, Kind::Random, Kind::LogLines] {
            let payload = payload::make(kind, (5 << 20) + 1, 1);
            promise::decoding_undoes_encoding(Level::from(encoding), &payload);
        }
    }
}

proptest! {
    #![proptest_config(property::config(300))]

    #[test]
    fn any_payload_at_any_level_is_undone(
        level in prop::sample::select(levels::all()),
        kind in prop::sample::select(Kind::ALL.as_slice()),
        len in 0..20_000_usize,
        seed: u64,
    ) {
        promise::decoding_undoes_encoding(level, &payload::make(kind, len, seed));
    }

    #[test]
    fn any_bytes_are_undone(
        level in prop::sample::select(levels::quick()),
        payload in prop::collection::vec(prop_oneof![0..4_u8, any::<u8>()], 0..300),
    ) {
        promise::decoding_undoes_encoding(level, &payload);
    }
}
