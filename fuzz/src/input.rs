//! Messages out of a fuzzer's bytes. `Case`, for bytes to decode, and `Call` are testkit's.

use arbitrary::{Arbitrary, Result, Unstructured};
use bytes::Bytes;
use thinwire::{Encoding, Level};
use thinwire_testkit::case::Case;
use thinwire_testkit::grpc::Call;

/// A payload to be encoded at a level.
#[derive(Debug)]
pub(super) struct Message {
    pub(super) level: Level,
    pub(super) payload: Bytes,
}

impl<'a> Arbitrary<'a> for Message {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let level = level(u)?;
        // Long enough for several blocks of every format.
        Ok(Self { level, payload: payload(u, 300_000)?.into() })
    }
}

/// Two payloads for one level, and bytes to decode.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) level: Level,
    pub(super) first: Vec<u8>,
    pub(super) second: Vec<u8>,
    pub(super) case: Case,
}

impl<'a> Arbitrary<'a> for Pair {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let level = level(u)?;
        let first_len = u.int_in_range(0..=u16::MAX)?.into();
        let second_len = u.int_in_range(0..=u16::MAX)?.into();
        // Each is decoded some hundred times.
        let mut part = |len: usize| {
            let mut part = Unstructured::new(u.bytes(len.min(u.len()))?);
            payload(&mut part, 70_000)
        };
        let (first, second) = (part(first_len)?, part(second_len)?);
        Ok(Self { level, first, second, case: u.arbitrary()? })
    }
}

/// Payloads that go through the same encoder and decoder, one after the other.
#[derive(Debug)]
pub(super) struct Sequence {
    pub(super) level: Level,
    pub(super) payloads: Vec<Vec<u8>>,
}

impl<'a> Arbitrary<'a> for Sequence {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let level = level(u)?;
        let mut payloads = Vec::new();
        while !u.is_empty() && payloads.len() < 8 {
            let len = usize::from(u.int_in_range(0..=u16::MAX)?).min(u.len());
            payloads.push(payload(&mut Unstructured::new(u.bytes(len)?), 100_000)?);
        }
        Ok(Self { level, payloads })
    }
}

/// A call, and how to cut its bodies into frames.
#[derive(Debug)]
pub(super) struct Cut {
    /// The lengths of frames, in turn.
    pub(super) cuts: [u8; 4],
    pub(super) call: Call,
}

impl<'a> Arbitrary<'a> for Cut {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        Ok(Self { cuts: u.arbitrary()?, call: u.arbitrary()? })
    }
}

/// Puts bytes into blocks of the right lengths, so that a fuzzer need not find out that blocks have
/// lengths. Formats without blocks, or with a checksum of the payload, have the bytes as they are.
pub(super) fn framed(encoding: Encoding, bytes: &[u8]) -> Vec<u8> {
    // A first byte says where the first block ends.
    let (first, second) = match bytes {
        [cut, rest @ ..] => rest.split_at(rest.len() * usize::from(*cut) / 255),
        [] => (bytes, bytes),
    };
    let len = |block: &[u8]| u32::try_from(block.len()).unwrap_or(0).to_le_bytes();
    match encoding {
        // Linked blocks of 64 KiB, and the end mark.
        Encoding::Lz4 => {
            let header = b"\x04\x22\x4d\x18\x40\x40\xc0";
            [header, &len(first)[..], first, &len(second), second, &[0; 4]].concat()
        }
        // A window of 128 KiB; a compressed block, and another that is the last.
        Encoding::Zstd => {
            let header = |block: &[u8], last| {
                let [a, b, c, _] = len(block).map(|byte| byte.rotate_left(3));
                [a & 0xf8 | 0b100 | last, b & 0xf8 | a & 7, c & 0xf8 | b & 7]
            };
            let start = b"\x28\xb5\x2f\xfd\0\x38";
            [start, &header(first, 0)[..], first, &header(second, 1), second].concat()
        }
        Encoding::Identity
        | Encoding::Gzip
        | Encoding::Deflate
        | Encoding::SnappyFramed
        | Encoding::SnappyBlock
        | _ => bytes.to_vec(),
    }
}

/// A level that does not take long.
fn level(u: &mut Unstructured<'_>) -> Result<Level> {
    let encodings = Encoding::ALL.into_iter().filter(|&it| it != Encoding::Identity);
    let encoding = *u.choose(&encodings.collect::<Vec<_>>())?;
    let Some(range) = Level::range(encoding) else { return Ok(encoding.into()) };
    let number = i32::from(u.int_in_range(-12_i8..=12)?);
    let number = number.clamp(*range.start(), *range.end());
    Ok(Level::new(encoding, number).unwrap_or_else(|_| encoding.into()))
}

/// The rest of the bytes, once or over and over.
fn payload(u: &mut Unstructured<'_>, max_len: usize) -> Result<Vec<u8>> {
    if u.is_empty() {
        return Ok(Vec::new());
    }
    let times = 1 << u.int_in_range(0..=10_u8)?;
    let unit = u.bytes(u.len())?;
    let len = unit.len().saturating_mul(times).min(max_len.max(unit.len()));
    Ok(unit.iter().copied().cycle().take(len).collect())
}
