//! Bytes to bytes under one encoding: the one match from an encoding to its code.

#[cfg(feature = "gzip")]
mod gzip;
#[cfg(feature = "lz4")]
mod lz4;
mod signature;
#[cfg(feature = "snappy")]
mod snappy_block;
#[cfg(feature = "snappy")]
mod snappy_framed;
#[cfg(feature = "zstd")]
mod zstd;

use crate::encoding::Encoding;
use crate::error::EncodeError;
use crate::level::Level;

pub(crate) use signature::looks_like;

/// Compresses whole payloads. What it keeps between two of them is memory, not history.
pub(crate) trait Compress: Send {
    /// Appends `src`, compressed, to `dst`. On error `dst` may hold a part of it.
    fn compress(&mut self, src: &[u8], dst: &mut Vec<u8>) -> Result<(), Refusal>;

    /// Returns the bytes that it holds between calls.
    fn kept_len(&self) -> usize;
}

/// Why a payload was not compressed.
#[derive(Debug)]
pub(crate) enum Refusal {
    TooLong { limit: usize },
    Failed(&'static str),
}

/// Why bytes did not decompress. [`Decoder`](crate::Decoder) adds the sizes and the limit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    TooLong { at_least: u64 },
    Malformed(&'static str),
    Dictionary { id: u32 },
}

/// The answer to a library that has no memory left for its state.
const NO_MEMORY: &str = "no memory for its state";

/// Makes the compressor of a level; `None` for identity, which has none.
pub(crate) fn compressor(level: Level) -> Result<Option<Box<dyn Compress>>, EncodeError> {
    let encoding = level.encoding();
    let made: Result<Box<dyn Compress>, Refusal> = match encoding {
        Encoding::Identity => return Ok(None),
        #[cfg(feature = "gzip")]
        Encoding::Gzip => gzip::compressor(gzip::Container::Gzip, level),
        #[cfg(feature = "gzip")]
        Encoding::Deflate => gzip::compressor(gzip::Container::Zlib, level),
        #[cfg(feature = "zstd")]
        Encoding::Zstd => zstd::compressor(level),
        #[cfg(feature = "lz4")]
        Encoding::Lz4 => Ok(lz4::compressor(level)),
        #[cfg(feature = "snappy")]
        Encoding::SnappyFramed => Ok(snappy_framed::compressor()),
        #[cfg(feature = "snappy")]
        Encoding::SnappyBlock => Ok(snappy_block::compressor()),
        #[cfg(not(all(feature = "gzip", feature = "lz4", feature = "snappy", feature = "zstd")))]
        _ => {
            let feature = encoding.feature().unwrap_or_default();
            return Err(EncodeError::NotBuiltIn { encoding, feature });
        }
    };
    made.map(Some).map_err(|refusal| encode_error(encoding, 0, &refusal))
}

pub(crate) fn encode_error(
    encoding: Encoding,
    payload_len: usize,
    refusal: &Refusal,
) -> EncodeError {
    match *refusal {
        Refusal::TooLong { limit } => EncodeError::TooLong { encoding, payload_len, limit },
        Refusal::Failed(detail) => EncodeError::Failed { encoding, payload_len, detail },
    }
}

/// Decompresses whole payloads of every encoding; each one's state is made when it first comes.
#[derive(Debug, Default)]
pub(crate) struct Decompressor {
    #[cfg(feature = "gzip")]
    gzip: gzip::Decompressor,
    #[cfg(feature = "zstd")]
    zstd: zstd::Decompressor,
}

impl Decompressor {
    /// Appends the payload that `src` is under `encoding` to `dst`: all of it, `limit` bytes at
    /// most. On error `dst` may hold a part of it.
    ///
    /// `encoding` is available and not identity, and `src` is not empty.
    pub(crate) fn decompress(
        &mut self,
        encoding: Encoding,
        src: &[u8],
        dst: &mut Vec<u8>,
        limit: usize,
    ) -> Result<(), Fault> {
        match encoding {
            #[cfg(feature = "gzip")]
            Encoding::Gzip => self.gzip.decompress_gzip(src, dst, limit),
            #[cfg(feature = "gzip")]
            Encoding::Deflate => self.gzip.decompress_zlib(src, dst, limit),
            #[cfg(feature = "zstd")]
            Encoding::Zstd => self.zstd.decompress(src, dst, limit),
            #[cfg(feature = "lz4")]
            Encoding::Lz4 => lz4::decompress(src, dst, limit),
            #[cfg(feature = "snappy")]
            Encoding::SnappyFramed => snappy_framed::decompress(src, dst, limit),
            #[cfg(feature = "snappy")]
            Encoding::SnappyBlock => snappy_block::decompress(src, dst, limit),
            #[cfg(not(all(
                feature = "gzip",
                feature = "lz4",
                feature = "snappy",
                feature = "zstd"
            )))]
            Encoding::Gzip
            | Encoding::Deflate
            | Encoding::Zstd
            | Encoding::Lz4
            | Encoding::SnappyFramed
            | Encoding::SnappyBlock => Err(Fault::Malformed("not built in")),
            Encoding::Identity => Err(Fault::Malformed("identity has no decompressor")),
        }
    }

    /// Returns the bytes that it holds between calls.
    pub(crate) fn kept_len(&self) -> usize {
        0 // each codec below adds its own
            + {
                #[cfg(feature = "gzip")]
                {
                    self.gzip.kept_len()
                }
                #[cfg(not(feature = "gzip"))]
                0
            }
            + {
                #[cfg(feature = "zstd")]
                {
                    self.zstd.kept_len()
                }
                #[cfg(not(feature = "zstd"))]
                0
            }
    }
}

/// Returns the library behind an encoding, with its version.
pub(crate) fn library(encoding: Encoding) -> Option<String> {
    match encoding {
        Encoding::Identity => None,
        #[cfg(feature = "gzip")]
        Encoding::Gzip | Encoding::Deflate => Some(gzip::LIBRARY.to_owned()),
        #[cfg(feature = "zstd")]
        Encoding::Zstd => Some(zstd::library()),
        #[cfg(feature = "lz4")]
        Encoding::Lz4 => Some(lz4::library()),
        #[cfg(feature = "snappy")]
        Encoding::SnappyFramed | Encoding::SnappyBlock => Some(snappy_block::LIBRARY.to_owned()),
        #[cfg(not(all(feature = "gzip", feature = "lz4", feature = "snappy", feature = "zstd")))]
        _ => None,
    }
}

/// Returns how many bytes from `start` on `dst` holds.
#[cfg(any(feature = "gzip", feature = "lz4", feature = "snappy"))]
fn produced(dst: &[u8], start: usize) -> usize {
    dst.len().saturating_sub(start)
}
