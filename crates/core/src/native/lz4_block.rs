//! Decompression of single LZ4 blocks, `lz4_Block_format.md`.
//!
//! Our own because what liblz4 makes of a damaged block (a copy from offset 0, a copy near the
//! end) depends on how much room it has, and the answer to the same bytes must not. It is nearly as fast:
//! short sequences, nearly all of them, are copied in fixed steps that may write past their end.

/// Appends the block `src`, decompressed, to `dst` and returns `true`; or leaves `dst` as it was
/// and returns `false` if the block is malformed or longer than `room` or the spare capacity.
///
/// The block may copy from the last `history_len` bytes of `dst`.
#[must_use]
pub(crate) fn decompress(src: &[u8], dst: &mut Vec<u8>, history_len: usize, room: usize) -> bool {
    let history_len = history_len.min(dst.len());
    let spare = dst.spare_capacity_mut();
    let (start, spare_len) = (spare.as_mut_ptr().cast::<u8>(), spare.len());
    // SAFETY: as many bytes lie before the spare capacity, in the same allocation.
    let base = unsafe { start.sub(history_len) };
    let out = Out {
        base,
        at: history_len,
        limit: history_len + room.min(spare_len),
        end: history_len + spare_len,
    };
    let Some(at) = sequences(src, out) else { return false };
    // SAFETY: `out` wrote all bytes from the history to there.
    unsafe { super::append_written(dst, at - history_len) };
    true
}

/// Where the payload goes.
///
/// The invariant of each method: from `base` on, `at` bytes are readable and `end` are writable;
/// `at <= end` and `limit <= end`.
#[derive(Clone, Copy)]
struct Out {
    base: *mut u8,
    at: usize,
    limit: usize,
    end: usize,
}

/// Reads all sequences and returns where they end; `None` if one of them can't be right.
fn sequences(src: &[u8], mut out: Out) -> Option<usize> {
    let mut rest = src;
    loop {
        rest = rest.get(steps::<false>(rest, rest.len(), &mut out)..)?;
        if rest.len() < STEP_LEN {
            let mut padded = [0; 2 * STEP_LEN];
            padded.get_mut(..rest.len())?.copy_from_slice(rest);
            rest = rest.get(steps::<true>(&padded, rest.len(), &mut out)..)?;
        }
        rest = sequence(rest, &mut out)?;
        if rest.is_empty() {
            return (out.at <= out.limit).then_some(out.at);
        }
    }
}

/// Reads sequences in copies of fixed length, which may read and write past their end, for as long
/// as there is room for that; returns how many bytes it has read. What is left begins with a
/// sequence that is the last, or near an end, or wrong: `sequence` says which.
///
/// Of `src`, `len` bytes are the block's; if it is padded, what follows them may be read but means
/// nothing. Without that, the last sequences would take as long as all others of a short block.
///
/// Plain pointers, because with slices, whose length has to be kept as well, it is a sixth slower.
#[expect(
    clippy::multiple_unsafe_ops_per_block,
    reason = "one argument holds for the whole loop, and is made once"
)]
fn steps<const IS_PADDED: bool>(src: &[u8], len: usize, out: &mut Out) -> usize {
    debug_assert!(len == src.len() || IS_PADDED && len < src.len());
    if src.len() < STEP_LEN || out.end - out.at < STEP_ROOM {
        return 0;
    }
    let range = src.as_ptr_range();
    // SAFETY: for all of the loop, `ip` is within `src` and `op` within `out`, and at its top
    // `STEP_LEN` bytes follow `ip` and `STEP_ROOM` bytes follow `op`. A step reads a token, 16
    // bytes of literals and, at most 14 behind the token, an offset of 2: 19 bytes. It writes 16
    // bytes and, at most 14 in, at most 24 more: 38 bytes. Whatever is longer is checked before it
    // is copied, so that `STEP_LEN` and `STEP_ROOM` bytes follow it as well; its copies read and
    // write less than 32 bytes past its end. What is copied from is not before `base`, and as far
    // behind `op` as one copy is long, so it is initialized. At the end of each sequence `ip` and
    // `op` are remembered: there `ip` is at most at `end`, the end of what is the block's.
    unsafe {
        let end = range.start.add(len);
        let last_ip = range.end.sub(STEP_LEN);
        let last_op = out.base.add(out.end - STEP_ROOM);
        let (mut ip, mut op) = (range.start, out.to());
        let (mut read, mut written) = (ip, op);
        while ip <= last_ip && op <= last_op {
            let token = usize::from(*ip);
            ip = ip.add(1);
            if token >> 4 < 15 {
                copy_array::<16>(ip, op);
                ip = ip.add(token >> 4);
                op = op.add(token >> 4);
            } else {
                let Some(len) = length(15, &mut ip, end) else { break };
                if ip > last_ip
                    || len > last_ip.offset_from_unsigned(ip)
                    || len > last_op.offset_from_unsigned(op)
                {
                    break;
                }
                copy_pairs(ip, op, len);
                ip = ip.add(len);
                op = op.add(len);
            }
            if IS_PADDED && ip.add(2) > end {
                break;
            }
            let offset = usize::from(u16::from_le_bytes(ip.cast::<[u8; 2]>().read()));
            ip = ip.add(2);
            if offset == 0 || offset > op.offset_from_unsigned(out.base) {
                break;
            }
            let from = op.sub(offset);
            let mut len = (token & 15) + 4;
            if len < 15 + 4 && offset >= 16 {
                copy_array::<16>(from, op);
                copy_array::<2>(from.add(16), op.add(16));
            } else {
                if len == 15 + 4 {
                    let Some(more) = length(len, &mut ip, end) else { break };
                    if op > last_op || more > last_op.offset_from_unsigned(op) {
                        break;
                    }
                    len = more;
                }
                copy_back(offset, op, len);
            }
            op = op.add(len);
            (read, written) = (ip, op);
        }
        out.at = written.offset_from_unsigned(out.base);
        read.offset_from_unsigned(range.start)
    }
}

