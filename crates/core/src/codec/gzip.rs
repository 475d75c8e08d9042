//! gzip, RFC 1952: members of DEFLATE one after the other.
//!
//! libdeflate checks a member's CRC-32 and length. Here are the rest of the members and the
//! header's own checksum.

use super::inflate::{DeflateCompressor, GrowingInflater};
use super::{Compress, Fault, Refusal};
use crate::level::Level;
use crate::native::libdeflate::{Container, crc32};

pub(crate) use super::inflate::library;

pub(crate) fn compressor(level: Level) -> Result<Box<dyn Compress>, Refusal> {
    DeflateCompressor::boxed(Container::Gzip, level)
}

#[derive(Debug, Default)]
pub(crate) struct Decompressor(GrowingInflater);

impl Decompressor {
    pub(crate) fn decompress(
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
            let hint = rest.last_chunk().map_or(0, |len| u32::from_le_bytes(*len));
            let hint = usize::try_from(hint).unwrap_or(0);
            let done = dst.len() - start;
            let member_len = self
                .0
                .inflate(Container::Gzip, rest, dst, limit - done, hint)
                .map_err(|fault| match fault {
                    Fault::TooLong { at_least } => {
                        Fault::TooLong { at_least: at_least + done as u64 }
                    }
                    Fault::Malformed(_) | Fault::Dictionary { .. } => fault,
                })?;
            rest = rest.get(member_len..).unwrap_or_default();
        }
        Ok(())
    }

    pub(crate) fn kept_len(&self) -> usize {
        self.0.kept_len()
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

const CUT_HEADER: &str = "cut short in a member's header";
