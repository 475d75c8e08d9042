//! Elements in steps that all cost the same.
//!
//! What decompression costs is a chain of dependent instructions from tag to tag, and what the
//! processor loses when it guesses a branch wrong that asks what comes next. So literals and copies
//! take one path: what would follow either is loaded, and one of the two chosen; 64 bytes are
//! copied whatever the length. One branch asks for everything unusual.

use std::hint::select_unpredictable;

use super::element::unusual;
use super::entry::{LEN, entry, offset};
use super::{Out, Place, copy};

/// Reads elements as long as they begin before `stop` and go to `out.last` or before it; returns
/// the place of the next, or `DAMAGED`.
///
/// # Safety
///
/// Input, where `stop <= end`, and [`STEP_READ`] bytes are readable from any place before
/// `stop`: what follows `end`, if `stop` is as near, has to be initialized too. Output. The place
/// that is returned may be up to 64 bytes behind `end`, but not if `end` is `STEP_READ` bytes
/// behind all places before `stop`.
#[inline]
pub(super) unsafe fn steps(place: Place, stop: *const u8, end: *const u8, out: &Out) -> Place {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the processor has both; and by this function's contract.
        return unsafe { steps_avx2(place, stop, end, out) };
    }
    // SAFETY: by this function's contract.
    unsafe { steps_portable(place, stop, end, out) }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn has_avx2() -> bool {
    #[cfg(test)]
    if super::tests::PORTABLE.get() {
        return false;
    }
    !cfg!(miri) // which interprets the portable loop: the same code
        && std::is_x86_feature_detected!("avx2")
        && std::is_x86_feature_detected!("bmi2")
}

/// The same code with registers of 32 bytes, and shifts that leave the flags alone.
///
/// # Safety
///
/// As [`steps`], and the processor has AVX2 and BMI2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi2")]
unsafe fn steps_avx2(place: Place, stop: *const u8, end: *const u8, out: &Out) -> Place {
    // SAFETY: by this function's contract.
    unsafe { steps_by::<32>(place, stop, end, out) }
}

/// # Safety
///
/// As [`steps`].
unsafe fn steps_portable(place: Place, stop: *const u8, end: *const u8, out: &Out) -> Place {
    // SAFETY: by this function's contract.
    unsafe { steps_by::<16>(place, stop, end, out) }
}

/// # Safety
///
/// As [`steps`].
#[inline(always)]
unsafe fn steps_by<const CHUNK: usize>(
    (mut ip, mut op): Place,
    stop: *const u8,
    end: *const u8,
    out: &Out,
) -> Place {
    let (base, last) = (out.base, out.last);
    if ip >= stop {
        return (ip, op);
    }
    // SAFETY: for all of the loop, at its top `ip` is before `stop`, so that `STEP_READ` bytes are
    // readable, and `op` not behind `last`, so that `SLOP` bytes are writable; `word` are the four
    // bytes at `ip`. A step reads 64 bytes from `ip + 1`, or from `from`, and 4 bytes from at most
    // `ip + 65`: 69 in all. It writes 64 bytes. `from` is `op - offset` if the element
    // is a copy that is not unusual: `len <= offset`, all of which are initialized, and
    // `offset <= written`, so that it is not before `base`; the 64 bytes from there end before those
    // that are written do, and the `len` of them that matter before `op`. Up to `op + len` all bytes are initialized then, by `len` bytes of
    // a literal or of what lies before `op`. `len` is at most 64. `unusual` has its own contract:
    // 8 bytes are readable from `ip` on.
    unsafe {
        let mut word = load(ip);
        while ip < stop && op <= last {
            let entry = entry(word);
            let kind = (word & 3) as usize;
            let is_literal = kind == 0;
            let data = ip.add(1);
            let past_literal = data.add((word >> 2 & 0x3f) as usize + 1);
            let past_copy = data.add(kind);
            let word_past_literal = load(past_literal);
            let word_past_copy = load(past_copy);
            let offset = offset(word, entry, word >> 8);
            let len = (entry & LEN) as usize;
            let written = op.addr() - base.addr();
            // Negative, if what a copy needs is not there, or not at once. The sign of `entry`
            // is that of a copy, or of what is always unusual.
            let faults = offset.wrapping_sub(len) | written.wrapping_sub(offset);
            if faults.cast_signed() & (entry.cast_signed() as isize) < 0 {
                (ip, op) = unusual((ip, op), end, out);
                if ip.is_null() || ip >= stop {
                    break;
                }
                word = load(ip);
                continue;
            }
            let from = select_unpredictable(is_literal, data, op.wrapping_sub(offset).cast_const());
            copy::<CHUNK>(from, op);
            if CHUNK == 32 {
                copy::<32>(from.add(32), op.add(32));
            } else {
                copy::<16>(from.add(16), op.add(16));
                if len > 32 {
                    copy::<32>(from.add(32), op.add(32));
                }
            }
            op = op.add(len);
            ip = select_unpredictable(is_literal, past_literal, past_copy);
            word = select_unpredictable(is_literal, word_past_literal, word_past_copy);
        }
    }
    (ip, op)
}

/// Reads four bytes, and in any case: otherwise the compiler chooses the address first and reads
/// once, which is one more read in the chain.
///
/// # Safety
///
/// They are readable and initialized.
#[inline(always)]
unsafe fn load(from: *const u8) -> u32 {
    #[repr(C, packed)]
    struct Unaligned(u32);
    // SAFETY: by this function's contract; a packed struct has no alignment.
    u32::from_le(unsafe { from.cast::<Unaligned>().read_volatile() }.0)
}

/// So many bytes a step reads at most, rounded up: a tag, 64 bytes, and the next four.
pub(super) const STEP_READ: usize = 72;