/// Reads on from four bits that are all ones, which stand for `len`; `None` at the end.
///
/// # Safety
///
/// The bytes from `ip` to `end` are readable.
#[inline(always)]
unsafe fn length(mut len: usize, ip: &mut *const u8, end: *const u8) -> Option<usize> {
    while *ip < end {
        // SAFETY: it is before the end.
        let more = unsafe { **ip };
        // SAFETY: as above.
        *ip = unsafe { ip.add(1) };
        len += usize::from(more); // 255 for each byte of a block, which is at most 4 MiB
        if more != 255 {
            return Some(len);
        }
    }
    None
}

/// Reads one sequence of any length, and nothing that it does not have. What is left is empty
/// after the last one, which has literals only.
fn sequence<'a>(rest: &'a [u8], out: &mut Out) -> Option<&'a [u8]> {
    let (&token, mut rest) = rest.split_first()?;
    let (mut literals_len, mut copy_len) = (usize::from(token >> 4), usize::from(token & 15) + 4);
    if literals_len == 15 {
        (literals_len, rest) = checked_length(15, rest)?;
    }
    let (literals, after) = rest.split_at_checked(literals_len)?;
    out.put(literals)?;
    if after.is_empty() {
        return Some(after);
    }
    let (offset, mut rest) = after.split_first_chunk()?;
    if copy_len == 19 {
        (copy_len, rest) = checked_length(19, rest)?;
    }
    out.copy(usize::from(u16::from_le_bytes(*offset)), copy_len)?;
    // A copy is never the last: literals, maybe none, follow.
    (!rest.is_empty()).then_some(rest)
}

/// As [`length`].
fn checked_length(mut len: usize, mut rest: &[u8]) -> Option<(usize, &[u8])> {
    loop {
        let (&more, after) = rest.split_first()?;
        rest = after;
        len += usize::from(more);
        if more != 255 {
            return Some((len, rest));
        }
    }
}

impl Out {
    /// Returns where the next byte goes.
    #[inline(always)]
    const fn to(&self) -> *mut u8 {
        // SAFETY: `at <= end`.
        unsafe { self.base.add(self.at) }
    }

    /// Appends literals of any length.
    fn put(&mut self, literals: &[u8]) -> Option<()> {
        if literals.len() > self.left()? {
            return None;
        }
        // SAFETY: there are as many bytes left; a slice and spare capacity do not overlap.
        unsafe { self.to().copy_from_nonoverlapping(literals.as_ptr(), literals.len()) };
        self.at += literals.len();
        Some(())
    }

