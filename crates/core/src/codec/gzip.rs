//! gzip (RFC 1952) and zlib (RFC 1950) around DEFLATE, by libdeflate.
//!
//! libdeflate reads one member at a time, checks its CRC-32 (or Adler-32) and length, and wants
//! room for the whole output. Here are the rest of the members, the header's own checksum, and
//! the size of that room.

use super::{Compress, Fault, NO_MEMORY, Refusal, produced};
use crate::level::Level;
use crate::native::libdeflate::{Deflater, Inflated, Inflater, crc32};

pub(crate) use crate::native::libdeflate::Container;

/// libdeflate has no function that tells; a test compares this to the lock file.
pub(crate) const LIBRARY: &str = "libdeflate 1.26";

pub(crate) fn compressor(container: Container, level: Level) -> Result<Box<dyn Compress>, Refusal> {
    let level = level.number().unwrap_or(1);
    let deflater = Deflater::new(level).ok_or(Refusal::Failed(NO_MEMORY))?;
    Ok(Box::new(Compressor { container, level, deflater }))
}

struct Compressor {
    container: Container,
    level: i32,
    deflater: Deflater,
}

impl Compress for Compressor {
    fn compress(&mut self, src: &[u8], dst: &mut Vec<u8>) -> Result<(), Refusal> {
        if self.deflater.deflate(self.container, src, dst) {
            Ok(())
        } else {
            Err(Refusal::Failed("the output is longer than libdeflate's bound"))
        }
    }

    fn kept_len(&self) -> usize {
        // libdeflate does not tell; these were counted, on 64 bits, and a test counts again.
        match self.level {
            ..=1 => 270_000,
            2..=9 => 700_000,
            _ => 9_000_000,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Decompressor {
    inflater: Option<Inflater>,
}

impl Decompressor {
    pub(crate) fn decompress_gzip(
        &mut self,
        src: &[u8],
        dst: &mut Vec<u8>,
        limit: usize,
    ) -> Result<(), Fault> {
        let start = dst.len();
        let mut rest = src;
        while !rest.is_empty() {
            check_header(rest)?;
            // A single member, which is the rule, ends with its own length modulo 2^32.
            let hint = rest.last_chunk().map_or(0, |isize| u32::from_le_bytes(*isize));
            let left = limit.saturating_sub(produced(dst, start));
            let hint = usize::try_from(hint).unwrap_or(0);
            let member_len = self.inflate(Container::Gzip, rest, dst, left, hint, limit)?;
            rest = rest.get(member_len..).unwrap_or_default();
        }
        Ok(())
    }

    pub(crate) fn decompress_zlib(
        &mut self,
        src: &[u8],
        dst: &mut Vec<u8>,
        limit: usize,
    ) -> Result<(), Fault> {
        if let [_, flags, id @ ..] = src
            && flags & ZLIB_FDICT != 0
            && let Some(id) = id.first_chunk()
        {
            return Err(Fault::Dictionary { id: u32::from_be_bytes(*id) });
        }
        let hint = src.len().saturating_mul(4);
        let stream_len = self.inflate(Container::Zlib, src, dst, limit, hint, limit)?;
        if stream_len < src.len() {
            return Err(Fault::Malformed("bytes after the end of the stream"));
        }
        Ok(())
    }

    /// Appends one member, `left` bytes at most, and returns its encoded length.
    ///
    /// The room for it grows from what is there already and from `hint`, so that a member costs
    /// at most a third more time than one whose length is known.
    fn inflate(
        &mut self,
        container: Container,
        src: &[u8],
        dst: &mut Vec<u8>,
        left: usize,
        hint: usize,
        limit: usize,
    ) -> Result<usize, Fault> {
        let inflater = match &mut self.inflater {
            Some(inflater) => inflater,
            none => none.insert(Inflater::new().ok_or(Fault::Malformed(NO_MEMORY))?),
        };
        let most = left.min(src.len().saturating_mul(MAX_RATIO));
        let mut room = hint.max(dst.capacity() - dst.len()).max(MIN_ROOM).min(most);
        loop {
            dst.reserve(room);
            match inflater.inflate(container, src, dst, room) {
                Inflated::Whole { src_len } => return Ok(src_len),
                Inflated::Malformed => {
                    return Err(Fault::Malformed("cut short, damaged, or a wrong checksum"));
                }
                Inflated::NoRoom if room < most => room = room.saturating_mul(4).min(most),
                Inflated::NoRoom => return Err(Fault::TooLong { at_least: limit as u64 + 1 }),
            }
        }
    }

    pub(crate) fn kept_len(&self) -> usize {
        self.inflater.as_ref().map_or(0, |_| 12_000)
    }
}

/// Checks what libdeflate passes over: the header's own CRC, where there is one.
///
/// ```text
/// ID1 ID2 CM FLG MTIME(4) XFL OS [XLEN(2) extra] [name 0] [comment 0] [CRC16(2)]
/// ```
fn check_header(src: &[u8]) -> Result<(), Fault> {
    let &[0x1f, 0x8b, _, flags, ..] = src else {
        return Err(Fault::Malformed("no gzip member where one should begin"));
    };
    if flags & FHCRC == 0 {
        return Ok(());
    }
    let header_len = header_len(src, flags).ok_or(Fault::Malformed(CUT_HEADER))?;
    let (header, rest) = src.split_at_checked(header_len).ok_or(Fault::Malformed(CUT_HEADER))?;
    let stated = rest.first_chunk().ok_or(Fault::Malformed(CUT_HEADER))?;
    if u32::from(u16::from_le_bytes(*stated)) == crc32(header) & 0xffff {
        Ok(())
    } else {
        Err(Fault::Malformed("the header's checksum is wrong"))
    }
}

/// Returns the length of a header without its CRC, or `None` if it is cut short.
fn header_len(src: &[u8], flags: u8) -> Option<usize> {
    let mut len = 10;
    if flags & FEXTRA != 0 {
        let extra_len = u16::from_le_bytes(*src.get(len..)?.first_chunk()?);
        len += 2 + usize::from(extra_len);
    }
    for text in [FNAME, FCOMMENT] {
        if flags & text != 0 {
            len += src.get(len..)?.iter().position(|&byte| byte == 0)? + 1;
        }
    }
    Some(len)
}

const FHCRC: u8 = 1 << 1;
const FEXTRA: u8 = 1 << 2;
const FNAME: u8 = 1 << 3;
const FCOMMENT: u8 = 1 << 4;
const ZLIB_FDICT: u8 = 1 << 5;

const CUT_HEADER: &str = "cut short in a member's header";

/// A copy of 258 bytes takes two bits at least.
const MAX_RATIO: usize = 258 * 4;

/// Below this a second try costs more than the memory.
const MIN_ROOM: usize = 1024;
