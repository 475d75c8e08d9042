//! Compression of one block over slices: the same search, and the same elements.

use crate::table::{BRIEF, DENSE, DENSE_ROOM, MARGIN, Table, hash, sparse};

/// Appends the elements of a block, at most 64 KiB long, for which the table is new.
pub(crate) fn append_block(src: &[u8], table: Table<'_>, dst: &mut Vec<u8>) {
    let (slots, shift) = table.into_parts();
    let emitted = if src.len() <= MARGIN {
        0
    } else if src.len() < BRIEF {
        Search::<true> { src, slots, shift }.block(dst)
    } else {
        Search::<false> { src, slots, shift }.block(dst)
    };
    push_literal(src.get(emitted..).unwrap_or_default(), dst);
}

struct Search<'a, const IS_BRIEF: bool> {
    src: &'a [u8],
    slots: &'a mut [u16],
    shift: u32,
}

impl<const IS_BRIEF: bool> Search<'_, IS_BRIEF> {
    /// Writes all elements but the last literal, and returns where that begins.
    fn block(mut self, dst: &mut Vec<u8>) -> usize {
        let limit = self.src.len() - MARGIN;
        let (mut emitted, mut at) = (0, 1);
        while at <= limit {
            let Some((found, mut candidate)) = self.next(at, limit) else { break };
            at = found;
            while IS_BRIEF && at > emitted && candidate > 0 && self.same(at - 1, candidate - 1) {
                at -= 1;
                candidate -= 1;
            }
            push_literal(self.src.get(emitted..at).unwrap_or_default(), dst);
            loop {
                if !IS_BRIEF {
                    self.replace(at + 1);
                    self.replace(at + 2);
                }
                let len = 4 + self.same_len(candidate + 4, at + 4);
                push_copy(at - candidate, len, dst);
                at += len;
                emitted = at;
                if at >= limit {
                    break;
                }
                if !IS_BRIEF {
                    self.replace(at - 2);
                }
                self.replace(at - 1);
                candidate = self.replace(at);
                if self.four(candidate) != self.four(at) {
                    break;
                }
            }
            at += 1;
        }
        emitted
    }

    /// Returns the next position at which the same four bytes are as at one before, and that one.
    fn next(&mut self, mut at: usize, limit: usize) -> Option<(usize, usize)> {
        if limit - at >= DENSE_ROOM {
            for at in at..at + DENSE {
                let candidate = self.replace(at);
                if self.four(candidate) == self.four(at) {
                    return Some((at, candidate));
                }
            }
            at += DENSE;
        }
        let mut skip = sparse(self.src.len());
        loop {
            let step = skip >> 5;
            skip += step;
            if limit - at < step {
                return None;
            }
            let candidate = self.replace(at);
            if self.four(candidate) == self.four(at) {
                return Some((at, candidate));
            }
            at += step;
        }
    }

    /// Puts a position into the table, and returns the one that was in its place.
    #[inline(always)]
    fn replace(&mut self, at: usize) -> usize {
        let bytes = self.src.get(at..).and_then(|rest| rest.first_chunk()).copied();
        let hash = hash::<IS_BRIEF>(u64::from_le_bytes(bytes.unwrap_or_default()), self.shift);
        let Some(slot) = self.slots.get_mut(hash) else { return 0 };
        #[expect(clippy::cast_possible_truncation, reason = "positions have 16 bits")]
        let before = std::mem::replace(slot, at as u16);
        usize::from(before)
    }

    #[inline(always)]
    fn four(&self, at: usize) -> Option<&[u8; 4]> {
        self.src.get(at..)?.first_chunk()
    }

    fn same(&self, one: usize, other: usize) -> bool {
        self.src.get(one) == self.src.get(other)
    }

    /// Returns how many bytes are the same.
    fn same_len(&self, there: usize, here: usize) -> usize {
        let here = self.src.get(here..).unwrap_or_default();
        let there = self.src.get(there..).unwrap_or_default();
        let mut len = 0;
        for (here, there) in here.chunks_exact(8).zip(there.chunks_exact(8)) {
            let here = u64::from_le_bytes(here.try_into().unwrap_or_default());
            let there = u64::from_le_bytes(there.try_into().unwrap_or_default());
            let different = here ^ there;
            if different != 0 {
                return len + (different.trailing_zeros() / 8) as usize;
            }
            len += 8;
        }
        let rest = here.get(len..).unwrap_or_default().iter();
        let other = there.get(len..).unwrap_or_default().iter();
        len + rest.zip(other).take_while(|(here, there)| here == there).count()
    }
}

/// Appends a literal, if it has any bytes.
fn push_literal(bytes: &[u8], dst: &mut Vec<u8>) {
    let Some(number) = bytes.len().checked_sub(1) else { return };
    let [low, high, ..] = number.to_le_bytes();
    match number {
        ..60 => dst.push(low << 2),
        60..256 => dst.extend_from_slice(&[60 << 2, low]),
        _ => dst.extend_from_slice(&[61 << 2, low, high]),
    }
    dst.extend_from_slice(bytes);
}

/// Appends a copy of at least four bytes.
fn push_copy(offset: usize, mut len: usize, dst: &mut Vec<u8>) {
    let [low, high, ..] = offset.to_le_bytes();
    let tag = |len: usize| len.to_le_bytes().first().map_or(0, |&len| (len - 1) << 2 | 0b10);
    while len > 64 {
        let once = if len < 68 { 60 } else { 64 };
        dst.extend_from_slice(&[tag(once), low, high]);
        len -= once;
    }
    if len < 12 && offset < 2048 {
        dst.extend_from_slice(&[high << 5 | (tag(len - 3) & !0b11) | 0b01, low]);
    } else {
        dst.extend_from_slice(&[tag(len), low, high]);
    }
}
