//! gzip, RFC 1952: members of DEFLATE one after the other.
//!
//! libdeflate checks a member's CRC-32 and length. Here are the rest of the members and the
//! header's own checksum.

use super::inflate::{DeflateCompressor, GrowingInflater, likely_len};
use super::room::Bounds;
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
        let bounds = Bounds::new(dst, limit);
        let mut rest = src;
        while !rest.is_empty() {
            check_header(rest)?;
            let hint = match stated_len(rest) {
                0 => likely_len(rest), // of an empty member that follows, most likely
                len => len,
            };
            let member_len = self.0.inflate(Container::Gzip, rest, dst, bounds, hint)?;
            rest = rest.get(member_len..).unwrap_or_default();
        }
        Ok(())
    }

    pub(crate) fn kept_len(&self) -> usize {
        self.0.kept_len()
    }
}

/// Returns the length that a single member, which is the rule, states at its end, modulo 2^32. Of
/// several it is that of the last.
fn stated_len(src: &[u8]) -> usize {
    src.last_chunk().map_or(0, |len| usize::try_from(u32::from_le_bytes(*len)).unwrap_or(0))
}

/// As [`stated_len`], if so few bytes can hold as many.
pub(crate) fn payload_len(src: &[u8]) -> Option<usize> {
    let stated = stated_len(src);
    (stated <= src.len().saturating_mul(super::inflate::MAX_RATIO)).then_some(stated)
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

#[cfg(test)]
mod tests {
    use super::*;

    const ALL_FIELDS: &[u8] =
        b"\x1f\x8b\x08\x1e\x00\x00\x00\x00\x00\xff\x02\x00exname\x00comment\x00";

    #[test]
    fn a_header_ends_after_its_last_field() {
        assert_eq!(header_len(ALL_FIELDS, 0), Some(10));
        assert_eq!(header_len(ALL_FIELDS, FEXTRA), Some(14));
        assert_eq!(header_len(ALL_FIELDS, FEXTRA | FNAME), Some(19));
        assert_eq!(header_len(ALL_FIELDS, FEXTRA | FNAME | FCOMMENT), Some(ALL_FIELDS.len()));
    }

    #[test]
    fn a_header_that_is_cut_short_has_no_end() {
        let all = FEXTRA | FNAME | FCOMMENT;
        for len in 10..ALL_FIELDS.len() {
            assert_eq!(header_len(&ALL_FIELDS[..len], all), None, "cut at {len}");
        }
    }

    #[test]
    fn the_header_checksum_is_checked_where_there_is_one() {
        let crc = crc32(ALL_FIELDS).to_le_bytes();
        let right = [ALL_FIELDS, &crc[..2]].concat();
        assert_eq!(check_header(&right), Ok(()));
        let wrong = [ALL_FIELDS, &[crc[0] ^ 1, crc[1]]].concat();
        assert!(check_header(&wrong).is_err());
        assert!(check_header(ALL_FIELDS).is_err(), "it is missing");
    }
}
