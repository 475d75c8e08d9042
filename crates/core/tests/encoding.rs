//! The tokens and features of encodings.

mod property;

use std::collections::BTreeSet;

use proptest::prelude::*;
use thinwire::Encoding;
use thinwire_testkit::promise;

#[test]
fn tokens_are_stable() {
    promise::tokens_are_stable();
}

#[test]
fn what_is_no_token_is_an_error() {
    let no_tokens = [
        "",
        " ",
        "gzip ",
        " gzip",
        "x-gzip",
        "gzip,zstd",
        "gzip:1",
        "brotli",
        "br",
        "LZ4 ",
        "lz4f",
        "snappy_block",
        "snappyblock",
        "snappy-framed",
        "none",
        "zstd\0",
        "ｇｚｉｐ",
        "identit\u{131}",
    ];
    for text in no_tokens {
        let error = text.parse::<Encoding>().expect_err(text);
        assert_eq!(error.token(), text);
    }
}

/// A token may come from the wire and be of any length: an error keeps the start of it.
#[test]
fn an_error_is_short_whatever_the_token() {
    let error = "ä".repeat(100_000).parse::<Encoding>().unwrap_err();
    assert!(error.token().len() <= 256);
    assert!(error.to_string().len() <= 512);
}

#[test]
fn every_encoding_names_its_feature_and_library() {
    for encoding in Encoding::ALL {
        assert!(encoding.is_available(), "{encoding}: tests are built with every feature");
        assert_eq!(encoding.feature().is_none(), encoding == Encoding::Identity);
        let library = encoding.library();
        assert_eq!(library.is_none(), encoding == Encoding::Identity);
        if let Some(library) = library {
            let (name, version) = library.split_once(' ').expect("a name and a version");
            assert!(!name.is_empty() && version.starts_with(|c: char| c.is_ascii_digit()));
        }
    }
}

#[test]
fn encodings_differ() {
    assert_eq!(Encoding::ALL.iter().collect::<BTreeSet<_>>().len(), Encoding::ALL.len());
    assert_eq!(Encoding::ALL.map(Encoding::name).iter().collect::<BTreeSet<_>>().len(), 7);
}

#[test]
fn tokens_are_padded_as_text_is() {
    assert_eq!(format!("{:>8}|{:<6}|", Encoding::Gzip, Encoding::Lz4), "    gzip|lz4   |");
}

proptest! {
    #![proptest_config(property::config(500))]

    #[test]
    fn any_text_is_a_token_or_an_error(text in "\\PC*") {
        if let Ok(encoding) = text.parse::<Encoding>() {
            prop_assert!(encoding.name().eq_ignore_ascii_case(&text));
        }
    }
}
