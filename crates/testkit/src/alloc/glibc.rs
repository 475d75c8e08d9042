//! Takes the place of `malloc` and its siblings in front of glibc.
//!
//! A symbol that the executable defines wins over the C library's, for code linked into the
//! executable and for shared libraries alike; the C library supports this
//! (<https://www.gnu.org/software/libc/manual/html_node/Replacing-malloc.html>). All memory still
//! comes from glibc, so a block that was made by glibc itself may be freed here and the reverse.

#![expect(unsafe_code, reason = "an allocator's functions deal in raw memory by nature")]

use std::ffi::{c_int, c_void};
use std::ptr;

use super::Counters;

// Not behind the standard names: those are ours now.
unsafe extern "C" {
    fn __libc_malloc(len: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, len: usize) -> *mut c_void;
    fn __libc_realloc(block: *mut c_void, len: usize) -> *mut c_void;
    fn __libc_memalign(alignment: usize, len: usize) -> *mut c_void;
    fn __libc_free(block: *mut c_void);
    fn malloc_usable_size(block: *mut c_void) -> usize;
}

const EINVAL: c_int = 22;
const ENOMEM: c_int = 12;

#[unsafe(no_mangle)]
unsafe extern "C" fn malloc(len: usize) -> *mut c_void {
    // SAFETY: any length is allowed.
    let block = unsafe { __libc_malloc(len) };
    count_new(block, len);
    block
}

#[unsafe(no_mangle)]
unsafe extern "C" fn calloc(count: usize, len: usize) -> *mut c_void {
    // SAFETY: any two lengths are allowed; glibc checks that their product fits.
    let block = unsafe { __libc_calloc(count, len) };
    count_new(block, count.wrapping_mul(len));
    block
}

#[unsafe(no_mangle)]
unsafe extern "C" fn realloc(block: *mut c_void, len: usize) -> *mut c_void {
    // SAFETY: the caller gives a live block of this heap or null.
    let old_len = unsafe { malloc_usable_size(block) };
    // SAFETY: as above; from here on the old block is glibc's to keep or free.
    let new = unsafe { __libc_realloc(block, len) };
    // Null means that nothing happened, or that length 0 freed the block.
    if !new.is_null() || len == 0 {
        Counters::freed(old_len);
    }
    count_new(new, len);
    new
}

#[unsafe(no_mangle)]
unsafe extern "C" fn reallocarray(block: *mut c_void, count: usize, len: usize) -> *mut c_void {
    match count.checked_mul(len) {
        // SAFETY: the caller gives a live block of this heap or null.
        Some(len) => unsafe { realloc(block, len) },
        None => ptr::null_mut(),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn free(block: *mut c_void) {
    // SAFETY: the caller gives a live block of this heap or null.
    Counters::freed(unsafe { malloc_usable_size(block) });
    // SAFETY: as above, and the caller does not use it again.
    unsafe { __libc_free(block) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn memalign(alignment: usize, len: usize) -> *mut c_void {
    // SAFETY: any two numbers are allowed; glibc rounds the alignment up to a power of two.
    let block = unsafe { __libc_memalign(alignment, len) };
    count_new(block, len);
    block
}

#[unsafe(no_mangle)]
unsafe extern "C" fn aligned_alloc(alignment: usize, len: usize) -> *mut c_void {
    // SAFETY: as for `memalign`.
    unsafe { memalign(alignment, len) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn posix_memalign(
    result: *mut *mut c_void,
    alignment: usize,
    len: usize,
) -> c_int {
    if !alignment.is_power_of_two() || alignment < size_of::<*mut c_void>() {
        return EINVAL;
    }
    // SAFETY: as for `memalign`.
    let block = unsafe { memalign(alignment, len) };
    if block.is_null() {
        return ENOMEM;
    }
    // SAFETY: the caller gives a place for the result.
    unsafe { result.write(block) };
    0
}

fn count_new(block: *mut c_void, requested_len: usize) {
    if !block.is_null() {
        // SAFETY: the block came from glibc a moment ago and is live.
        let usable_len = unsafe { malloc_usable_size(block) };
        Counters::allocated(requested_len, usable_len);
    }
}
