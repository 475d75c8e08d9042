//! What keeping state is worth: Thinwire beside the calls that come first to mind, which make
//! their state anew for each message. `cargo bench -p thinwire --bench fresh`

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a benchmark may stop where it fails, and shows what others do"
)]

#[path = "support/pair.rs"]
#[expect(dead_code, reason = "ratios are all that it shows")]
mod pair;
#[expect(dead_code, reason = "it has its own calls to stand beside")]
mod support;

use std::hint::black_box;
use std::io::{Read, Write};

use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use pair::{pair, rounds};
use support::SIZES;
use thinwire::{Decoder, Encoder, Encoding};
use thinwire_testkit::alloc;

/// The library's own way with a whole message, with new state.
struct Fresh {
    name: &'static str,
    encoding: Encoding,
    compress: fn(&[u8]) -> Vec<u8>,
    decompress: fn(&[u8]) -> Vec<u8>,
}

const FRESH: [Fresh; 5] = [
    Fresh {
        name: "flate2 (zlib-rs) GzEncoder, GzDecoder",
        encoding: Encoding::Gzip,
        compress: |payload| {
            let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::new(1));
            encoder.write_all(payload).unwrap();
            encoder.finish().unwrap()
        },
        decompress: |encoded| read_all(GzDecoder::new(encoded)),
    },
    Fresh {
        name: "zstd-safe, streaming, no size given",
        encoding: Encoding::Zstd,
        compress: zstd_streamed,
        decompress: zstd_unstreamed,
    },
    Fresh {
        name: "lz4_flex FrameEncoder, FrameDecoder",
        encoding: Encoding::Lz4,
        compress: |payload| {
            let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
            encoder.write_all(payload).unwrap();
            encoder.finish().unwrap()
        },
        decompress: |encoded| read_all(lz4_flex::frame::FrameDecoder::new(encoded)),
    },
    Fresh {
        name: "snap FrameEncoder, FrameDecoder",
        encoding: Encoding::SnappyFramed,
        compress: |payload| {
            let mut encoder = snap::write::FrameEncoder::new(Vec::new());
            encoder.write_all(payload).unwrap();
            encoder.into_inner().unwrap()
        },
        decompress: |encoded| read_all(snap::read::FrameDecoder::new(encoded)),
    },
    Fresh {
        name: "snap compress_vec, decompress_vec",
        encoding: Encoding::SnappyBlock,
        compress: |payload| snap::raw::Encoder::new().compress_vec(payload).unwrap(),
        decompress: |encoded| snap::raw::Decoder::new().decompress_vec(encoded).unwrap(),
    },
];

fn main() {
    let rounds = rounds();
    println!(
        "| encoding | payload | beside | encode: times as fast | their allocations, bytes \
         | decode: times as fast | their allocations, bytes |"
    );
    println!("|---|---|---|--:|--:|--:|--:|");
    for fresh in &FRESH {
        for size in SIZES.into_iter().filter(|size| [1_000, 10_000].contains(&size.len)) {
            let messages = size.messages();
            let encoder = Encoder::new(fresh.encoding).unwrap();
            let decoder = Decoder::new(1 << 20);
            let mut buffer = Vec::with_capacity(2 * size.len);
            let encoded: Vec<_> = messages.iter().map(|it| (fresh.compress)(it)).collect();
            let encode = pair(
                rounds,
                size,
                |index| {
                    buffer.clear();
                    encoder.compress_into(&messages[index], &mut buffer).unwrap();
                },
                |index| {
                    black_box((fresh.compress)(&messages[index]));
                },
            );
            let decode = pair(
                rounds,
                size,
                |index| {
                    buffer.clear();
                    decoder.decode_into(fresh.encoding, &encoded[index], &mut buffer).unwrap();
                },
                |index| {
                    black_box((fresh.decompress)(&encoded[index]));
                },
            );
            let (_, compressing) = alloc::measure(|| (fresh.compress)(&messages[0]));
            let (_, decompressing) = alloc::measure(|| (fresh.decompress)(&encoded[0]));
            println!(
                "| {} | {} | {} | {:.2} | {}, {} | {:.2} | {}, {} |",
                fresh.encoding,
                size.name,
                fresh.name,
                1.0 / encode.ratio,
                compressing.count,
                compressing.bytes,
                1.0 / decode.ratio,
                decompressing.count,
                decompressing.bytes,
            );
        }
    }
}

fn read_all(mut reader: impl Read) -> Vec<u8> {
    let mut payload = Vec::new();
    reader.read_to_end(&mut payload).unwrap();
    payload
}

fn zstd_streamed(payload: &[u8]) -> Vec<u8> {
    let mut state = zstd_safe::CCtx::create();
    state.set_parameter(zstd_safe::CParameter::CompressionLevel(1)).unwrap();
    let mut out = vec![0; zstd_safe::compress_bound(payload.len())];
    let mut output = zstd_safe::OutBuffer::around(&mut out[..]);
    let mut input = zstd_safe::InBuffer::around(payload);
    state.compress_stream(&mut output, &mut input).unwrap();
    while state.end_stream(&mut output).unwrap() > 0 {}
    let len = output.pos();
    out.truncate(len);
    out
}

fn zstd_unstreamed(encoded: &[u8]) -> Vec<u8> {
    let mut state = zstd_safe::DCtx::create();
    let mut input = zstd_safe::InBuffer::around(encoded);
    let (mut payload, mut step) = (Vec::new(), vec![0; 32 << 10]);
    loop {
        let mut output = zstd_safe::OutBuffer::around(&mut step[..]);
        let more = state.decompress_stream(&mut output, &mut input).unwrap();
        let len = output.pos();
        payload.extend_from_slice(&step[..len]);
        if more == 0 {
            return payload;
        }
    }
}
