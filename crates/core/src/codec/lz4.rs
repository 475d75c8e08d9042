//! The LZ4 frame format, `lz4_Frame_format.md` 1.6.4, around liblz4's blocks.
//!
//! ```text
//! magic(4) FLG(1) BD(1) [content size(8)] [dictionary id(4)] HC(1)
//!     { block size(4), top bit: not compressed; data; [xxh32 of data(4)] }*  0(4)
//! [xxh32 of content(4)]
//!
//! FLG  7-6 version 01 | 5 independent blocks | 4 block checksums | 3 content size
//!      2 content checksum | 1 reserved | 0 dictionary id
//! BD   7 reserved | 6-4 block maximum: 64 KiB << 2 * (n - 4) | 3-0 reserved
//! ```
//!
//! The frame is read here and not by liblz4 because its reader allocates what the header
//! declares. Blocks are decompressed straight into the output.

use twox_hash::XxHash32;

use super::room::Bounds;
use super::{Compress, Fault, Refusal};
use crate::level::Level;
use crate::native::lz4::{self, Matcher};
use crate::native::lz4_block;

pub(crate) fn library() -> Option<String> {
    Some(format!("liblz4 {}", lz4::version()))
}

pub(crate) fn compressor(level: Level) -> Result<Box<dyn Compress>, Refusal> {
    let matcher = match level.number().unwrap_or(1) {
        acceleration @ ..0 => Matcher::fast(1 - acceleration),
        0 | 1 => Matcher::fast(1),
        dense => Matcher::dense(dense),
    };
    Ok(Box::new(Compressor { matcher }))
}

struct Compressor {
    matcher: Matcher,
}

impl Compress for Compressor {
    /// Writes one frame of independent blocks without checksums or content size: 15 bytes around
    /// one block. Readers that allocate the block maximum get the smallest that holds it.
    fn compress(&mut self, src: &[u8], dst: &mut Vec<u8>) -> Result<(), Refusal> {
        let size_code = (4..7).find(|&code| src.len() <= block_max(code)).unwrap_or(7);
        let descriptor = [VERSION_01 | INDEPENDENT, size_code << 4];
        dst.extend_from_slice(&FRAME_MAGIC.to_le_bytes());
        dst.extend_from_slice(&descriptor);
        dst.push(header_checksum(&descriptor));
        for block in src.chunks(block_max(size_code)) {
            let header = dst.len();
            dst.extend_from_slice(&[0; 4]);
            let data = dst.len();
            let compressed = self.matcher.compress_block(block, dst);
            let size = if compressed && dst.len() - data < block.len() {
                size_field(dst.len() - data)
            } else {
                dst.truncate(data);
                dst.extend_from_slice(block);
                size_field(block.len()) | NOT_COMPRESSED
            };
            if let Some(place) = dst.get_mut(header..).and_then(|tail| tail.first_chunk_mut()) {
                *place = size.to_le_bytes();
            }
        }
        dst.extend_from_slice(&END_MARK.to_le_bytes());
        Ok(())
    }

    fn kept_len(&self) -> usize {
        self.matcher.kept_len()
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
        let bounds = Bounds::new(dst, limit);
        let mut reader = Reader(src);
        while !reader.0.is_empty() {
            match reader.u32()? {
                FRAME_MAGIC => frame(&mut reader, dst, bounds)?,
                magic if magic & 0xffff_fff0 == SKIPPABLE_MAGIC => {
                    let len = reader.u32()?;
                    reader.bytes(len)?;
                }
                _ => return Err(Fault::Malformed("no LZ4 frame where one should begin")),
            }
        }
        Ok(())
    }
}

/// What a frame's header says.
struct Descriptor {
    flags: u8,
    block_max: usize,
    content_len: Option<u64>,
}

