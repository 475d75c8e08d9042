//! Other decoders, beside ours.
//!
//! | encoding | judge |
//! |---|---|
//! | gzip, deflate | `flate2` over zlib-rs, where ours is libdeflate |
//! | zstd | libzstd's streaming calls, where ours are the one-shot calls |
//! | lz4 | liblz4's frame calls, where the frame is ours, and `lz4_flex` for the blocks |
//! | snappy | `snap`'s `FrameDecoder`, where the frame is ours; the block is `snap`'s in both |
//! | snappy-block | thirty lines after the specification, where ours is `snap` |

#![expect(clippy::panic, reason = "test code: a panic is how it says no")]

mod deflate;
mod lz4;
mod snappy;
mod zstd;

use std::io::Read;

use thinwire::{DecodeError, Encoding};
use thinwire_testkit::promise;

/// The longest payload to look at.
const LIMIT: usize = 1 << 20;

/// What a judge says.
#[derive(Debug)]
enum Verdict {
    /// This is the whole payload.
    Payload(Vec<u8>),
    /// These bytes are not one.
    Refused(String),
    /// The payload is longer than we care for.
    TooLong,
    /// Not a matter for this judge.
    Silent,
}

use Verdict::{Payload, Refused, Silent, TooLong};

/// A judge accepts the same bytes as we do, and gives the same payload; its known peculiarities
/// aside, which stand beside each judge.
///
/// # Panics
///
/// When it does not hold.
pub(super) fn decode_agrees_with_others(encoding: Encoding, encoded: &[u8]) {
    if encoded.is_empty() {
        return; // to us the empty payload, to the others cut short
    }
    let verdict = match encoding {
        Encoding::Gzip => deflate::gzip(encoded),
        Encoding::Deflate => deflate::zlib(encoded),
        Encoding::Zstd => zstd::zstd(encoded),
        Encoding::Lz4 => lz4::liblz4(encoded),
        Encoding::SnappyFramed => snappy::snappy_framed(encoded),
        Encoding::SnappyBlock => snappy::snappy_block(encoded),
        Encoding::Identity | _ => Silent,
    };
    let what = format!("{encoding}, {} bytes", encoded.len());
    match (promise::decode(encoding, encoded, LIMIT), verdict) {
        (Ok(ours), Payload(theirs)) => {
            promise::assert_same(&what, &ours, &theirs);
            let second = if encoding == Encoding::Lz4 { lz4::lz4_flex(encoded) } else { Silent };
            match second {
                Payload(theirs) => promise::assert_same(&what, &ours, &theirs),
                Silent | TooLong => {}
                Refused(reason) => panic!("{what}: lz4_flex says {reason}"),
            }
        }
        (Ok(ours), Refused(reason)) => {
            assert!(is_lenient(encoding, encoded, &ours), "{what}: {reason}, gave {}", ours.len());
        }
        (Ok(ours), TooLong) => panic!("{what}: too long, but gave {}", ours.len()),
        (Err(error), Payload(theirs)) => {
            assert!(
                is_strict(encoding, encoded, &error),
                "{what}: {error}, but has {}",
                theirs.len()
            );
        }
        (_, Silent) | (Err(_), Refused(_) | TooLong) => {}
    }
}

/// Where we accept more than a judge.
fn is_lenient(encoding: Encoding, encoded: &[u8], ours: &[u8]) -> bool {
    if encoding != Encoding::Lz4 {
        return false;
    }
    // liblz4 wants a block to end with literals, twelve bytes after the last copy began; the format
    // asks that of those who write.
    match lz4::lz4_flex(encoded) {
        Payload(theirs) => theirs == ours,
        Silent => true,
        Refused(_) | TooLong => false,
    }
}

/// Where we accept less than a judge.
fn is_strict(encoding: Encoding, encoded: &[u8], error: &DecodeError) -> bool {
    match (encoding, error) {
        // liblz4 ignores that a dictionary is named.
        (Encoding::Lz4, DecodeError::Unsupported { .. }) => true,
        // liblz4 takes a copy from 0 bytes back for zeros.
        (Encoding::Lz4, DecodeError::Malformed { detail: "a damaged block", .. }) => {
            matches!(lz4::lz4_flex(encoded), Refused(_) | Silent)
        }
        // liblz4 takes a declared length of 0 for: not known.
        (
            Encoding::Lz4,
            DecodeError::Malformed { detail: "the content is not as long as declared", .. },
        ) => encoded.windows(8).any(|bytes| bytes == [0; 8]),
        // libzstd's streaming calls pass over a compressed block of zero bytes, last or not, and do
        // not compare the length that is declared where the last block, also a raw one, is empty.
        (Encoding::Zstd, DecodeError::Malformed { .. }) => {
            encoded.windows(3).any(|bytes| matches!(bytes, [1 | 4 | 5, 0, 0]))
        }
        _ => false,
    }
}

/// Reads on, to a byte beyond the limit at most.
fn read(decoder: &mut impl Read, payload: &mut Vec<u8>) -> Result<(), String> {
    let room = (LIMIT + 1).saturating_sub(payload.len());
    let mut decoder = decoder.take(room as u64);
    let mut part = [0; 8192];
    loop {
        match decoder.read(&mut part) {
            Ok(0) => return Ok(()),
            Ok(len) => payload.extend_from_slice(part.get(..len).unwrap_or_default()),
            Err(error) => return Err(error.to_string()),
        }
    }
}

fn judge(payload: Vec<u8>) -> Verdict {
    if payload.len() > LIMIT { TooLong } else { Payload(payload) }
}
