//! Elements as they are written.

use std::hint::select_unpredictable;

use super::copy;

/// Writes a literal of any length but none, with up to 15 bytes more, and returns its end.
///
/// # Safety
///
/// `len` and 15 more bytes are readable from `from`; for a tag, a length and as many bytes there is
/// room from `op` on.
#[inline(always)]
pub(super) unsafe fn emit_literal(from: *const u8, len: usize, op: *mut u8) -> *mut u8 {
    if len > 60 {
        // SAFETY: by this function's contract.
        return unsafe { emit_rest(from, len, op) };
    }
    #[expect(clippy::cast_possible_truncation, reason = "at most 60")]
    let tag = (len as u8 - 1) << 2;
    // SAFETY: by this function's contract.
    unsafe { *op = tag };
    // SAFETY: as above.
    let to = unsafe { op.add(1) };
    let mut done = 0;
    while done < len {
        // SAFETY: `done < len`, and 16 bytes from there are at most `len + 15`.
        unsafe { copy::<16>(from.add(done), to.add(done)) };
        done += 16;
    }
    // SAFETY: as above.
    unsafe { to.add(len) }
}

/// Writes a literal of any length, or nothing for none, and no more, and returns its end.
///
/// # Safety
///
/// `len` bytes are readable from `from`, at most 65536; for a tag, a length and as many bytes there is
/// room from `op` on.
#[inline(never)]
pub(super) unsafe fn emit_rest(from: *const u8, len: usize, op: *mut u8) -> *mut u8 {
    let Some(number) = len.checked_sub(1) else { return op };
    let [low, high, ..] = number.to_le_bytes();
    let (header, header_len) = match number {
        ..60 => ([low << 2, 0, 0], 1),
        60..256 => ([60 << 2, low, 0], 2),
        _ => ([61 << 2, low, high], 3),
    };
    // SAFETY: by this function's contract.
    unsafe { op.copy_from_nonoverlapping(header.as_ptr(), header_len) };
    // SAFETY: as above.
    let to = unsafe { op.add(header_len) };
    // SAFETY: as above; the input is not the spare capacity that the output is.
    unsafe { to.copy_from_nonoverlapping(from, len) };
    // SAFETY: as above.
    unsafe { to.add(len) }
}

/// Writes a copy of at least four bytes in as many elements as it takes, with one byte more, and
/// returns its end.
///
/// # Safety
///
/// There is room for `len` bytes from `op` on.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "offsets and lengths are below 65536")]
pub(super) unsafe fn emit_copy(offset: usize, mut len: usize, mut op: *mut u8) -> *mut u8 {
    let offset = offset as u32;
    while len > 64 {
        // No fewer than four may be left for the last.
        let once = if len < 68 { 60 } else { 64 };
        // SAFETY: three bytes and one, of `len`.
        unsafe { write_u32(op, copy_2(offset, once)) };
        // SAFETY: as above.
        op = unsafe { op.add(3) };
        len -= once as usize;
    }
    let len = len as u32;
    let is_short = (len < 12) & (offset < 2048);
    let word = select_unpredictable(is_short, copy_1(offset, len), copy_2(offset, len));
    // SAFETY: three bytes and one, of at least four.
    unsafe { write_u32(op, word) };
    // SAFETY: as above.
    unsafe { op.add(3 - usize::from(is_short)) }
}

/// A copy with an offset of 16 bits, in the lower three bytes.
const fn copy_2(offset: u32, len: u32) -> u32 {
    offset << 8 | (len - 1) << 2 | 0b10
}

/// A copy with an offset of 11 bits, in the lower two bytes.
const fn copy_1(offset: u32, len: u32) -> u32 {
    (offset & 0xff) << 8 | (offset >> 8) << 5 | (len - 4) << 2 | 0b01
}

/// # Safety
///
/// The four bytes are writable.
#[inline(always)]
const unsafe fn write_u32(to: *mut u8, word: u32) {
    // SAFETY: by this function's contract.
    unsafe { to.cast::<[u8; 4]>().write(word.to_le_bytes()) };
}
