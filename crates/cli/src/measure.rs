//! The timing loop and nothing else.
//!
//! All candidates take turns, round after round, so that a slow spell of the machine falls on all
//! of them; who begins changes from round to round. Within a turn the messages are taken one after
//! the other, with warm encoders, decoders and buffers, as a long-running process has them.

use std::time::{Duration, Instant};

use cpu_time::ThreadTime;
use thinwire::{DecodeError, Decoder, EncodeError, Encoder, Encoding, Level, Policy};
use thiserror::Error;

use crate::report::{Round, Turn};

/// What to measure.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The encodings and levels.
    pub levels: Vec<Level>,
    /// What a label costs, in bytes.
    pub label_len: usize,
    /// Time to use; three rounds are made whatever they take.
    pub time: Duration,
}

/// The raw measurements of a run.
#[derive(Debug, Clone)]
pub struct Measurements {
    /// One per level, in the order of the plan.
    pub results: Vec<Measured>,
    /// What reading the clock costs; taken off all times.
    pub clock_read_ns: u64,
}

/// Raw measurements of one level.
#[derive(Debug, Clone)]
pub struct Measured {
    /// What was measured.
    pub level: Level,
    /// Per message: bytes sent, label counted, or the payload's length if it does not pay.
    pub sent: Vec<u64>,
    /// Per message: whether it was sent compressed.
    pub pays: Vec<bool>,
    /// Round after round.
    pub rounds: Vec<Round>,
    /// All messages of the first round, then those of the second, and so on: each one's least time
    /// in any pass of the turn.
    pub encode_ns: Vec<u32>,
    /// The same for decoding.
    pub decode_ns: Vec<u32>,
}

/// Why there are no measurements.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MeasureError {
    /// The level cannot be used in this build.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// What was encoded could not be decoded: a fault of Thinwire.
    #[error("{level} could not decode its own output for message {message}: {source}")]
    #[non_exhaustive]
    Decode {
        /// The level.
        level: Level,
        /// Index of the message.
        message: usize,
        /// What the decoder said.
        source: DecodeError,
    },
    /// What was decoded is not what was encoded: a fault of Thinwire.
    #[error("{level} changed message {message} on its way")]
    #[non_exhaustive]
    Changed {
        /// The level.
        level: Level,
        /// Index of the message.
        message: usize,
    },
}

/// Measures all levels over all messages. `progress` is called with the share that is done.
///
/// # Errors
///
/// * [`MeasureError::Encode`] for an encoding that is not built in.
/// * [`MeasureError::Decode`] and [`MeasureError::Changed`] when a round trip fails: there are no
///   numbers for what does not work.
pub fn measure(
    payloads: &[&[u8]],
    plan: &Plan,
    progress: &mut dyn FnMut(f64),
) -> Result<Measurements, MeasureError> {
    let begin = Instant::now();
    let mut actors = Vec::with_capacity(plan.levels.len());
    for &level in &plan.levels {
        actors.push(Actor::new(level, payloads, plan.label_len)?);
    }
    let turns = u32::try_from(2 * actors.len().max(1)).unwrap_or(u32::MAX);
    let slice = (plan.time / MAX_ROUNDS / turns).max(MIN_SLICE);
    let clock = Clock { slice, read_ns: clock_read_ns(), now: Instant::now };

    for round in 0..MAX_ROUNDS {
        let round_begin = Instant::now();
        let count = actors.len();
        for step in 0..count {
            if let Some(actor) = actors.get_mut((step + round as usize) % count) {
                actor.take_turn(payloads, &clock)?;
            }
        }
        let spent = begin.elapsed();
        let done = (f64::from(round + 1) / f64::from(MAX_ROUNDS))
            .max(spent.as_secs_f64() / plan.time.as_secs_f64().max(f64::MIN_POSITIVE));
        progress(done.min(1.0));
        if round + 1 >= MIN_ROUNDS && spent + round_begin.elapsed() > plan.time {
            break;
        }
    }
    let results = actors.into_iter().map(|actor| actor.measured).collect();
    Ok(Measurements { results, clock_read_ns: clock.read_ns })
}

/// Measures what it costs to read the clock.
fn clock_read_ns() -> u64 {
    let batch = || {
        let begin = Instant::now();
        let mut last = begin;
        for _ in 0..CLOCK_READS {
            last = Instant::now();
        }
        nanos(last - begin) / u64::from(CLOCK_READS)
    };
    (0..CLOCK_BATCHES).map(|_| batch()).min().unwrap_or_default()
}

/// One level with its warm state.
struct Actor {
    encoder: Encoder,
    decoder: Decoder,
    /// Everything encoded, one message behind the other, to decode from.
    encoded: Vec<u8>,
    messages: Vec<(Encoding, usize)>,
    buffer: Vec<u8>,
    message_ns: Vec<u32>,
    measured: Measured,
}

