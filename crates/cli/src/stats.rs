//! From raw measurements to summaries and doubts. Pure.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts and nanoseconds below 2^53 become exact floats, larger ones near enough"
)]

use crate::measure::Measured;
use crate::report::{Candidate, Corpus, Row, Samples, SizeClass, Timing, Turn};
use crate::warning::Warning;

/// Returns the smallest value that at least `percent` in 100 values do not exceed.
#[must_use]
pub fn percentile<T: Copy + Ord>(mut values: Vec<T>, percent: usize) -> Option<T> {
    let rank = (values.len() * percent).div_ceil(100).max(1);
    if values.len() < rank {
        return None;
    }
    let (_, value, _) = values.select_nth_unstable(rank - 1);
    Some(*value)
}

/// Returns the middle value, or the mean of the two middle ones.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// Returns the middle half's width as percent of the median; `None` below three values.
#[must_use]
pub fn spread_percent(values: &[f64]) -> Option<f64> {
    let median = median(values).filter(|&median| median > 0.0 && values.len() >= 3)?;
    let width = quantile(values, 0.75)? - quantile(values, 0.25)?;
    Some(100.0 * width / median)
}

/// Interpolates between the two nearest values.
fn quantile(values: &[f64], q: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let position = q * sorted.len().saturating_sub(1) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index")]
    let below = position as usize;
    let (&low, high) = (sorted.get(below)?, sorted.get(below + 1));
    let high = high.copied().unwrap_or(low);
    Some(low + (high - low) * position.fract())
}

/// Returns the classes that hold at least one message of these lengths.
#[must_use]
pub fn size_classes(lens: &[u64]) -> Vec<SizeClass> {
    let ends = CLASS_BOUNDS.iter().copied().map(Some).chain([None]);
    let starts = [0].into_iter().chain(CLASS_BOUNDS);
    let class = |(min_bytes, end_bytes)| {
        let class = SizeClass { min_bytes, end_bytes, messages: 0, payload_bytes: 0 };
        let inside = || lens.iter().copied().filter(|&len| holds(&class, len));
        SizeClass { messages: inside().count() as u64, payload_bytes: inside().sum(), ..class }
    };
    starts.zip(ends).map(class).filter(|class| class.messages > 0).collect()
}

/// Says whether a message of this length belongs to the class.
#[must_use]
pub fn holds(class: &SizeClass, len: u64) -> bool {
    class.min_bytes <= len && class.end_bytes.is_none_or(|end| len < end)
}

/// Summarises one level's measurements over the corpus and its classes.
#[must_use]
pub fn candidate(measured: &Measured, corpus: &Corpus) -> Candidate {
    let lens = &corpus.sample.message_bytes;
    let encode = Times::new(measured.rounds.iter().map(|r| r.encode), &measured.encode_ns, lens);
    let decode = Times::new(measured.rounds.iter().map(|r| r.decode), &measured.decode_ns, lens);

    let row = |which: &dyn Fn(u64) -> bool, is_whole: bool| {
        let chosen: Vec<bool> = lens.iter().map(|&len| which(len)).collect();
        let payload_bytes: u64 = pick(lens, &chosen).sum();
        let encoded_bytes = pick(&measured.sent, &chosen).sum();
        let messages = chosen.iter().filter(|&&chosen| chosen).count() as u64;
        let paying_messages = pick(&measured.pays, &chosen).filter(|&pays| pays).count() as u64;
        let encode = encode.timing(&chosen, payload_bytes, is_whole);
        let decode = decode.timing(&chosen, payload_bytes, is_whole);
        let cpu = encode.cpu_seconds_per_gb.zip(decode.cpu_seconds_per_gb);
        Row {
            messages,
            payload_bytes,
            encoded_bytes,
            ratio: payload_bytes as f64 / (encoded_bytes.max(1)) as f64,
            paying_messages,
            paying_share: paying_messages as f64 / messages.max(1) as f64,
            cpu_seconds_per_gb: cpu.map(|(encode, decode)| encode + decode),
            encode,
            decode,
        }
    };
    let total = row(&|_| true, true);
    let classes = corpus.size_classes.iter().map(|class| row(&|len| holds(class, len), false));
    Candidate {
        level: measured.level.to_string(),
        encoding: measured.level.encoding().to_string(),
        classes: classes.collect(),
        total,
        samples: Samples {
            encoded_bytes: measured.sent.clone(),
            encode_ns: encode.message_ns(),
            decode_ns: decode.message_ns(),
            rounds: measured.rounds.clone(),
        },
    }
}

/// The times of one direction: of whole passes, and how messages share them.
///
/// Passes are counted by the thread's CPU clock where there is one: what other programs take from
/// the wall clock is not the encoding's. Single messages have the wall clock only, so they say no
/// more than which share of a pass is whose; all sums and rates then agree with each other.
struct Times {
    /// By the CPU clock; empty where the system has none.
    cpu_pass_ns: Vec<f64>,
    /// By the CPU clock, or by the wall clock where there is none.
    pass_ns: Vec<f64>,
    /// Each message's part in a pass.
    weights: Vec<u64>,
}

