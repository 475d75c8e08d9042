//! thinwire-snappy accepts the blocks that `snap` accepts, and reads the same, with any room.
#![no_main]

use thinwire_snappy::{decompress_into, decompressed_len, safe};

const LIMIT: usize = 1 << 20;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&spare, block)) = bytes.split_first() else { return };
    check(usize::from(spare), block);
    // The same elements behind the length that they have, so that what they say is reached.
    let mut stated = Vec::new();
    let mut rest = payload_len(block);
    while rest >= 0x80 {
        stated.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    stated.push(rest as u8);
    stated.extend_from_slice(block);
    check(usize::from(spare), &stated.into_boxed_slice());
});

fn check(spare: usize, block: &[u8]) {
    let expected = expected(block);
    let len = decompressed_len(block).unwrap_or(0).min(LIMIT);
    for room in [0, len, len + spare, len + 64, len + 300] {
        for decompress in [decompress_into, safe::decompress_into] {
            let mut dst = Vec::with_capacity(1 + room);
            dst.push(0xaa);
            let result = decompress(block, &mut dst, LIMIT).ok();
            assert_eq!(result, expected.as_ref().map(Vec::len));
            assert_eq!(dst.first(), Some(&0xaa));
            assert_eq!(dst.get(1..), Some(expected.as_deref().unwrap_or_default()));
        }
    }
}

fn expected(block: &[u8]) -> Option<Vec<u8>> {
    let len = snap::raw::decompress_len(block).ok().filter(|&len| len <= LIMIT)?;
    let mut payload = vec![0; len];
    snap::raw::Decoder::new().decompress(block, &mut payload).ok()?;
    Some(payload)
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
