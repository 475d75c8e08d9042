//! The only unsafe code: safe functions over libdeflate and liblz4, which write straight into
//! the spare capacity of a `Vec`, and the same for libzstd through zstd-safe.
//!
//! Called directly because the wrapper crates either do not say how much input a call used,
//! make new state for each call, or want the output zeroed first.
//!
//! The invariant, the same in every function: a C function gets a pointer and the true length of
//! `src`, and a pointer and at most the length of `dst`'s spare capacity; it writes only there;
//! it reports how many bytes it wrote, from the first on, which are then initialized and become
//! part of `dst`.
#![expect(unsafe_code, reason = "calls into C; the invariant is stated above")]

#[cfg(feature = "gzip")]
pub(crate) mod libdeflate;
#[cfg(feature = "lz4")]
pub(crate) mod lz4;
#[cfg(feature = "lz4")]
pub(crate) mod lz4_block;
#[cfg(feature = "zstd")]
pub(crate) mod zstd;

/// Makes the first `written` bytes of `dst`'s spare capacity part of it.
///
/// # Safety
///
/// They are initialized, and there are as many.
unsafe fn append_written(dst: &mut Vec<u8>, written: usize) {
    debug_assert!(written <= dst.capacity() - dst.len(), "more written than there was room for");
    // SAFETY: by this function's own contract.
    unsafe { dst.set_len(dst.len() + written) }
}