    /// Appends `len` bytes from `offset` back; what they copy may be among them.
    fn copy(&mut self, offset: usize, len: usize) -> Option<()> {
        if offset == 0 || offset > self.at || len > self.left()? {
            return None;
        }
        let to = self.to();
        // SAFETY: `offset <= at`.
        let from = unsafe { to.sub(offset) };
        // The first `offset` bytes, then twice as many each time: they repeat.
        let mut done = offset.min(len);
        // SAFETY: at most `offset` bytes from `offset` back end where `to` begins.
        unsafe { to.copy_from_nonoverlapping(from, done) };
        while done < len {
            let more = done.min(len - done);
            // SAFETY: `done + more <= len`, for which there is room.
            let next = unsafe { to.add(done) };
            // SAFETY: `more <= done`, so that they do not overlap.
            unsafe { next.copy_from_nonoverlapping(to, more) };
            done += more;
        }
        self.at += len;
        Some(())
    }

    const fn left(&self) -> Option<usize> {
        self.limit.checked_sub(self.at)
    }
}

/// Reads `N` bytes, then writes them.
///
/// # Safety
///
/// The bytes at `from` are readable and those at `to` writable; they may overlap.
#[inline(always)]
unsafe fn copy_array<const N: usize>(from: *const u8, to: *mut u8) {
    // SAFETY: by this function's contract; an array of bytes has no alignment.
    let bytes = unsafe { from.cast::<[u8; N]>().read() };
    // SAFETY: as above.
    unsafe { to.cast::<[u8; N]>().write(bytes) };
}

/// Copies `len` bytes, twice 16 at a time.
///
/// # Safety
///
/// As [`copy_array`], for `len` bytes, or one, and less than 32 more.
#[inline(always)]
unsafe fn copy_pairs(from: *const u8, to: *mut u8, len: usize) {
    let mut done = 0;
    loop {
        for half in [done, done + 16] {
            // SAFETY: by this function's contract.
            unsafe { copy_array::<16>(from.wrapping_add(half), to.wrapping_add(half)) };
        }
        done += 32;
        if done >= len {
            break;
        }
    }
}

/// Copies `len` bytes from `offset` back.
///
/// # Safety
///
/// `offset` is not 0. The bytes from there to `to` are readable, `len` and 31 more from `to` on
/// writable.
#[inline(always)]
unsafe fn copy_back(offset: usize, to: *mut u8, len: usize) {
    if offset >= 16 {
        // SAFETY: by this function's contract.
        unsafe { copy_pairs(to.wrapping_sub(offset), to, len) };
    } else {
        // SAFETY: as above.
        unsafe { copy_near(offset, to, len) };
    }
}

/// Copies `len` bytes from `offset` back, which is 1 to 15: they repeat. The first 8 are copied
/// one by one; behind these they repeat at least 8 back as well, so that 8 are copied at a time.
///
/// # Safety
///
/// The bytes from `offset` before `to` are readable, `len` and 8 more from there on writable.
#[inline(always)]
unsafe fn copy_near(offset: usize, to: *mut u8, len: usize) {
    let from = to.wrapping_sub(offset);
    for at in 0..8 {
        // SAFETY: by this function's contract, or written just before.
        unsafe { copy_array::<1>(from.wrapping_add(at), to.wrapping_add(at)) };
    }
    let repeated = offset * 8_usize.div_ceil(offset);
    let mut done = 8;
    while done < len {
        let to = to.wrapping_add(done);
        // SAFETY: `repeated` is at most 15, so that it lies within what was there or is written.
        unsafe { copy_array::<8>(to.wrapping_sub(repeated), to) };
        done += 8;
    }
}

/// So many bytes a step reads: at least 19, and 31 behind long literals.
const STEP_LEN: usize = 32;

