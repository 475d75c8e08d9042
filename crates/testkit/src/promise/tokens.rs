use thinwire::{Encoding, Level, LevelError};

/// The wire tokens, as others know them: written out here a second time, on purpose.
const TOKENS: [(Encoding, &str); 7] = [
    (Encoding::Identity, "identity"),
    (Encoding::Gzip, "gzip"),
    (Encoding::Deflate, "deflate"),
    (Encoding::Zstd, "zstd"),
    (Encoding::Lz4, "lz4"),
    (Encoding::SnappyFramed, "snappy"),
    (Encoding::SnappyBlock, "snappy-block"),
];

/// Each encoding has the token that peers know, prints as it and is read from it, in any case.
///
/// # Panics
///
/// When it does not hold.
pub fn tokens_are_stable() {
    assert_eq!(TOKENS.map(|(encoding, _)| encoding), Encoding::ALL);
    for (encoding, token) in TOKENS {
        assert_eq!(encoding.name(), token);
        assert_eq!(encoding.to_string(), token);
        assert_eq!(token.parse(), Ok(encoding));
        assert_eq!(token.to_ascii_uppercase().parse(), Ok(encoding));
    }
}

/// A number is a level exactly if it is in the encoding's range; if so it prints as it is read, if
/// not the error has the range.
///
/// # Panics
///
/// When it does not hold.
pub fn levels_are_checked(encoding: Encoding, number: i32) {
    let text = format!("{encoding}:{number}");
    let result = Level::new(encoding, number);
    assert_eq!(text.parse(), result, "{text}: parsed and made differ");
    match (Level::range(encoding), result) {
        (Some(range), Ok(level)) => {
            assert!(range.contains(&number), "{text}");
            assert_eq!((level.encoding(), level.number()), (encoding, Some(number)));
            assert_eq!(level.to_string(), text);
        }
        (Some(range), Err(LevelError::OutOfRange { min, max, number: named, .. })) => {
            assert!(!range.contains(&number), "{text}");
            assert_eq!((min..=max, named), (range, number), "{text}");
        }
        (None, Err(LevelError::NoLevels { .. })) => {}
        (range, result) => panic!("{text}: {result:?}, its range is {range:?}"),
    }
}
