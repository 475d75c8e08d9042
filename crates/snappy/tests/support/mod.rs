//! Blocks to try, and what another decoder says of them.
#![allow(dead_code, reason = "not every test uses all of it")]
#![allow(unused_qualifications, reason = "with the feature `safe` both are the same")]
#![allow(unreachable_pub, clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use fastrand::Rng;
use thinwire_snappy::{decompress_into, decompressed_len, safe};

/// Payloads of many kinds: nothing, text, runs of all short lengths, noise, a mix. Under Miri, which is
/// a thousand times as slow, only such as are needed for each of the loops.
pub fn payloads() -> Vec<Vec<u8>> {
    let mut random = Rng::with_seed(11);
    let mut payloads = vec![Vec::new(), vec![7], b"Wikipedia".to_vec(), vec![0; 100_000]];
    for period in (1..=20_u8).step_by(if cfg!(miri) { 7 } else { 1 }) {
        let unit: Vec<u8> = (0..period).collect();
        payloads.push(unit.iter().copied().cycle().take(3_000 + usize::from(period)).collect());
    }
    if cfg!(miri) {
        payloads.push(text(9_000, &mut random));
        payloads.push(mixed(2_500, &mut random));
        payloads.push(mixed(700, &mut random));
        return payloads;
    }
    for len in [1, 15, 16, 17, 59, 60, 61, 62, 64, 65, 255, 256, 257, 900, 65_535, 65_536, 65_537] {
        payloads.push((0..len).map(|_| random.u8(..)).collect());
        payloads.push(text(len, &mut random));
    }
    for _ in 0..40 {
        let len = random.usize(..5_000);
        payloads.push(mixed(len, &mut random));
    }
    payloads.push(mixed(300_000, &mut random));
    payloads
}

/// What `snap` makes of a payload; under Miri, ours without unsafe code.
pub fn compressed_elsewhere(payload: &[u8]) -> Vec<u8> {
    if cfg!(miri) {
        let mut block = Vec::new();
        safe::Compressor::new().compress_into(payload, &mut block).unwrap();
        return block;
    }
    snap::raw::Encoder::new().compress_vec(payload).unwrap()
}

pub fn text(len: usize, random: &mut Rng) -> Vec<u8> {
    const WORDS: [&str; 12] = [
        "{\"ts\":",
        "\"host\":\"",
        "10.0.0.",
        "status",
        "GET /index.html",
        ",\"",
        "\":",
        "200",
        " ",
        "\n",
        "message",
        "é",
    ];
    let mut text = Vec::new();
    while text.len() < len {
        text.extend_from_slice(WORDS[random.usize(..WORDS.len())].as_bytes());
        if random.u8(..4) == 0 {
            text.extend_from_slice(random.u32(..).to_string().as_bytes());
        }
    }
    text.truncate(len);
    text
}

/// Noise, runs, and pieces of what was before from all distances.
pub fn mixed(len: usize, random: &mut Rng) -> Vec<u8> {
    let mut bytes: Vec<u8> = Vec::new();
    while bytes.len() < len {
        match random.u8(..3) {
            0 => {
                let more = random.usize(1..40);
                bytes.extend((0..more).map(|_| random.u8(..)));
            }
            1 if !bytes.is_empty() => {
                let offset = random.usize(1..=bytes.len().min(24));
                for _ in 0..random.usize(4..90) {
                    bytes.push(bytes[bytes.len() - offset]);
                }
            }
            _ if bytes.len() > 100 => {
                let from = random.usize(..bytes.len() - 80);
                let piece = bytes[from..from + random.usize(4..80)].to_vec();
                bytes.extend(piece);
            }
            _ => bytes.push(b'x'),
        }
    }
    bytes.truncate(len);
    bytes
}

