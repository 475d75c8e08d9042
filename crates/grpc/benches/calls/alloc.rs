//! Counts this process's allocations, Rust's and C's alike, from the first question on.
//!
//! Until then it costs one load of a flag. On Linux with glibc an executable's `malloc` wins over
//! the library's (<https://www.gnu.org/software/libc/manual/html_node/Replacing-malloc.html>), and
//! the memory is glibc's still, so `free` stays as it is. Elsewhere nothing is counted.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Returns how many there were, or nothing where they are not counted.
pub(crate) fn count() -> Option<u64> {
    IS_ON.store(true, Ordering::Relaxed);
    let is_counted = cfg!(all(target_os = "linux", target_env = "gnu"));
    is_counted.then(|| COUNT.load(Ordering::Relaxed))
}

static IS_ON: AtomicBool = AtomicBool::new(false);
static COUNT: AtomicU64 = AtomicU64::new(0);

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "an allocator's functions deal in raw memory by nature")]
mod glibc {
    use std::ffi::{c_int, c_void};
    use std::ptr;
    use std::sync::atomic::Ordering;

    use super::{COUNT, IS_ON};

    // Not behind the standard names: those are ours now.
    unsafe extern "C" {
        fn __libc_malloc(len: usize) -> *mut c_void;
        fn __libc_calloc(count: usize, len: usize) -> *mut c_void;
        fn __libc_realloc(block: *mut c_void, len: usize) -> *mut c_void;
        fn __libc_memalign(alignment: usize, len: usize) -> *mut c_void;
    }

    fn count_one() {
        if IS_ON.load(Ordering::Relaxed) {
            COUNT.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn malloc(len: usize) -> *mut c_void {
        count_one();
        // SAFETY: any length is allowed.
        unsafe { __libc_malloc(len) }
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn calloc(count: usize, len: usize) -> *mut c_void {
        count_one();
        // SAFETY: any two lengths are allowed.
        unsafe { __libc_calloc(count, len) }
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn realloc(block: *mut c_void, len: usize) -> *mut c_void {
        count_one();
        // SAFETY: the caller gives a live block of this heap or null.
        unsafe { __libc_realloc(block, len) }
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn aligned_alloc(alignment: usize, len: usize) -> *mut c_void {
        count_one();
        // SAFETY: any two numbers are allowed.
        unsafe { __libc_memalign(alignment, len) }
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn posix_memalign(
        result: *mut *mut c_void,
        alignment: usize,
        len: usize,
    ) -> c_int {
        const ENOMEM: c_int = 12;
        count_one();
        // SAFETY: any two numbers are allowed.
        let block = unsafe { __libc_memalign(alignment, len) };
        if ptr::eq(block, ptr::null()) {
            return ENOMEM;
        }
        // SAFETY: the caller gives a place for the result.
        unsafe { result.write(block) };
        0
    }
}
