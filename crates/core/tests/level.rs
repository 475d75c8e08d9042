//! Levels are checked, never clamped, and each does what it says.

use thinwire::{Encoding, Level, LevelError};
use thinwire_testkit::payload::{self, Kind};
use thinwire_testkit::{levels, promise};

#[test]
fn levels_are_checked() {
    for encoding in Encoding::ALL {
        for number in -20..=30 {
            promise::levels_are_checked(encoding, number);
        }
        for number in [i32::MIN, -131_073, -131_072, -65_537, -65_536, -65_535, i32::MAX] {
            promise::levels_are_checked(encoding, number);
        }
    }
}

#[test]
fn the_default_level_is_one_of_the_range() {
    for encoding in Encoding::ALL {
        let level = Level::from(encoding);
        assert_eq!(level.encoding(), encoding);
        assert_eq!(encoding.name().parse(), Ok(level));
        match (level.number(), Level::range(encoding)) {
            (Some(number), Some(range)) => assert!(range.contains(&number), "{level}"),
            (number, range) => assert!(number.is_none() && range.is_none(), "{level}"),
        }
    }
}

#[test]
fn what_is_no_level_is_an_error() {
    for text in ["zstd:", "zstd:x", "zstd:1.5", "zstd:1 ", "zstd: 1", "gzip:9x", "lz4:1:2"] {
        assert!(matches!(text.parse::<Level>(), Err(LevelError::NotANumber { .. })), "{text}");
    }
    for text in ["", ":", ":3", "brotli:3", "zstd;3", "3"] {
        assert!(matches!(text.parse::<Level>(), Err(LevelError::UnknownEncoding(_))), "{text}");
    }
    let beyond = ["zstd:99999999999", "zstd:-99999999999", "gzip:2147483648"];
    let outside = ["gzip:0", "gzip:13", "deflate:-1", "zstd:23", "lz4:13", "zstd:-131073"];
    for text in outside.into_iter().chain(beyond) {
        let error = text.parse::<Level>().expect_err(text);
        let LevelError::OutOfRange { encoding, min, max, .. } = error else { panic!("{text}") };
        assert_eq!(Level::range(encoding), Some(min..=max), "{text}");
    }
    for text in ["snappy:1", "snappy-block:0", "identity:1", "snappy:99999999999"] {
        assert!(matches!(text.parse::<Level>(), Err(LevelError::NoLevels { .. })), "{text}");
    }
    assert_eq!("ZSTD:3".parse(), Level::new(Encoding::Zstd, 3));
    assert_eq!("zstd:-5".parse(), Level::new(Encoding::Zstd, -5));
}

/// A level that is passed on makes a difference: the last one is the densest, the default is no
/// denser, a negative one is the least dense.
#[test]
fn levels_change_the_size() {
    let payload = payload::make(Kind::JsonEvents, 200_000, 14);
    let len =
        |encoding, number| promise::compress(Level::new(encoding, number).unwrap(), &payload).len();
    for encoding in levels::compressing() {
        let Some(range) = Level::range(encoding) else { continue };
        assert!(len(encoding, *range.end()) < len(encoding, 1), "{encoding}");
        if *range.start() < 0 {
            assert!(len(encoding, 1) < len(encoding, -10), "{encoding}");
        }
    }
}

/// For one version of a library the bytes are always the same; two encoders are enough to see
/// what depends on addresses or on what memory held.
#[test]
fn encoders_are_deterministic() {
    for level in levels::all() {
        for kind in [Kind::JsonEvents, Kind::ProtobufLike] {
            let payload = payload::make(kind, 40_000, 15);
            let first = promise::compress(level, &payload);
            let elsewhere = [b"moved", &payload[..]].concat();
            promise::assert_same(
                &level.to_string(),
                &promise::compress(level, &elsewhere[5..]),
                &first,
            );
        }
    }
}
