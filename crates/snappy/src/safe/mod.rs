//! The same without unsafe code, always there; with the feature `safe` it is all there is.

mod compress;
pub(crate) mod decompress;

use std::fmt;

use crate::{Error, checked};

/// Appends the payload of a block to `dst` and returns its length.
///
/// The same as [`decompress_into`](crate::decompress_into), but that the spare capacity is cleared
/// first.
///
/// # Errors
///
/// The same.
///
/// ```
/// let mut dst = Vec::new();
/// assert_eq!(thinwire_snappy::safe::decompress_into(b"\x05\x10snaps", &mut dst, 5), Ok(5));
/// assert_eq!(dst, b"snaps");
/// ```
pub fn decompress_into(src: &[u8], dst: &mut Vec<u8>, limit: usize) -> Result<usize, Error> {
    let (stated, body) = checked(src, limit)?;
    if dst.capacity() - dst.len() < stated {
        dst.reserve_exact(stated);
    }
    if decompress::decompress(body, dst, stated) { Ok(stated) } else { Err(Error::Damaged) }
}

/// Compresses payloads, each for itself, to the same bytes as [`Compressor`](crate::Compressor).
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

    /// Appends a payload as a block to `dst` and returns its length.
    ///
    /// # Errors
    ///
    /// [`Error::TooLong`], if the payload is longer than a block's can be: 4 294 967 295 bytes. `dst`
    /// is then as it was.
    ///
    /// ```
    /// let mut dst = Vec::new();
    /// thinwire_snappy::safe::Compressor::new().compress_into(&[7; 1_000], &mut dst)?;
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
