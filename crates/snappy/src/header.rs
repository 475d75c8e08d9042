//! What a block begins with: the payload's length as a varint of at most five bytes.

use crate::Error;

/// Returns the length that a block states, and what follows it.
pub(crate) fn split(src: &[u8]) -> Result<(usize, &[u8]), Error> {
    let mut stated = 0_u64;
    for (index, &byte) in src.iter().take(MAX_LEN).enumerate() {
        stated |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            let stated = u32::try_from(stated).map_err(|_| Error::NoLength)?;
            let stated = usize::try_from(stated).map_err(|_| Error::NoLength)?;
            return Ok((stated, src.get(index + 1..).unwrap_or_default()));
        }
    }
    Err(Error::NoLength)
}

/// Appends the length of a payload.
pub(crate) fn push(len: u32, dst: &mut Vec<u8>) {
    let mut rest = len;
    loop {
        let [low, ..] = rest.to_le_bytes();
        rest >>= 7;
        if rest == 0 {
            return dst.push(low & 0x7f);
        }
        dst.push(low | 0x80);
    }
}

/// How many bytes may follow such a length: of all elements, a copy of 64 bytes in three is densest.
pub(crate) const fn most_from(body_len: usize) -> usize {
    body_len.saturating_mul(64) / 3
}

/// A varint of 32 bits.
pub(crate) const MAX_LEN: usize = 5;
