//! Every encoding at every size, with one buffer kept: `cargo bench -p thinwire --bench encodings`
//!
//! `bare` is the library call alone; `overhead` compares the two in turn.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark may stop where it fails"
)]

mod support;

use std::cell::RefCell;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use support::bare::bare;
use support::{SIZES, Size};
use thinwire::{Decoder, Encoder, Encoding};

fn main() {
    divan::main();
}

/// An encoding and a size, as the name of a row.
#[derive(Clone, Copy)]
struct Case {
    encoding: Encoding,
    size: Size,
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.encoding, self.size.name)
    }
}

fn cases() -> Vec<Case> {
    Encoding::ALL
        .into_iter()
        .filter(|encoding| *encoding != Encoding::Identity)
        .flat_map(|encoding| SIZES.map(|size| Case { encoding, size }))
        .collect()
}

/// Runs `call` on one message after the other, with a buffer that stays.
fn bench(
    bencher: Bencher<'_, '_>,
    case: Case,
    inputs: &[Vec<u8>],
    mut call: impl FnMut(&[u8], &mut Vec<u8>),
) {
    let mut buffer = vec![0; 2 * case.size.len + 1024];
    let mut next = inputs.iter().cycle();
    bencher.counter(BytesCount::new(case.size.len)).bench_local(|| {
        if let Some(input) = next.next() {
            call(black_box(input), &mut buffer);
        }
    });
}

#[divan::bench(args = cases())]
fn encode(bencher: Bencher<'_, '_>, case: Case) {
    let encoder = Encoder::new(case.encoding).unwrap();
    bench(bencher, case, &case.size.messages(), |message, buffer| {
        buffer.clear();
        encoder.compress_into(message, buffer).unwrap();
    });
}

#[divan::bench(args = cases())]
fn encode_bare(bencher: Bencher<'_, '_>, case: Case) {
    let mut bare = bare(case.encoding).unwrap();
    bench(bencher, case, &case.size.messages(), |message, buffer| {
        black_box(bare.compress(message, buffer));
    });
}

#[divan::bench(args = cases())]
fn decode(bencher: Bencher<'_, '_>, case: Case) {
    let encoder = Encoder::new(case.encoding).unwrap();
    let decoder = Decoder::new(64 << 20);
    let encoded: Vec<_> = case
        .size
        .messages()
        .iter()
        .map(|message| {
            let mut encoded = Vec::new();
            encoder.compress_into(message, &mut encoded).unwrap();
            encoded
        })
        .collect();
    bench(bencher, case, &encoded, |encoded, buffer| {
        buffer.clear();
        decoder.decode_into(case.encoding, encoded, buffer).unwrap();
    });
}

#[divan::bench(args = cases())]
fn decode_bare(bencher: Bencher<'_, '_>, case: Case) {
    let bare = RefCell::new(bare(case.encoding).unwrap());
    let mut room = vec![0; 2 * case.size.len + 1024];
    let encoded: Vec<_> = case
        .size
        .messages()
        .iter()
        .map(|message| {
            let len = bare.borrow_mut().compress(message, &mut room);
            room[..len].to_vec()
        })
        .collect();
    bench(bencher, case, &encoded, |encoded, buffer| {
        black_box(bare.borrow_mut().decompress(encoded, buffer));
    });
}
