//! Compression of one block: a search for what was there before, and the elements that say so.
//!
//! It costs what the processor loses by wrong guesses: where the next match is, and how long. So
//! matches that hardly save anything are not looked for, a copy's form is chosen without a branch,
//! and positions inside of matches are put into the table, which finds more of them sooner.

use super::emit::{emit_copy, emit_literal, emit_rest};
use super::{load_32, load_u32, load_u64, load_u128};
use crate::table::{BRIEF, DENSE, DENSE_ROOM, MARGIN, Table, hash, sparse};

/// Appends the elements of a block, at most 64 KiB long, for which the table is new.
pub(crate) fn append_block(src: &[u8], table: Table<'_>, dst: &mut Vec<u8>) {
    debug_assert!(src.len() <= crate::table::BLOCK_LEN, "positions have 16 bits");
    dst.reserve(room(src.len()));
    let start = dst.spare_capacity_mut().as_mut_ptr().cast::<u8>();
    let (slots, shift) = table.into_parts();
    let slots = slots.as_mut_ptr();
    // SAFETY: the table is empty, and its slots are as many as there are hashes; there is room.
    let end = unsafe {
        if src.len() <= MARGIN {
            emit_rest(src.as_ptr(), src.len(), start)
        } else if src.len() < BRIEF {
            block::<true>(src, slots, shift, start)
        } else {
            block::<false>(src, slots, shift, start)
        }
    };
    let written = end.addr() - start.addr();
    // SAFETY: from `start` to `end` all was written.
    unsafe { dst.set_len(dst.len() + written) };
}

/// How many bytes may be written for a block.
///
/// A literal of up to 60 bytes has one of its own, a longer one two or three: at most one for each
/// 61 bytes, but for the last, which may have three. A copy of at least four bytes has at most
/// one less than it copies, which makes up for the byte of the literal before it; also if it has more
/// than one element. So at no time more is written than one and 1/61 bytes for each that was read,
/// and at the end three more. What is written past a literal, at most 15 bytes, is less than the
/// [`MARGIN`] that is then still to be read; past a copy, one byte or two, is no more than it saves.
const fn room(len: usize) -> usize {
    len + len / 32 + 4
}

/// Writes the elements of a block and returns where they end.
///
/// # Safety
///
/// `src` is longer than `MARGIN` and no longer than 64 KiB; `slots` are `1 << (64 - shift)`, all
/// zero, and nothing else uses them; from `op` on, [`room`] bytes are writable.
#[expect(clippy::cast_possible_truncation, reason = "positions have 16 bits")]
unsafe fn block<const IS_BRIEF: bool>(
    src: &[u8],
    slots: *mut u16,
    shift: u32,
    mut op: *mut u8,
) -> *mut u8 {
    let base = src.as_ptr();
    let sparse = sparse(src.len());
    // SAFETY: in all of this, `base <= emitted <= ip <= end`. What is looked up or put into the
    // table lies at most two bytes behind an `ip` that is not behind `limit`: the 8 bytes read there are
    // among the `MARGIN` bytes from `limit` to `end`. A hash is less than there are slots. A slot
    // has a position less than that of `ip`, or those behind it that are put in when a match begins,
    // which has at least 4 bytes: so `candidate < ip` whenever one is looked up, also at first,
    // when all slots say 0 and `ip` is 1. A match that `same_before` lets begin earlier still ends
    // at least 4 bytes behind where it was found, and the next `ip` with it. `room` says why what is written has room.
    unsafe {
        let end = base.add(src.len());
        let limit = end.sub(MARGIN);
        let (mut emitted, mut ip) = (base, base.add(1));
        'block: while ip <= limit {
            let found = search::<IS_BRIEF>(base, ip, limit, slots, shift, sparse);
            let Some((mut at, mut candidate)) = found else { break };
            if IS_BRIEF && at > emitted && candidate > base && *at.sub(1) == *candidate.sub(1) {
                let same = same_before(base, emitted, candidate, at);
                (at, candidate) = (at.sub(same), candidate.sub(same));
            }
            ip = at;
            if ip > emitted {
                op = emit_literal(emitted, ip.addr() - emitted.addr(), op);
            }
            loop {
                if !IS_BRIEF {
                    let at = ip.addr() - base.addr();
                    *slots.add(hash::<IS_BRIEF>(load_u64(ip.add(1)), shift)) = (at + 1) as u16;
                    *slots.add(hash::<IS_BRIEF>(load_u64(ip.add(2)), shift)) = (at + 2) as u16;
                }
                let after = extend(candidate.add(4), ip.add(4), end);
                op = emit_copy(ip.addr() - candidate.addr(), after.addr() - ip.addr(), op);
                (emitted, ip) = (after, after);
                if ip >= limit {
                    break 'block; // it may be the end, which has nothing behind it
                }
                let at = ip.addr() - base.addr();
                if !IS_BRIEF {
                    *slots.add(hash::<IS_BRIEF>(load_u64(ip.sub(2)), shift)) = (at - 2) as u16;
                }
                *slots.add(hash::<IS_BRIEF>(load_u64(ip.sub(1)), shift)) = (at - 1) as u16;
                let slot = slots.add(hash::<IS_BRIEF>(load_u64(ip), shift));
                candidate = base.add(usize::from(*slot));
                *slot = at as u16;
                if load_u32(candidate) != load_u32(ip) {
                    break;
                }
            }
            ip = ip.add(1);
        }
        emit_rest(emitted, end.addr() - emitted.addr(), op)
    }
}

