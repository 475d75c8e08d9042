//! One raw Snappy block: `format_description.txt` of google/snappy.
//!
//! A block states its payload's length first, as a varint, then has literals and copies.

use thinwire_snappy::{Compressor, SLOP, decompress_into, decompressed_len};

use super::room::Bounds;
use super::{Compress, Fault, Refusal};
use crate::level::Level;

/// Ours: a version of its own; a test compares this to the lock file.
pub(crate) fn library() -> Option<String> {
    Some("thinwire-snappy 0.1.0".to_owned())
}

pub(crate) fn compressor(_level: Level) -> Result<Box<dyn Compress>, Refusal> {
    Ok(Box::new(BlockCompressor::new()))
}

/// Keeps its table, at most 32 KB.
pub(crate) struct BlockCompressor(Compressor);

impl BlockCompressor {
    pub(crate) fn new() -> Self {
        Self(Compressor::new())
    }
}

impl Compress for BlockCompressor {
    fn compress(&mut self, src: &[u8], dst: &mut Vec<u8>) -> Result<(), Refusal> {
        match self.0.compress_into(src, dst) {
            Ok(_) => Ok(()),
            Err(_) => Err(Refusal::TooLong { limit: MAX_PAYLOAD_LEN }),
        }
    }

    fn kept_len(&self) -> usize {
        size_of::<Self>() + self.0.kept_len()
    }
}

#[derive(Debug, Default)]
pub(crate) struct Decompressor;

impl Decompressor {
    pub(crate) fn decompress(
        &self,
        src: &[u8],
        dst: &mut Vec<u8>,
        limit: usize,
    ) -> Result<(), Fault> {
        let declared = decompressed_len(src)
            .map_err(|_| Fault::Malformed("no length where the block begins"))?;
        if declared > limit {
            return Err(Fault::TooLong { at_least: declared as u64 });
        }
        if declared > max_decompress_len(src.len()) {
            return Err(Fault::Malformed("declares more bytes than so short a block can hold"));
        }
        if dst.capacity() - dst.len() < declared {
            // Where it grows anyway, it grows to what is fast to the end.
            Bounds::new(dst, limit).reserve(dst, declared.saturating_add(SLOP));
        }
        decompress_into(src, dst, limit).map(drop).map_err(|_| DAMAGED)
    }
}

/// Returns the length that a block states, if so few bytes can hold as many.
pub(crate) fn payload_len(src: &[u8]) -> Option<usize> {
    let declared = decompressed_len(src).ok()?;
    (declared <= max_decompress_len(src.len())).then_some(declared)
}

/// Says whether bytes could be a block: a length that they can hold, then a literal.
pub(crate) fn is_plausible(src: &[u8]) -> bool {
    let varint_len = src.iter().take_while(|&&byte| byte >= 0x80).count() + 1;
    payload_len(src).is_some_and(|declared| declared > 0)
        && src.get(varint_len).is_some_and(|tag| tag & 0b11 == 0)
}

/// The densest element is a copy of 64 bytes in three.
const fn max_decompress_len(src_len: usize) -> usize {
    src_len.saturating_mul(64) / 3
}

/// The stated length is a varint of 32 bits.
const MAX_PAYLOAD_LEN: usize = u32::MAX as usize;

pub(crate) const DAMAGED: Fault =
    Fault::Malformed("cut short, damaged, or not as long as declared");
