//! Zstandard, RFC 8878, by libzstd's one-shot calls on kept state.
//!
//! One-shot decompression goes straight into the output and allocates no window, whatever the
//! frame declares, but wants room for the whole payload. The frame and block headers, read
//! first, say how much that can be at most.

use zstd_safe::zstd_sys::ZSTD_ErrorCode::{ZSTD_error_checksum_wrong, ZSTD_error_dstSize_tooSmall};
use zstd_safe::{CCtx, CParameter, DCtx, is_error_kind};

use super::room::Bounds;
use super::{Compress, Fault, NO_MEMORY, Refusal};
use crate::level::Level;
use crate::native::zstd::Room;

pub(crate) fn compressor(level: Level) -> Result<Box<dyn Compress>, Refusal> {
    let mut state = CCtx::try_create().ok_or(Refusal::Failed(NO_MEMORY))?;
    let number = level.number().unwrap_or(1);
    state
        .set_parameter(CParameter::CompressionLevel(number))
        .map_err(|code| Refusal::Failed(zstd_safe::get_error_name(code)))?;
    Ok(Box::new(Compressor { state }))
}

pub(crate) fn library() -> Option<String> {
    Some(format!("zstd {}", zstd_safe::version_string()))
}

struct Compressor {
    state: CCtx<'static>,
}

impl Compress for Compressor {
    fn compress(&mut self, src: &[u8], dst: &mut Vec<u8>) -> Result<(), Refusal> {
        let room = zstd_safe::compress_bound(src.len());
        dst.reserve(room);
        self.state
            .compress2(&mut Room::new(dst, room), src)
            .map(drop)
            .map_err(|code| Refusal::Failed(zstd_safe::get_error_name(code)))
    }

    fn kept_len(&self) -> usize {
        self.state.sizeof()
    }
}

/// Returns the length that frames state, if their blocks can hold as many.
pub(crate) fn payload_len(src: &[u8]) -> Option<usize> {
    let extent = Extent::of(src).ok().filter(|extent| extent.least == extent.most)?;
    usize::try_from(extent.least).ok()
}

#[derive(Default)]
pub(crate) struct Decompressor {
    state: Option<DCtx<'static>>,
    /// One-shot calls never make the state larger.
    kept_len: usize,
}

impl std::fmt::Debug for Decompressor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Decompressor").finish_non_exhaustive()
    }
}

impl Decompressor {
    pub(crate) fn decompress(
        &mut self,
        src: &[u8],
        dst: &mut Vec<u8>,
        limit: usize,
    ) -> Result<(), Fault> {
        let extent = Extent::of(src)?;
        if extent.least > limit as u64 {
            return Err(Fault::TooLong { at_least: extent.least });
        }
        let most = usize::try_from(extent.most).unwrap_or(usize::MAX).min(limit);
        let state = match &mut self.state {
            Some(state) => state,
            none => {
                let state = DCtx::try_create().ok_or(Fault::Malformed(NO_MEMORY))?;
                self.kept_len = state.sizeof();
                none.insert(state)
            }
        };
        let bounds = Bounds::new(dst, limit);
        let is_stated = extent.least == extent.most;
        let mut room = if is_stated {
            most
        } else {
            // Only frames without content size come here. Their room grows from what is there,
            // four-fold: each try decompresses anew.
            (dst.capacity() - dst.len()).max(src.len().saturating_mul(4)).max(MIN_ROOM).min(most)
        };
        loop {
            bounds.reserve(dst, room);
            // What is stated is not exceeded, and libzstd is quicker with room behind it.
            let offered = if is_stated { usize::MAX } else { room };
            match state.decompress(&mut Room::new(dst, offered), src) {
                Ok(_) => return Ok(()),
                Err(code) if is_error_kind(code, ZSTD_error_checksum_wrong) => {
                    return Err(Fault::Malformed("the content's checksum is wrong"));
                }
                Err(code) if !is_error_kind(code, ZSTD_error_dstSize_tooSmall) => {
                    return Err(DAMAGED);
                }
                Err(_) if room < most => room = room.saturating_mul(4).min(most),
                Err(_) if extent.most > limit as u64 => {
                    return Err(bounds.too_long(dst, bounds.left(dst) + 1));
                }
                Err(_) => return Err(DAMAGED),
            }
        }
    }

