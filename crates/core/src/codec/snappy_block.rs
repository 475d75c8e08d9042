//! One raw Snappy block: `format_description.txt` of google/snappy.
//!
//! A block states its payload's length first, as a varint, then has literals and copies.

use super::room::Bounds;
use super::{Compress, Fault, Refusal};
use crate::level::Level;

/// snap has no function that tells; a test compares this to the lock file.
pub(crate) fn library() -> Option<String> {
    Some("snap 1.1.2".to_owned())
}

pub(crate) fn compressor(_level: Level) -> Result<Box<dyn Compress>, Refusal> {
    Ok(Box::new(BlockCompressor::new()))
}

/// Keeps 2 KB of hash table, 32 KB more once a payload was longer than 1 KB, and room.
pub(crate) struct BlockCompressor {
    encoder: snap::raw::Encoder,
    /// snap wants its room initialized, for more bytes than there were. This is so once and for
    /// all, and the result, which is short, is copied from it.
    room: Vec<u8>,
}

impl BlockCompressor {
    pub(crate) fn new() -> Self {
        Self { encoder: snap::raw::Encoder::new(), room: Vec::new() }
    }
}

impl Compress for BlockCompressor {
    fn compress(&mut self, src: &[u8], dst: &mut Vec<u8>) -> Result<(), Refusal> {
        let room_len = snap::raw::max_compress_len(src.len());
        if room_len == 0 {
            return Err(Refusal::TooLong { limit: MAX_PAYLOAD_LEN });
        }
        if self.room.len() < room_len {
            self.room.resize(room_len, 0);
        }
        let written = self.encoder.compress(src, &mut self.room).map_err(|_| REFUSED)?;
        dst.extend_from_slice(self.room.get(..written).ok_or(REFUSED)?);
        Ok(())
    }

    fn kept_len(&self) -> usize {
        size_of::<Self>() + (32 << 10) + self.room.capacity()
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
        let declared = snap::raw::decompress_len(src)
            .map_err(|_| Fault::Malformed("no length where the block begins"))?;
        if declared > limit {
            return Err(Fault::TooLong { at_least: declared as u64 });
        }
        if declared > max_decompress_len(src.len()) {
            return Err(Fault::Malformed("declares more bytes than so short a block can hold"));
        }
        let start = dst.len();
        Bounds::new(dst, limit).reserve(dst, declared);
        dst.resize(start + declared, 0);
        let room = dst.get_mut(start..).unwrap_or_default();
        match snap::raw::Decoder::new().decompress(src, room) {
            Ok(written) if written == declared => Ok(()),
            Ok(_) | Err(_) => {
                dst.truncate(start);
                Err(DAMAGED)
            }
        }
    }
}

/// Returns the length that a block states, if so few bytes can hold as many.
pub(crate) fn payload_len(src: &[u8]) -> Option<usize> {
    let declared = snap::raw::decompress_len(src).ok()?;
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

/// The varint has 32 bits, and snap's bound for the compressed length has to fit as well.
const MAX_PAYLOAD_LEN: usize = (u32::MAX as usize - 32) / 7 * 6;

const REFUSED: Refusal = Refusal::Failed("the output is longer than snap's bound");

/// snap tells more, but not always the first fault.
pub(crate) const DAMAGED: Fault =
    Fault::Malformed("cut short, damaged, or not as long as declared");
