//! Decompression over slices.

use crate::tag::{COPY_1, COPY_2, LITERAL, LONG_LITERAL};

/// Appends the payload of a block, of which `body` is what follows its length, to `dst` and
/// returns `true`; or leaves `dst` as it was and returns `false`, if the block is not one of
/// `stated` bytes.
#[must_use]
pub(crate) fn decompress(body: &[u8], dst: &mut Vec<u8>, stated: usize) -> bool {
    let start = dst.len();
    dst.resize(start + stated, 0);
    let done = dst.get_mut(start..).is_some_and(|out| elements(body, out, 0));
    if !done {
        dst.truncate(start);
    }
    done
}

/// Reads elements to the end and writes from `at` on; says whether they fill `out`.
#[must_use]
pub(crate) fn elements(body: &[u8], out: &mut [u8], at: usize) -> bool {
    let (mut rest, mut at) = (body, at);
    while let Some((&tag, after)) = rest.split_first() {
        match element(tag, after, out, at) {
            Some((after, to)) => (rest, at) = (after, to),
            None => return false,
        }
    }
    at == out.len()
}

/// Reads one element behind its tag, and returns what follows it and where.
#[inline(always)]
fn element<'a>(tag: u8, rest: &'a [u8], out: &mut [u8], at: usize) -> Option<(&'a [u8], usize)> {
    let upper = usize::from(tag >> 2);
    if tag & 3 == LITERAL {
        return literal(upper, rest, out, at);
    }
    let (offset, len, rest) = match tag & 3 {
        COPY_1 => {
            let (&low, rest) = rest.split_first()?;
            (usize::from(tag >> 5) << 8 | usize::from(low), (upper & 7) + 4, rest)
        }
        COPY_2 => {
            let (offset, rest) = rest.split_first_chunk()?;
            (usize::from(u16::from_le_bytes(*offset)), upper + 1, rest)
        }
        _ => {
            let (offset, rest) = rest.split_first_chunk()?;
            (usize::try_from(u32::from_le_bytes(*offset)).ok()?, upper + 1, rest)
        }
    };
    copy(offset, len, out, at)?;
    Some((rest, at + len))
}

#[inline(always)]
fn literal<'a>(
    upper: usize,
    rest: &'a [u8],
    out: &mut [u8],
    at: usize,
) -> Option<(&'a [u8], usize)> {
    if upper < STEP
        && let Some(bytes) = rest.first_chunk::<STEP>()
        && let Some(to) = out.get_mut(at..).and_then(|to| to.first_chunk_mut::<STEP>())
    {
        *to = *bytes;
        return Some((rest.get(upper + 1..)?, at + upper + 1));
    }
    let (len, rest) = match upper.checked_sub(LONG_LITERAL) {
        None => (upper + 1, rest),
        Some(more) => {
            let (bytes, rest) = rest.split_at_checked(more + 1)?;
            let len = bytes.iter().rev().fold(0_u64, |len, &byte| len << 8 | u64::from(byte));
            (usize::try_from(len + 1).ok()?, rest)
        }
    };
    let (bytes, rest) = rest.split_at_checked(len)?;
    out.get_mut(at..)?.get_mut(..len)?.copy_from_slice(bytes);
    Some((rest, at + len))
}

#[inline(always)]
fn copy(offset: usize, len: usize, out: &mut [u8], at: usize) -> Option<()> {
    let (before, to) = out.split_at_mut_checked(at)?;
    let from = before.get(before.len().checked_sub(offset)?..)?;
    if len <= STEP
        && let Some(bytes) = from.first_chunk::<STEP>()
        && let Some(to) = to.first_chunk_mut::<STEP>()
    {
        *to = *bytes;
        return Some(());
    }
    let to = to.get_mut(..len)?;
    if let Some(from) = from.get(..len) {
        to.copy_from_slice(from);
        return Some(());
    }
    // What is copied are `offset` bytes, again and again; from 0 back there are none.
    let (first, more) = to.split_at_mut_checked(offset.min(len))?;
    if first.is_empty() {
        return None;
    }
    first.copy_from_slice(from.get(..first.len())?);
    let _ = more;
    let mut done = first.len();
    while done < len {
        let more = done.min(len - done);
        to.copy_within(..more, done);
        done += more;
    }
    Some(())
}

/// Nearly all literals and copies are as short.
const STEP: usize = 16;
