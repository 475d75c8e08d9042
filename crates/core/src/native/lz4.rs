//! liblz4, to compress single LZ4 blocks. The frame around them is `codec/lz4.rs`.

use std::ffi::{c_char, c_int, c_void};

use lz4_sys as _; // for its build of the library

use super::append_written;

/// A compressor's hash tables, for one way of matching.
#[derive(Debug)]
pub(crate) struct Matcher {
    kind: MatcherKind,
    /// u64 for the alignment that liblz4 asks for.
    state: Vec<u64>,
}

#[derive(Debug, Clone, Copy)]
enum MatcherKind {
    Fast { acceleration: c_int },
    Dense { level: c_int },
}

impl Matcher {
    /// The quick search; a larger acceleration skips more. Allocates 16 KiB.
    pub(crate) fn fast(acceleration: i32) -> Self {
        // SAFETY: no arguments.
        let size = unsafe { LZ4_sizeofState() };
        // All zeros is what LZ4_initStream makes of it.
        Self { kind: MatcherKind::Fast { acceleration }, state: zeroed(size) }
    }

    /// The dense search ("HC") at levels 2 to 12. Allocates 256 KiB.
    pub(crate) fn dense(level: i32) -> Self {
        // SAFETY: no arguments.
        let size = unsafe { LZ4_sizeofStateHC() };
        let mut state = zeroed(size);
        // SAFETY: `state` is aligned for u64 and as long as liblz4 asked for.
        unsafe { LZ4_initStreamHC(state.as_mut_ptr().cast(), state.len() * size_of::<u64>()) };
        Self { kind: MatcherKind::Dense { level }, state }
    }

    /// Returns the bytes that it holds.
    pub(crate) fn kept_len(&self) -> usize {
        self.state.capacity() * size_of::<u64>()
    }

    /// Appends `src`, at most 4 MiB, as one block to `dst`; `false` if liblz4's own bound did not
    /// hold.
    #[must_use]
    pub(crate) fn compress_block(&mut self, src: &[u8], dst: &mut Vec<u8>) -> bool {
        dst.reserve(compress_bound(src.len()));
        let spare = dst.spare_capacity_mut();
        let Ok(src_len) = c_int::try_from(src.len()) else { return false };
        let room = c_int::try_from(spare.len()).unwrap_or(c_int::MAX);
        let state = self.state.as_mut_ptr().cast::<c_void>();
        let (from, to) = (src.as_ptr().cast(), spare.as_mut_ptr().cast());
        let written = match self.kind {
            // SAFETY: the module's invariant; `state` was made for this function.
            MatcherKind::Fast { acceleration } if src.len() < WORTH_CLEARING_LEN => unsafe {
                LZ4_compress_fast_extState_fastReset(state, from, to, src_len, room, acceleration)
            },
            // SAFETY: as above.
            MatcherKind::Fast { acceleration } => unsafe {
                LZ4_compress_fast_extState(state, from, to, src_len, room, acceleration)
            },
            // SAFETY: as above.
            MatcherKind::Dense { level } => unsafe {
                LZ4_compress_HC_extStateHC_fastReset(state, from, to, src_len, room, level)
            },
        };
        let written = usize::try_from(written).unwrap_or(0);
        // SAFETY: liblz4 wrote `written` bytes; 0 stands for "did not fit".
        unsafe { append_written(dst, written) };
        written > 0
    }
}

/// Returns the most bytes that a block of `src_len` bytes can be compressed to.
const fn compress_bound(src_len: usize) -> usize {
    src_len + src_len / 255 + 16 // LZ4_COMPRESSBOUND
}

/// Returns liblz4's version, as `1.10.0`.
pub(crate) fn version() -> String {
    // SAFETY: no arguments.
    let number = unsafe { LZ4_versionNumber() };
    format!("{}.{}.{}", number / 10_000, number / 100 % 100, number % 100)
}

fn zeroed(bytes: c_int) -> Vec<u64> {
    vec![0; usize::try_from(bytes).unwrap_or(0).div_ceil(size_of::<u64>())]
}

/// From this length on, clearing the 16 KiB of table costs less than what its stale entries do:
/// they look like candidates, and each is a branch that nobody can predict. JSON of 4 KB is
/// compressed 1.4 times as fast with a cleared table, of 200 bytes 0.6 times.
const WORTH_CLEARING_LEN: usize = 600;

// The functions with caller-owned state, which lz4-sys does not declare. lz4.h, lz4hc.h 1.10.
unsafe extern "C" {
    fn LZ4_versionNumber() -> c_int;
    fn LZ4_sizeofState() -> c_int;
    fn LZ4_sizeofStateHC() -> c_int;
    fn LZ4_initStreamHC(buffer: *mut c_void, size: usize) -> *mut c_void;
    fn LZ4_compress_fast_extState(
        state: *mut c_void,
        src: *const c_char,
        dst: *mut c_char,
        src_len: c_int,
        dst_capacity: c_int,
        acceleration: c_int,
    ) -> c_int;
    fn LZ4_compress_fast_extState_fastReset(
        state: *mut c_void,
        src: *const c_char,
        dst: *mut c_char,
        src_len: c_int,
        dst_capacity: c_int,
        acceleration: c_int,
    ) -> c_int;
    fn LZ4_compress_HC_extStateHC_fastReset(
        state: *mut c_void,
        src: *const c_char,
        dst: *mut c_char,
        src_len: c_int,
        dst_capacity: c_int,
        level: c_int,
    ) -> c_int;
}
