//! The only unsafe code: decompression and compression over pointers.
//!
//! The invariants, which every function here states as its contract, by these names:
//!
//! * **Input.** `ip <= end`, or `ip` is at most 64 bytes behind `end` where a function says so; all
//!   bytes from `ip` to `end` are readable. How many bytes behind `end` are readable as well
//!   is each function's own matter.
//! * **Output.** What [`Out`] says.
//!
//! A read or write may go past the element that it is for, but never past these. Bytes that may
//! not have been written yet are only ever copied, as [`MaybeUninit`], and not looked at.
#![expect(unsafe_code, reason = "kernels; the invariants are stated above, and argued at each use")]
#![expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "a place and the access to it, or a whole loop, share one argument, which is made once"
)]

mod brief;
pub(crate) mod compress;
pub(crate) mod decompress;
mod element;
mod emit;
mod entry;
mod steps;
#[cfg(test)]
mod tests;

use std::mem::MaybeUninit;

/// Where a payload goes.
///
/// The invariant: `base <= last <= end`, in one allocation, in which all bytes from `base` to
/// `end` are writable, and [`SLOP`](crate::SLOP) bytes from `last`.
///
/// An `op` that goes with it is where the next byte goes: `base <= op`, all bytes between are
/// initialized, and `op` is at most 64 bytes behind `last` or not behind `end`.
#[derive(Debug, Clone, Copy)]
struct Out {
    base: *mut u8,
    last: *mut u8,
    end: *mut u8,
}

/// Where the next element is, and where it goes.
type Place = (*const u8, *mut u8);

/// A `Place` after an element that can't be right.
const DAMAGED: Place = (std::ptr::null(), std::ptr::null_mut());

/// Reads `N` bytes, then writes them.
///
/// # Safety
///
/// The bytes at `from` are readable and those at `to` writable; they may overlap.
#[inline(always)]
const unsafe fn copy<const N: usize>(from: *const u8, to: *mut u8) {
    // SAFETY: by this function's contract; an array of bytes has no alignment.
    let bytes = unsafe { from.cast::<[MaybeUninit<u8>; N]>().read() };
    // SAFETY: as above.
    unsafe { to.cast::<[MaybeUninit<u8>; N]>().write(bytes) };
}

/// # Safety
///
/// The four bytes are readable and initialized.
#[inline(always)]
const unsafe fn load_u32(from: *const u8) -> u32 {
    // SAFETY: by this function's contract.
    u32::from_le_bytes(unsafe { from.cast::<[u8; 4]>().read() })
}

/// # Safety
///
/// The eight bytes are readable and initialized.
#[inline(always)]
const unsafe fn load_u64(from: *const u8) -> u64 {
    // SAFETY: by this function's contract.
    u64::from_le_bytes(unsafe { from.cast::<[u8; 8]>().read() })
}

/// # Safety
///
/// The sixteen bytes are readable and initialized.
#[inline(always)]
const unsafe fn load_u128(from: *const u8) -> u128 {
    // SAFETY: by this function's contract.
    u128::from_le_bytes(unsafe { from.cast::<[u8; 16]>().read() })
}

/// Bytes to be compared with others, which the compiler does in registers as long as there are.
///
/// # Safety
///
/// The 32 bytes are readable and initialized.
#[inline(always)]
const unsafe fn load_32(from: *const u8) -> [u8; 32] {
    // SAFETY: by this function's contract; an array of bytes has no alignment.
    unsafe { from.cast::<[u8; 32]>().read() }
}
