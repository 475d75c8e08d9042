//! Our half of the table of `benches/prior-art`: the nine digits × 1024. One tab-separated line for
//! each figure, which the script joins with those of Go. `cargo bench -p thinwire --bench prior_art`

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a benchmark may stop where it fails"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use bytes::Bytes;
use thinwire::{Decoder, Encoder, Encoding, Level};
use thinwire_testkit::{alloc, payload};

/// The published table had three encodings. Go's zstd compresses by default about as level 3 does,
/// ours is level 1.
const LEVELS: [&str; 4] = ["snappy", "snappy-block", "zstd:1", "zstd:3"];

fn main() {
    // `cargo test --benches` wants to see that it runs, not how fast.
    let is_measured = std::env::args().any(|arg| arg == "--bench");
    let (rounds, round) =
        if is_measured { (41, Duration::from_millis(2)) } else { (1, Duration::ZERO) };
    let payload = Bytes::from(payload::nine_digits());
    let mut works: Vec<Work> = LEVELS.iter().flat_map(|level| works(level, &payload)).collect();
    for work in &mut works {
        work.warm_up(round);
    }
    for _ in 0..rounds {
        for work in &mut works {
            let time = work.time();
            work.samples.push(time);
        }
    }
    for mut work in works {
        work.samples.sort_by(f64::total_cmp);
        let median = work.samples.get(work.samples.len() / 2).unwrap();
        let ((), cost) = alloc::measure(|| (work.call)());
        println!(
            "ours\t{}\t{median:.0}\t{}\t{}\t{}",
            work.name, cost.bytes, cost.count, work.encoded_len
        );
    }
    for encoding in [Encoding::SnappyFramed, Encoding::Zstd] {
        println!("#\t{}", encoding.library().unwrap());
    }
}

/// One row of the table.
struct Work {
    /// Level, direction, and where the result goes, between tabs.
    name: String,
    encoded_len: usize,
    call: Box<dyn FnMut()>,
    /// Calls of a round.
    calls: u32,
    /// Nanoseconds a call, one of each round.
    samples: Vec<f64>,
}

impl Work {
    /// Fills pools and buffers and finds how many calls take so long.
    fn warm_up(&mut self, round: Duration) {
        (self.call)();
        while self.time() * f64::from(self.calls) < round.as_secs_f64() * 1e9 {
            self.calls *= 2;
        }
    }

    fn time(&mut self) -> f64 {
        let start = Instant::now();
        for _ in 0..self.calls {
            (self.call)();
        }
        start.elapsed().as_secs_f64() * 1e9 / f64::from(self.calls)
    }
}

fn works(level: &str, payload: &Bytes) -> [Work; 4] {
    let parsed: Level = level.parse().unwrap();
    let encoding = parsed.encoding();
    let encoder = Encoder::new(parsed).unwrap();
    let decoder = Decoder::new(64 << 20);
    let encoded = encoder.encode(payload.clone()).unwrap();
    let encoded_len = encoded.bytes().len();
    assert_eq!(encoded.encoding(), encoding);
    assert_eq!(decoder.decode(encoded.clone()).unwrap(), *payload);

    let work = |what: &str, call: Box<dyn FnMut()>| Work {
        name: format!("{level}\t{what}"),
        encoded_len,
        call,
        calls: 1,
        samples: Vec::new(),
    };
    let len = payload.len();
    let compress = {
        let (encoder, payload) = (encoder.clone(), payload.clone());
        move || check(encoder.encode(payload.clone()).unwrap().bytes(), encoded_len)
    };
    let compress_into = {
        let (payload, mut kept) = (payload.clone(), Vec::new());
        move || {
            kept.clear();
            encoder.compress_into(&payload, &mut kept).unwrap();
            check(&kept, encoded_len);
        }
    };
    let decompress = {
        let (decoder, encoded) = (decoder.clone(), encoded.clone());
        move || check(&decoder.decode(encoded.clone()).unwrap(), len)
    };
    let decompress_into = {
        let mut kept = Vec::new();
        move || {
            kept.clear();
            decoder.decode_into(encoding, encoded.bytes(), &mut kept).unwrap();
            check(&kept, len);
        }
    };
    [
        work("compress\tnew", Box::new(compress)),
        work("compress\tkept", Box::new(compress_into)),
        work("decompress\tnew", Box::new(decompress)),
        work("decompress\tkept", Box::new(decompress_into)),
    ]
}

fn check(result: &[u8], len: usize) {
    assert_eq!(black_box(result).len(), len);
}
