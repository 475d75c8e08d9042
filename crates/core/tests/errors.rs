//! Errors say what came, what was reached, the limit and its setting, and nothing of the payload.

use thinwire::{DecodeError, Decoder, Encoding, Unsupported};
use thinwire_testkit::payload::{self, Kind};
use thinwire_testkit::{levels, promise, vectors};

#[test]
fn too_long_says_the_sizes_the_limit_and_the_setting() {
    let payload = payload::make(Kind::LogLines, 5000, 22);
    for encoding in levels::compressing() {
        let encoded = promise::compress(encoding.into(), &payload);
        let text = promise::decode(encoding, &encoded, 4321).unwrap_err().to_string();
        for part in ["4321", "max_payload_len", &encoded.len().to_string(), encoding.name()] {
            assert!(text.contains(part), "{part} is not in: {text}");
        }
    }
    let text = promise::decode(Encoding::Identity, &payload, 4321).unwrap_err().to_string();
    assert!(text.contains("5000") && text.contains("4321"), "{text}");
}

#[test]
fn malformed_says_the_sizes_and_the_limit() {
    let payload = payload::make(Kind::LogLines, 5000, 23);
    for encoding in levels::compressing() {
        let encoded = promise::compress(encoding.into(), &payload);
        let cut = &encoded[..encoded.len() - 1];
        let error = promise::decode(encoding, cut, 65_432).unwrap_err();
        let DecodeError::Malformed { encoded_len, limit, decoded_len, .. } = error else {
            panic!("{error}")
        };
        assert_eq!((encoded_len, limit), (cut.len(), 65_432), "{encoding}");
        assert!(decoded_len <= 5000, "{encoding}");
        let text = error.to_string();
        for part in ["65432", &cut.len().to_string(), encoding.name()] {
            assert!(text.contains(part), "{part} is not in: {text}");
        }
    }
}

/// The mistake that everyone makes once: the two Snappy formats under one name.
#[test]
fn the_two_snappy_formats_are_told_apart() {
    for kind in [Kind::JsonEvents, Kind::Random, Kind::Zeros, Kind::ProtobufLike] {
        for len in [5, 500, 70_000] {
            let payload = payload::make(kind, len, 24);
            let framed = promise::compress(Encoding::SnappyFramed.into(), &payload);
            let text = promise::decode(Encoding::SnappyBlock, &framed, 1 << 20).unwrap_err();
            let text = text.to_string();
            assert!(text.contains("looks like") && text.contains("framed"), "{text}");

            let block = promise::compress(Encoding::SnappyBlock.into(), &payload);
            let text = promise::decode(Encoding::SnappyFramed, &block, 1 << 20).unwrap_err();
            let text = text.to_string();
            assert!(text.contains("looks like") && text.contains("block"), "{text}");
        }
    }
}

#[test]
fn other_formats_are_named_when_they_show() {
    let payload = payload::make(Kind::JsonEvents, 500, 25);
    let signed = [Encoding::Gzip, Encoding::Zstd, Encoding::Lz4, Encoding::SnappyFramed];
    for written in signed {
        let encoded = promise::compress(written.into(), &payload);
        for label in levels::compressing().filter(|&label| label != written) {
            let error = promise::decode(label, &encoded, 1 << 20).unwrap_err();
            if let DecodeError::Malformed { looks_like, .. } = error {
                assert!(looks_like.is_some_and(|it| it.contains(written.name())), "{error}");
            }
        }
    }
}

#[test]
fn a_dictionary_is_named() {
    let dictionary_7 = [
        (Encoding::Zstd, &b"\x28\xb5\x2f\xfd\x21\x07\x05\x29\0\0hello"[..]),
        (Encoding::Lz4, b"\x04\x22\x4d\x18\x61\x40\x07\0\0\0\xe3\x05\0\0\x80hello\0\0\0\0"),
        (Encoding::Deflate, b"\x78\xbb\0\0\0\x07\xcb\x48\xcd\xc9\xc9\x07\0\x06\x2c\x02\x15"),
    ];
    for (encoding, encoded) in dictionary_7 {
        let error = promise::decode(encoding, encoded, 1000).unwrap_err();
        let DecodeError::Unsupported { reason: Unsupported::Dictionary { id, .. }, .. } = error
        else {
            panic!("{error}")
        };
        assert_eq!(id, 7, "{encoding}");
        assert!(error.to_string().contains("dictionary"), "{error}");
    }
}

#[test]
fn what_is_not_accepted_is_unsupported_whatever_the_bytes() {
    for accepted in Encoding::ALL {
        let decoder = Decoder::new(1000).accept([accepted]);
        for encoding in Encoding::ALL.into_iter().filter(|&encoding| encoding != accepted) {
            for encoded in [&b""[..], b"anything"] {
                let error = decoder.decode_into(encoding, encoded, &mut Vec::new()).unwrap_err();
                let DecodeError::Unsupported { reason, .. } = error else { panic!("{error}") };
                assert_eq!(reason, Unsupported::NotAccepted);
                assert!(error.to_string().contains(encoding.name()), "{error}");
            }
        }
        assert_eq!(decoder.decode_into(accepted, b"", &mut Vec::new()), Ok(0));
    }
    let nothing = Decoder::new(1000).accept([]);
    assert!(nothing.decode_into(Encoding::Identity, b"", &mut Vec::new()).is_err());
}

#[test]
fn errors_hold_nothing_of_the_payload() {
    let payload = b"SECRET and more of it, SECRET".repeat(10);
    for encoding in levels::compressing() {
        let mut encoded = promise::compress(encoding.into(), &payload);
        encoded.extend(b"SECRET");
        let error = promise::decode(encoding, &encoded, 10_000).unwrap_err();
        let too_long = promise::decode(encoding, &encoded, 10).unwrap_err();
        for error in [error, too_long] {
            assert!(!format!("{error} {error:?}").contains("SECRET"), "{error}");
        }
    }
}

#[test]
fn every_error_is_one_plain_line() {
    for vector in vectors::all() {
        if let Err(error) = promise::decode(vector.encoding, &vector.encoded, 1000) {
            let text = error.to_string();
            assert!(text.is_ascii() && !text.contains('\n'), "{text}");
            assert!(!text.ends_with('.') && !text.starts_with(char::is_uppercase), "{text}");
        }
    }
}