/// So many bytes a step writes: at least 38, and 31 behind a long copy.
const STEP_ROOM: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    /// The format and nothing else, byte by byte.
    fn expected(src: &[u8], history: &[u8], room: usize) -> Option<Vec<u8>> {
        let mut out = history.to_vec();
        let mut rest = src.iter().copied();
        loop {
            let token = rest.next()?;
            let mut len = |nibble: u8| {
                let mut len = usize::from(nibble);
                if nibble == 15 {
                    loop {
                        let more = rest.next()?;
                        len += usize::from(more);
                        if more != 255 {
                            break;
                        }
                    }
                }
                Some(len)
            };
            for _ in 0..len(token >> 4)? {
                out.push(rest.next()?);
            }
            if rest.len() == 0 {
                let payload = out.split_off(history.len());
                return (payload.len() <= room).then_some(payload);
            }
            let offset = usize::from(u16::from_le_bytes([rest.next()?, rest.next()?]));
            let mut len = usize::from(token & 15);
            if len == 15 {
                loop {
                    let more = rest.next()?;
                    len += usize::from(more);
                    if more != 255 {
                        break;
                    }
                }
            }
            if offset == 0 || offset > out.len() {
                return None;
            }
            for _ in 0..len + 4 {
                out.push(out[out.len() - offset]);
            }
            if rest.len() == 0 {
                return None;
            }
        }
    }

    fn push_len(block: &mut Vec<u8>, len: usize) {
        let mut rest = len - 15;
        while rest >= 255 {
            block.push(255);
            rest -= 255;
        }
        block.push(u8::try_from(rest).unwrap());
    }

    /// A block of random sequences, and how long it gets.
    fn random_block(random: &mut fastrand::Rng, history_len: usize) -> (Vec<u8>, usize) {
        let (mut block, mut len) = (Vec::new(), 0);
        let lengths = |random: &mut fastrand::Rng| match random.u8(..10) {
            0..7 => random.usize(..15),
            7..9 => random.usize(..64),
            _ => random.usize(..700),
        };
        for _ in 0..random.usize(..40) {
            let (literals_len, copy_len) = (lengths(random), lengths(random));
            let token = literals_len.min(15) << 4 | copy_len.min(15);
            block.push(u8::try_from(token).unwrap());
            if literals_len >= 15 {
                push_len(&mut block, literals_len);
            }
            block.extend((0..literals_len).map(|_| random.u8(..)));
            len += literals_len;
            let reach = (history_len + len).min(0xffff);
            let offset = match random.u8(..4) {
                0 => random.usize(..20),
                1 => reach,
                _ => random.usize(..=reach),
            };
            let offset = offset.clamp(1, reach.max(1));
            block.extend_from_slice(&u16::try_from(offset).unwrap().to_le_bytes());
            if copy_len >= 15 {
                push_len(&mut block, copy_len);
            }
            len += copy_len + 4;
        }
        let last = random.usize(..30);
        block.push(u8::try_from(last.min(15) << 4).unwrap());
        if last >= 15 {
            push_len(&mut block, last);
        }
        block.extend((0..last).map(|_| random.u8(..)));
        (block, len + last)
    }

    fn check(block: &[u8], history: &[u8], room: usize, spare: usize) {
        let expected = expected(block, history, room.min(spare));
        let mut dst = Vec::with_capacity(history.len() + spare);
        dst.extend_from_slice(history);
        let done = decompress(block, &mut dst, history.len(), room.min(spare));
        assert_eq!(done, expected.is_some(), "{block:x?}, room {room}, spare {spare}");
        assert_eq!(&dst[history.len()..], expected.unwrap_or_default(), "{block:x?}");
        assert_eq!(&dst[..history.len()], history);
    }

    #[test]
    fn it_is_the_format_whatever_room_there_is() {
        let mut random = fastrand::Rng::with_seed(7);
        let blocks = if cfg!(miri) { 60 } else { 3_000 };
        for _ in 0..blocks {
            let history: Vec<u8> = (0..random.usize(..100)).map(|_| random.u8(..)).collect();
            let (mut block, len) = random_block(&mut random, history.len());
            for damage in 0..4 {
                for (room, spare) in [
                    (len, len),
                    (len, len + 100),
                    (len + 1, len + 70),
                    (len - len.min(1), len + 100),
                ] {
                    check(&block, &history, room, spare);
                }
                match damage {
                    0 => block.truncate(random.usize(..=block.len())),
                    _ if block.is_empty() => {}
                    _ => {
                        let at = random.usize(..block.len());
                        block[at] = random.u8(..);
                    }
                }
            }
        }
    }

    #[test]
    fn a_copy_from_nowhere_is_refused_with_any_room() {
        for (block, history) in [
            (&b"\x10a\x00\x00\x50bbbbb"[..], &b""[..]), // offset 0
            (b"\x10a\x02\x00\x50bbbbb", b""),           // before the start
            (b"\x10a\x05\x00\x50bbbbb", b"xyz"),        // before the history
        ] {
            for spare in [10, 11, 70, 1000] {
                check(block, history, spare, spare);
                let mut dst = Vec::with_capacity(spare);
                assert!(!decompress(block, &mut dst, 0, spare));
            }
        }
    }
}
