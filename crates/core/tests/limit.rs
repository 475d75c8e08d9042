//! The limit: exact to the byte, and it bounds memory and work too. Bombs are among the vectors.

mod property;

use proptest::prelude::*;
use thinwire::{DecodeError, Decoder, Encoding, Level};
use thinwire_testkit::payload::{self, Kind};
use thinwire_testkit::prefixes::prefixes;
use thinwire_testkit::{alloc, cases, levels, promise, vectors};

#[test]
fn the_limit_is_exact_for_every_level_and_kind() {
    for level in levels::quick() {
        for kind in Kind::ALL {
            for len in [1, 100, 4096, 70_000] {
                let payload = payload::make(kind, len, 3);
                let encoded = promise::compress(level, &payload);
                promise::the_limit_is_exact(level.encoding(), &encoded, &payload);
            }
        }
    }
}

#[test]
fn the_limit_is_exact_for_what_reference_tools_write() {
    for vector in vectors::all() {
        if let vectors::Expect::Payload(payload) = &vector.expect {
            promise::the_limit_is_exact(vector.encoding, &vector.encoded, payload);
        }
    }
}

#[test]
fn a_limit_of_nothing_still_takes_nothing() {
    for encoding in levels::compressing() {
        let empty = promise::compress(encoding.into(), b"");
        assert_eq!(promise::decode(encoding, &empty, 0), Ok(Vec::new()), "{encoding}");
        assert_eq!(promise::decode(encoding, b"", 0), Ok(Vec::new()), "{encoding}");
    }
}

/// What claims 4 GiB under a limit of 1 MiB costs nothing at all, once the decoder is warm, and
/// its own state when it is not.
#[test]
fn a_claim_above_the_limit_allocates_nothing() {
    let claims = [
        (Encoding::SnappyBlock, "ffffffff0f00"),
        (Encoding::SnappyBlock, "8080808001"),
        (Encoding::SnappyFramed, "ff060000734e6150705900090000bb1f1c19ffffffff0f"),
        (Encoding::Zstd, "28b52ffde0ffffffffffffff7f010000"),
        (Encoding::Zstd, "28b52ffda00000004001000000"),
        (Encoding::Lz4, "04224d186840000000400000000061010000807800000000"),
    ];
    for (encoding, hex) in claims {
        let encoded = cases::join(&[(hex.to_owned(), 1)]);
        let decoder = Decoder::new(1 << 20);
        let mut payload = Vec::new();
        let mut decode = || decoder.decode_into(encoding, &encoded, &mut payload);
        let (result, cold) = alloc::measure(&mut decode);
        assert!(result.is_err(), "{encoding} {hex}");
        assert!(cold.peak_bytes < promise::MAX_STATE_LEN as u64, "{encoding} {hex}: {cold:?}");
        let (result, warm) = alloc::measure(decode);
        assert!(result.is_err(), "{encoding} {hex}");
        assert_eq!(warm.count, 0, "{encoding} {hex}: {warm:?}");
        assert_eq!(payload.capacity(), 0, "{encoding} {hex}");
    }
}

/// What says that it is too long is refused before anything is allocated for it.
#[test]
fn a_bomb_that_says_so_allocates_nothing() {
    let mut bombs = vectors::all();
    bombs.retain(|vector| {
        let says_so = ["zstd/sized-4m", "zstd/rle-3m", "zstd/rle-1g", "lz4/declares-1g"];
        let blocks = vector.name.starts_with("bombs/snappy-block/");
        (blocks || says_so.iter().any(|name| vector.name.ends_with(name)))
            && vector.expect == vectors::Expect::TooLong
    });
    assert!(bombs.len() >= 8);
    for bomb in bombs {
        let decoder = Decoder::new(bomb.limit);
        let warm = promise::compress(bomb.encoding.into(), b"warm");
        decoder.decode_into(bomb.encoding, &warm, &mut Vec::new()).unwrap();
        let mut payload = Vec::new();
        let (result, needed) =
            alloc::measure(|| decoder.decode_into(bomb.encoding, &bomb.encoded, &mut payload));
        assert!(matches!(result, Err(DecodeError::TooLong { .. })), "{}", bomb.name);
        assert_eq!(needed.count, 0, "{}: {needed:?}", bomb.name);
    }
}

/// Nine bytes of zstd that declare a window of 128 MiB for an empty payload.
#[test]
fn a_declared_window_allocates_nothing() {
    let encoded = b"\x28\xb5\x2f\xfd\x00\x88\x01\x00\x00";
    let decoder = Decoder::new(1 << 20);
    let mut payload = Vec::new();
    let mut decode = || decoder.decode_into(Encoding::Zstd, encoded, &mut payload);
    let (result, cold) = alloc::measure(&mut decode);
    assert_eq!(result, Ok(0));
    assert!(cold.peak_bytes < promise::MAX_STATE_LEN as u64, "{cold:?}");
    let (_, warm) = alloc::measure(decode);
    assert!(warm.peak_bytes < 4096, "{warm:?}");
}

