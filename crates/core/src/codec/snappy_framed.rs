//! The Snappy framing format: `framing_format.txt` of google/snappy, of 2013-10-25.
//!
//! ```text
//! type(1) length(3) body(length)
//! ff  stream identifier "sNaPpY", first and maybe again
//! 00  masked CRC-32C (4), a block of at most 65536 bytes payload
//! 01  masked CRC-32C (4), at most 65536 bytes of payload as they are
//! fe  padding            80..fd  to be skipped           02..7f  not to be skipped
//! ```

use super::room::Bounds;
use super::snappy_block::{self, BlockCompressor};
use super::{Compress, Fault, Refusal};
use crate::level::Level;

pub(crate) use super::snappy_block::library;

pub(crate) fn compressor(_level: Level) -> Result<Box<dyn Compress>, Refusal> {
    Ok(Box::new(FramedCompressor(BlockCompressor::new())))
}

struct FramedCompressor(BlockCompressor);

impl Compress for FramedCompressor {
    fn compress(&mut self, src: &[u8], dst: &mut Vec<u8>) -> Result<(), Refusal> {
        dst.extend_from_slice(STREAM_IDENTIFIER);
        for payload in src.chunks(MAX_CHUNK_LEN) {
            let header = dst.len();
            dst.extend_from_slice(&[0; 4]);
            dst.extend_from_slice(&masked_crc(payload).to_le_bytes());
            let body = dst.len();
            self.0.compress(payload, dst)?;
            // As the other writers do: less than an eighth saved is not worth a decompression.
            let kind = if dst.len() - body < payload.len() - payload.len() / 8 {
                COMPRESSED
            } else {
                dst.truncate(body);
                dst.extend_from_slice(payload);
                UNCOMPRESSED
            };
            // At most 4 + 65536, so the fourth byte is free for the type.
            let [a, b, c, ..] = (dst.len() - header - 4).to_le_bytes();
            if let Some(place) = dst.get_mut(header..).and_then(|tail| tail.first_chunk_mut()) {
                *place = [kind, a, b, c];
            }
        }
        Ok(())
    }

    fn kept_len(&self) -> usize {
        self.0.kept_len()
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
        if !src.starts_with(STREAM_IDENTIFIER) {
            return Err(Fault::Malformed(if snappy_block::is_plausible(src) {
                "no stream identifier; it looks like a raw block, encoding `snappy-block`"
            } else {
                "no stream identifier"
            }));
        }
        let bounds = Bounds::new(dst, limit);
        let mut rest = src;
        while let Some((header, after)) = rest.split_first_chunk() {
            let [kind, a, b, c] = *header;
            let len = usize::from(a) | usize::from(b) << 8 | usize::from(c) << 16;
            let (body, after) =
                after.split_at_checked(len).ok_or(Fault::Malformed("cut short in a chunk"))?;
            rest = after;
            match kind {
                COMPRESSED | UNCOMPRESSED => append_chunk(kind, body, dst, bounds)?,
                STREAM => {
                    if STREAM_IDENTIFIER.get(4..) != Some(body) {
                        return Err(Fault::Malformed(
                            "a stream identifier that says something else",
                        ));
                    }
                }
                FIRST_SKIPPABLE.. => {}
                _ => {
                    return Err(Fault::Malformed(
                        "a chunk of an unknown type that must not be skipped",
                    ));
                }
            }
        }
        if rest.is_empty() {
            Ok(())
        } else {
            Err(Fault::Malformed("cut short in a chunk's header"))
        }
    }
}

/// Appends a chunk of payload.
fn append_chunk(kind: u8, body: &[u8], dst: &mut Vec<u8>, bounds: Bounds) -> Result<(), Fault> {
    let (crc, data) =
        body.split_first_chunk().ok_or(Fault::Malformed("a chunk shorter than its checksum"))?;
    let len = match kind {
        COMPRESSED => snappy_block::payload_len(data).ok_or(snappy_block::DAMAGED)?,
        _ => data.len(),
    };
    if len > MAX_CHUNK_LEN {
        return Err(Fault::Malformed("a chunk with more than 65536 bytes of payload"));
    }
    if len > bounds.left(dst) {
        return Err(bounds.too_long(dst, len));
    }
    bounds.reserve(dst, len);
    let start = dst.len();
    match kind {
        COMPRESSED => snappy_block::Decompressor.decompress(data, dst, len)?,
        _ => dst.extend_from_slice(data),
    }
    if masked_crc(dst.get(start..).unwrap_or_default()) == u32::from_le_bytes(*crc) {
        Ok(())
    } else {
        Err(Fault::Malformed("a chunk's checksum is wrong"))
    }
}

/// Rotated and offset, so that a checksum over bytes that hold one stays a good one.
fn masked_crc(payload: &[u8]) -> u32 {
    crc32c::crc32c(payload).rotate_right(15).wrapping_add(0xa282_ead8)
}

const STREAM_IDENTIFIER: &[u8] = b"\xff\x06\x00\x00sNaPpY";

const COMPRESSED: u8 = 0x00;
const UNCOMPRESSED: u8 = 0x01;
const FIRST_SKIPPABLE: u8 = 0x80;
const STREAM: u8 = 0xff;

/// The most payload that a chunk may have.
const MAX_CHUNK_LEN: usize = 1 << 16;