impl Descriptor {
    const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// Appends one frame's content.
fn frame(reader: &mut Reader<'_>, dst: &mut Vec<u8>, bounds: Bounds) -> Result<(), Fault> {
    let descriptor = descriptor(reader)?;
    let frame_start = dst.len();
    if let Some(content_len) = descriptor.content_len {
        if content_len > bounds.left(dst) as u64 {
            let at_least = content_len.saturating_add(bounds.done(dst) as u64);
            return Err(Fault::TooLong { at_least });
        }
        if content_len > (reader.0.len() as u64).saturating_mul(MAX_RATIO) {
            return Err(Fault::Malformed("declares more bytes than so short a frame can hold"));
        }
        bounds.reserve(dst, usize::try_from(content_len).unwrap_or(0));
    }
    loop {
        let size = reader.u32()?;
        if size == END_MARK {
            break;
        }
        let data = reader.bytes(size & !NOT_COMPRESSED)?;
        if descriptor.has(BLOCK_CHECKSUM) && reader.u32()? != XxHash32::oneshot(0, data) {
            return Err(Fault::Malformed("a block's checksum is wrong"));
        }
        if data.len() > descriptor.block_max {
            return Err(Fault::Malformed("a block longer than the frame's maximum"));
        }
        if size & NOT_COMPRESSED == 0 {
            let history_len = if descriptor.has(INDEPENDENT) { 0 } else { dst.len() - frame_start };
            block(data, dst, history_len, descriptor.block_max, bounds)?;
        } else if data.len() > bounds.left(dst) {
            return Err(bounds.too_long(dst, data.len()));
        } else {
            bounds.reserve(dst, data.len());
            dst.extend_from_slice(data);
        }
    }
    let content = dst.get(frame_start..).unwrap_or_default();
    if descriptor.has(CONTENT_CHECKSUM) && reader.u32()? != XxHash32::oneshot(0, content) {
        return Err(Fault::Malformed("the content's checksum is wrong"));
    }
    if descriptor.content_len.is_some_and(|declared| declared != content.len() as u64) {
        return Err(Fault::Malformed("the content is not as long as declared"));
    }
    Ok(())
}

fn descriptor(reader: &mut Reader<'_>) -> Result<Descriptor, Fault> {
    let header = reader.0;
    let [flags, size_code] = reader.array()?;
    if flags & (VERSION_MASK | FLG_RESERVED) != VERSION_01 || size_code & BD_RESERVED != 0 {
        return Err(Fault::Malformed("a frame of an unknown version or with reserved bits"));
    }
    let size_code = size_code >> 4;
    if size_code < 4 {
        return Err(Fault::Malformed("a block maximum that does not exist"));
    }
    let content_len =
        if flags & CONTENT_LEN != 0 { Some(u64::from_le_bytes(reader.array()?)) } else { None };
    let dictionary = if flags & DICTIONARY_ID != 0 { Some(reader.u32()?) } else { None };
    let checked = header.get(..header.len() - reader.0.len()).unwrap_or_default();
    let [stated] = reader.array()?;
    if stated != header_checksum(checked) {
        return Err(Fault::Malformed("the header's checksum is wrong"));
    }
    match dictionary {
        Some(id) => Err(Fault::Dictionary { id }),
        None => Ok(Descriptor { flags, block_max: block_max(size_code), content_len }),
    }
}

/// Appends one compressed block.
///
/// It goes into the room that is there. Only when that fails is its length counted, for the exact
/// room or for the reason.
fn block(
    data: &[u8],
    dst: &mut Vec<u8>,
    history_len: usize,
    block_max: usize,
    bounds: Bounds,
) -> Result<(), Fault> {
    let left = bounds.left(dst);
    let spare_len = dst.capacity() - dst.len();
    let room = left.min(block_max);
    if spare_len >= data.len() && lz4_block::decompress(data, dst, history_len, room) {
        return Ok(());
    }
    let len = decompressed_len(data).filter(|&len| len <= block_max).ok_or(DAMAGED)?;
    if len > left {
        return Err(bounds.too_long(dst, len));
    }
    bounds.reserve(dst, len);
    if lz4_block::decompress(data, dst, history_len, len) { Ok(()) } else { Err(DAMAGED) }
}

/// Counts the payload of a block, `lz4_Block_format.md`; `None` if it is cut short or copies from
/// nowhere.
///
/// ```text
/// token: literals(4) copy - 4(4); 15 continues in bytes until one is not 255
/// { token [literals..] literal bytes  offset(2) [copy..] }*  token [literals..] literal bytes
/// ```
fn decompressed_len(block: &[u8]) -> Option<usize> {
    let mut reader = Reader(block);
    let mut total = 0usize;
    loop {
        let [token] = reader.array().ok()?;
        let literals_len = reader.length(token >> 4)?;
        reader.bytes(literals_len).ok()?;
        total = total.checked_add(usize::try_from(literals_len).ok()?)?;
        if reader.0.is_empty() {
            return Some(total);
        }
        if reader.array().ok()? == [0, 0] {
            return None;
        }
        let copy_len = reader.length(token & 0xf)?;
        total = total.checked_add(usize::try_from(copy_len).ok()?)?.checked_add(4)?;
    }
}

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let (array, rest) = self.0.split_first_chunk().ok_or(CUT_SHORT)?;
        self.0 = rest;
        Ok(*array)
    }

    fn u32(&mut self) -> Result<u32, Fault> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    fn bytes(&mut self, len: u32) -> Result<&'a [u8], Fault> {
        let len = usize::try_from(len).map_err(|_| CUT_SHORT)?;
        let (bytes, rest) = self.0.split_at_checked(len).ok_or(CUT_SHORT)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// Reads on from the four bits of a token.
    fn length(&mut self, nibble: u8) -> Option<u32> {
        let mut len = u32::from(nibble);
        if nibble == 15 {
            loop {
                let [more] = self.array().ok()?;
                len = len.checked_add(u32::from(more))?;
                if more != 255 {
                    break;
                }
            }
        }
        Some(len)
    }
}