/// A block of elements in any form, also such as no compressor writes; and its payload's length.
pub fn elements(count: usize, random: &mut Rng) -> (Vec<u8>, usize) {
    let (mut body, mut len) = (Vec::new(), 0_usize);
    for _ in 0..count {
        if len == 0 || random.u8(..3) == 0 {
            let more = match random.u8(..8) {
                0..6 => random.usize(1..=20),
                6 => random.usize(1..=70),
                _ => random.usize(1..=700),
            };
            push_literal(&mut body, more, random);
            len += more;
        } else {
            let offset = match random.u8(..5) {
                0 => random.usize(1..=len.min(70)),
                1 => len,
                _ => random.usize(1..=len),
            };
            len += push_copy(&mut body, offset, random);
        }
    }
    let mut block = varint(len);
    block.extend(body);
    (block, len)
}

fn push_literal(body: &mut Vec<u8>, len: usize, random: &mut Rng) {
    let bytes = u32::try_from(len - 1).unwrap().to_le_bytes();
    // Any number of bytes that suffices.
    let least = 4 - usize::try_from(u32::try_from(len - 1).unwrap().leading_zeros() / 8).unwrap();
    if len <= 60 && random.u8(..10) > 0 {
        body.push(bytes[0] << 2);
    } else {
        let width = random.usize(least.max(1)..=4);
        body.push(u8::try_from(59 + width).unwrap() << 2);
        body.extend_from_slice(&bytes[..width]);
    }
    body.extend((0..len).map(|_| random.u8(..)));
}

fn push_copy(body: &mut Vec<u8>, offset: usize, random: &mut Rng) -> usize {
    let times = if random.u8(..20) == 0 { 30 } else { 1 };
    let offset = u32::try_from(offset).unwrap();
    let (element, len) = match random.u8(..20) {
        0 => {
            let len = random.u8(1..=64);
            let mut element = vec![(len - 1) << 2 | 3];
            element.extend_from_slice(&offset.to_le_bytes());
            (element, len)
        }
        1..10 if offset < 2048 => {
            let len = random.u8(4..=11);
            let [low, high, ..] = offset.to_le_bytes();
            (vec![high << 5 | (len - 4) << 2 | 1, low], len)
        }
        _ => {
            let len = random.u8(1..=64);
            let [low, high, ..] = offset.min(65_535).to_le_bytes();
            (vec![(len - 1) << 2 | 2, low, high], len)
        }
    };
    body.extend(element.repeat(times));
    usize::from(len) * times
}

pub fn varint(mut len: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while len >= 0x80 {
        bytes.push(u8::try_from(len & 0x7f).unwrap() | 0x80);
        len >>= 7;
    }
    bytes.push(u8::try_from(len).unwrap());
    bytes
}

/// What `snap` makes of a block, if its payload is no longer than `LIMIT`. Under Miri, which is there
/// for our code, what ours makes of it without unsafe code.
pub fn expected(block: &[u8]) -> Option<Vec<u8>> {
    if cfg!(miri) {
        let mut payload = Vec::new();
        return safe::decompress_into(block, &mut payload, LIMIT).is_ok().then_some(payload);
    }
    let len = snap::raw::decompress_len(block).ok().filter(|&len| len <= LIMIT)?;
    let mut payload = vec![0; len];
    snap::raw::Decoder::new().decompress(block, &mut payload).ok()?;
    Some(payload)
}

pub const LIMIT: usize = 1 << 20;

/// Decompresses a block behind other bytes, into buffers with different room, and compares.
pub fn check(block: &[u8]) {
    let expected = expected(block);
    let len = decompressed_len(block).unwrap_or(0).min(LIMIT);
    for (before, spare) in
        [(0, 0), (0, len), (3, len + 1), (1, len + 63), (0, len + 64), (5, len + 300)]
    {
        let mut dst = Vec::with_capacity(before + spare);
        dst.resize(before, 0xaa);
        let result = decompress_into(block, &mut dst, LIMIT);
        assert_eq!(dst[..before], vec![0xaa; before], "{block:x?}");
        match &expected {
            Some(payload) => {
                assert_eq!(result, Ok(payload.len()), "room {spare}, {block:x?}");
                assert!(dst[before..] == payload[..], "room {spare}, {block:x?}");
            }
            None => {
                assert!(result.is_err(), "room {spare}, {block:x?}");
                assert_eq!(dst.len(), before);
            }
        }
    }
}
