//! What was sent and what came: the account of one run.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use super::header::{Corrupt, Header};
use super::numbers::Numbers;

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
    /// Messages that a sender has in hand at once.
    at_once: u64,
}

#[derive(Debug, Default)]
struct Sender {
    acknowledged: AtomicU64,
    acknowledged_bytes: AtomicU64,
    /// Receivers of what it sent that found nothing more there.
    at_the_end: AtomicU64,
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
            at_once: u64::MAX,
        }
    }

    /// Says how many messages a sender has in hand at once: none has a number that is further from
    /// those that were acknowledged. Without it, numbers are believed.
    #[must_use]
    pub fn at_once(mut self, messages: u32) -> Self {
        self.at_once = messages.into();
        self
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
        let Some(header) = header else {
            self.strangers.fetch_add(1, Ordering::Relaxed);
            return Ok(Came::Stranger);
        };
        let Header { producer, sequence, .. } = header;
        let sender = self.senders.get(usize::from(producer));
        let Some(sender) = sender.filter(|sender| sequence < self.end_of(sender)) else {
            self.corrupt.fetch_add(1, Ordering::Relaxed);
            return Err(Corrupt::NeverSent { producer, sequence });
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

    /// No message that this sender has sent until now has such a number or a greater one.
    fn end_of(&self, sender: &Sender) -> u64 {
        sender.acknowledged.load(Ordering::Relaxed).saturating_add(self.at_once)
    }

    /// Enters that a receiver of what one sender had sent before ended when nothing was there for
    /// it any more.
    pub fn came_to_the_end(&self, sender: u32) {
        if let Some(sender) = self.senders.get(sender as usize) {
            sender.at_the_end.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Messages that were acknowledged and have not come, of those senders of whose messages all
    /// receivers, so many each, came to the end.
    #[must_use]
    pub fn missing_at_the_end(&self, receivers: u64) -> u64 {
        let is_at_the_end = |it: &&Sender| it.at_the_end.load(Ordering::Relaxed) >= receivers;
        self.senders.iter().filter(is_at_the_end).map(Sender::missing).sum()
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
        self.senders.iter().map(Sender::missing).sum()
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

impl Sender {
    fn missing(&self) -> u64 {
        let acknowledged = self.acknowledged.load(Ordering::Relaxed);
        acknowledged.saturating_sub(lock(&self.came).count_below(acknowledged))
    }
}

/// A panic elsewhere leaves counts that are right.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::header::content_hash;

    fn message(producer: u16, sequence: u64) -> [u8; 32] {
        Header { run_id: 1, sent_ns: 0, producer, sequence }.to_bytes(content_hash(&[]))
    }

    #[test]
    fn what_was_never_sent_is_not_new() {
        let ledger = Ledger::new(1, 2).at_once(10);
        ledger.acknowledged(1, 100, 3200);
        for (producer, sequence) in [(0, 9), (1, 0), (1, 109)] {
            assert!(matches!(ledger.came(&message(producer, sequence)), Ok(Came::New(_))));
        }
        for (producer, sequence) in [(0, 10), (1, 110), (1, (1 << 48) - 1), (2, 0), (u16::MAX, 0)] {
            let found = ledger.came(&message(producer, sequence));
            assert_eq!(found, Err(Corrupt::NeverSent { producer, sequence }));
        }
        let found = ledger.found();
        assert_eq!((found.messages, found.corrupt, found.strangers), (3, 5, 0));
    }

    #[test]
    fn a_flood_of_messages_that_are_not_new_is_only_counted() {
        let ledger = Ledger::new(1, 1).at_once(1);
        ledger.acknowledged(0, 3, 96);
        for _ in 0..1000 {
            for sequence in 0..4 {
                ledger.came(&message(0, sequence)).unwrap();
            }
            ledger.came(&message(0, 4)).unwrap_err();
        }
        let found = ledger.found();
        assert_eq!((found.messages, found.duplicates, found.corrupt), (4, 3996, 1000));
    }

    #[test]
    fn what_is_missing_where_all_receivers_came_to_the_end_is_lost() {
        let ledger = Ledger::new(1, 2);
        (0..2).for_each(|sender| ledger.acknowledged(sender, 10, 320));
        (0..7).for_each(|sequence| drop(ledger.came(&message(0, sequence))));
        assert_eq!((ledger.missing(), ledger.missing_at_the_end(2)), (13, 0));
        ledger.came_to_the_end(0);
        assert_eq!(ledger.missing_at_the_end(2), 0);
        ledger.came_to_the_end(0);
        assert_eq!(ledger.missing_at_the_end(2), 3);
    }
}
