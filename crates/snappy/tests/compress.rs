//! What is compressed is read by others, and is the same however it comes about.
#![expect(clippy::unwrap_used, reason = "a helper of tests")]

mod support;

use fastrand::Rng;
use support::{mixed, payloads, text};
use thinwire_snappy::safe::Compressor as SafeCompressor;
use thinwire_snappy::{Compressor, max_compressed_len};

fn compressed(payload: &[u8]) -> Vec<u8> {
    let mut block = Vec::new();
    let len = Compressor::new().compress_into(payload, &mut block).unwrap();
    assert_eq!(len, block.len());
    block
}

#[test]
fn others_read_it_and_it_stays_within_its_bound() {
    for payload in payloads() {
        let block = compressed(&payload);
        assert!(block.len() <= max_compressed_len(payload.len()).unwrap());
        assert!(support::expected(&block).as_deref() == Some(&payload[..]), "{}", payload.len());
    }
}

/// Of all lengths around those where something changes, and of payloads as bad as can be: short
/// literals between copies that hardly save anything.
#[test]
fn all_lengths_fit_into_their_bound() {
    let mut random = Rng::with_seed(2);
    let bad: Vec<u8> =
        (0..if cfg!(miri) { 3_000 } else { 17_000 })
            .flat_map(|index: u32| {
                if index.is_multiple_of(2) { [1, 2, 3, 4] } else { random.u32(..).to_le_bytes() }
            })
            .collect();
    let (step, longest) = if cfg!(miri) { (75, 9_000) } else { (1, usize::MAX) };
    let lengths = (0..400).chain(8_150..8_230).chain(65_500..65_600).step_by(step);
    for len in lengths.take_while(|&len| len < longest) {
        for payload in [&bad[..len], &vec![0; len], &text(len, &mut random)] {
            let mut block = Vec::with_capacity(max_compressed_len(len).unwrap());
            let before = block.as_ptr();
            Compressor::new().compress_into(payload, &mut block).unwrap();
            assert_eq!(block.as_ptr(), before, "there was room");
            assert!(support::expected(&block).as_deref() == Some(payload), "{len}");
        }
    }
}

#[test]
fn what_came_before_and_unsafe_code_change_nothing() {
    let mut kept = Compressor::new();
    let mut random = Rng::with_seed(9);
    for payload in payloads() {
        let len = random.usize(..if cfg!(miri) { 2_000 } else { 70_000 });
        kept.compress_into(&mixed(len, &mut random), &mut Vec::new()).unwrap();
        let mut dst = vec![9; 3];
        kept.compress_into(&payload, &mut dst).unwrap();
        assert_eq!(dst[..3], [9; 3]);
        assert!(dst[3..] == compressed(&payload)[..], "{}", payload.len());
        let mut dst = Vec::new();
        SafeCompressor::new().compress_into(&payload, &mut dst).unwrap();
        assert!(dst == compressed(&payload), "{}", payload.len());
    }
    assert!(kept.kept_len() <= 32 << 10);
}

#[test]
#[cfg_attr(miri, ignore = "a question of lengths, not of memory")]
fn it_is_about_as_short_as_what_others_make() {
    let mut random = Rng::with_seed(4);
    for len in [200, 1_000, 4_000, 20_000, 200_000] {
        let (mut ours, mut theirs) = (0, 0);
        for _ in 0..20 {
            let payload = text(len, &mut random);
            ours += compressed(&payload).len();
            theirs += snap::raw::Encoder::new().compress_vec(&payload).unwrap().len();
        }
        assert!(ours * 100 <= theirs * 105, "{len}: {ours}, {theirs}");
    }
}
