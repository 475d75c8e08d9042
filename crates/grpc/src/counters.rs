//! What passed a layer, counted: for a service to expose.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use thinwire::{Encoding, RawReason};

/// Counts messages, both sizes, time in codecs, payloads left raw by reason, and errors by kind.
///
/// Each layer has one. Counting takes a few relaxed additions. There is no metrics library in
/// between: a [`Snapshot`] maps to any of them in a few lines, and none has to be agreed on.
///
/// ```
/// use thinwire::{Decoder, Encoder, Encoding};
/// use thinwire_grpc::{ClientCompressionLayer, Direction};
///
/// let layer = ClientCompressionLayer::new(Encoder::new(Encoding::Zstd)?, Decoder::new(4 << 20));
/// // … once some calls were made:
/// for row in layer.counters().snapshot().rows {
///     println!("{:?} {}: {} of {}", row.direction, row.encoding, row.wire_bytes, row.payload_bytes);
/// }
/// # Ok::<(), thinwire::EncodeError>(())
/// ```
#[derive(Debug, Default)]
pub struct Counters {
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
    /// An encoding, or a dictionary, that can't be read here.
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
    /// Their bytes on the wire, without gRPC's prefix.
    pub wire_bytes: u64,
    /// The time spent compressing or decompressing them.
    pub codec_time: Duration,
}

impl Counters {
    pub(crate) fn passed(
        &self,
        direction: Direction,
        encoding: Encoding,
        payload_len: usize,
        wire_len: usize,
        time: Duration,
    ) {
        let totals = match direction {
            Direction::Encode => &self.encoded,
            Direction::Decode => &self.decoded,
        };
        let Some(totals) = totals.get(encoding as usize) else { return };
        add(&totals.messages, 1);
        add(&totals.payload_bytes, payload_len as u64);
        add(&totals.wire_bytes, wire_len as u64);
        if !time.is_zero() {
            add(&totals.codec_nanoseconds, u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        }
    }

    pub(crate) fn kept_raw(&self, reason: RawReason) {
        let at = RAW_REASONS.iter().position(|it| *it == reason);
        if let Some(count) = at.and_then(|at| self.raw.get(at)) {
            add(count, 1);
        }
    }

    pub(crate) fn failed(&self, direction: Direction, kind: ErrorKind) {
        let errors = match direction {
            Direction::Encode => &self.encode_errors,
            Direction::Decode => &self.decode_errors,
        };
        if let Some(count) = errors.get(kind as usize) {
            add(count, 1);
        }
    }

    /// Returns what has been counted so far. Counts of messages under way may be in part of it.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        let rows = [(Direction::Encode, &self.encoded), (Direction::Decode, &self.decoded)]
            .into_iter()
            .flat_map(|(direction, totals)| {
                Encoding::ALL.into_iter().zip(totals).map(move |(encoding, totals)| Row {
                    direction,
                    encoding,
                    messages: get(&totals.messages),
                    payload_bytes: get(&totals.payload_bytes),
                    wire_bytes: get(&totals.wire_bytes),
                    codec_time: Duration::from_nanos(get(&totals.codec_nanoseconds)),
                })
            })
            .filter(|row| row.messages > 0)
            .collect();
        let errors =
            [(Direction::Encode, &self.encode_errors), (Direction::Decode, &self.decode_errors)]
                .into_iter()
                .flat_map(|(direction, errors)| {
                    ErrorKind::ALL
                        .into_iter()
                        .zip(errors)
                        .map(move |(kind, count)| (direction, kind, get(count)))
                })
                .filter(|(.., count)| *count > 0)
                .collect();
        let raw =
            RAW_REASONS.into_iter().zip(&self.raw).map(|(reason, count)| (reason, get(count)));
        Snapshot { rows, raw: raw.filter(|(_, count)| *count > 0).collect(), errors }
    }
}

fn add(count: &AtomicU64, more: u64) {
    count.fetch_add(more, Ordering::Relaxed);
}

fn get(count: &AtomicU64) -> u64 {
    count.load(Ordering::Relaxed)
}

const RAW_REASONS: [RawReason; 3] =
    [RawReason::Identity, RawReason::BelowMinLen, RawReason::TooLittleSaved];
