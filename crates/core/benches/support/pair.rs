//! Two calls timed in turn, so that a machine whose speed drifts does not matter.

use std::time::{Duration, Instant};

use crate::support::Size;

/// How many rounds to take: `cargo test --benches` wants to see that it runs, not how fast.
pub(crate) fn rounds() -> usize {
    if std::env::args().any(|arg| arg == "--bench") { 41 } else { 1 }
}

/// Nanoseconds a message.
pub(crate) struct Pair {
    pub(crate) ours: f64,
    pub(crate) difference: f64,
    pub(crate) ratio: f64,
}

impl Pair {
    pub(crate) fn cells(&self, payload_len: usize) -> String {
        let mb_per_s = payload_len as f64 * 1e3 / self.ours;
        format!("{mb_per_s:.0} | {:+.1} %, {:+.0} ns", (self.ratio - 1.0) * 100.0, self.difference)
    }
}

/// Times all messages with the one and the other in turn, and takes the median of each figure.
pub(crate) fn pair(
    rounds: usize,
    size: Size,
    mut ours: impl FnMut(usize),
    mut theirs: impl FnMut(usize),
) -> Pair {
    let mut samples = Vec::new();
    // A round of at least a millisecond, or the clock is what is measured.
    let repeats = 1_000_000_usize.div_ceil(size.len * size.count);
    for round in 0..=rounds {
        let time = |call: &mut dyn FnMut(usize)| {
            let start = Instant::now();
            for _ in 0..repeats {
                for index in 0..size.count {
                    call(index);
                }
            }
            nanoseconds(start.elapsed()) / (repeats * size.count) as f64
        };
        let (a, b) = if round % 2 == 0 {
            let a = time(&mut ours);
            (a, time(&mut theirs))
        } else {
            let b = time(&mut theirs);
            (time(&mut ours), b)
        };
        if round > 0 {
            samples.push((a, a - b, a / b));
        }
    }
    Pair {
        ours: median(samples.iter().map(|sample| sample.0).collect()),
        difference: median(samples.iter().map(|sample| sample.1).collect()),
        ratio: median(samples.iter().map(|sample| sample.2).collect()),
    }
}

pub(crate) fn nanoseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e9
}

/// Half of the samples are less.
pub(crate) fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}
