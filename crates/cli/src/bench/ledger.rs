//! What was sent and what came: the account of one run.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use super::header::{Corrupt, Header};

/// The account of one run, shared by all its actors.
#[derive(Debug)]
pub struct Ledger {
    run_id: u64,
    senders: Vec<Sender>,
    senders_at_work: AtomicU64,
    received: AtomicU64,
    received_bytes: AtomicU64,
    duplicates: AtomicU64,
    corrupt: AtomicU64,
    strangers: AtomicU64,
    is_sent: AtomicBool,
}

#[derive(Debug, Default)]
struct Sender {
    acknowledged: AtomicU64,
    acknowledged_bytes: AtomicU64,
    came: Mutex<Numbers>,
}

/// What one message turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Came {
    /// One that was sent, for the first time.
    New(Header),
    /// One that had come before.
    Again,
    /// One of another run.
    Stranger,
}

/// What receivers found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// Messages that were right, each once.
    pub messages: u64,
    /// Their payload bytes.
    pub payload_bytes: u64,
    /// Messages that came more than once.
    pub duplicates: u64,
    /// Messages that are not what was sent.
    pub corrupt: u64,
    /// Messages of other runs.
    pub strangers: u64,
}

impl Ledger {
    /// Opens the account of a run with so many senders.
    #[must_use]
    pub fn new(run_id: u64, senders: u32) -> Self {
        Self {
            run_id,
            senders: (0..senders).map(|_| Sender::default()).collect(),
            senders_at_work: AtomicU64::new(u64::from(senders)),
            received: AtomicU64::new(0),
            received_bytes: AtomicU64::new(0),
            duplicates: AtomicU64::new(0),
            corrupt: AtomicU64::new(0),
            strangers: AtomicU64::new(0),
            is_sent: AtomicBool::new(senders == 0),
        }
    }

    /// The run's id, as it is in each message.
    #[must_use]
    pub const fn run_id(&self) -> u64 {
        self.run_id
    }

    /// Enters messages of a sender that were acknowledged.
    pub fn acknowledged(&self, sender: u16, messages: u64, payload_bytes: u64) {
        if let Some(sender) = self.senders.get(usize::from(sender)) {
            sender.acknowledged.fetch_add(messages, Ordering::Relaxed);
            sender.acknowledged_bytes.fetch_add(payload_bytes, Ordering::Relaxed);
        }
    }

    /// Enters that one sender has sent all that it will.
    pub fn sender_is_done(&self) {
        if self.senders_at_work.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.is_sent.store(true, Ordering::Release);
        }
    }

    /// Checks and enters a message that came.
    ///
    /// # Errors
    ///
    /// [`Corrupt`], which is entered as well.
    pub fn came(&self, message: &[u8]) -> Result<Came, Corrupt> {
        let header = match Header::check(message, self.run_id) {
            Ok(header) => header,
            Err(corrupt) => {
                self.corrupt.fetch_add(1, Ordering::Relaxed);
                return Err(corrupt);
            }
        };
        let sender = header.map(|it| (it, self.senders.get(usize::from(it.producer))));
        let Some((header, Some(sender))) = sender else {
            self.strangers.fetch_add(1, Ordering::Relaxed);
            return Ok(Came::Stranger);
        };
        let is_new = lock(&sender.came).insert(header.sequence);
        if !is_new {
            self.duplicates.fetch_add(1, Ordering::Relaxed);
            return Ok(Came::Again);
        }
        self.received_bytes.fetch_add(message.len() as u64, Ordering::Relaxed);
        self.received.fetch_add(1, Ordering::Relaxed);
        Ok(Came::New(header))
    }

    /// Messages that were acknowledged until now, and their payload bytes.
    #[must_use]
    pub fn sent(&self) -> (u64, u64) {
        let messages = self.senders.iter().map(|it| it.acknowledged.load(Ordering::Relaxed));
        let bytes = self.senders.iter().map(|it| it.acknowledged_bytes.load(Ordering::Relaxed));
        (messages.sum(), bytes.sum())
    }

    /// Messages that came until now, each once, and their payload bytes.
    #[must_use]
    pub fn received(&self) -> (u64, u64) {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        (load(&self.received), load(&self.received_bytes))
    }

    /// Says whether all has been sent, and all of it came.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.is_sent.load(Ordering::Acquire) && self.received().0 >= self.sent().0
    }

    /// Messages that were acknowledged and have not come.
    #[must_use]
    pub fn missing(&self) -> u64 {
        let missing = |sender: &Sender| {
            let acknowledged = sender.acknowledged.load(Ordering::Relaxed);
            acknowledged.saturating_sub(lock(&sender.came).count_below(acknowledged))
        };
        self.senders.iter().map(missing).sum()
    }

    /// What receivers found until now.
    #[must_use]
    pub fn found(&self) -> Found {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let (messages, payload_bytes) = self.received();
        Found {
            messages,
            payload_bytes,
            duplicates: load(&self.duplicates),
            corrupt: load(&self.corrupt),
            strangers: load(&self.strangers),
        }
    }
}

/// A set of numbers that come nearly in order: as ranges, so that a long run takes little memory.
#[derive(Debug, Default)]
struct Numbers {
    /// From the first number of each range to the first one behind it; no two touch.
    ranges: BTreeMap<u64, u64>,
}

impl Numbers {
    /// Returns false if it was there.
    fn insert(&mut self, number: u64) -> bool {
        let before = self.ranges.range_mut(..=number).next_back();
        let mut begin = number;
        if let Some((&from, end)) = before {
            if number < *end {
                return false;
            }
            if number == *end {
                *end += 1;
                begin = from;
            }
        }
        let after = self.ranges.remove(&(number + 1));
        let end = after.unwrap_or(number + 1);
        self.ranges.insert(begin, end);
        true
    }

    /// How many are below a bound.
    fn count_below(&self, bound: u64) -> u64 {
        self.ranges.range(..bound).map(|(begin, end)| end.min(&bound) - begin).sum()
    }
}

/// A panic elsewhere leaves counts that are right.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_any_order_are_counted_once() {
        let mut numbers = Numbers::default();
        let shuffled: Vec<u64> = (0..1000).map(|at| (at * 617) % 1000).collect();
        assert!(shuffled.iter().all(|&number| numbers.insert(number)));
        assert!(shuffled.iter().all(|&number| !numbers.insert(number)));
        assert_eq!((numbers.ranges.len(), numbers.count_below(1000)), (1, 1000));
        assert!(numbers.insert(2000));
        assert_eq!(numbers.count_below(500), 500);
        assert_eq!(numbers.count_below(2000), 1000);
        assert_eq!(numbers.count_below(2001), 1001);
    }
}
