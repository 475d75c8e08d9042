//! Decompression is what `snap` does, for all bytes and with any room.

mod support;

use std::fs;
use std::path::Path;

use fastrand::Rng;
use support::{LIMIT, check, compressed_elsewhere, elements, expected, payloads, text, varint};
use thinwire_snappy::{Error, decompress_into, decompressed_len};

#[test]
fn payloads_come_back() {
    for payload in payloads() {
        let block = compressed_elsewhere(&payload);
        assert_eq!(decompressed_len(&block), Ok(payload.len()));
        assert!(expected(&block).as_deref() == Some(&payload[..]));
        check(&block);
    }
}

#[test]
fn elements_in_any_form_and_damaged_ones_are_judged_alike() {
    let mut random = Rng::with_seed(5);
    let blocks = if cfg!(miri) { 20 } else { 4_000 };
    for _ in 0..blocks {
        let count = if random.bool() { random.usize(..20) } else { random.usize(..400) };
        let (mut block, len) = elements(count, &mut random);
        if count > 0 {
            assert_eq!(expected(&block).unwrap().len(), len);
        }
        check(&block);
        for _ in 0..3 {
            if !block.is_empty() {
                let at = random.usize(..block.len());
                block[at] = random.u8(..);
                check(&block);
            }
            block.truncate(random.usize(..=block.len()));
            check(&block);
        }
    }
}

/// Short and long blocks, which are not read by the same code.
fn valid_blocks() -> Vec<Vec<u8>> {
    let mut random = Rng::with_seed(3);
    let mut blocks = vec![
        compressed_elsewhere(&text(200, &mut random)),
        compressed_elsewhere(b"123456789".repeat(20).as_slice()),
        elements(12, &mut random).0,
        elements(40, &mut random).0,
    ];
    if !cfg!(miri) {
        blocks.push(compressed_elsewhere(&text(2_600, &mut random)));
        blocks.push(elements(150, &mut random).0);
        assert!(blocks.iter().any(|block| block.len() > 1_000));
    }
    blocks
}

#[test]
fn every_prefix_is_judged_alike() {
    for block in valid_blocks() {
        for len in (0..block.len()).step_by(if cfg!(miri) { 2 } else { 1 }) {
            check(&block[..len]);
        }
        let mut longer = block.clone();
        for byte in [0, 1, 2, 3, 0xff] {
            longer.push(byte);
            check(&longer);
        }
    }
}

#[test]
fn every_changed_byte_is_judged_alike() {
    for block in valid_blocks() {
        for at in (0..block.len()).step_by(if cfg!(miri) { 5 } else { 1 }) {
            let mut changed = block.clone();
            let all = block.len() < 300 && !cfg!(miri);
            for byte in
                if all { (0..=255).collect() } else { vec![0, 1, 2, 0xf0, 0xf7, 0xff, !block[at]] }
            {
                changed[at] = byte;
                check(&changed);
            }
        }
    }
}

#[test]
fn lengths_are_at_most_32_bits_in_at_most_five_bytes() {
    for (block, len) in [
        (&b"\x00"[..], Ok(0)),
        (b"\x80\x00", Ok(0)),
        (b"\x80\x80\x80\x80\x00", Ok(0)),
        (b"\xff\xff\xff\xff\x0f", Ok(0xffff_ffff)),
        (b"\xff\xff\xff\xff\x1f", Err(Error::NoLength)),
        (b"\x80\x80\x80\x80\x80\x00", Err(Error::NoLength)),
        (b"\x80", Err(Error::NoLength)),
        (b"", Err(Error::NoLength)),
    ] {
        assert_eq!(decompressed_len(block), len, "{block:x?}");
        check(block);
    }
}

#[test]
fn the_limit_is_exact_and_what_can_not_be_is_not_allocated() {
    let block = compressed_elsewhere(&[5; 1_000]);
    let mut dst = Vec::new();
    assert!(matches!(
        decompress_into(&block, &mut dst, 999),
        Err(Error::TooLong { stated: 1_000, limit: 999, .. })
    ));
    assert_eq!(decompress_into(&block, &mut dst, 1_000), Ok(1_000));
    let mut dst = Vec::new();
    let mut lie = varint(0xffff_ffff);
    lie.extend_from_slice(&[0xfe, 1, 0]);
    assert!(matches!(
        decompress_into(&lie, &mut dst, usize::MAX),
        Err(Error::Overstated { stated: 0xffff_ffff, .. })
    ));
    assert_eq!(dst.capacity(), 0);
}

/// The payload is full long before the block is read.
#[test]
fn a_block_with_more_than_it_states_is_refused() {
    let mut random = Rng::with_seed(8);
    for count in [10, 300, 1_000] {
        let (block, len) = elements(count, &mut random);
        let body = &block[varint(len).len()..];
        for stated in [0, 1, 15, 70, len / 2, len - 1, len + 1] {
            let mut lie = varint(stated);
            lie.extend_from_slice(body);
            check(&lie);
        }
    }
}

/// As the damaged blocks of google/snappy's corpus are: in the middle of a text, a copy with an offset
/// of 32 bits, from before its beginning.
#[test]
fn a_copy_from_before_the_beginning_is_refused_anywhere() {
    let mut random = Rng::with_seed(12);
    for (before, after) in [(0, 3), (1, 1), (9, 5), (60, 60), (400, 90)] {
        let (first, len) = elements(before, &mut random);
        let (second, more) = elements(after, &mut random);
        for offset in [0, len + 1, len + 64, 127_665, 0x7463_6172, 0x815e_2056, 0xffff_ffff] {
            let mut block = varint(len + 28 + more);
            block.extend_from_slice(&first[varint(len).len()..]);
            block.push(27 << 2 | 3);
            block.extend_from_slice(&u32::try_from(offset).unwrap().to_le_bytes());
            block.extend_from_slice(&second[varint(more).len()..]);
            check(&block);
            assert!(decompress_into(&block, &mut Vec::new(), LIMIT).is_err(), "{block:x?}");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "long blocks, in files")]
fn the_damaged_blocks_of_the_corpus_are_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/snappy");
    for name in ["baddata1.snappy", "baddata2.snappy", "baddata3.snappy"] {
        let Ok(block) = fs::read(folder.join(name)) else {
            println!("skipped: no {name} in {}", folder.display());
            continue;
        };
        check(&block);
        assert!(decompress_into(&block, &mut Vec::new(), 1 << 30).is_err(), "{name}");
    }
}
