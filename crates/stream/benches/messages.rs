//! Messages compressed and restored, label and all: `cargo bench -p thinwire-stream --bench messages`
//!
//! `overhead` compares with the bare library calls, and zstd with gzip, in turn.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark may stop where it fails"
)]

#[path = "../../core/benches/support/mod.rs"]
#[expect(dead_code, reason = "some of it is core's own")]
mod bytes_of_messages;
#[path = "../tests/support/flat.rs"]
mod flat;
#[expect(unused_imports, reason = "the bare calls are for the other benchmark")]
mod support;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use support::{Flat, Size, codec, compressed, encodings, messages, sizes};
use thinwire::Encoding;

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
    encodings().flat_map(|encoding| sizes().map(move |size| Case { encoding, size })).collect()
}

/// Runs `call` on one message after the other.
fn bench<T>(bencher: Bencher<'_, '_>, case: Case, messages: &[Flat], call: impl Fn(&Flat) -> T) {
    let mut next = messages.iter().cycle();
    bencher
        .counter(BytesCount::new(case.size.len))
        .bench_local(|| next.next().map(|message| call(black_box(message))));
}

#[divan::bench(args = cases(), sample_count = 20, max_time = 0.2)]
fn maybe_compress(bencher: Bencher<'_, '_>, case: Case) {
    let codec = codec(case.encoding);
    bench(bencher, case, &messages(case.size), |message| codec.maybe_compress(message).unwrap());
}

#[divan::bench(args = cases(), sample_count = 20, max_time = 0.2)]
fn maybe_decompress(bencher: Bencher<'_, '_>, case: Case) {
    let codec = codec(case.encoding);
    bench(bencher, case, &compressed(case.encoding, case.size), |message| {
        codec.maybe_decompress(message.clone()).ok().unwrap()
    });
}
