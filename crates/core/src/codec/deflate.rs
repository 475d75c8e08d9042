//! deflate as gRPC and HTTP mean it: one zlib stream, RFC 1950.

use super::inflate::{DeflateCompressor, GrowingInflater, likely_len};
use super::room::Bounds;
use super::{Compress, Fault, Refusal};
use crate::level::Level;
use crate::native::libdeflate::Container;

pub(crate) use super::inflate::library;

pub(crate) fn compressor(level: Level) -> Result<Box<dyn Compress>, Refusal> {
    DeflateCompressor::boxed(Container::Zlib, level)
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
        if let [cmf, flags, id @ ..] = src
            && u16::from_be_bytes([*cmf, *flags]).is_multiple_of(31)
            && cmf & 0xf == DEFLATE
            && flags & FDICT != 0
            && let Some(id) = id.first_chunk()
        {
            return Err(Fault::Dictionary { id: u32::from_be_bytes(*id) });
        }
        let bounds = Bounds::new(dst, limit);
        let hint = likely_len(src); // a stream does not say
        let stream_len = self.0.inflate(Container::Zlib, src, dst, bounds, hint)?;
        if stream_len < src.len() {
            return Err(Fault::Malformed("bytes after the end of the stream"));
        }
        Ok(())
    }

    pub(crate) fn kept_len(&self) -> usize {
        self.0.kept_len()
    }
}

/// CM: the only method that there is.
const DEFLATE: u8 = 8;

/// FLG, bit 5: a preset dictionary, by its Adler-32.
const FDICT: u8 = 1 << 5;
