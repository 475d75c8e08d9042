//! A random choice of messages under a limit of bytes and of count, in one pass.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashSet};

/// Chooses messages while they go by.
///
/// Every message draws a number, and those with the smallest numbers stay: all below a threshold
/// that falls whenever a limit is reached. Each message has the same chance, wherever it stands,
/// whatever its length. The seed is fixed: the same messages give the same choice.
#[derive(Debug)]
pub struct Reservoir {
    max_bytes: usize,
    max_messages: usize,
    random: fastrand::Rng,
    threshold: u64,
    kept: BinaryHeap<Kept>,
    kept_bytes: usize,
    offered: u64,
}

impl Reservoir {
    /// Makes an empty one that will hold at most so many payload bytes and messages.
    #[must_use]
    pub fn new(max_bytes: usize, max_messages: usize) -> Self {
        Self {
            max_bytes,
            max_messages,
            random: fastrand::Rng::with_seed(SEED),
            threshold: u64::MAX,
            kept: BinaryHeap::new(),
            kept_bytes: 0,
            offered: 0,
        }
    }

    /// Gives a message its chance; `group` is kept with it.
    pub fn offer(&mut self, payload: &[u8], group: usize) {
        self.offered += 1;
        let draw = self.random.u64(..);
        if draw >= self.threshold || payload.len() > self.max_bytes {
            return;
        }
        self.kept_bytes += payload.len();
        self.kept.push(Kept { draw, order: self.offered, group, payload: payload.into() });
        while self.kept.len() > self.max_messages || self.kept_bytes > self.max_bytes {
            let Some(out) = self.kept.pop() else { return };
            self.threshold = out.draw;
            self.kept_bytes -= out.payload.len();
        }
    }

    /// Gives the chosen messages in the order in which they came.
    #[must_use]
    pub fn into_payloads(self) -> Payloads {
        let mut kept = self.kept.into_vec();
        kept.sort_unstable_by_key(|kept| kept.order);
        let mut payloads = Payloads::default();
        for Kept { group, payload, .. } in kept {
            payloads.push(&payload, group);
        }
        payloads
    }
}

/// Messages in memory, one behind the other.
#[derive(Debug, Default)]
pub struct Payloads {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    groups: Vec<usize>,
}

impl Payloads {
    /// Adds a message.
    pub fn push(&mut self, payload: &[u8], group: usize) {
        self.bytes.extend_from_slice(payload);
        self.ends.push(self.bytes.len());
        self.groups.push(group);
    }

    /// How many messages there are.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.ends.len()
    }

    /// How many bytes they have together.
    #[must_use]
    pub const fn total_len(&self) -> usize {
        self.bytes.len()
    }

    /// The messages in their order.
    #[must_use]
    pub fn all(&self) -> Vec<&[u8]> {
        let starts = std::iter::once(&0).chain(&self.ends);
        let range = |(&start, &end)| self.bytes.get(start..end).unwrap_or_default();
        starts.zip(&self.ends).map(range).collect()
    }

    /// The group of each message.
    #[must_use]
    pub fn groups(&self) -> &[usize] {
        &self.groups
    }

    /// How many messages differ from all before them.
    #[must_use]
    pub fn distinct(&self) -> usize {
        self.all().into_iter().collect::<HashSet<_>>().len()
    }
}

#[derive(Debug)]
struct Kept {
    draw: u64,
    order: u64,
    group: usize,
    payload: Box<[u8]>,
}

impl Ord for Kept {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.draw, self.order).cmp(&(other.draw, other.order))
    }
}

impl PartialOrd for Kept {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Kept {}

/// Any number will do; a fixed one makes two runs choose alike.
const SEED: u64 = 0x7468_696e_7769_7265;
