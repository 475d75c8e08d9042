//! The policy: nothing grows, what does not pay is left as it is, boundaries are where they say.

mod property;

use bytes::Bytes;
use proptest::prelude::*;
use thinwire::{Encoder, Encoding, Policy};
use thinwire_testkit::payload::{self, Kind};
use thinwire_testkit::{levels, promise};

#[test]
fn encoding_never_grows() {
    let policies = [Policy::default(), Policy::always(), Policy::always().label_len(30)];
    for level in levels::quick() {
        for payload in payload::all_small() {
            for policy in policies {
                promise::encode_never_grows(level, policy, &payload.bytes.clone().into());
            }
        }
    }
}

#[test]
fn random_bytes_go_as_they_are() {
    for encoding in levels::compressing() {
        for len in [256, 4096, 65_536, 200_000] {
            let payload = Bytes::from(payload::make(Kind::Random, len, 11));
            let encoder = Encoder::new(encoding).unwrap().policy(Policy::always());
            let encoded = encoder.encode(payload.clone()).unwrap();
            assert_eq!(encoded.encoding(), Encoding::Identity, "{encoding}, {len} bytes");
            assert_eq!(encoded.bytes().as_ptr(), payload.as_ptr(), "{encoding}, {len} bytes");
        }
    }
}

#[test]
fn an_empty_payload_is_never_labelled() {
    for level in levels::all() {
        let encoder = Encoder::new(level).unwrap().policy(Policy::always().min_len(0));
        let encoded = encoder.encode(Bytes::new()).unwrap();
        assert_eq!((encoded.encoding(), encoded.bytes().len()), (Encoding::Identity, 0));
        let mut buffer = Vec::new();
        assert_eq!(encoder.encode_into(b"", &mut buffer), Ok(Encoding::Identity));
        assert!(buffer.is_empty());
    }
}

#[test]
fn min_len_is_the_shortest_that_is_compressed() {
    for encoding in levels::compressing() {
        let encoder = Encoder::new(encoding).unwrap().policy(Policy::always().min_len(1000));
        for (len, expected) in [(999, Encoding::Identity), (1000, encoding), (1001, encoding)] {
            let encoded = encoder.encode(Bytes::from(vec![b'x'; len])).unwrap();
            assert_eq!(encoded.encoding(), expected, "{encoding}, {len} bytes");
        }
    }
}

#[test]
fn the_saving_is_counted_after_the_label() {
    // What came out of the default level tells where the boundary must be.
    let payload = payload::make(Kind::JsonEvents, 2000, 12);
    for encoding in levels::compressing() {
        let saved = payload.len() - promise::compress(encoding.into(), &payload).len();
        for (label_len, expected) in [(saved - 1, encoding), (saved, Encoding::Identity)] {
            let policy = Policy::always().label_len(label_len);
            let encoder = Encoder::new(encoding).unwrap().policy(policy);
            let encoded = encoder.encode(Bytes::from(payload.clone())).unwrap();
            assert_eq!(encoded.encoding(), expected, "{encoding}, label of {label_len} bytes");
        }
    }
}

#[test]
fn boundaries_are_where_they_say() {
    for min_len in [0, 1, 2, 256, 1024, usize::MAX] {
        for percent in [0, 1, 5, 33, 99, 100] {
            for label_len in [0, 1, 29, 1000] {
                promise::policy_boundaries(min_len, percent, label_len);
            }
        }
    }
}

#[test]
fn extreme_numbers_do_not_overflow() {
    let policy = Policy::default().label_len(usize::MAX).min_saving_percent(u8::MAX);
    assert!(!policy.should_keep(usize::MAX, 0));
    assert!(!policy.should_keep(0, usize::MAX));
    assert!(Policy::always().should_keep(usize::MAX, usize::MAX - 1));
    assert!(!Policy::always().min_saving_percent(101).should_keep(1000, 0));
    assert!(Policy::always().min_saving_percent(100).should_keep(1000, 0));
}

#[test]
fn identity_is_never_copied() {
    for len in [0, 1, 100, 100_000] {
        let payload = Bytes::from(payload::make(Kind::LogLines, len, 13));
        drop(payload.clone()); // the first clone makes the counter
        promise::identity_is_never_copied(&payload);
    }
}

proptest! {
    #![proptest_config(property::config(500))]

    #[test]
    fn any_boundary_is_where_it_says(min_len: usize, percent in 0..=100_u8, label in 0..20_000_usize) {
        promise::policy_boundaries(min_len, percent, label);
    }

    #[test]
    fn nothing_grows_under_any_policy(
        level in prop::sample::select(levels::quick()),
        kind in prop::sample::select(Kind::ALL.as_slice()),
        len in 0..3000_usize,
        seed: u64,
        (min_len, percent, label_len) in (0..2000_usize, any::<u8>(), 0..2000_usize),
    ) {
        let policy =
            Policy::default().min_len(min_len).min_saving_percent(percent).label_len(label_len);
        promise::encode_never_grows(level, policy, &payload::make(kind, len, seed).into());
    }
}
