//! Every loop against the code without unsafe, whichever the processor would choose.

use std::cell::Cell;

use fastrand::Rng;

use super::decompress::decompress;
use crate::safe::Compressor;
use crate::{SLOP, header, safe};

thread_local! {
    /// Whether to do without what only some processors have.
    pub(super) static PORTABLE: Cell<bool> = const { Cell::new(false) };
}

/// Noise, repetitions from any distance, and runs.
fn payload(len: usize, random: &mut Rng) -> Vec<u8> {
    let mut bytes = vec![0];
    while bytes.len() < len {
        if random.u8(..3) == 0 {
            bytes.extend((0..random.usize(1..30)).map(|_| random.u8(..)));
        } else {
            let far = if random.bool() { bytes.len() } else { bytes.len().min(40) };
            let offset = random.usize(1..=far);
            for _ in 0..random.usize(4..70) {
                bytes.push(bytes[bytes.len() - offset]);
            }
        }
    }
    bytes
}

/// What each way makes of a block with this much room behind the payload.
fn check(body: &[u8], stated: usize) {
    let mut expected = Vec::new();
    let accepted = safe::decompress::decompress(body, &mut expected, stated);
    for portable in [false, true] {
        PORTABLE.set(portable);
        for room in [0, 1, SLOP - 1, SLOP, SLOP + 200] {
            let mut dst = Vec::with_capacity(stated + room);
            assert_eq!(decompress(body, &mut dst, stated), accepted, "{room} {body:x?}");
            assert!(dst == expected, "{room} {body:x?}");
        }
    }
    PORTABLE.set(false);
}

#[test]
fn all_loops_agree() {
    let mut random = Rng::with_seed(1);
    for _ in 0..if cfg!(miri) { 4 } else { 600 } {
        let len = if random.bool() { random.usize(..800) } else { random.usize(..9_000) };
        let mut block = Vec::new();
        Compressor::new().compress_into(&payload(len, &mut random), &mut block).unwrap();
        let (stated, body) = header::split(&block).unwrap();
        let mut body = body.to_vec();
        check(&body, stated);
        for _ in 0..4 {
            if let Some(at) = (!body.is_empty()).then(|| random.usize(..body.len())) {
                body[at] = random.u8(..);
            }
            check(&body, stated);
        }
        body.truncate(random.usize(..=body.len()));
        check(&body, stated);
    }
}
