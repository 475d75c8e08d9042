//! What counters of transports say, as data that can be subtracted.

#[cfg(any(feature = "nats", feature = "iggy"))]
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use thinwire::RawReason;
use thinwire::counters::{Counters, Direction, ErrorKind};

/// What passed a transport's layer, or a part of that.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Payload bytes that were encoded, or sent as they were.
    pub sent_payload_bytes: u64,
    /// What they became.
    pub sent_wire_bytes: u64,
    /// Payload bytes that were decoded, or came as they were.
    pub received_payload_bytes: u64,
    /// What they came as.
    pub received_wire_bytes: u64,
    /// Time spent compressing.
    pub encode_ns: u64,
    /// Time spent decompressing.
    pub decode_ns: u64,
    /// Payloads sent as they were, by reason.
    pub kept_raw: Vec<(String, u64)>,
    /// Errors by kind.
    pub errors: Vec<(String, u64)>,
}

impl Counts {
    /// What these counters say now.
    #[must_use]
    pub fn of(counters: &Counters) -> Self {
        let snapshot = counters.snapshot();
        let mut counts = Self::default();
        for row in snapshot.rows {
            let ns = u64::try_from(row.codec_time.as_nanos()).unwrap_or(u64::MAX);
            if row.direction == Direction::Encode {
                counts.sent_payload_bytes += row.payload_bytes;
                counts.sent_wire_bytes += row.wire_bytes;
                counts.encode_ns += ns;
            } else {
                counts.received_payload_bytes += row.payload_bytes;
                counts.received_wire_bytes += row.wire_bytes;
                counts.decode_ns += ns;
            }
        }
        let raw = snapshot.raw.into_iter();
        counts.kept_raw = raw.map(|(reason, count)| (reason_name(reason), count)).collect();
        let errors = snapshot.errors.into_iter();
        counts.errors = errors.map(|(way, kind, count)| (error_name(way, kind), count)).collect();
        counts
    }

    /// What was counted since `before`.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            sent_payload_bytes: self.sent_payload_bytes.saturating_sub(before.sent_payload_bytes),
            sent_wire_bytes: self.sent_wire_bytes.saturating_sub(before.sent_wire_bytes),
            received_payload_bytes: self
                .received_payload_bytes
                .saturating_sub(before.received_payload_bytes),
            received_wire_bytes: self
                .received_wire_bytes
                .saturating_sub(before.received_wire_bytes),
            encode_ns: self.encode_ns.saturating_sub(before.encode_ns),
            decode_ns: self.decode_ns.saturating_sub(before.decode_ns),
            kept_raw: since(&self.kept_raw, &before.kept_raw),
            errors: since(&self.errors, &before.errors),
        }
    }

    /// Both together.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self {
            sent_payload_bytes: self.sent_payload_bytes + other.sent_payload_bytes,
            sent_wire_bytes: self.sent_wire_bytes + other.sent_wire_bytes,
            received_payload_bytes: self.received_payload_bytes + other.received_payload_bytes,
            received_wire_bytes: self.received_wire_bytes + other.received_wire_bytes,
            encode_ns: self.encode_ns + other.encode_ns,
            decode_ns: self.decode_ns + other.decode_ns,
            kept_raw: both(&self.kept_raw, &other.kept_raw),
            errors: both(&self.errors, &other.errors),
        }
    }
}

/// The counters of many actors.
#[cfg(any(feature = "nats", feature = "iggy"))]
#[derive(Debug, Default)]
pub(super) struct Tally(Mutex<Vec<Arc<Counters>>>);

#[cfg(any(feature = "nats", feature = "iggy"))]
impl Tally {
    /// One actor more.
    pub(super) fn add(&self, counters: &Arc<Counters>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(counters.clone());
    }

    /// What they say now, together.
    pub(super) fn counts(&self) -> Counts {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().fold(Counts::default(), |sum, counters| sum.and(&Counts::of(counters)))
    }
}

fn both(one: &[(String, u64)], other: &[(String, u64)]) -> Vec<(String, u64)> {
    let mut sum = one.to_vec();
    for (name, count) in other {
        match sum.iter_mut().find(|(known, _)| known == name) {
            Some((_, all)) => *all += count,
            None => sum.push((name.clone(), *count)),
        }
    }
    sum
}

fn since(now: &[(String, u64)], before: &[(String, u64)]) -> Vec<(String, u64)> {
    let old = |name: &String| {
        before.iter().find(|(known, _)| known == name).map_or(0, |&(_, count)| count)
    };
    let new = now.iter().map(|(name, count)| (name.clone(), count.saturating_sub(old(name))));
    new.filter(|&(_, count)| count > 0).collect()
}

fn reason_name(reason: RawReason) -> String {
    let name = match reason {
        RawReason::Identity => "identity",
        RawReason::BelowMinLen => "below_min_len",
        RawReason::TooLittleSaved => "too_little_saved",
        RawReason::NotAccepted => "not_accepted",
        RawReason::Labelled => "labelled",
        RawReason::NoRoomForLabel => "no_room_for_label",
        _ => "other",
    };
    name.to_owned()
}

fn error_name(direction: Direction, kind: ErrorKind) -> String {
    let way = if direction == Direction::Encode { "encode" } else { "decode" };
    let name = match kind {
        ErrorKind::TooLong => "too_long",
        ErrorKind::Malformed => "malformed",
        ErrorKind::Unsupported => "unsupported",
        ErrorKind::Other | _ => "other",
    };
    format!("{way}_{name}")
}
