//! What a message takes beside the bare library call, and zstd beside gzip: pair by pair in one
//! run, so that a machine whose speed drifts does not matter.
//! `cargo bench -p thinwire-stream --bench overhead [-- ENCODING...]`

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a benchmark may stop where it fails"
)]

#[path = "../../core/benches/support/mod.rs"]
mod bytes_of_messages;
#[path = "../tests/support/flat.rs"]
mod flat;
#[path = "../../core/benches/support/pair.rs"]
mod pair;
mod support;

use std::hint::black_box;
use std::io::{Read, Write};

use pair::{Pair, pair, rounds};
use support::{Size, bare, codec, compressed, encodings, messages, sizes};
use thinwire::Encoding;
use thinwire_stream::{ClientCompressionConfig, Label, MessageCodec};

fn main() {
    let rounds = rounds();
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    let is_wanted =
        |it: &Encoding| wanted.is_empty() || wanted.iter().any(|name| name == it.name());
    println!(
        "| encoding | payload | maybe_compress MB/s | over the bare call | maybe_decompress MB/s | over the bare call |"
    );
    println!("|---|---|--:|--:|--:|--:|");
    for encoding in encodings().filter(is_wanted) {
        for size in sizes() {
            let compress = compress_beside_bare(rounds, encoding, size);
            let decompress = decompress_beside_bare(rounds, encoding, size);
            let (compress, decompress) = (compress.cells(size.len), decompress.cells(size.len));
            println!("| {encoding} | {} | {compress} | {decompress} |", size.name);
        }
    }
    let size = sizes().find(|size| size.len == 4000).unwrap();
    println!(
        "\n| zstd beside, 4,000 bytes | zstd MB/s out | its time over zstd's | zstd MB/s in | its time over zstd's |"
    );
    println!("|---|--:|--:|--:|--:|");
    for gzip in [Gzip::Ours(1), Gzip::Ours(6), Gzip::Flate2(1), Gzip::Flate2(6)] {
        let [compress, decompress] = zstd_beside(rounds, size, gzip).map(|pair| {
            let mb_per_s = 4000.0 * 1e3 / pair.ours;
            format!("{mb_per_s:.0} | {:.2}", 1.0 / pair.ratio)
        });
        println!("| {gzip} | {compress} | {decompress} |");
    }
}

/// Who makes gzip, and at which level.
#[derive(Clone, Copy)]
enum Gzip {
    /// This crate, by libdeflate, with state kept.
    Ours(i32),
    /// What comes first to mind, with new state for each message.
    Flate2(u32),
}

impl std::fmt::Display for Gzip {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ours(level) => write!(f, "gzip:{level}"),
            Self::Flate2(level) => write!(f, "flate2 (zlib-rs) level {level}, state anew"),
        }
    }
}

fn compress_beside_bare(rounds: usize, encoding: Encoding, size: Size) -> Pair {
    let (codec, messages) = (codec(encoding), messages(size));
    let mut bare = bare(encoding).unwrap();
    let mut room = vec![0; 2 * size.len + 1024];
    pair(
        rounds,
        size,
        |index| drop(black_box(codec.maybe_compress(&messages[index]).unwrap())),
        |index| {
            black_box(bare.compress(&messages[index].payload, &mut room));
        },
    )
}

fn decompress_beside_bare(rounds: usize, encoding: Encoding, size: Size) -> Pair {
    let (codec, compressed) = (codec(encoding), compressed(encoding, size));
    let mut bare = bare(encoding).unwrap();
    let mut room = vec![0; 2 * size.len + 1024];
    let theirs: Vec<_> = size
        .messages()
        .iter()
        .map(|payload| {
            let len = bare.compress(payload, &mut room);
            room[..len].to_vec()
        })
        .collect();
    pair(
        rounds,
        size,
        |index| drop(black_box(codec.maybe_decompress(compressed[index].clone()).ok().unwrap())),
        |index| {
            black_box(bare.decompress(&theirs[index], &mut room));
        },
    )
}

fn zstd_beside(rounds: usize, size: Size, gzip: Gzip) -> [Pair; 2] {
    let zstd = codec(Encoding::Zstd);
    let (messages, for_zstd) = (messages(size), compressed(Encoding::Zstd, size));
    let compress_zstd =
        |index: usize| drop(black_box(zstd.maybe_compress(&messages[index]).unwrap()));
    let decompress_zstd = |index: usize| {
        drop(black_box(zstd.maybe_decompress(for_zstd[index].clone()).ok().unwrap()));
    };
    match gzip {
        Gzip::Ours(level) => {
            let config = ClientCompressionConfig::new(Encoding::Gzip).level(level).min_size(0);
            let gzip = MessageCodec::new(&config, Label::CONTENT_ENCODING).unwrap();
            let for_gzip: Vec<_> =
                messages.iter().map(|it| gzip.maybe_compress(it).unwrap().unwrap()).collect();
            [
                pair(rounds, size, compress_zstd, |index| {
                    drop(black_box(gzip.maybe_compress(&messages[index]).unwrap()));
                }),
                pair(rounds, size, decompress_zstd, |index| {
                    drop(black_box(gzip.maybe_decompress(for_gzip[index].clone()).ok().unwrap()));
                }),
            ]
        }
        Gzip::Flate2(level) => {
            let level = flate2::Compression::new(level);
            let for_gzip: Vec<_> =
                messages.iter().map(|it| gzip_anew(&it.payload, level)).collect();
            [
                pair(rounds, size, compress_zstd, |index| {
                    drop(black_box(gzip_anew(&messages[index].payload, level)));
                }),
                pair(rounds, size, decompress_zstd, |index| {
                    let limit = messages[index].payload.len() as u64;
                    let mut payload = Vec::new();
                    let decoder = flate2::read::GzDecoder::new(&for_gzip[index][..]);
                    decoder.take(limit).read_to_end(&mut payload).unwrap();
                    drop(black_box(payload));
                }),
            ]
        }
    }
}

fn gzip_anew(payload: &[u8], level: flate2::Compression) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
    encoder.write_all(payload).unwrap();
    encoder.finish().unwrap()
}