#[test]
fn a_small_message_under_a_large_limit_takes_little_memory() {
    for level in levels::quick() {
        for kind in Kind::ALL {
            for len in [1, 100, 10_000] {
                let encoded = promise::compress(level, &payload::make(kind, len, 4));
                promise::memory_grows_from_the_input(level.encoding(), &encoded);
            }
        }
    }
}

/// The claim is within the limit, but there are not the bytes to make it true.
#[test]
fn a_claim_within_a_large_limit_takes_little_memory() {
    let claims = [
        (Encoding::SnappyBlock, "8080807c00"),           // 248 MiB
        (Encoding::SnappyBlock, "8080807cfcffffff0e61"), // and a literal of 240 MiB
        (Encoding::Zstd, "28b52ffda00000000f01000000"),  // 240 MiB and no block
        (Encoding::Zstd, "28b52ffda00000000f02001000"),  // ... and a block of 128 KiB
        (Encoding::Lz4, "04224d1868400000000f000000003b010000807800000000"),
        (Encoding::Lz4, "04224d18607073010000807800000000"), // blocks of 4 MiB
        (Encoding::Gzip, "1f8b0800000000000203737474740400f1080d9b0000000f"), // 240 MiB
    ];
    for (encoding, hex) in claims {
        let encoded = cases::join(&[(hex.to_owned(), 1)]);
        promise::memory_grows_from_the_input(encoding, &encoded);
    }
    for vector in vectors::all() {
        promise::memory_grows_from_the_input(vector.encoding, head(&vector.encoded));
    }
}

/// Units and chunks that hold nothing cost what their bytes cost: time that is not linear would
/// make this one last for minutes.
#[test]
fn a_flood_of_empty_units_is_soon_over() {
    const FLOOD: usize = 2 << 20;
    let empty = |encoding: Encoding| promise::compress(Level::from(encoding), b"");
    let skippable = b"\x50\x2a\x4d\x18\0\0\0\0".to_vec();
    let skippable_chunk = b"\x80\0\0\0".to_vec();
    let identifier = b"\xff\x06\0\0sNaPpY".to_vec();
    let floods = [
        (Encoding::Gzip, vec![], empty(Encoding::Gzip)),
        (Encoding::Zstd, vec![], empty(Encoding::Zstd)),
        (Encoding::Zstd, vec![], skippable.clone()),
        (Encoding::Zstd, b"\x28\xb5\x2f\xfd\0\x38".to_vec(), b"\0\0\0".to_vec()),
        (Encoding::Lz4, vec![], empty(Encoding::Lz4)),
        (Encoding::Lz4, vec![], skippable),
        (Encoding::SnappyFramed, vec![], identifier.clone()),
        (Encoding::SnappyFramed, identifier, skippable_chunk),
    ];
    for (encoding, start, unit) in floods {
        let encoded = [start, unit.repeat(FLOOD / unit.len())].concat();
        match promise::decode_stays_within_limit(encoding, &encoded, 1 << 20) {
            Ok(payload) => assert!(payload.is_empty(), "{encoding}"),
            Err(DecodeError::Malformed { .. }) => assert_eq!(encoding, Encoding::Zstd),
            Err(error) => panic!("{encoding}: {error}"),
        }
    }
}

/// Little stored blocks, each of which moves the whole output if room grows by additions.
#[test]
fn many_small_units_are_soon_over() {
    for encoding in [Encoding::Gzip, Encoding::Zstd, Encoding::Lz4, Encoding::SnappyFramed] {
        let unit = promise::compress(Level::from(encoding), b"a few bytes");
        let encoded = unit.repeat(100_000);
        let payload = b"a few bytes".repeat(100_000);
        assert_eq!(promise::decode(encoding, &encoded, payload.len()), Ok(payload), "{encoding}");
        let limit = 1_000_000;
        let result = promise::decode_stays_within_limit(encoding, &encoded, limit);
        assert!(matches!(result, Err(DecodeError::TooLong { .. })), "{encoding}");
    }
}

proptest! {
    #![proptest_config(property::config(2000))]

    #[test]
    fn any_bytes_stay_within_the_limit(
        encoding in prop::sample::select(Encoding::ALL.as_slice()),
        prefix: prop::sample::Index,
        rest in prop::collection::vec(any::<u8>(), 0..200),
        limit in 0..5000_usize,
    ) {
        let prefix = prefix.get(prefixes(encoding));
        let encoded = [prefix, &rest[..]].concat();
        drop(promise::decode_stays_within_limit(encoding, &encoded, limit));
    }

    #[test]
    fn a_damaged_vector_stays_within_the_limit(
        vector in prop::sample::select(vectors::all()),
        position: prop::sample::Index,
        byte: u8,
    ) {
        let mut encoded = head(&vector.encoded).to_vec();
        if !encoded.is_empty() {
            let position = position.index(encoded.len());
            encoded[position] = byte;
        }
        let result = promise::decode_stays_within_limit(vector.encoding, &encoded, 100_000);
        prop_assert!(result.is_err() || result.is_ok_and(|payload| payload.len() <= 100_000));
        promise::memory_grows_from_the_input(vector.encoding, &encoded);
    }
}

/// Enough of it for headers to be whole, few enough bytes for a thousand rounds.
fn head(encoded: &[u8]) -> &[u8] {
    encoded.get(..2000).unwrap_or(encoded)
}
