//! Decompression: which loop reads which part of a block.

use super::Out;
use super::brief::brief;
use super::steps::{STEP_READ, steps};
use crate::SLOP;
use crate::safe::decompress::elements;

/// Appends the payload of a block, of which `body` is what follows its length, to `dst` and
/// returns `true`; or leaves `dst` as it was and returns `false`, if the block is not one of
/// `stated` bytes, or the spare capacity is shorter.
///
/// It is fast to the very end if the spare capacity is [`SLOP`] bytes longer than that.
#[must_use]
pub(crate) fn decompress(body: &[u8], dst: &mut Vec<u8>, stated: usize) -> bool {
    let spare = dst.spare_capacity_mut();
    let (base, room) = (spare.as_mut_ptr().cast::<u8>(), spare.len());
    if room < stated {
        return false;
    }
    // SAFETY: `stated <= room`.
    let end = unsafe { base.add(stated) };
    let whole = if room - stated >= SLOP {
        let out = Out { base, last: end, end };
        // SAFETY: there are `SLOP` bytes behind `end`, the spare capacity's, which is the output's
        // invariant; nothing else has a pointer there.
        unsafe { roomy(body, &out) }
    } else {
        // SAFETY: as many bytes of spare capacity, and `end` is among or behind them.
        unsafe { narrow(body, base, room, end) }
    };
    if whole {
        // SAFETY: both wrote all bytes from `base` to `end`, if they say so.
        unsafe { dst.set_len(dst.len() + stated) };
    }
    whole
}

/// Blocks as short are read by branches: fewer elements than it takes to fill the processor's
/// pipeline with those that follow, and what a table and the last bytes' detour cost counts.
/// Measured with JSON and protobuf: at 700 bytes branches win by a fifth, at 1200 they lose by as much.
const BRIEF: usize = 900;

/// Says whether `body` fills `out` from `base` to `end`.
///
/// # Safety
///
/// The output's invariant, and `out.last == out.end`.
unsafe fn roomy(body: &[u8], out: &Out) -> bool {
    let range = body.as_ptr_range();
    if body.len() < BRIEF {
        // SAFETY: all of `body`, and the output's invariant.
        return unsafe { brief(range.start, range.end, out) };
    }
    let Some(body_last) = body.last_chunk::<STEP_READ>() else { return false };
    // SAFETY: `STEP_READ` bytes, and so all that a step reads, lie between the last place where one
    // begins and the end.
    let stop = unsafe { range.end.sub(STEP_READ - 1) };
    // SAFETY: as above; and the output's invariant for an `op` at its beginning.
    let (ip, op) = unsafe { steps((range.start, out.base), stop, range.end, out) };
    if ip.is_null() || op > out.end {
        return false; // with more to come, maybe
    }
    // `steps` came to `stop`: less than `STEP_READ` bytes are left. They move to where as many may be
    // read behind them.
    let left = range.end.addr() - ip.addr();
    debug_assert!(left < STEP_READ, "steps ends at `stop`, or behind `last`");
    let mut tail = [0; 2 * STEP_READ];
    if let Some(place) = tail.first_chunk_mut() {
        *place = *body_last;
    }
    // SAFETY: it is within `tail`.
    let tail_end = unsafe { tail.as_ptr().add(STEP_READ) };
    // SAFETY: `left < STEP_READ`.
    let tail_ip = unsafe { tail_end.sub(left) };
    // SAFETY: `STEP_READ` bytes follow `tail_end`; the output's invariant holds still.
    let (ip, op) = unsafe { steps((tail_ip, op), tail_end, tail_end, out) };
    ip == tail_end && op == out.end
}

/// As [`roomy`], where few bytes or none may be written behind `end`: what is near it is read by
/// safe code.
///
/// # Safety
///
/// From `base` on, `room` bytes are writable, and `end` is not behind them, but less than `SLOP`
/// bytes before their end.
unsafe fn narrow(body: &[u8], base: *mut u8, room: usize, end: *mut u8) -> bool {
    let (mut rest, mut op) = (body, base);
    if let Some(last) = room.checked_sub(SLOP)
        && let Some(stop) = body.len().checked_sub(STEP_READ - 1)
    {
        // SAFETY: `last <= room`.
        let out = Out { base, last: unsafe { base.add(last) }, end };
        let range = body.as_ptr_range();
        // SAFETY: `stop <= body.len()`.
        let stop = unsafe { range.start.add(stop) };
        // SAFETY: `STEP_READ` bytes follow any place before `stop`; `SLOP` bytes follow `last`, and
        // `end`, less than `SLOP` bytes before the end of the room, is not before it.
        let (ip, to) = unsafe { steps((range.start, base), stop, range.end, &out) };
        if ip.is_null() {
            return false;
        }
        (rest, op) = (body.get(ip.addr() - range.start.addr()..).unwrap_or_default(), to);
    }
    let Some(missing) = end.addr().checked_sub(op.addr()) else { return false };
    // SAFETY: from `op` to `end`.
    unsafe { op.write_bytes(0, missing) };
    let len = end.addr() - base.addr();
    // SAFETY: those before `op` were written by `steps`, the rest just now.
    let out = unsafe { std::slice::from_raw_parts_mut(base, len) };
    elements(rest, out, len - missing)
}
