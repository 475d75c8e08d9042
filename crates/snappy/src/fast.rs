//! The functions, with the kernels in `native`.

use std::fmt;

use crate::native::{compress, decompress};
use crate::{Error, SLOP, checked};

/// Appends the payload of a block to `dst` and returns its length.
///
/// Nothing is allocated before the stated length was found to be within `limit`, and to be no more
/// than so short a block can hold, 64 bytes for each three; and then only if the spare
/// capacity is shorter: as many bytes and [`SLOP`]. Whoever appends many payloads to one buffer
/// reserves more at a time, and `SLOP` behind the last, or it is as slow as without unsafe code near
/// the end of a payload, or in all of a short one.
///
/// Which blocks are accepted does not depend on the capacity.
///
/// # Errors
///
/// * [`Error::NoLength`]: it does not begin with a length.
/// * [`Error::TooLong`]: it states more than `limit`.
/// * [`Error::Overstated`]: it states more than it can hold.
/// * [`Error::Damaged`]: its elements are cut short or wrong, or not as long as stated.
///
/// `dst` is then as it was.
///
/// ```
/// use thinwire_snappy::decompress_into;
///
/// let mut dst = b"it ".to_vec();
/// assert_eq!(decompress_into(b"\x05\x10snaps", &mut dst, 1_000), Ok(5));
/// assert_eq!(dst, b"it snaps");
/// assert!(decompress_into(b"\x05\x10snap", &mut dst, 1_000).is_err());
/// assert_eq!(dst, b"it snaps");
/// ```
pub fn decompress_into(src: &[u8], dst: &mut Vec<u8>, limit: usize) -> Result<usize, Error> {
    let (stated, body) = checked(src, limit)?;
    if dst.capacity() - dst.len() < stated {
        dst.reserve_exact(stated.saturating_add(SLOP));
    }
    if decompress::decompress(body, dst, stated) { Ok(stated) } else { Err(Error::Damaged) }
}

/// Compresses payloads, each for itself; keeps memory between them, and nothing by which
/// one payload's block depends on another.
#[derive(Clone, Default)]
pub struct Compressor {
    slots: Vec<u16>,
}

impl Compressor {
    /// Makes one, which allocates nothing before it is used.
    #[must_use]
    pub const fn new() -> Self {
        Self { slots: Vec::new() }
    }

    /// Appends a payload as a block to `dst` and returns its length, which is the same whatever was
    /// compressed before.
    ///
    /// Reserves the [`max_compressed_len`](crate::max_compressed_len), so that there is no need to
    /// do it before.
    ///
    /// # Errors
    ///
    /// [`Error::TooLong`], if the payload is longer than a block's can be: 4 294 967 295 bytes. `dst`
    /// is then as it was.
    ///
    /// ```
    /// let mut dst = Vec::new();
    /// thinwire_snappy::Compressor::new().compress_into(&[7; 1_000], &mut dst)?;
    /// assert!(dst.len() < 60);
    /// # Ok::<(), thinwire_snappy::Error>(())
    /// ```
    pub fn compress_into(&mut self, src: &[u8], dst: &mut Vec<u8>) -> Result<usize, Error> {
        crate::compress(&mut self.slots, src, dst, compress::append_block)
    }

    /// Returns how many bytes of memory it keeps: at most 32 KiB, fewer if all payloads were short.
    #[must_use]
    pub const fn kept_len(&self) -> usize {
        self.slots.capacity() * size_of::<u16>()
    }
}

impl fmt::Debug for Compressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compressor").field("kept_len", &self.kept_len()).finish_non_exhaustive()
    }
}
