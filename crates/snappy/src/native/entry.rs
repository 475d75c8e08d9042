//! What a tag says, looked up.

/// Returns the entry for the tag in the lowest byte.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "a byte is less than 256")]
pub(super) fn entry(tag: u32) -> u32 {
    ENTRIES[(tag & 0xff) as usize]
}

/// Returns the offset of 11 or 16 bits that an element of this entry, with the tag in the lowest
/// byte, has in `data`, the four bytes behind it; or 0.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "two bits are less than 4")]
pub(super) fn offset(tag: u32, entry: u32, data: u32) -> usize {
    (data & OFFSETS[(tag & 3) as usize] | entry & HIGH) as usize
}

/// What a tag says, for each: in [`LEN`] how long the element is; in [`HIGH`] the upper bits of an
/// offset of 11 bits; [`COPY`], if it is a copy. A literal with a length of its own and a copy
/// with an offset of 32 bits are longer than any offset, and copies, so that they never pass for
/// an ordinary one.
static ENTRIES: [u32; 256] = {
    let mut entries = [COPY | LEN; 256];
    let mut tag = 0;
    while tag < entries.len() {
        #[expect(clippy::cast_possible_truncation, reason = "it is less than 256")]
        let upper = tag as u32 >> 2;
        #[expect(clippy::indexing_slicing, reason = "it is less than their length")]
        match tag & 3 {
            0 if upper < 60 => entries[tag] = upper + 1,
            1 => entries[tag] = COPY | (upper >> 3) << 8 | ((upper & 7) + 4),
            2 => entries[tag] = COPY | (upper + 1),
            _ => {}
        }
        tag += 1;
    }
    entries
};

/// How long the element is, at most 64; or all ones.
pub(super) const LEN: u32 = 0xff;
/// The upper three bits of an offset, in their place.
const HIGH: u32 = 0x700;
/// Set for everything but a literal without a length of its own.
const COPY: u32 = 1 << 31;

/// Those of the four bytes behind a tag that are an offset, for each of its two low bits. An offset
/// of 32 bits is none here.
static OFFSETS: [u32; 4] = [0, 0xff, 0xffff, 0];