    pub(crate) const fn kept_len(&self) -> usize {
        self.kept_len
    }
}

/// Between which lengths the payload of some frames must be.
#[derive(Debug, Default, PartialEq, Eq)]
struct Extent {
    least: u64,
    most: u64,
}

impl Extent {
    /// Reads the headers of all frames and blocks; nothing is decompressed.
    fn of(src: &[u8]) -> Result<Self, Fault> {
        let mut total = Self::default();
        let mut rest = src;
        while !rest.is_empty() {
            match u32::from_le_bytes(take(&mut rest)?) {
                FRAME_MAGIC => {
                    let frame = Self::of_frame(&mut rest)?;
                    total.least = total.least.saturating_add(frame.least);
                    total.most = total.most.saturating_add(frame.most);
                }
                magic if magic & 0xffff_fff0 == SKIPPABLE_MAGIC => {
                    let len = u32::from_le_bytes(take(&mut rest)?);
                    skip(&mut rest, len)?;
                }
                _ => return Err(Fault::Malformed("no zstd frame where one should begin")),
            }
        }
        Ok(total)
    }

    /// RFC 8878, 3.1.1: header, blocks, checksum.
    fn of_frame(rest: &mut &[u8]) -> Result<Self, Fault> {
        let header = FrameHeader::read(rest)?;
        let mut extent = Self::default();
        loop {
            let [a, b, c] = take(rest)?;
            let block = u32::from_le_bytes([a, b, c, 0]);
            let size = block >> 3;
            if u64::from(size) > header.block_max {
                return Err(Fault::Malformed("a block longer than its frame allows"));
            }
            match block >> 1 & 0b11 {
                RAW => {
                    skip(rest, size)?;
                    extent.add(size.into(), size.into());
                }
                RLE => {
                    skip(rest, 1)?;
                    extent.add(size.into(), size.into());
                }
                COMPRESSED => {
                    skip(rest, size)?;
                    extent.add(0, header.block_max);
                }
                _ => return Err(Fault::Malformed("a block of the reserved type")),
            }
            if block & 1 != 0 {
                break;
            }
        }
        if header.has_checksum {
            skip(rest, 4)?;
        }
        match header.content_len {
            None => Ok(extent),
            Some(len) if (extent.least..=extent.most).contains(&len) => {
                Ok(Self { least: len, most: len })
            }
            Some(_) => Err(Fault::Malformed("declares a length that its blocks can't have")),
        }
    }

    fn add(&mut self, least: u64, most: u64) {
        self.least = self.least.saturating_add(least);
        self.most = self.most.saturating_add(most);
    }
}

struct FrameHeader {
    content_len: Option<u64>,
    block_max: u64,
    has_checksum: bool,
}

impl FrameHeader {
    /// RFC 8878, 3.1.1.1, from the descriptor on.
    fn read(rest: &mut &[u8]) -> Result<Self, Fault> {
        let [descriptor] = take(rest)?;
        if descriptor & RESERVED_BIT != 0 {
            return Err(Fault::Malformed("a frame with the reserved bit set"));
        }
        let single_segment = descriptor & SINGLE_SEGMENT != 0;
        let window_len = if single_segment {
            None
        } else {
            let [window] = take(rest)?;
            let base = 1u64 << (10 + (window >> 3));
            Some(base + base / 8 * u64::from(window & 0b111))
        };
        let dictionary_id = match descriptor & 0b11 {
            0 => 0,
            1 => u32::from(u8::from_le_bytes(take(rest)?)),
            2 => u32::from(u16::from_le_bytes(take(rest)?)),
            _ => u32::from_le_bytes(take(rest)?),
        };
        if dictionary_id != 0 {
            return Err(Fault::Dictionary { id: dictionary_id });
        }
        let content_len = match descriptor >> 6 {
            0 if !single_segment => None,
            0 => Some(u64::from(u8::from_le_bytes(take(rest)?))),
            1 => Some(u64::from(u16::from_le_bytes(take(rest)?)) + 256),
            2 => Some(u64::from(u32::from_le_bytes(take(rest)?))),
            _ => Some(u64::from_le_bytes(take(rest)?)),
        };
        Ok(Self {
            content_len,
            block_max: window_len.or(content_len).unwrap_or(0).min(BLOCK_MAX),
            has_checksum: descriptor & HAS_CHECKSUM != 0,
        })
    }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], Fault> {
    let (array, after) = rest.split_first_chunk().ok_or(CUT_SHORT)?;
    *rest = after;
    Ok(*array)
}

