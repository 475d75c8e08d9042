//! Elements one at a time, checked for everything.

use super::{DAMAGED, Out, Place, copy, load_u32};
use crate::tag::{COPY_1, COPY_2, LITERAL, LONG_LITERAL};

/// Reads a literal with a length of its own, or a copy of any kind: with an offset of 32 bits, or
/// with one less than its length, or wrong.
///
/// # Safety
///
/// Input, and 8 bytes are readable from `ip` and initialized, which may be behind `end`. Output,
/// and `op` is not behind `last`.
#[inline(never)]
pub(super) unsafe fn unusual((ip, op): Place, end: *const u8, out: &Out) -> Place {
    // SAFETY: it is readable.
    let tag = unsafe { *ip };
    if tag & 3 == LITERAL {
        // SAFETY: by this function's contract.
        return unsafe { exact_literal((ip, op), end, out) };
    }
    // SAFETY: these are before the 8.
    let word = unsafe { load_u32(ip.add(1)) };
    // SAFETY: at most 5 of the 8.
    let next = unsafe { ip.add(width(tag)) };
    let (offset, len) = offset_and_len(tag, word);
    // SAFETY: by this function's contract.
    unsafe { repeat(tag, offset, len, (next, op), end, out) }
}

/// Reads a literal of any length, and nothing behind it.
///
/// # Safety
///
/// Input: nothing behind `end` is read, but that `ip` is before it. Output.
#[inline]
pub(super) unsafe fn exact_literal((ip, op): Place, end: *const u8, out: &Out) -> Place {
    // SAFETY: it is before the end.
    let tag = unsafe { *ip };
    let mut left = end.addr() - ip.addr() - 1;
    let mut data = ip.wrapping_add(1);
    let mut len = u64::from(tag >> 2);
    if let Some(more) = usize::from(tag >> 2).checked_sub(LONG_LITERAL) {
        let width = more + 1;
        if width > left {
            return DAMAGED;
        }
        len = 0;
        for at in 0..width {
            // SAFETY: before `width` bytes of `left`.
            len |= u64::from(unsafe { *data.add(at) }) << (8 * at);
        }
        data = data.wrapping_add(width);
        left -= width;
    }
    let room = out.end.addr().saturating_sub(op.addr());
    if len >= left.min(room) as u64 {
        return DAMAGED;
    }
    #[expect(clippy::cast_possible_truncation, reason = "it is less than a usize")]
    let len = len as usize + 1;
    // SAFETY: `left` bytes are readable from `data`, `room` bytes writable from `op`, and neither
    // is less than `len`; the input is not the spare capacity that the output is.
    unsafe { op.copy_from_nonoverlapping(data, len) };
    // SAFETY: as above.
    (data.wrapping_add(len), unsafe { op.add(len) })
}

/// Reads a copy of any kind, and nothing behind it.
///
/// # Safety
///
/// Input: nothing behind `end` is read, but that `ip` is before it. Output.
#[inline(never)]
pub(super) unsafe fn exact_copy((ip, op): Place, end: *const u8, out: &Out) -> Place {
    // SAFETY: it is before the end.
    let tag = unsafe { *ip };
    let width = width(tag);
    if end.addr() - ip.addr() < width {
        return DAMAGED;
    }
    let mut word = 0;
    for at in (1..width).rev() {
        // SAFETY: `width` bytes are before the end.
        word = word << 8 | u32::from(unsafe { *ip.add(at) });
    }
    let (offset, len) = offset_and_len(tag, word);
    // SAFETY: as above.
    let next = unsafe { ip.add(width) };
    if !reaches(offset, len, op, out) {
        return DAMAGED;
    }
    // SAFETY: just asked.
    unsafe { repeat_bytes(offset, len, op) };
    // SAFETY: there is room for `len` bytes.
    (next, unsafe { op.add(len) })
}

/// How long a copy is in the block, its tag included.
const fn width(tag: u8) -> usize {
    if tag & 3 == 3 { 5 } else { 1 + (tag & 3) as usize }
}

/// Returns what a copy says; `word` is what follows the tag.
const fn offset_and_len(tag: u8, word: u32) -> (usize, usize) {
    let upper = (tag >> 2) as usize;
    match tag & 3 {
        COPY_1 => ((word & 0xff) as usize | (upper >> 3) << 8, (upper & 7) + 4),
        COPY_2 => ((word & 0xffff) as usize, upper + 1),
        _ => (word as usize, upper + 1),
    }
}

/// Says whether as much was written, and may be.
fn reaches(offset: usize, len: usize, op: *mut u8, out: &Out) -> bool {
    offset != 0
        && offset <= op.addr() - out.base.addr()
        && len <= out.end.addr().saturating_sub(op.addr())
}

