//! Memory is reused, history is not: a used encoder or decoder cannot be told from a new one.

mod property;

use proptest::prelude::*;
use thinwire::{Decoder, Encoding};
use thinwire_testkit::payload::{self, Kind};
use thinwire_testkit::{levels, promise, vectors};

#[test]
fn reuse_is_invisible_at_every_level() {
    let sequence: Vec<_> = [10, 5000, 0, 300, 70_000, 1, 4999, 300]
        .into_iter()
        .zip(Kind::ALL)
        .map(|(len, kind)| payload::make(kind, len, 8))
        .collect();
    for level in levels::all() {
        promise::reuse_is_invisible(level, &sequence);
    }
}

#[test]
fn reuse_is_invisible_after_a_payload_much_like_the_next() {
    let base = payload::make(Kind::JsonEvents, 3000, 9);
    let shorter: Vec<_> = (0..40).map(|index| base[..base.len() - index * 50].to_vec()).collect();
    for level in levels::quick() {
        promise::reuse_is_invisible(level, &shorter);
    }
}

/// A buffer that holds a secret is given again; copies from before the start of the payload must
/// not bring it out.
#[test]
fn nothing_of_an_earlier_payload_shows() {
    let secret = b"SECRET".repeat(2000);
    for vector in vectors::all() {
        let decoder = Decoder::new(1 << 20);
        let mut buffer = Vec::new();
        let encoded = promise::compress(vector.encoding.into(), &secret);
        decoder.decode_into(vector.encoding, &encoded, &mut buffer).unwrap();
        buffer.clear();
        if decoder.decode_into(vector.encoding, &vector.encoded, &mut buffer).is_ok() {
            let shows = buffer.windows(6).any(|window| window == b"SECRET");
            assert!(!shows, "{}: {}", vector.name, vector.why);
        }
    }
}

/// What is in the buffer already belongs to the caller: a copy must not reach into it. All else
/// about these is right: gzip's checksum is that of what would come out.
#[test]
fn what_is_in_the_buffer_is_no_history() {
    let reaches_back = [
        (Encoding::SnappyBlock, &b"\x09\x00a\x11\x02"[..]),
        (
            Encoding::Lz4,
            b"\x04\x22\x4d\x18\x40\x40\xc0\x11\0\0\0\x10a\x05\0\xc0aaaaaaaaaaaa\0\0\0\0",
        ),
        (
            Encoding::Gzip,
            b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x4b\x04\x42\0\x80\x89\xfc\xad\x04\x00\x00\x00",
        ),
    ];
    for (encoding, encoded) in reaches_back {
        let mut buffer = b"what was there".to_vec();
        let result = Decoder::new(1000).decode_into(encoding, encoded, &mut buffer);
        assert!(result.is_err(), "{encoding}: {:?}", &buffer[14..]);
    }
    // Also a whole frame of our own is no history for the next one.
    for encoding in levels::compressing() {
        let payload = payload::make(Kind::LogLines, 2000, 10);
        let encoded = promise::compress(encoding.into(), &payload);
        let mut buffer = payload.clone();
        Decoder::new(2000).decode_into(encoding, &encoded, &mut buffer).unwrap();
        promise::assert_same("appended", &buffer[2000..], &payload);
    }
}

proptest! {
    #![proptest_config(property::config(100))]

    #[test]
    fn reuse_is_invisible_for_any_sequence(
        level in prop::sample::select(levels::quick()),
        sequence in prop::collection::vec(
            (prop::sample::select(Kind::ALL.as_slice()), 0..3000_usize, any::<u64>())
                .prop_map(|(kind, len, seed)| payload::make(kind, len, seed)),
            1..6,
        ),
    ) {
        promise::reuse_is_invisible(level, &sequence);
    }
}
