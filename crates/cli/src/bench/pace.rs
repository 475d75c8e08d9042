//! When to send, in the open loop.
//!
//! The senders begin in turn, one each interval. When a batch is due follows from its number, so a
//! sender that is late has what it sends late count from when it was to be sent. One thread keeps
//! the time for all: the runtime's own timer counts whole milliseconds.

use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::Notify;

use crate::measure::nanos;

/// The times of one sender.
#[derive(Debug)]
pub struct Times {
    clock: Arc<Clock>,
    /// Of the next batch, among those of all senders.
    number: u64,
    bell: Arc<Notify>,
}

#[derive(Debug)]
struct Clock {
    begin: Instant,
    interval_ns: f64,
    senders: u64,
    end: Option<Duration>,
}

impl Times {
    /// Waits until the next batch is due, in ns since the run began; none when there are no more.
    pub async fn next(&mut self) -> Option<u64> {
        let at = self.clock.at(self.number)?;
        while self.clock.begin.elapsed() < at {
            self.bell.notified().await;
        }
        self.number += self.clock.senders;
        Some(nanos(at))
    }
}

impl Clock {
    fn at(&self, number: u64) -> Option<Duration> {
        #[expect(clippy::cast_precision_loss, reason = "to 2^53; there it is a matter of ages")]
        let ns = self.interval_ns * number as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
        let at = Duration::from_nanos(ns as u64);
        self.end.is_none_or(|end| at < end).then_some(at)
    }

    /// The number of the first batch that is not due yet.
    fn first_after_now(&self) -> u64 {
        #[expect(clippy::cast_precision_loss, reason = "as above")]
        let number = nanos(self.begin.elapsed()) as f64 / self.interval_ns.max(f64::MIN_POSITIVE);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it saturates")]
        let number = number as u64;
        number.saturating_add(1)
    }
}

/// Starts the clock for so many senders, at `per_second` batches of all senders together, until
/// `end`.
#[must_use]
pub fn start(begin: Instant, per_second: f64, senders: u32, end: Option<Duration>) -> Vec<Times> {
    let senders_count = u64::from(senders.max(1));
    let clock = Clock { begin, interval_ns: 1e9 / per_second, senders: senders_count, end };
    let clock = Arc::new(clock);
    let bells: Vec<Arc<Notify>> = (0..senders).map(|_| Arc::default()).collect();
    let to: Vec<Weak<Notify>> = bells.iter().map(Arc::downgrade).collect();
    let times = bells.into_iter().zip(0..);
    let times = times.map(|(bell, number)| Times { clock: clock.clone(), number, bell });
    let times = times.collect();
    thread::spawn(move || ring(&clock, &to));
    times
}

/// Rings for each batch that falls due. Where several have, one ring for each sender is enough:
/// those who are late do not wait for any.
fn ring(clock: &Clock, bells: &[Weak<Notify>]) {
    let mut number = 0;
    while let Some(at) = clock.at(number) {
        while let Some(wait) = (clock.begin + at).checked_duration_since(Instant::now()) {
            if wait.is_zero() || bells.iter().all(|bell| bell.strong_count() == 0) {
                break;
            }
            thread::sleep(wait.min(GLANCE));
        }
        let due = clock.first_after_now().max(number + 1);
        let mut is_anybody_there = false;
        for number in number..due.min(number + clock.senders) {
            let bell = usize::try_from(number % clock.senders).ok().and_then(|at| bells.get(at));
            if let Some(bell) = bell.and_then(Weak::upgrade) {
                bell.notify_one();
                is_anybody_there = true;
            }
        }
        if !is_anybody_there && bells.iter().all(|bell| bell.strong_count() == 0) {
            return;
        }
        number = due;
    }
}

/// How long the thread may outlive its senders.
const GLANCE: Duration = Duration::from_millis(100);

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn batches_are_due_in_turn_and_late_ones_keep_their_time() {
        let begin = Instant::now();
        let mut times = start(begin, 1000.0, 2, Some(Duration::from_millis(10)));
        let mut due = [Vec::new(), Vec::new()];
        tokio::time::sleep(Duration::from_millis(5)).await;
        for (times, due) in times.iter_mut().zip(&mut due) {
            while let Some(at) = times.next().await {
                assert!(begin.elapsed() >= Duration::from_nanos(at));
                due.push(at / 1_000_000);
            }
        }
        assert_eq!(due, [[0, 2, 4, 6, 8], [1, 3, 5, 7, 9]]);
    }

    #[tokio::test]
    async fn a_rate_that_nothing_reaches_takes_no_memory_and_comes_to_an_end() {
        let mut times = start(Instant::now(), 9e14, 1, Some(Duration::from_nanos(1)));
        let mut count = 0_u64;
        while times.iter_mut().next().unwrap().next().await.is_some() {
            count += 1;
        }
        assert!((900_000..=900_001).contains(&count), "{count}");
    }
}
