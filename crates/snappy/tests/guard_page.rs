//! Nothing is read or written before or behind a buffer: there are pages that can't be.
#![cfg(all(unix, not(miri)))]
#![expect(clippy::unwrap_used, reason = "a helper of tests")]
#![expect(unsafe_code, reason = "an allocator, and pages, for the tests")]

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr;
use std::sync::atomic::{AtomicU8, Ordering};

use fastrand::Rng;
use support::{check, elements, mixed, payloads};
use thinwire_snappy::{Compressor, max_compressed_len};

/// Gives each buffer of bytes pages of its own, with one before and one behind that can't be
/// touched. All else is left to the system.
struct Guarded;

/// 0: as the system does; 1: buffers end where their pages do; 2: they begin there.
static SIDE: AtomicU8 = AtomicU8::new(0);

const PAGE: usize = 4096;

fn pages(len: usize) -> usize {
    len.div_ceil(PAGE) * PAGE
}

// SAFETY: pages of its own for each buffer, longer than it, or what the system gives.
unsafe impl GlobalAlloc for Guarded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let side = SIDE.load(Ordering::Relaxed);
        if layout.align() != 1 {
            // SAFETY: by this function's contract.
            return unsafe { System.alloc(layout) };
        }
        let len = pages(layout.size());
        let (access, flags) = (libc::PROT_NONE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: anywhere.
        let first = unsafe { libc::mmap(ptr::null_mut(), len + 2 * PAGE, access, flags, -1, 0) };
        if first == libc::MAP_FAILED {
            return ptr::null_mut();
        }
        let start = first.cast::<u8>().wrapping_add(PAGE);
        // SAFETY: these pages are ours.
        unsafe { libc::mprotect(start.cast(), len, libc::PROT_READ | libc::PROT_WRITE) };
        if side == 2 { start } else { start.wrapping_add(len - layout.size()) }
    }

    unsafe fn dealloc(&self, buffer: *mut u8, layout: Layout) {
        if layout.align() != 1 {
            // SAFETY: it was the system's.
            return unsafe { System.dealloc(buffer, layout) };
        }
        let start = buffer.map_addr(|addr| addr / PAGE * PAGE);
        // SAFETY: the pages of this buffer, and those around them.
        unsafe { libc::munmap(start.wrapping_sub(PAGE).cast(), pages(layout.size()) + 2 * PAGE) };
    }
}

#[global_allocator]
static ALLOCATOR: Guarded = Guarded;

/// Into a buffer that is just long enough.
fn compress(payload: &[u8]) {
    let mut block = Vec::with_capacity(max_compressed_len(payload.len()).unwrap());
    Compressor::new().compress_into(payload, &mut block).unwrap();
    assert!(support::expected(&block).as_deref() == Some(payload), "{}", payload.len());
}

#[test]
fn nothing_outside_the_buffers_is_touched() {
    for side in [1, 2] {
        SIDE.store(side, Ordering::Relaxed);
        let mut random = Rng::with_seed(u64::from(side));
        for payload in payloads() {
            let payload = payload.into_boxed_slice();
            compress(&payload);
            check(&snap::raw::Encoder::new().compress_vec(&payload).unwrap().into_boxed_slice());
        }
        for _ in 0..1_000 {
            let count = if random.bool() { random.usize(..20) } else { random.usize(..400) };
            let mut block = elements(count, &mut random).0.into_boxed_slice();
            check(&block);
            let at = random.usize(..block.len());
            block[at] = random.u8(..);
            check(&block);
            let cut = block[..random.usize(..=block.len())].to_vec().into_boxed_slice();
            check(&cut);
            let len = if random.bool() { random.usize(..700) } else { random.usize(..20_000) };
            compress(&mixed(len, &mut random).into_boxed_slice());
        }
    }
}
