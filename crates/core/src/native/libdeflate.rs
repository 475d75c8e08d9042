//! libdeflate: whole-message DEFLATE in the gzip and zlib containers.

use std::ptr::NonNull;

use libdeflate_sys as sys;

use super::append_written;

/// The two containers: RFC 1952 and RFC 1950.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Container {
    Gzip,
    Zlib,
}

/// What became of one member or stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Inflated {
    /// It is in `dst`; it was this many bytes of `src`.
    Whole { src_len: usize },
    /// It is longer than the room that there was. `dst` is as before.
    NoRoom,
    /// It is cut short, damaged, or its checksum does not fit. `dst` is as before.
    Malformed,
}

/// A decompressor: tables without history.
#[derive(Debug)]
pub(crate) struct Inflater(NonNull<sys::libdeflate_decompressor>);

// SAFETY: the allocation is owned, and libdeflate keeps no thread-local state.
unsafe impl Send for Inflater {}

impl Inflater {
    /// Allocates one, about 11 KB; `None` when there is no memory.
    pub(crate) fn new() -> Option<Self> {
        // SAFETY: no arguments; null means that there was no memory.
        NonNull::new(unsafe { sys::libdeflate_alloc_decompressor() }).map(Self)
    }

    /// Appends the first member (or stream) of `src` to `dst`, at most `room` bytes and at most
    /// its spare capacity.
    pub(crate) fn inflate(
        &mut self,
        container: Container,
        src: &[u8],
        dst: &mut Vec<u8>,
        room: usize,
    ) -> Inflated {
        let decompress = match container {
            Container::Gzip => sys::libdeflate_gzip_decompress_ex,
            Container::Zlib => sys::libdeflate_zlib_decompress_ex,
        };
        let spare = dst.spare_capacity_mut();
        let room = room.min(spare.len());
        let (mut src_len, mut written) = (0, 0);
        // SAFETY: the module's invariant; `self.0` is a live decompressor, borrowed mutably.
        let result = unsafe {
            decompress(
                self.0.as_ptr(),
                src.as_ptr().cast(),
                src.len(),
                spare.as_mut_ptr().cast(),
                room,
                &raw mut src_len,
                &raw mut written,
            )
        };
        match result {
            sys::libdeflate_result_LIBDEFLATE_SUCCESS => {
                // SAFETY: libdeflate wrote `written` bytes.
                unsafe { append_written(dst, written) };
                Inflated::Whole { src_len }
            }
            sys::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => Inflated::NoRoom,
            _ => Inflated::Malformed,
        }
    }
}

impl Drop for Inflater {
    fn drop(&mut self) {
        // SAFETY: allocated by `new`, freed once.
        unsafe { sys::libdeflate_free_decompressor(self.0.as_ptr()) }
    }
}

/// A compressor at one level: tables without history.
#[derive(Debug)]
pub(crate) struct Deflater(NonNull<sys::libdeflate_compressor>);

// SAFETY: as for `Inflater`.
unsafe impl Send for Deflater {}

impl Deflater {
    /// Allocates one; `None` when there is no memory or no such level.
    pub(crate) fn new(level: i32) -> Option<Self> {
        // SAFETY: any level may be passed; null means that it is unknown or that there was no
        // memory.
        NonNull::new(unsafe { sys::libdeflate_alloc_compressor(level) }).map(Self)
    }

    /// Appends `src`, compressed, to `dst`; `false` if libdeflate's own bound did not hold.
    #[must_use]
    pub(crate) fn deflate(&mut self, container: Container, src: &[u8], dst: &mut Vec<u8>) -> bool {
        let bound = match container {
            Container::Gzip => sys::libdeflate_gzip_compress_bound,
            Container::Zlib => sys::libdeflate_zlib_compress_bound,
        };
        let compress = match container {
            Container::Gzip => sys::libdeflate_gzip_compress,
            Container::Zlib => sys::libdeflate_zlib_compress,
        };
        // SAFETY: a live compressor; the call only computes.
        dst.reserve(unsafe { bound(self.0.as_ptr(), src.len()) });
        let spare = dst.spare_capacity_mut();
        // SAFETY: the module's invariant; `self.0` is a live compressor, borrowed mutably.
        let written = unsafe {
            compress(
                self.0.as_ptr(),
                src.as_ptr().cast(),
                src.len(),
                spare.as_mut_ptr().cast(),
                spare.len(),
            )
        };
        // SAFETY: libdeflate wrote `written` bytes; 0 stands for "did not fit".
        unsafe { append_written(dst, written) };
        written > 0
    }
}

impl Drop for Deflater {
    fn drop(&mut self) {
        // SAFETY: allocated by `new`, freed once.
        unsafe { sys::libdeflate_free_compressor(self.0.as_ptr()) }
    }
}

/// Returns the CRC-32 of a gzip header, which libdeflate itself does not check.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    // SAFETY: a pointer and its true length.
    unsafe { sys::libdeflate_crc32(0, bytes.as_ptr().cast(), bytes.len()) }
}
