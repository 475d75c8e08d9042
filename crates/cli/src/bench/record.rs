//! What one actor writes down while it works.

use super::report::{LatencyOf, RoleName};
use super::samples::Samples;

/// One actor's records of one run.
#[derive(Debug, Clone)]
pub struct Record {
    /// What the actor does.
    pub role: RoleName,
    /// Which one of its role.
    pub index: u32,
    /// What its latency is the time of.
    pub of: LatencyOf,
    /// Messages acknowledged, or received and found right.
    pub messages: u64,
    /// Their payload bytes.
    pub payload_bytes: u64,
    /// The last acknowledgement or receipt, since the run began.
    pub last_ns: u64,
    /// Its latencies.
    pub samples: Samples,
    /// The same over time.
    pub series: Slots,
}

impl Record {
    /// Begins an empty one.
    #[must_use]
    pub fn new(role: RoleName, index: u32, of: LatencyOf) -> Self {
        Self {
            role,
            index,
            of,
            messages: 0,
            payload_bytes: 0,
            last_ns: 0,
            samples: Samples::default(),
            series: Slots::default(),
        }
    }

    /// Writes down messages that were acknowledged or received just now.
    pub fn moved(&mut self, now_ns: u64, messages: u64, payload_bytes: u64) {
        self.messages += messages;
        self.payload_bytes += payload_bytes;
        self.last_ns = self.last_ns.max(now_ns);
        let slot = self.series.at(now_ns);
        slot.messages += messages;
        slot.payload_bytes += payload_bytes;
    }

    /// Writes down a sample of latency that ended just now.
    pub fn took(&mut self, now_ns: u64, latency_ns: u64) {
        self.samples.record(latency_ns);
        let slot = self.series.at(now_ns);
        slot.samples += 1;
        slot.sum_ns += u128::from(latency_ns);
        slot.max_ns = slot.max_ns.max(latency_ns);
    }
}

/// What happened in intervals of equal length; they grow with the run, so that there are never
/// many.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slots {
    /// Length of each.
    pub interval_ns: u64,
    /// From the beginning of the run.
    pub slots: Vec<Slot>,
}

/// What happened in one interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Slot {
    /// Messages.
    pub messages: u64,
    /// Payload bytes.
    pub payload_bytes: u64,
    /// Samples of latency.
    pub samples: u64,
    /// Their sum.
    pub sum_ns: u128,
    /// The longest.
    pub max_ns: u64,
}

impl Default for Slots {
    fn default() -> Self {
        Self { interval_ns: FIRST_INTERVAL_NS, slots: Vec::new() }
    }
}

impl Slots {
    /// Doubles the intervals until they are as long.
    pub fn widen(&mut self, interval_ns: u64) {
        while self.interval_ns < interval_ns {
            self.interval_ns *= 2;
            let pairs = self.slots.chunks(2);
            self.slots = pairs.map(|pair| pair.iter().fold(Slot::default(), Slot::and)).collect();
        }
    }

    fn at(&mut self, now_ns: u64) -> &mut Slot {
        let mut at = now_ns / self.interval_ns;
        while at >= MAX_SLOTS as u64 {
            self.widen(self.interval_ns * 2);
            at = now_ns / self.interval_ns;
        }
        let at = usize::try_from(at).unwrap_or(MAX_SLOTS);
        if self.slots.len() <= at {
            self.slots.resize(at + 1, Slot::default());
        }
        #[expect(clippy::indexing_slicing, reason = "resized just now")]
        &mut self.slots[at]
    }
}

impl Slot {
    fn and(self, other: &Self) -> Self {
        Self {
            messages: self.messages + other.messages,
            payload_bytes: self.payload_bytes + other.payload_bytes,
            samples: self.samples + other.samples,
            sum_ns: self.sum_ns + other.sum_ns,
            max_ns: self.max_ns.max(other.max_ns),
        }
    }
}

const FIRST_INTERVAL_NS: u64 = 10_000_000;

/// As many points as a picture is wide.
const MAX_SLOTS: usize = 400;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_run_keeps_few_slots_and_every_byte() {
        let mut record = Record::new(RoleName::Producer, 0, LatencyOf::Send);
        for at in 0..100_000 {
            record.moved(at * 1_000_000, 1, 10);
            record.took(at * 1_000_000, at);
        }
        assert!(record.series.slots.len() <= MAX_SLOTS);
        let sum = record.series.slots.iter().fold(Slot::default(), Slot::and);
        assert_eq!((sum.messages, sum.payload_bytes), (100_000, 1_000_000));
        assert_eq!((sum.samples, sum.max_ns), (100_000, 99_999));
        assert_eq!(record.series.interval_ns, FIRST_INTERVAL_NS << 5);
    }
}
