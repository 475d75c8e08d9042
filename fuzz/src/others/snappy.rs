//! `snap`'s reader of frames, and the block format, word for word.

use super::{LIMIT, Payload, Refused, TooLong, Verdict, judge, read};

pub(super) fn snappy_framed(encoded: &[u8]) -> Verdict {
    let mut payload = Vec::new();
    match read(&mut snap::read::FrameDecoder::new(encoded), &mut payload) {
        Ok(()) => judge(payload),
        Err(error) => Refused(error),
    }
}

/// `format_description.txt`, word for word.
pub(super) fn snappy_block(encoded: &[u8]) -> Verdict {
    match snappy_block_or_nothing(encoded) {
        Some((declared, _)) if declared > LIMIT as u64 => TooLong,
        Some((declared, payload)) if declared == payload.len() as u64 => Payload(payload),
        Some(_) => Refused("not as long as declared".to_owned()),
        None => Refused("cut short, or a copy from nowhere".to_owned()),
    }
}

fn snappy_block_or_nothing(encoded: &[u8]) -> Option<(u64, Vec<u8>)> {
    let mut bytes = encoded.iter().copied();
    let little_endian = |bytes: &mut dyn Iterator<Item = u8>, count: usize| {
        (0..count).try_fold(0, |sum, index| Some(sum | usize::from(bytes.next()?) << (8 * index)))
    };
    let mut declared = 0;
    for shift in (0..35).step_by(7) {
        let byte = bytes.next()?;
        declared |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
        if shift == 28 {
            return None;
        }
    }
    let mut payload = Vec::new();
    while payload.len() <= LIMIT
        && let Some(tag) = bytes.next()
    {
        let tag = usize::from(tag);
        let (offset, len) = match tag & 3 {
            0 => {
                let len = match tag >> 2 {
                    short @ ..60 => short,
                    long => little_endian(&mut bytes, long - 59)?,
                };
                for _ in 0..=len {
                    payload.push(bytes.next()?);
                }
                continue;
            }
            1 => (tag >> 5 << 8 | little_endian(&mut bytes, 1)?, 4 + (tag >> 2 & 7)),
            2 => (little_endian(&mut bytes, 2)?, 1 + (tag >> 2)),
            _ => (little_endian(&mut bytes, 4)?, 1 + (tag >> 2)),
        };
        for _ in 0..len {
            let from = payload.len().checked_sub(offset).filter(|_| offset > 0)?;
            payload.push(payload.get(from).copied()?);
        }
    }
    Some((declared, payload))
}
