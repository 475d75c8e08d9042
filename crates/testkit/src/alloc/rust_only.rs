//! Counts what Rust allocates, where C's allocator cannot be replaced by a symbol.

#![expect(unsafe_code, reason = "`GlobalAlloc` is an unsafe trait")]

use std::alloc::{GlobalAlloc, Layout, System};

use super::Counters;

struct Counting;

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: every call goes to `System` unchanged; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract, which is `System`'s too.
        let block = unsafe { System.alloc(layout) };
        if !block.is_null() {
            Counters::allocated(layout.size(), layout.size());
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract, which is `System`'s too.
        let block = unsafe { System.alloc_zeroed(layout) };
        if !block.is_null() {
            Counters::allocated(layout.size(), layout.size());
        }
        block
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_len: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract, which is `System`'s too.
        let new = unsafe { System.realloc(block, layout, new_len) };
        if !new.is_null() {
            Counters::freed(layout.size());
            Counters::allocated(new_len, new_len);
        }
        new
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        Counters::freed(layout.size());
        // SAFETY: the caller keeps the contract, which is `System`'s too.
        unsafe { System.dealloc(block, layout) };
    }
}