fn header_checksum(descriptor: &[u8]) -> u8 {
    let [_, second, ..] = XxHash32::oneshot(0, descriptor).to_le_bytes();
    second
}

const fn block_max(size_code: u8) -> usize {
    1 << (8 + 2 * size_code)
}

/// Blocks are at most 4 MiB.
fn size_field(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(NOT_COMPRESSED - 1)
}

const FRAME_MAGIC: u32 = 0x184d_2204;
const SKIPPABLE_MAGIC: u32 = 0x184d_2a50;
const END_MARK: u32 = 0;
const NOT_COMPRESSED: u32 = 1 << 31;

const VERSION_MASK: u8 = 0b1100_0000;
const VERSION_01: u8 = 0b0100_0000;
const INDEPENDENT: u8 = 1 << 5;
const BLOCK_CHECKSUM: u8 = 1 << 4;
const CONTENT_LEN: u8 = 1 << 3;
const CONTENT_CHECKSUM: u8 = 1 << 2;
const FLG_RESERVED: u8 = 1 << 1;
const DICTIONARY_ID: u8 = 1;
const BD_RESERVED: u8 = 0b1000_1111;

/// A byte that lengthens a copy stands for 255.
const MAX_RATIO: u64 = 255;

const CUT_SHORT: Fault = Fault::Malformed("cut short");
const DAMAGED: Fault = Fault::Malformed("a damaged block");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_of_a_block_is_counted_without_its_history() {
        assert_eq!(decompressed_len(b"\x10x"), Some(1));
        assert_eq!(decompressed_len(b"\x00"), Some(0));
        // One literal, a copy of 15 + 255 + 1 + 4 bytes, then five literals.
        assert_eq!(decompressed_len(b"\x1fx\x01\x00\xff\x01\x50abcde"), Some(1 + 275 + 5));
        // 15 + 0 literals.
        assert_eq!(decompressed_len(b"\xf0\x00abcdefghijklmno"), Some(15));
    }

    #[test]
    fn a_block_that_is_cut_short_has_no_length() {
        for block in [&b""[..], b"\x10", b"\xf0", b"\x10x\x01", b"\x1fx\x01\x00", b"\x10x\x01\x00"]
        {
            assert_eq!(decompressed_len(block), None, "{block:x?}");
        }
    }

    #[test]
    fn the_block_maximum_follows_from_its_code() {
        assert_eq!([4, 5, 6, 7].map(block_max), [64 << 10, 256 << 10, 1 << 20, 4 << 20]);
    }
}
