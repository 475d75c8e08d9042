//! What passed a transport, counted: for a service to expose.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use crate::encoded::RawReason;
use crate::encoding::Encoding;

/// Counts messages, both sizes, time in codecs, payloads left raw by reason, and errors by kind.
///
/// Every transport's layer, producer or consumer has one and fills it. Counting takes a few
/// relaxed additions. There is no metrics library in between: a [`Snapshot`] maps to any of them
/// in a few lines, and none has to be agreed on.
///
/// ```
/// use std::time::Duration;
/// use thinwire::Encoding;
/// use thinwire::counters::{Counters, Direction};
///
/// let counters = Counters::default();
/// counters.passed(Direction::Encode, Encoding::Zstd, 10_000, 1_500, Duration::from_micros(9));
/// for row in counters.snapshot().rows {
///     assert_eq!((row.encoding, row.messages), (Encoding::Zstd, 1));
///     assert_eq!((row.payload_bytes, row.wire_bytes), (10_000, 1_500));
/// }
/// ```
#[derive(Debug, Default)]
pub struct Counters {
    parts: [Part; PARTS],
}

/// What some of the threads have counted: all of them on the same cache lines would wait for one
/// another.
#[derive(Debug, Default)]
#[repr(align(128))] // two cache lines, which are fetched together
struct Part {
    encoded: [Totals; Encoding::ALL.len()],
    decoded: [Totals; Encoding::ALL.len()],
    raw: [AtomicU64; RAW_REASONS.len()],
    encode_errors: [AtomicU64; ErrorKind::ALL.len()],
    decode_errors: [AtomicU64; ErrorKind::ALL.len()],
}

#[derive(Debug, Default)]
struct Totals {
    messages: AtomicU64,
    payload_bytes: AtomicU64,
    wire_bytes: AtomicU64,
    codec_nanoseconds: AtomicU64,
}

/// Which way a message went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Direction {
    /// From payload to wire.
    Encode,
    /// From wire to payload.
    Decode,
}

/// Under which kind an error is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A message exceeds the limit.
    TooLong,
    /// A message is damaged, cut short or wrongly flagged.
    Malformed,
    /// An encoding, or a dictionary, that can't be read here; on encode, one that the peer refused.
    Unsupported,
    /// Anything that is not the peer's doing.
    Other,
}

impl ErrorKind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::TooLong, Self::Malformed, Self::Unsupported, Self::Other];
}

/// The counts at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Snapshot {
    /// One for each direction and encoding under which messages passed.
    pub rows: Vec<Row>,
    /// How many payloads were left raw, by reason.
    pub raw: Vec<(RawReason, u64)>,
    /// How many errors there were.
    pub errors: Vec<(Direction, ErrorKind, u64)>,
}

/// The messages of one direction and encoding; `identity` are those that passed as they were.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// Which way they went.
    pub direction: Direction,
    /// Under which encoding.
    pub encoding: Encoding,
    /// How many.
    pub messages: u64,
    /// Their bytes as payloads.
    pub payload_bytes: u64,
    /// Their bytes on the wire, without what the transport puts around them.
    pub wire_bytes: u64,
    /// The time spent compressing or decompressing them.
    pub codec_time: Duration,
}

