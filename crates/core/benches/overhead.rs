//! What Thinwire adds to a library call: pair by pair in one run, so that a machine whose speed
//! drifts does not matter. `cargo bench -p thinwire --bench overhead [-- ENCODING...]`

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark may stop where it fails"
)]

#[path = "support/pair.rs"]
mod pair;
mod support;

use std::hint::black_box;

use pair::{pair, rounds};
use support::bare::bare;
use support::{SIZES, Size};
use thinwire::{Decoder, Encoder, Encoding};

fn main() {
    let rounds = rounds();
    println!(
        "| encoding | payload | ratio | encode MB/s | over the bare call | decode MB/s | over the bare call |"
    );
    println!("|---|---|--:|--:|--:|--:|--:|");
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let is_wanted =
        |it: &Encoding| wanted.is_empty() || wanted.iter().any(|name| name == it.name());
    for encoding in Encoding::ALL.into_iter().skip(1).filter(is_wanted) {
        for size in SIZES {
            row(encoding, size, rounds);
        }
    }
}

fn row(encoding: Encoding, size: Size, rounds: usize) {
    let messages = size.messages();
    let encoder = Encoder::new(encoding).unwrap();
    let decoder = Decoder::new(64 << 20);
    let mut bare = bare(encoding).unwrap();
    let mut room = vec![0; 2 * size.len + 1024];
    let mut buffer = Vec::with_capacity(room.len());

    let ours: Vec<_> = messages.iter().map(|message| compressed(&encoder, message)).collect();
    let theirs: Vec<_> = messages
        .iter()
        .map(|message| {
            let len = bare.compress(message, &mut room);
            room[..len].to_vec()
        })
        .collect();
    let encoded_len: usize = ours.iter().map(Vec::len).sum();

    let encode = pair(
        rounds,
        size,
        |index| {
            buffer.clear();
            encoder.compress_into(&messages[index], &mut buffer).unwrap();
            black_box(&buffer);
        },
        |index| {
            black_box(bare.compress(&messages[index], &mut room));
        },
    );
    let decode = pair(
        rounds,
        size,
        |index| {
            buffer.clear();
            let len = decoder.decode_into(encoding, &ours[index], &mut buffer).unwrap();
            assert_eq!(len, size.len);
        },
        |index| {
            assert_eq!(bare.decompress(&theirs[index], &mut room), size.len);
        },
    );
    println!(
        "| {encoding} | {} | {:.2} | {} | {} |",
        size.name,
        (size.len * size.count) as f64 / encoded_len as f64,
        encode.cells(size.len),
        decode.cells(size.len),
    );
}

fn compressed(encoder: &Encoder, message: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    encoder.compress_into(message, &mut out).unwrap();
    out
}
