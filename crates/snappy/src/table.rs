//! Where bytes were seen before, in a block of at most 64 KiB.

/// A payload is compressed in parts as long, which know nothing of each other: a position in one
/// has 16 bits, as the offset of a copy.
pub(crate) const BLOCK_LEN: usize = 1 << 16;

/// What is at the end of a block and not searched, so that what is can be read 16 bytes at a time.
pub(crate) const MARGIN: usize = 16;

/// Blocks shorter than this are searched more thoroughly: they have so few long matches that the
/// short ones count, and no others are given up for them.
pub(crate) const BRIEF: usize = 8 << 10;

/// So many positions, one after the other, are looked up after a match; then ever fewer.
pub(crate) const DENSE: usize = 16;

/// Returns the first step after [`DENSE`] positions, times 32, to which each step is added.
///
/// With 48 there are as many more positions one after the other, with 32 twice as many: without
/// them, JSON of 1 to 4 KB comes out up to 1.5 % longer than C++ makes it. In long blocks they cost
/// more than they find: a seventh of the speed where little is found. In very short ones there
/// is little to find.
pub(crate) const fn sparse(block_len: usize) -> usize {
    if block_len >= SHORTEST_BRIEF && block_len < BRIEF { 32 } else { 48 }
}

const SHORTEST_BRIEF: usize = 256;

/// How long a run has to be left for the search of [`DENSE`] positions.
pub(crate) const DENSE_ROOM: usize = 32;

/// Positions by the hash of what is there.
///
/// The invariant: there are `1 << (64 - shift)` slots, and no hash is as large.
#[derive(Debug)]
pub(crate) struct Table<'a> {
    slots: &'a mut [u16],
    shift: u32,
}

impl<'a> Table<'a> {
    /// Makes an empty one, which takes all bytes for those at position 0, for a block.
    pub(crate) fn new(kept: &'a mut Vec<u16>, block_len: usize) -> Self {
        let bits = usize::BITS - block_len.saturating_sub(1).leading_zeros();
        let bits =
            bits.clamp(MIN_BITS, if block_len > MIDDLING { MAX_BITS } else { MIDDLING_BITS });
        let len = 1 << bits;
        if kept.len() < len {
            kept.resize(len, 0);
        }
        let slots = kept.get_mut(..len).unwrap_or_default();
        slots.fill(0);
        Self { slots, shift: u64::BITS - bits }
    }

    /// Returns the slots, and by how much a hash is to be shifted.
    pub(crate) const fn into_parts(self) -> (&'a mut [u16], u32) {
        (self.slots, self.shift)
    }
}

/// Hashes the first five of eight bytes, or in a brief block four and three bits: matches of four
/// bytes, which save but one and cost the processor a wrong guess, are found where they are many.
///
/// It is less than `1 << (64 - shift)`.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "a table's slots fit into memory")]
pub(crate) const fn hash<const IS_BRIEF: bool>(bytes: u64, shift: u32) -> usize {
    let unused = if IS_BRIEF { 64 - 35 } else { 64 - 40 };
    ((bytes << unused).wrapping_mul(PRIME) >> shift) as usize
}

/// Any odd number whose bits look random, as long as what is hashed.
const PRIME: u64 = 889_523_592_379;

/// 512 bytes: it takes no time to clear them.
const MIN_BITS: u32 = 8;

/// 32 KiB: as much as stays in the nearest cache beside a block's bytes. With twice as many slots the
/// output gets 1 % shorter and compression 4 % slower.
const MAX_BITS: u32 = 14;

/// Blocks up to this length get at most half as many: to clear more takes longer than what is found
/// with them saves. Output is 0.1 % longer, compression 4 to 20 % faster.
const MIDDLING: usize = 16 << 10;
const MIDDLING_BITS: u32 = 13;
