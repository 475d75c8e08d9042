//! thinwire-snappy beside `snap`, and its unsafe code beside that without.

use snap::raw::{Decoder, decompress_len};
use thinwire_snappy::{Compressor, decompress_into, decompressed_len, max_compressed_len, safe};

/// Bytes: how much more room there is than the payload needs, then a block; and the elements again as a
/// block of the length that they have.
pub(crate) fn snappy_decompress(bytes: &[u8]) {
    let Some((&spare, block)) = bytes.split_first() else { return };
    judge(usize::from(spare), block);
    let mut stated = varint(payload_len(block));
    stated.extend_from_slice(block);
    judge(usize::from(spare), &stated);
}

/// Payloads are no longer.
const LIMIT: usize = 1 << 20;

/// Both decoders judge as `snap` does, with any room. The block is in memory that ends where it does.
fn judge(spare: usize, block: &[u8]) {
    let block: Box<[u8]> = block.into();
    let expected = expected(&block);
    let len = decompressed_len(&block).unwrap_or(0).min(LIMIT);
    for room in [0, len, len + spare, len + 64, len + 300] {
        for decompress in [decompress_into, safe::decompress_into] {
            let mut dst = Vec::with_capacity(1 + room);
            dst.push(0xaa);
            let result = decompress(&block, &mut dst, LIMIT).ok();
            assert_eq!(result, expected.as_ref().map(Vec::len), "room {room}");
            assert_eq!(dst.first(), Some(&0xaa), "room {room}");
            assert!(dst.get(1..) == Some(expected.as_deref().unwrap_or_default()), "room {room}");
        }
    }
}

fn expected(block: &[u8]) -> Option<Vec<u8>> {
    let len = decompress_len(block).ok().filter(|&len| len <= LIMIT)?;
    let mut payload = vec![0; len];
    Decoder::new().decompress(block, &mut payload).ok()?;
    Some(payload)
}

fn varint(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let [low, ..] = number.to_le_bytes();
        number >>= 7;
        if number == 0 {
            bytes.push(low & 0x7f);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

/// What elements say of their length, if they are whole.
fn payload_len(body: &[u8]) -> usize {
    let (mut rest, mut len) = (body.iter(), 0_usize);
    while let Some(&tag) = rest.next() {
        let upper = usize::from(tag >> 2);
        let (skipped, more) = match tag & 3 {
            0 if upper < 60 => (upper + 1, upper + 1),
            0 => {
                let stated = rest.by_ref().take(upper - 59).enumerate();
                let number =
                    stated.fold(0, |number, (at, &byte)| number | usize::from(byte) << (8 * at));
                (number + 1, number + 1)
            }
            1 => (1, (upper & 7) + 4),
            2 => (2, upper + 1),
            _ => (4, upper + 1),
        };
        len += more;
        if skipped > 0 {
            rest.nth(skipped - 1);
        }
    }
    len
}

/// Bytes: how often, then what is repeated, with one byte changed each time: longer, and in more
/// than one part of 64 KiB.
pub(crate) fn snappy_roundtrip(bytes: &[u8]) {
    let Some((&times, bytes)) = bytes.split_first() else { return };
    let mut payload = bytes.to_vec();
    for round in 0..times {
        if payload.len() > 1 << 17 || bytes.is_empty() {
            break;
        }
        payload.extend_from_slice(bytes);
        let at = usize::from(round) * 7 % payload.len();
        if let Some(byte) = payload.get_mut(at) {
            *byte = byte.wrapping_add(round);
        }
    }
    let payload = payload.into_boxed_slice();
    let most = max_compressed_len(payload.len()).unwrap_or_default();
    let mut compressor = Compressor::new();
    let mut block = Vec::with_capacity(most);
    let len = compressor.compress_into(&payload, &mut block);
    assert_eq!(len, Ok(block.len()));
    assert!(block.len() <= most, "{} above {most}", block.len());
    let mut again = Vec::new();
    assert_eq!(compressor.compress_into(&payload, &mut again), len);
    assert!(block == again, "what was compressed before is seen");
    let mut slow = Vec::new();
    assert_eq!(safe::Compressor::new().compress_into(&payload, &mut slow), len);
    assert!(block == slow, "the code without unsafe does otherwise");

    let block = block.into_boxed_slice();
    let mut theirs = vec![0; payload.len()];
    assert_eq!(Decoder::new().decompress(&block, &mut theirs), Ok(payload.len()));
    assert!(theirs[..] == payload[..], "snap reads otherwise");
    let mut ours = Vec::new();
    assert_eq!(decompress_into(&block, &mut ours, payload.len()), Ok(payload.len()));
    assert!(ours[..] == payload[..], "it does not come back");
}