fn skip(rest: &mut &[u8], len: u32) -> Result<(), Fault> {
    let len = usize::try_from(len).map_err(|_| CUT_SHORT)?;
    *rest = rest.get(len..).ok_or(CUT_SHORT)?;
    Ok(())
}

const FRAME_MAGIC: u32 = 0xfd2f_b528;
const SKIPPABLE_MAGIC: u32 = 0x184d_2a50;

const SINGLE_SEGMENT: u8 = 1 << 5;
const RESERVED_BIT: u8 = 1 << 3;
const HAS_CHECKSUM: u8 = 1 << 2;

const RAW: u32 = 0;
const RLE: u32 = 1;
const COMPRESSED: u32 = 2;

/// No block is longer, whatever the window.
const BLOCK_MAX: u64 = 128 << 10;

/// Below this a second try costs more than the memory.
const MIN_ROOM: usize = 1024;

const CUT_SHORT: Fault = Fault::Malformed("cut short");

/// What libzstd says of damaged bytes depends on how much room it had; this does not.
const DAMAGED: Fault = Fault::Malformed("a damaged block");

#[cfg(test)]
mod tests {
    use super::*;

    const MAGIC: [u8; 4] = FRAME_MAGIC.to_le_bytes();

    fn frame(rest: &[u8]) -> Vec<u8> {
        [&MAGIC, rest].concat()
    }

    fn extent(least: u64, most: u64) -> Result<Extent, Fault> {
        Ok(Extent { least, most })
    }

    #[test]
    fn a_raw_and_an_rle_block_state_their_length() {
        // No content size, a window of 1 KiB; 3 raw bytes, then 1000 times one byte.
        let bytes = frame(b"\x00\x00\x18\x00\x00abc\x43\x1f\x00x");
        assert_eq!(Extent::of(&bytes), extent(1003, 1003));
    }

    #[test]
    fn a_compressed_block_is_at_most_as_long_as_window_and_format_allow() {
        let block = b"\x15\x00\x00\x00\x00"; // two bytes
        let small = [&frame(b"\x00\x00"), &block[..]].concat();
        assert_eq!(Extent::of(&small), extent(0, 1 << 10));
        let large = [&frame(b"\x00\x88"), &block[..]].concat(); // 128 MiB
        assert_eq!(Extent::of(&large), extent(0, 128 << 10));
    }

    #[test]
    fn a_stated_content_size_holds_only_between_the_bounds() {
        let stated = frame(b"\x20\x05\x29\x00\x00hello");
        assert_eq!(Extent::of(&stated), extent(5, 5));
        let lie = frame(b"\x20\x06\x29\x00\x00hello");
        assert!(matches!(Extent::of(&lie), Err(Fault::Malformed(_))));
    }

    #[test]
    fn frames_add_up_and_skippable_ones_count_nothing() {
        let hello = frame(b"\x20\x05\x29\x00\x00hello");
        let skippable = b"\x5f\x2a\x4d\x18\x03\x00\x00\x00abc";
        let bytes = [&hello, &skippable[..], &hello].concat();
        assert_eq!(Extent::of(&bytes), extent(10, 10));
    }

    #[test]
    fn every_cut_is_seen_before_anything_is_decompressed() {
        let hello = frame(b"\x24\x05\x29\x00\x00hello\x00\x00\x00\x00");
        assert_eq!(Extent::of(&hello), extent(5, 5));
        for len in 1..hello.len() {
            assert_eq!(Extent::of(&hello[..len]), Err(CUT_SHORT), "cut at {len}");
        }
    }
}
