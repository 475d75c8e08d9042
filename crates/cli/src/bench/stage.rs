//! What the actors of a run share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::ending::Ended;
use super::ledger::{Came, Ledger};
use super::plan::Limits;
use super::pool::Pool;
use super::stop::Stop;
use super::transport::Fault;
use crate::measure::nanos;

/// What all actors of a run share.
#[derive(Debug)]
pub struct Stage {
    /// What they send.
    pub pool: Arc<Pool>,
    /// Their account.
    pub ledger: Arc<Ledger>,
    /// When they stop.
    pub stop: Arc<Stop>,
    /// What went wrong, by kind, with what was said.
    pub faults: Arc<Mutex<Vec<(&'static str, String)>>>,
    /// Messages at once.
    pub per_batch: u32,
    /// Senders, and receivers of what is there already, stop after so long.
    pub time: Option<Duration>,
    /// Whether senders wait for receivers that are far behind.
    pub bounds_backlog: bool,
    /// When the run began.
    begin: Instant,
    /// The last acknowledgement or receipt by anybody, in ns since the run began.
    last_progress_ns: AtomicU64,
    /// Batches in the hands of the transport.
    under_way: AtomicU64,
}

/// What one sender sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Which sender.
    pub index: u16,
    /// At most so many messages.
    pub messages: u64,
    /// No more messages once so many bytes are reached.
    pub payload_bytes: u64,
}

impl Stage {
    /// Begins now.
    #[must_use]
    pub fn new(pool: Arc<Pool>, ledger: Ledger, per_batch: u32, time: Option<Duration>) -> Self {
        Self {
            pool,
            ledger: Arc::new(ledger),
            stop: Arc::default(),
            faults: Arc::default(),
            per_batch,
            time,
            bounds_backlog: false,
            begin: Instant::now(),
            last_progress_ns: AtomicU64::new(0),
            under_way: AtomicU64::new(0),
        }
    }

    /// Begins again, with the same account.
    #[must_use]
    pub fn again(&self, time: Option<Duration>) -> Self {
        Self {
            pool: self.pool.clone(),
            ledger: self.ledger.clone(),
            stop: self.stop.clone(),
            faults: self.faults.clone(),
            per_batch: self.per_batch,
            time,
            bounds_backlog: self.bounds_backlog,
            begin: Instant::now(),
            last_progress_ns: AtomicU64::new(0),
            under_way: AtomicU64::new(0),
        }
    }

    /// When it began.
    #[must_use]
    pub const fn begin(&self) -> Instant {
        self.begin
    }

    /// Time since it began, in ns.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        nanos(self.begin.elapsed())
    }

    /// Something was acknowledged or received.
    pub fn progress(&self, now_ns: u64) {
        self.last_progress_ns.fetch_max(now_ns, Ordering::Relaxed);
    }

    /// A batch is given to the transport.
    pub fn depart(&self) {
        self.under_way.fetch_add(1, Ordering::Relaxed);
    }

    /// The transport is done with a batch.
    pub fn arrive(&self, now_ns: u64) {
        self.under_way.fetch_sub(1, Ordering::Relaxed);
        self.progress(now_ns);
    }

    /// Says whether the transport has something to do.
    #[must_use]
    pub fn is_under_way(&self) -> bool {
        self.under_way.load(Ordering::Relaxed) > 0
    }

    /// How long nothing was.
    #[must_use]
    pub fn idle(&self) -> Duration {
        let last = self.last_progress_ns.load(Ordering::Relaxed);
        Duration::from_nanos(self.now_ns().saturating_sub(last))
    }

    /// Says whether the run has taken the time that it may.
    #[must_use]
    pub fn is_time_over(&self) -> bool {
        self.time.is_some_and(|time| self.begin.elapsed() >= time)
    }

    /// Says whether it has taken as long again.
    #[must_use]
    pub fn is_time_long_over(&self) -> bool {
        self.time.is_some_and(|time| self.begin.elapsed() >= time.saturating_mul(2))
    }

    /// Waits while so much is under way that a server's memory would have to hold it.
    pub async fn wait_for_receivers(&self) {
        while self.bounds_backlog && !self.stop.is_stopped() {
            let (sent, received) = (self.ledger.sent().1, self.ledger.received().1);
            if sent.saturating_sub(received) < MAX_BACKLOG {
                return;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Ends the run because of an actor.
    pub fn fail(&self, actor: &str, fault: &Fault) {
        let mut faults = self.faults.lock().unwrap_or_else(PoisonError::into_inner);
        faults.push((fault.kind, fault.why.clone()));
        drop(faults);
        self.stop.stop(Ended::Failed { actor: actor.to_owned(), why: fault.why.clone() });
    }

    /// Checks messages that came; a corrupt one ends the run. Returns how many are right and new,
    /// and their payload bytes. `sent_at` is called with the time at which each was to be sent.
    pub fn check(
        &self,
        messages: &[Bytes],
        actor: &str,
        mut sent_at: impl FnMut(u64),
    ) -> (u64, u64) {
        let (mut count, mut payload_bytes) = (0, 0);
        for message in messages {
            match self.ledger.came(message) {
                Ok(Came::New(header)) => {
                    count += 1;
                    payload_bytes += message.len() as u64;
                    sent_at(header.sent_ns);
                }
                Ok(Came::Again | Came::Stranger) => {}
                Err(corrupt) => {
                    let (actor, why) = (actor.to_owned(), corrupt.to_string());
                    self.stop.stop(Ended::Corrupt { actor, why });
                }
            }
        }
        (count, payload_bytes)
    }
}

impl Share {
    /// What one of so many senders sends: as much as the others, or one message more.
    #[must_use]
    pub fn of(limits: Limits, index: u32, senders: u32) -> Self {
        let of = |limit: Option<u64>| match limit {
            None => u64::MAX,
            Some(limit) => {
                let (index, senders) = (u64::from(index), u64::from(senders.max(1)));
                limit / senders + u64::from(index < limit % senders)
            }
        };
        Self {
            index: u16::try_from(index).unwrap_or(u16::MAX),
            messages: of(limits.messages),
            payload_bytes: of(limits.payload_bytes),
        }
    }
}

/// Payload bytes that receivers may be behind.
const MAX_BACKLOG: u64 = 256_000_000;