impl Actor {
    /// Encodes each message once, and checks that it comes back.
    fn new(level: Level, payloads: &[&[u8]], label_len: usize) -> Result<Self, MeasureError> {
        let longest = payloads.iter().map(|payload| payload.len()).max().unwrap_or_default();
        let encoder = Encoder::new(level)?.policy(Policy::always().label_len(label_len));
        let decoder = Decoder::new(longest);
        let (mut encoded, mut buffer) = (Vec::new(), Vec::new());
        let (mut messages, mut sent, mut pays) = (Vec::new(), Vec::new(), Vec::new());
        for (message, payload) in payloads.iter().enumerate() {
            let begin = encoded.len();
            let encoding = encoder.encode_into(payload, &mut encoded)?;
            let bytes = encoded.get(begin..).unwrap_or_default();
            buffer.clear();
            decoder
                .decode_into(encoding, bytes, &mut buffer)
                .map_err(|source| MeasureError::Decode { level, message, source })?;
            if buffer != *payload {
                return Err(MeasureError::Changed { level, message });
            }
            let label_len = if encoding == Encoding::Identity { 0 } else { label_len };
            sent.push((bytes.len() + label_len) as u64);
            pays.push(encoding != Encoding::Identity);
            messages.push((encoding, bytes.len()));
        }
        encoded.shrink_to_fit();
        let (rounds, encode_ns, decode_ns) = (Vec::new(), Vec::new(), Vec::new());
        let measured = Measured { level, sent, pays, rounds, encode_ns, decode_ns };
        let message_ns = Vec::with_capacity(payloads.len());
        Ok(Self { encoder, decoder, encoded, messages, buffer, message_ns, measured })
    }

    fn take_turn(&mut self, payloads: &[&[u8]], clock: &Clock) -> Result<(), MeasureError> {
        let Self { encoder, decoder, encoded, messages, buffer, message_ns, measured } = self;

        let encode = clock.turn(payloads, message_ns, |payload| {
            buffer.clear();
            encoder.encode_into(payload, buffer).map(drop)
        })?;
        measured.encode_ns.extend_from_slice(message_ns);

        let mut rest = encoded.as_slice();
        let mut inputs = Vec::with_capacity(messages.len());
        for (message, &(encoding, len)) in messages.iter().enumerate() {
            let (bytes, after) = rest.split_at_checked(len).unwrap_or_default();
            inputs.push((message, encoding, bytes));
            rest = after;
        }
        let level = measured.level;
        let decode = clock.turn(&inputs, message_ns, |&(message, encoding, bytes)| {
            buffer.clear();
            decoder
                .decode_into(encoding, bytes, buffer)
                .map(drop)
                .map_err(|source| MeasureError::Decode { level, message, source })
        })?;
        measured.decode_ns.extend_from_slice(message_ns);
        measured.rounds.push(Round { encode, decode });
        Ok(())
    }
}

struct Clock {
    /// Least time of a turn.
    slice: Duration,
    read_ns: u64,
    /// `Instant::now`, or a test's.
    now: fn() -> Instant,
}

impl Clock {
    /// Goes through all inputs until the slice is used up; leaves each input's least time in any
    /// pass in `input_ns`. Whatever disturbs adds time, and on a busy machine it strikes where a
    /// turn ends: no single pass could be trusted.
    fn turn<T, E>(
        &self,
        inputs: &[T],
        input_ns: &mut Vec<u32>,
        mut work: impl FnMut(&T) -> Result<(), E>,
    ) -> Result<Turn, E> {
        let mut passes = 0;
        let mut reads = 0;
        let cpu = ThreadTime::try_now().ok();
        let begin = (self.now)();
        let mut last = begin;
        input_ns.clear();
        input_ns.resize(inputs.len(), u32::MAX);
        while passes == 0 || last - begin < self.slice {
            for (input, least) in inputs.iter().zip(input_ns.iter_mut()) {
                work(input)?;
                let now = (self.now)();
                let ns = nanos(now - last).saturating_sub(self.read_ns);
                *least = u32::try_from(ns).unwrap_or(u32::MAX).min(*least);
                last = now;
            }
            passes += 1;
            reads += inputs.len() as u64;
        }
        let cpu = cpu.and_then(|cpu| cpu.try_elapsed().ok());
        let off = |time: Duration| nanos(time).saturating_sub(reads * self.read_ns);
        Ok(Turn { passes, wall_ns: off(last - begin), cpu_ns: cpu.map(off) })
    }
}

/// Whole nanoseconds of a duration, up to five centuries.
#[must_use]
pub fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// A median of fewer says little.
const MIN_ROUNDS: u32 = 3;

/// More rounds than this hardly move the median; longer turns steady it instead.
const MAX_ROUNDS: u32 = 31;

/// Reading the CPU clock takes part of a microsecond, which has to vanish in a turn.
const MIN_SLICE: Duration = Duration::from_micros(200);

const CLOCK_READS: u32 = 1000;

const CLOCK_BATCHES: usize = 9;

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local!(static NOW: Cell<Instant> = Cell::new(Instant::now()));

    #[test]
    fn a_disturbed_last_pass_is_not_what_a_message_takes() {
        let clock = Clock { slice: Duration::from_micros(100), read_ns: 20, now: || NOW.get() };
        let mut script = [5000, 400, 3000, 500, 19_000_000, 600].into_iter(); // the last one strikes
        let mut message_ns = vec![7; 9];
        let turn = clock.turn(&["a", "b"], &mut message_ns, |_| {
            let ns = script.next().ok_or("more passes than the slice has room for")?;
            NOW.set(NOW.get() + Duration::from_nanos(ns));
            Ok::<_, &str>(())
        });
        let turn = turn.unwrap();
        assert_eq!((turn.passes, message_ns), (3, vec![2980, 380]));
        assert_eq!(turn.wall_ns, 19_009_500 - 6 * 20);
    }
}
