//! Allocations, counted exactly, those of C libraries with them: none in steady state.

use bytes::Bytes;
use thinwire::{Decoder, Encoded, Encoder, Encoding, Level, Policy};
use thinwire_testkit::alloc::{self, Allocations, COUNTS_C};
use thinwire_testkit::payload::{self, Kind};
use thinwire_testkit::{levels, promise};

const LENS: [usize; 4] = [300, 4096, 70_000, 1_000_000];

#[test]
fn c_libraries_are_counted_where_they_can_be() {
    let can_be = cfg!(all(target_os = "linux", target_env = "gnu"));
    assert_eq!(COUNTS_C, can_be);
    if !can_be {
        println!("skipped: C libraries are counted on Linux with glibc only; Rust is everywhere");
    }
}

#[test]
fn a_reused_buffer_is_all_that_encoding_needs() {
    for level in levels::quick() {
        let encoder = Encoder::new(level).unwrap().policy(Policy::always());
        for payloads in batches() {
            let mut buffer = Vec::new();
            let mut encode_all = || {
                for payload in &payloads {
                    buffer.clear();
                    encoder.compress_into(payload, &mut buffer).unwrap();
                    buffer.clear();
                    encoder.encode_into(payload, &mut buffer).unwrap();
                }
            };
            encode_all();
            let ((), steady) = alloc::measure(encode_all);
            assert_eq!(steady, Allocations::default(), "{level}, {}", name(&payloads));
        }
    }
}

#[test]
fn a_reused_buffer_is_all_that_decoding_needs() {
    for level in levels::quick() {
        let decoder = Decoder::new(1_000_000);
        for payloads in batches() {
            let encoded: Vec<_> = payloads.iter().map(|it| promise::compress(level, it)).collect();
            let mut buffer = Vec::new();
            let mut decode_all = || {
                for encoded in &encoded {
                    buffer.clear();
                    decoder.decode_into(level.encoding(), encoded, &mut buffer).unwrap();
                }
            };
            decode_all();
            let ((), steady) = alloc::measure(decode_all);
            assert_eq!(steady, Allocations::default(), "{level}, {}", name(&payloads));
        }
    }
}

#[test]
fn bytes_are_allocated_once_and_no_longer_than_needed() {
    for level in levels::quick() {
        let encoder = Encoder::new(level).unwrap().policy(Policy::always());
        let decoder = Decoder::new(1_000_000);
        for payloads in batches() {
            let payloads = shared(&payloads);
            for payload in &payloads {
                let encoded = encoder.encode(payload.clone()).unwrap(); // warm
                decoder.decode(encoded.clone()).unwrap();
            }
            for payload in &payloads {
                let (encoded, steady) = alloc::measure(|| encoder.encode(payload.clone()));
                let encoded = encoded.unwrap();
                let what = format!("{level}, {} bytes, {steady:?}", payload.len());
                let made = u64::from(encoded.encoding() != Encoding::Identity);
                assert_eq!(steady.count, made, "encode {what}");
                assert!(steady.bytes <= encoded.bytes().len() as u64, "encode {what}");

                drop(encoded.clone());
                let (decoded, steady) = alloc::measure(|| decoder.decode(encoded.clone()));
                let what = format!("{level}, {} bytes, {steady:?}", payload.len());
                assert_eq!(decoded.unwrap(), *payload, "decode {what}");
                assert_eq!(steady.count, made, "decode {what}");
                assert!(steady.bytes <= payload.len() as u64, "decode {what}");
            }
        }
    }
}

#[test]
fn identity_allocates_nothing() {
    for payloads in batches() {
        for payload in shared(&payloads) {
            promise::identity_is_never_copied(&payload);
        }
    }
}

/// Errors are as free as success, so that a flood of bad messages costs nothing either.
#[test]
fn errors_allocate_nothing() {
    for encoding in levels::compressing() {
        let decoder = Decoder::new(4096);
        let good = promise::compress(encoding.into(), &payload::make(Kind::LogLines, 4096, 16));
        let long = promise::compress(encoding.into(), &payload::make(Kind::LogLines, 9000, 16));
        let cut = &good[..good.len() - 1];
        let mut buffer = Vec::with_capacity(4096);
        let mut decode_all = || {
            for (encoded, works) in [(&good[..], true), (cut, false), (&long, false), (b"?", false)]
            {
                buffer.clear();
                let result = decoder.decode_into(encoding, encoded, &mut buffer);
                assert_eq!(result.is_ok(), works, "{encoding}");
            }
        };
        decode_all();
        let ((), steady) = alloc::measure(decode_all);
        assert_eq!(steady, Allocations::default(), "{encoding}");
    }
}

/// A decoder under a limit of 64 MB keeps small messages in small buffers.
#[test]
fn live_payloads_take_their_own_length() {
    let decoder = Decoder::new(64_000_000);
    for encoding in levels::compressing() {
        let payload = payload::make(Kind::JsonEvents, 100, 17);
        let message = Encoded::new(encoding, promise::compress(encoding.into(), &payload).into());
        decoder.decode(message.clone()).unwrap();
        let (kept, held) = alloc::measure(|| {
            (0..10_000).map(|_| decoder.decode(message.clone()).unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(kept.len(), 10_000);
        assert!(held.kept_bytes < 10_000_000, "{encoding}: {held:?}");
    }
}

/// The first message of a new encoder or decoder makes its state, in a few allocations.
#[test]
fn the_first_message_costs_what_the_documentation_says() {
    for encoding in levels::compressing() {
        let payload = payload::make(Kind::JsonEvents, 10_000, 18);
        let encoded = promise::compress(Level::from(encoding), &payload);
        let mut buffer = Vec::with_capacity(20_000);
        let (_, first) = alloc::measure(|| {
            let decoder = Decoder::new(1 << 20);
            decoder.decode_into(encoding, &encoded, &mut buffer).map(|_| decoder)
        });
        assert!(first.count <= 8, "{encoding}: {first:?}");
        assert!(first.bytes <= promise::MAX_STATE_LEN as u64, "{encoding}: {first:?}");
    }
}

/// For each length many payloads of all kinds in turn.
fn batches() -> impl Iterator<Item = Vec<Vec<u8>>> {
    LENS.into_iter().map(|len| {
        let count = if len > 100_000 { 1 } else { 3 };
        Kind::ALL.into_iter().flat_map(|kind| payload::distinct(kind, len, count)).collect()
    })
}

/// The first clone of a `Bytes` that was a `Vec` makes its counter.
fn shared(payloads: &[Vec<u8>]) -> Vec<Bytes> {
    let shared: Vec<_> = payloads.iter().cloned().map(Bytes::from).collect();
    drop(shared.clone());
    shared
}

fn name(payloads: &[Vec<u8>]) -> String {
    let len = payloads.first().map_or(0, Vec::len);
    format!("{} payloads of {len} bytes", payloads.len())
}
