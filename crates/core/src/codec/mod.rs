//! Bytes to bytes under one encoding: the one match from an encoding to its code.

#[cfg(not(all(feature = "gzip", feature = "lz4", feature = "snappy", feature = "zstd")))]
mod absent;
#[cfg(feature = "gzip")]
mod deflate;
#[cfg(feature = "gzip")]
mod gzip;
#[cfg(feature = "gzip")]
mod inflate;
#[cfg(feature = "lz4")]
mod lz4;
#[cfg(any(feature = "gzip", feature = "lz4", feature = "snappy", feature = "zstd"))]
mod room;
mod signature;
#[cfg(feature = "snappy")]
mod snappy_block;
#[cfg(feature = "snappy")]
mod snappy_framed;
#[cfg(feature = "zstd")]
mod zstd;

// Every codec module has the same four items; one that is not built in has them from here.
#[cfg(not(feature = "lz4"))]
use absent as lz4;
#[cfg(not(feature = "zstd"))]
use absent as zstd;
#[cfg(not(feature = "gzip"))]
use {absent as deflate, absent as gzip};
#[cfg(not(feature = "snappy"))]
use {absent as snappy_block, absent as snappy_framed};

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
    #[cfg_attr(not(feature = "snappy"), expect(dead_code, reason = "only Snappy has a limit"))]
    TooLong {
        limit: usize,
    },
    Failed(&'static str),
}

/// Why bytes did not decompress. [`Decoder`](crate::Decoder) adds the sizes and the limit.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    TooLong {
        at_least: u64,
    },
    Malformed(&'static str),
    #[cfg_attr(
        not(any(feature = "gzip", feature = "lz4", feature = "zstd")),
        expect(dead_code, reason = "Snappy has no dictionaries")
    )]
    Dictionary {
        id: u32,
    },
}

/// The answer to a library that has no memory left for its state.
#[cfg(any(feature = "gzip", feature = "zstd"))]
const NO_MEMORY: &str = "no memory for its state";

/// Makes the compressor of a level; `None` for identity, which has none.
pub(crate) fn compressor(level: Level) -> Result<Option<Box<dyn Compress>>, EncodeError> {
    let encoding = level.encoding();
    if let Some(feature) = encoding.feature().filter(|_| !encoding.is_available()) {
        return Err(EncodeError::NotBuiltIn { encoding, feature });
    }
    let made = match encoding {
        Encoding::Identity => return Ok(None),
        Encoding::Gzip => gzip::compressor(level),
        Encoding::Deflate => deflate::compressor(level),
        Encoding::Zstd => zstd::compressor(level),
        Encoding::Lz4 => lz4::compressor(level),
        Encoding::SnappyFramed => snappy_framed::compressor(level),
        Encoding::SnappyBlock => snappy_block::compressor(level),
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
    gzip: gzip::Decompressor,
    deflate: deflate::Decompressor,
    zstd: zstd::Decompressor,
    lz4: lz4::Decompressor,
    snappy_framed: snappy_framed::Decompressor,
    snappy_block: snappy_block::Decompressor,
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
            Encoding::Identity => Err(Fault::Malformed("identity has no decompressor")),
            Encoding::Gzip => self.gzip.decompress(src, dst, limit),
            Encoding::Deflate => self.deflate.decompress(src, dst, limit),
            Encoding::Zstd => self.zstd.decompress(src, dst, limit),
            Encoding::Lz4 => self.lz4.decompress(src, dst, limit),
            Encoding::SnappyFramed => self.snappy_framed.decompress(src, dst, limit),
            Encoding::SnappyBlock => self.snappy_block.decompress(src, dst, limit),
        }
    }

    /// Returns the bytes that it holds between calls.
    pub(crate) fn kept_len(&self) -> usize {
        // The others hold nothing.
        self.gzip.kept_len() + self.deflate.kept_len() + self.zstd.kept_len()
    }
}

/// Returns the payload's length where the bytes state it and can hold as many; not checked against
/// any limit, and maybe wrong.
pub(crate) fn payload_len(encoding: Encoding, src: &[u8]) -> Option<usize> {
    match encoding {
        Encoding::Gzip => gzip::payload_len(src),
        Encoding::Zstd => zstd::payload_len(src),
        Encoding::SnappyBlock => snappy_block::payload_len(src),
        // They do not state it, or rarely.
        Encoding::Identity | Encoding::Deflate | Encoding::Lz4 | Encoding::SnappyFramed => None,
    }
}

/// Returns the library behind an encoding, with its version.
pub(crate) fn library(encoding: Encoding) -> Option<String> {
    match encoding {
        Encoding::Identity => None,
        Encoding::Gzip => gzip::library(),
        Encoding::Deflate => deflate::library(),
        Encoding::Zstd => zstd::library(),
        Encoding::Lz4 => lz4::library(),
        Encoding::SnappyFramed => snappy_framed::library(),
        Encoding::SnappyBlock => snappy_block::library(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two libraries do not tell their version at run time; the lock file knows it.
    #[test]
    #[cfg(all(feature = "gzip", feature = "snappy"))]
    fn the_stated_library_versions_are_those_of_the_lock_file() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.lock");
        let Ok(lock) = std::fs::read_to_string(path) else {
            println!("skipped: no lock file, as in a published crate");
            return;
        };
        let locked = |name: &str, stated: Option<String>| {
            let version = stated.and_then(|it| it.rsplit_once(' ').map(|it| it.1.to_owned()));
            let entry = format!("name = \"{name}\"\nversion = \"{}", version.unwrap());
            assert!(lock.contains(&entry), "Cargo.lock has no {entry}");
        };
        locked("libdeflate-sys", library(Encoding::Gzip));
        locked("thinwire-snappy", library(Encoding::SnappyBlock));
    }
}