/// Returns the next position, from `ip` on and not behind `limit`, at which the same four bytes are
/// as at one before, and that one.
///
/// # Safety
///
/// As [`block`] says, `ip` being not behind `limit`.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "positions have 16 bits")]
unsafe fn search<const IS_BRIEF: bool>(
    base: *const u8,
    mut ip: *const u8,
    limit: *const u8,
    slots: *mut u16,
    shift: u32,
    sparse: usize,
) -> Option<(*const u8, *const u8)> {
    // SAFETY: as in `block`. Of `DENSE` positions none is behind `limit` if `DENSE_ROOM` bytes are
    // before it, and neither is what follows them; the others are asked.
    unsafe {
        if limit.addr() - ip.addr() >= DENSE_ROOM {
            let at = ip.addr() - base.addr();
            macro_rules! look {
                ($($index:literal)*) => { $(
                    let bytes = load_u64(ip.add($index));
                    let slot = slots.add(hash::<IS_BRIEF>(bytes, shift));
                    let candidate = base.add(usize::from(*slot));
                    *slot = (at + $index) as u16;
                    if load_u32(candidate) == bytes as u32 {
                        return Some((ip.add($index), candidate));
                    }
                )* };
            }
            look!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
            ip = ip.add(DENSE);
        }
        let mut skip = sparse;
        let mut bytes = load_u64(ip);
        loop {
            let step = skip >> 5;
            skip += step;
            if limit.addr() - ip.addr() < step {
                return None;
            }
            let next = ip.add(step);
            let slot = slots.add(hash::<IS_BRIEF>(bytes, shift));
            let this = bytes as u32;
            bytes = load_u64(next);
            let candidate = base.add(usize::from(*slot));
            *slot = (ip.addr() - base.addr()) as u16;
            if load_u32(candidate) == this {
                return Some((ip, candidate));
            }
            ip = next;
        }
    }
}

/// Returns how many bytes before `there` and `here` are the same, none of them before `base` or
/// `emitted`: eight at once, for the processor can guess whether there are any, but not how many.
///
/// # Safety
///
/// `base <= there < here` and `base <= emitted <= here`; all bytes from `base` to `here` are readable.
#[inline(always)]
unsafe fn same_before(
    base: *const u8,
    emitted: *const u8,
    there: *const u8,
    here: *const u8,
) -> usize {
    let most = (here.addr() - emitted.addr()).min(there.addr() - base.addr());
    let mut same = 0;
    // SAFETY: `same <= most`, so that neither place is before `base`; 8 bytes are read before both if
    // as many are between `base` and the one that lies before the other.
    unsafe {
        while there.addr() - base.addr() - same >= 8 {
            let (there, here) = (there.sub(same + 8), here.sub(same + 8));
            let different = load_u64(there) ^ load_u64(here);
            let more = (different.leading_zeros() / 8) as usize;
            if more < 8 || same + more >= most {
                return most.min(same + more);
            }
            same += 8;
        }
        while same < most && *there.sub(same + 1) == *here.sub(same + 1) {
            same += 1;
        }
    }
    same
}

/// Returns how far the bytes from `there` and from `here` are the same, from `here` on.
///
/// # Safety
///
/// `there < here <= end`, and all bytes between are readable.
#[inline(always)]
unsafe fn extend(mut there: *const u8, mut here: *const u8, end: *const u8) -> *const u8 {
    let mut steps = 0;
    // SAFETY: as many bytes as are read are asked for to be before `end`, behind `here`; those behind
    // `there` lie before them.
    unsafe {
        while end.addr() - here.addr() >= 16 {
            let different = load_u128(there) ^ load_u128(here);
            if different != 0 {
                return here.add((different.trailing_zeros() / 8) as usize);
            }
            (there, here) = (there.add(16), here.add(16));
            steps += 1;
            if steps == LONG_STEPS {
                while end.addr() - here.addr() >= 32 && load_32(there) == load_32(here) {
                    (there, here) = (there.add(32), here.add(32));
                }
            }
        }
        while here < end && *there == *here {
            (there, here) = (there.add(1), here.add(1));
        }
    }
    here
}

/// After so many steps of 16 bytes it is a long run.
const LONG_STEPS: usize = 4;
