//! One encoder and one decoder for all: many threads, floods of bad messages, a bounded pool.

use std::sync::Barrier;
use std::thread;

use bytes::Bytes;
use thinwire::{Decoder, Encoded, Encoder, Encoding, Policy, PoolLimits};
use thinwire_testkit::alloc::{self, COUNTS_C};
use thinwire_testkit::payload::{self, Kind};
use thinwire_testkit::random::Random;
use thinwire_testkit::{levels, promise};

#[test]
fn sixty_four_threads_share_one_encoder_and_decoder() {
    const THREADS: usize = 64;
    for encoding in levels::compressing() {
        let encoder = Encoder::new(encoding).unwrap().policy(Policy::always());
        let decoder = Decoder::new(100_000);
        let barrier = Barrier::new(THREADS);
        thread::scope(|scope| {
            for thread in 0..THREADS {
                let (encoder, decoder, barrier) = (&encoder, &decoder, &barrier);
                scope.spawn(move || {
                    let kind = Kind::ALL[thread % Kind::ALL.len()];
                    let payloads = payload::distinct(kind, 1 + thread * 500, 5);
                    let expected: Vec<_> =
                        payloads.iter().map(|it| promise::compress(encoding.into(), it)).collect();
                    barrier.wait();
                    for _ in 0..10 {
                        for (payload, expected) in payloads.iter().zip(&expected) {
                            let mut encoded = Vec::new();
                            encoder.compress_into(payload, &mut encoded).unwrap();
                            promise::assert_same("encoded", &encoded, expected);
                            let message = Encoded::new(encoding, encoded.into());
                            promise::assert_same(
                                "decoded",
                                &decoder.decode(message).unwrap(),
                                payload,
                            );
                        }
                    }
                });
            }
        });
    }
}

#[test]
fn a_hundred_thousand_corrupt_messages_then_a_good_one() {
    for encoding in levels::compressing() {
        let payload = payload::make(Kind::JsonEvents, 500, 19);
        let good = promise::compress(encoding.into(), &payload);
        let decoder = Decoder::new(1000);
        let mut random = Random::new(20);
        let (mut bad, mut buffer) = (Vec::with_capacity(good.len()), Vec::with_capacity(2000));
        let ((), held) = alloc::measure(|| {
            for _ in 0..100_000 {
                bad.clear();
                bad.extend_from_slice(&good[..random.below(good.len())]);
                if let position @ 1.. = random.below(bad.len()) {
                    bad[position] ^= 1 << random.below(8);
                }
                buffer.clear();
                // Under zstd and the block format a few damages go unseen: there is no checksum.
                drop(decoder.decode_into(encoding, &bad, &mut buffer));
            }
        });
        // One thread used it, so there is one decompressor, of at most `MAX_STATE_LEN`.
        assert!(held.kept_bytes < 200_000, "{encoding}: {held:?}");
        buffer.clear();
        assert_eq!(decoder.decode_into(encoding, &good, &mut buffer), Ok(500), "{encoding}");
        promise::assert_same(encoding.name(), &buffer, &payload);
    }
}

#[test]
fn the_pool_keeps_no_more_items_than_it_may() {
    for encoding in levels::compressing() {
        let limits = PoolLimits::default().max_idle(2);
        let encoder = Encoder::new(encoding).unwrap().pool_limits(limits);
        let one = held_by(|| {
            let encoder = Encoder::new(encoding).unwrap();
            use_from_threads(&encoder, &Decoder::new(1 << 20), 1);
            encoder
        });
        let decoder = Decoder::new(1 << 20).pool_limits(limits);
        use_from_threads(&encoder, &decoder, 16);
        let ((), freed) = alloc::measure(|| drop(encoder));
        let held = -freed.kept_bytes;
        assert!(held <= one * 5 / 2 + 4096, "{encoding}: {held} bytes, one is {one}");
        let ((), freed) = alloc::measure(|| drop(decoder));
        let held = usize::try_from(-freed.kept_bytes).unwrap();
        // The state and, for `decode`, room for the payload, found by steps of four.
        assert!(held <= 2 * (promise::MAX_STATE_LEN + 4 * 150_000), "{encoding}: {held} bytes");
    }
}

#[test]
fn the_pool_keeps_no_more_bytes_than_it_may() {
    const BYTES: usize = 300_000;
    if !COUNTS_C {
        println!("skipped: what the pool holds of C's memory is counted on Linux with glibc only");
        return;
    }
    for encoding in levels::compressing() {
        let limits = PoolLimits::default().max_idle_bytes(BYTES);
        let encoder = Encoder::new(encoding).unwrap().pool_limits(limits);
        let decoder = Decoder::new(1 << 20).pool_limits(limits);
        use_from_threads(&encoder, &decoder, 16);
        for freed in [alloc::measure(|| drop(encoder)).1, alloc::measure(|| drop(decoder)).1] {
            let held = usize::try_from(-freed.kept_bytes).unwrap();
            assert!(held <= BYTES + 16_384, "{encoding}: {held} bytes");
        }
    }
}

/// An idle pool of nothing is slow, but right.
#[test]
fn a_pool_that_keeps_nothing_works() {
    for encoding in levels::compressing() {
        for limits in [PoolLimits::default().max_idle(0), PoolLimits::default().max_idle_bytes(0)] {
            let encoder = Encoder::new(encoding).unwrap().pool_limits(limits);
            let decoder = Decoder::new(1 << 20).pool_limits(limits);
            use_from_threads(&encoder, &decoder, 2);
        }
    }
}

/// Clones share a pool: what one has made the other need not make.
#[test]
fn clones_share_their_pool() {
    let decoder = Decoder::new(1000);
    let clone = decoder.clone();
    let encoded = promise::compress(Encoding::Zstd.into(), b"payload");
    let mut buffer = Vec::with_capacity(1000);
    decoder.decode_into(Encoding::Zstd, &encoded, &mut buffer).unwrap();
    let (result, steady) =
        alloc::measure(|| clone.decode_into(Encoding::Zstd, &encoded, &mut buffer));
    assert_eq!((result, steady.count), (Ok(7), 0));
}

fn use_from_threads(encoder: &Encoder, decoder: &Decoder, threads: usize) {
    let payload = Bytes::from(payload::make(Kind::LogLines, 150_000, 21));
    let barrier = Barrier::new(threads);
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                barrier.wait();
                for _ in 0..5 {
                    let encoded = encoder.encode(payload.clone()).ok();
                    let decoded = encoded.map(|encoded| decoder.decode(encoded));
                    assert_eq!(decoded, Some(Ok(payload.clone())));
                }
            });
        }
    });
}

fn held_by<T>(make: impl FnOnce() -> T) -> i64 {
    let made = make();
    -alloc::measure(|| drop(made)).1.kept_bytes
}
