//! The Snappy block format, fast: messages compressed and decompressed straight into reused buffers.
//!
//! A block states its payload's length, then has literals and copies: `format_description.txt` of
//! google/snappy. It is what Prometheus remote write and Kafka-like protocols send. The framing format,
//! with checksums, is another.
//!
//! ```
//! use thinwire_snappy::{Compressor, decompress_into};
//!
//! let mut compressor = Compressor::new(); // keeps its memory, so keep it
//! let mut block = Vec::new(); // keep buffers as well
//! compressor.compress_into(b"thin wire, thin wire, thin wire", &mut block)?;
//! assert!(block.len() < 20);
//!
//! let mut payload = Vec::new();
//! let limit = 4 << 20; // of what a peer may make this process allocate
//! decompress_into(&block, &mut payload, limit)?;
//! assert_eq!(payload, b"thin wire, thin wire, thin wire");
//! # Ok::<(), thinwire_snappy::Error>(())
//! ```
//!
//! Both append to a `Vec`, write into its spare capacity without clearing it first, and leave it as
//! it was if there is an error. With the feature `safe` there is no unsafe code in the crate, and
//! the same functions, with the same results, are those of the module [`safe`]: slower.
#![cfg_attr(feature = "safe", forbid(unsafe_code))]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod error;
mod header;
mod table;
mod tag;

#[cfg(not(feature = "safe"))]
mod fast;
#[cfg(not(feature = "safe"))]
mod native;
pub mod safe;

pub use error::Error;
#[cfg(not(feature = "safe"))]
pub use fast::{Compressor, decompress_into};
#[cfg(feature = "safe")]
pub use safe::{Compressor, decompress_into};

/// Returns the length of the payload that a block states; it may be a lie.
///
/// # Errors
///
/// [`Error::NoLength`], if the bytes do not begin with a length.
///
/// ```
/// assert_eq!(thinwire_snappy::decompressed_len(b"\x05\x10snaps"), Ok(5));
/// assert!(thinwire_snappy::decompressed_len(b"").is_err());
/// ```
pub fn decompressed_len(src: &[u8]) -> Result<usize, Error> {
    header::split(src).map(|(stated, _)| stated)
}

/// Returns how long a compressed payload of `len` bytes is at most; `None` if it is longer than
/// a block's: 4 294 967 295 bytes.
///
/// ```
/// assert_eq!(thinwire_snappy::max_compressed_len(6_000), Some(7_032));
/// ```
#[must_use]
pub const fn max_compressed_len(len: usize) -> Option<usize> {
    if len > MAX_PAYLOAD_LEN { None } else { len.checked_add(len / 6 + 32) }
}

/// So many bytes of spare capacity behind a payload make decompression fast to its end: they are
/// written, and do not become part of the buffer.
pub const SLOP: usize = 64; // by a step that begins at the payload's end

/// The stated length is a varint of 32 bits.
const MAX_PAYLOAD_LEN: usize = u32::MAX as usize;

/// Returns a block's stated length and the rest of it, if both can be.
fn checked(src: &[u8], limit: usize) -> Result<(usize, &[u8]), Error> {
    let (stated, body) = header::split(src)?;
    if stated > limit {
        return Err(Error::TooLong { stated, limit });
    }
    if stated > header::most_from(body.len()) {
        return Err(Error::Overstated { stated });
    }
    Ok((stated, body))
}

/// Appends a payload's length, and its blocks as `append_block` writes them.
fn compress(
    slots: &mut Vec<u16>,
    src: &[u8],
    dst: &mut Vec<u8>,
    append_block: impl Fn(&[u8], table::Table<'_>, &mut Vec<u8>),
) -> Result<usize, Error> {
    let too_long = Error::TooLong { stated: src.len(), limit: MAX_PAYLOAD_LEN };
    let len = u32::try_from(src.len()).map_err(|_| too_long)?;
    let start = dst.len();
    dst.reserve(max_compressed_len(src.len()).ok_or(too_long)?);
    header::push(len, dst);
    for block in src.chunks(table::BLOCK_LEN) {
        append_block(block, table::Table::new(slots, block.len()), dst);
    }
    Ok(dst.len() - start)
}