impl Counters {
    /// Counts a message by the encoding under which it passed, [`Encoding::Identity`] if as it was.
    ///
    /// ```
    /// # use {std::time::Duration, thinwire::Encoding, thinwire::counters::{Counters, Direction}};
    /// # let counters = Counters::default();
    /// counters.passed(Direction::Decode, Encoding::Lz4, 4_000, 900, Duration::from_micros(1));
    /// ```
    pub fn passed(
        &self,
        direction: Direction,
        encoding: Encoding,
        payload_len: usize,
        wire_len: usize,
        time: Duration,
    ) {
        let Some(part) = self.part() else { return };
        let Some(totals) = part.totals(direction).get(encoding as usize) else { return };
        add(&totals.messages, 1);
        add(&totals.payload_bytes, payload_len as u64);
        add(&totals.wire_bytes, wire_len as u64);
        if !time.is_zero() {
            add(&totals.codec_nanoseconds, u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        }
    }

    /// Counts why a payload was left raw; that it passed, [`passed`](Self::passed) counts.
    ///
    /// ```
    /// # use thinwire::{RawReason, counters::Counters};
    /// let counters = Counters::default();
    /// counters.kept_raw(RawReason::BelowMinLen);
    /// assert_eq!(counters.snapshot().raw, [(RawReason::BelowMinLen, 1)]);
    /// ```
    pub fn kept_raw(&self, reason: RawReason) {
        let at = RAW_REASONS.iter().position(|it| *it == reason);
        if let Some(count) = self.part().and_then(|part| part.raw.get(at?)) {
            add(count, 1);
        }
    }

    /// Counts an error.
    ///
    /// ```
    /// # use thinwire::counters::{Counters, Direction, ErrorKind};
    /// let counters = Counters::default();
    /// counters.failed(Direction::Decode, ErrorKind::Malformed);
    /// let errors = counters.snapshot().errors;
    /// assert_eq!(errors, [(Direction::Decode, ErrorKind::Malformed, 1)]);
    /// ```
    pub fn failed(&self, direction: Direction, kind: ErrorKind) {
        if let Some(count) = self.part().and_then(|it| it.errors(direction).get(kind as usize)) {
            add(count, 1);
        }
    }

    /// Returns what has been counted so far. Counts of messages under way may be in part of it.
    ///
    /// ```
    /// # use thinwire::counters::Counters;
    /// assert!(Counters::default().snapshot().rows.is_empty());
    /// ```
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let directions = [Direction::Encode, Direction::Decode];
        let sum = |of: &dyn Fn(&Part) -> Option<&AtomicU64>| {
            self.parts.iter().filter_map(of).map(|count| count.load(Ordering::Relaxed)).sum()
        };
        let row = |direction, encoding: Encoding| {
            let total = |count: fn(&Totals) -> &AtomicU64| -> u64 {
                sum(&|part| part.totals(direction).get(encoding as usize).map(count))
            };
            Row {
                direction,
                encoding,
                messages: total(|it| &it.messages),
                payload_bytes: total(|it| &it.payload_bytes),
                wire_bytes: total(|it| &it.wire_bytes),
                codec_time: Duration::from_nanos(total(|it| &it.codec_nanoseconds)),
            }
        };
        let error = |direction, kind: ErrorKind| {
            (direction, kind, sum(&|part| part.errors(direction).get(kind as usize)))
        };
        Snapshot {
            rows: directions
                .into_iter()
                .flat_map(|direction| Encoding::ALL.map(|encoding| row(direction, encoding)))
                .filter(|row| row.messages > 0)
                .collect(),
            raw: (0..)
                .zip(RAW_REASONS)
                .map(|(at, reason)| (reason, sum(&|part: &Part| part.raw.get(at))))
                .filter(|(_, count)| *count > 0)
                .collect(),
            errors: directions
                .into_iter()
                .flat_map(|direction| ErrorKind::ALL.map(|kind| error(direction, kind)))
                .filter(|(.., count)| *count > 0)
                .collect(),
        }
    }

    /// Returns this thread's part.
    fn part(&self) -> Option<&Part> {
        static THREADS: AtomicUsize = AtomicUsize::new(0);
        thread_local! {
            static AT: usize = THREADS.fetch_add(1, Ordering::Relaxed) % PARTS;
        }
        self.parts.get(AT.try_with(|at| *at).unwrap_or(0))
    }
}

impl Part {
    const fn totals(&self, direction: Direction) -> &[Totals; Encoding::ALL.len()] {
        match direction {
            Direction::Encode => &self.encoded,
            Direction::Decode => &self.decoded,
        }
    }

    const fn errors(&self, direction: Direction) -> &[AtomicU64; ErrorKind::ALL.len()] {
        match direction {
            Direction::Encode => &self.encode_errors,
            Direction::Decode => &self.decode_errors,
        }
    }
}

fn add(count: &AtomicU64, more: u64) {
    count.fetch_add(more, Ordering::Relaxed);
}

/// Enough for the workers of most runtimes; more threads share parts.
const PARTS: usize = 16;

const RAW_REASONS: [RawReason; 6] = [
    RawReason::Identity,
    RawReason::BelowMinLen,
    RawReason::TooLittleSaved,
    RawReason::NotAccepted,
    RawReason::Labelled,
    RawReason::NoRoomForLabel,
];