impl Times {
    fn new(turns: impl Iterator<Item = Turn> + Clone, round_major: &[u32], lens: &[u64]) -> Self {
        let per_pass = |ns: u64, turn: &Turn| ns as f64 / turn.passes.max(1) as f64;
        let wall: Vec<f64> = turns.clone().map(|turn| per_pass(turn.wall_ns, &turn)).collect();
        let cpu: Vec<f64> = turns.filter_map(|turn| Some(per_pass(turn.cpu_ns?, &turn))).collect();
        let cpu_pass_ns = if cpu.len() == wall.len() { cpu } else { Vec::new() };
        let pass_ns = if cpu_pass_ns.is_empty() { wall } else { cpu_pass_ns.clone() };
        let weights = undisturbed(round_major, lens.len());
        // Where every message is quicker than a clock reading, bytes have to tell.
        let all_zero = weights.iter().all(|&weight| weight == 0);
        let weights = if all_zero { lens.to_vec() } else { weights };
        Self { cpu_pass_ns, pass_ns, weights }
    }

    /// What messages with this sum of weights take; all of them exactly a pass.
    fn ns(&self, weight: u64) -> f64 {
        let all: u64 = self.weights.iter().sum();
        median(&self.pass_ns).unwrap_or_default() * (weight as f64 / all.max(1) as f64)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "of no pass below 0"
    )]
    fn message_ns(&self) -> Vec<u64> {
        self.weights.iter().map(|&weight| self.ns(weight).round() as u64).collect()
    }

    fn timing(&self, chosen: &[bool], payload_bytes: u64, is_whole: bool) -> Timing {
        let total_ns = self.ns(pick(&self.weights, chosen).sum());
        let messages: Vec<u64> = pick(&self.message_ns(), chosen).collect();
        let enough = messages.len() >= MESSAGES_FOR_P99;
        let cpu = median(&self.cpu_pass_ns).filter(|_| is_whole);
        Timing {
            mb_per_second: (total_ns > 0.0).then(|| payload_bytes as f64 * 1e3 / total_ns),
            p99_ns: percentile(messages.clone(), 99).filter(|_| enough),
            p50_ns: percentile(messages, 50).unwrap_or_default(),
            cpu_seconds_per_gb: cpu.map(|ns| ns / payload_bytes.max(1) as f64),
            spread_percent: if is_whole { spread_percent(&self.pass_ns) } else { None },
        }
    }
}

/// For each message the lower quartile over the rounds: what disturbs only ever adds time.
fn undisturbed(round_major: &[u32], messages: usize) -> Vec<u64> {
    let of = |message: usize| -> Vec<u32> {
        round_major.iter().skip(message).step_by(messages.max(1)).copied().collect()
    };
    let least = |message| percentile(of(message), 25).map(u64::from).unwrap_or_default();
    (0..messages).map(least).collect()
}

fn pick<T: Copy>(values: &[T], chosen: &[bool]) -> impl Iterator<Item = T> {
    values.iter().zip(chosen).filter(|&(_, &chosen)| chosen).map(|(&value, _)| value)
}

/// Says what makes the numbers doubtful.
#[must_use]
pub fn warnings(corpus: &Corpus, candidates: &[Candidate]) -> Vec<Warning> {
    let sample = &corpus.sample;
    let mut warnings = Vec::new();
    if sample.messages == 1 {
        warnings.push(Warning::OneMessage);
    } else if sample.distinct_messages == 1 {
        warnings.push(Warning::AllIdentical);
    } else if sample.payload_bytes < SMALL_SAMPLE_BYTES {
        warnings.push(Warning::SmallSample {
            distinct_messages: sample.distinct_messages,
            payload_bytes: sample.payload_bytes,
        });
    }
    let spread = |candidate: &Candidate| {
        let Row { encode, decode, .. } = &candidate.total;
        let widest = encode.spread_percent.into_iter().chain(decode.spread_percent);
        (candidate.level.clone(), widest.fold(0.0, f64::max))
    };
    // The baseline decides nothing, and its turns are the most easily disturbed.
    let noisiest = candidates.iter().skip(1).map(spread).max_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((level, spread_percent)) = noisiest.filter(|(_, spread)| *spread > NOISY_PERCENT) {
        warnings.push(Warning::Noisy { level, spread_percent });
    }
    if let Some(wall_per_cpu) = wall_per_cpu(candidates).filter(|&times| times > BUSY) {
        warnings.push(Warning::Busy { wall_per_cpu });
    }
    let rounds = candidates.first().map_or(0, |first| first.samples.rounds.len() as u64);
    if rounds < FEW_ROUNDS {
        warnings.push(Warning::FewRounds { rounds });
    }
    warnings
}

/// How much longer all turns took than the thread worked.
fn wall_per_cpu(candidates: &[Candidate]) -> Option<f64> {
    let rounds = candidates.iter().flat_map(|candidate| &candidate.samples.rounds);
    let turns = rounds.flat_map(|round| [round.encode, round.decode]);
    let (wall_ns, cpu_ns) = turns.fold((0, 0), |(wall_ns, cpu_ns), turn| {
        (wall_ns + turn.wall_ns, cpu_ns + turn.cpu_ns.unwrap_or_default())
    });
    (cpu_ns > 0).then(|| wall_ns as f64 / cpu_ns as f64)
}

/// Where one class ends and the next begins, in bytes: from what hardly compresses to what is
/// larger than a core's caches.
const CLASS_BOUNDS: [u64; 6] = [256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10];

/// The 99th percentile of fewer is just the largest.
const MESSAGES_FOR_P99: usize = 100;

/// A loop over less than about this is predicted: one 10 KB message repeated was measured up to
/// 1.85 times too fast.
const SMALL_SAMPLE_BYTES: u64 = 64 << 10;

/// Above this, differences between neighbours in the table mean little.
const NOISY_PERCENT: f64 = 10.0;

/// Above this, other programs took a noticeable part of the time.
const BUSY: f64 = 1.1;

/// With fewer, one disturbed round moves the median.
const FEW_ROUNDS: u64 = 5;