/// Copies `len` bytes from `offset` back. Copies that are the same, byte for byte, follow one
/// another where something is repeated often: they are made at once.
///
/// # Safety
///
/// Input; `ip` is behind the copy, which has the tag `tag`, and may be behind `end`. Output, and
/// `op` is not behind `last`.
unsafe fn repeat(
    tag: u8,
    offset: usize,
    mut len: usize,
    (mut ip, op): Place,
    end: *const u8,
    out: &Out,
) -> Place {
    if !reaches(offset, len, op, out) {
        return DAMAGED;
    }
    if offset >= 16 {
        for at in [0, 16, 32, 48] {
            // SAFETY: 64 bytes are writable from `op`, which is not behind `last`. Each time, what is
            // not behind `op + at`, the 16 bytes and what follows, is copied to 16 bytes behind it.
            unsafe { copy::<16>(op.sub(offset).add(at), op.add(at)) };
        }
        // SAFETY: `len` is at most 64.
        return (ip, unsafe { op.add(len) });
    }
    let room = out.last.addr() - op.addr();
    if len > room {
        // SAFETY: it reaches.
        unsafe { repeat_bytes(offset, len, op) };
        // SAFETY: there is room for `len` bytes.
        return (ip, unsafe { op.add(len) });
    }
    if tag & 3 == COPY_2 {
        let (once, [low, ..]) = (len, offset.to_le_bytes());
        let element = u32::from_le_bytes([0, tag, low, 0]);
        while end.addr().saturating_sub(ip.addr()) >= 4 && once <= room - len {
            // SAFETY: four bytes are before the end.
            if unsafe { load_u32(ip) } << 8 != element {
                break;
            }
            len += once;
            // SAFETY: as above.
            ip = unsafe { ip.add(3) };
        }
    }
    // The pattern is read from the last 16 bytes, which are not there at the very beginning.
    let first = 16_usize.saturating_sub(op.addr() - out.base.addr()).min(len);
    // SAFETY: it reaches.
    unsafe { repeat_bytes(offset, first, op) };
    // SAFETY: there is room for `len` bytes.
    let to = unsafe { op.add(first) };
    if first < len {
        // SAFETY: at least 16 bytes were written before `to`, and are what is `offset` back as
        // well; `len <= room`, so that at least `SLOP` bytes are writable behind as many.
        unsafe { repeat_pattern(offset, len - first, to) };
    }
    // SAFETY: as above.
    (ip, unsafe { op.add(len) })
}

/// Copies `len` bytes from `offset`, at most 15, back: 16 bytes at a time, which are in a register.
///
/// # Safety
///
/// The 16 bytes before `op` are initialized, and `len + 64` bytes from `op` on writable.
unsafe fn repeat_pattern(offset: usize, len: usize, op: *mut u8) {
    // SAFETY: by this function's contract.
    let before = unsafe { op.sub(16).cast::<[u8; 16]>().read() };
    let mut pattern = u128::from_le_bytes(before) >> (8 * (16 - offset));
    let mut known = offset;
    while known < 16 {
        pattern |= pattern << (8 * known);
        known *= 2;
    }
    let stride = 16 - 16 % offset;
    let mut done = 0;
    while done < len.min(PATTERNS) {
        // SAFETY: `done < len`.
        let to = unsafe { op.add(done) };
        // SAFETY: 16 bytes from there are at most `len + 15`.
        unsafe { to.cast::<[u8; 16]>().write(pattern.to_le_bytes()) };
        done += stride;
    }
    // What is there begins where a repetition does, and so can be repeated as a whole.
    let period = done;
    while done < len {
        // SAFETY: `done < len`; at least `PATTERNS` bytes are before, which is more than 64, and 64 bytes
        // from there are at most `len + 63`.
        unsafe { copy::<64>(op.add(done - period), op.add(done)) };
        done += 64;
    }
}

/// So many bytes are written from a register, before copies of them, which have to be there for as
/// long as the processor takes to store them, are faster.
const PATTERNS: usize = 512;

/// # Safety
///
/// `offset` bytes before `op` are initialized, at least one, and `len` bytes from `op` on are writable.
unsafe fn repeat_bytes(offset: usize, len: usize, op: *mut u8) {
    for at in 0..len {
        // SAFETY: `at < len`.
        let to = unsafe { op.add(at) };
        // SAFETY: it lies `offset` bytes before, and was written, maybe just now.
        let byte = unsafe { *to.sub(offset) };
        // SAFETY: `at < len`.
        unsafe { *to = byte };
    }
}
