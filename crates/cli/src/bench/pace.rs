//! When to send, in the open loop.
//!
//! One thread keeps the time for all senders: the runtime's own timer counts whole milliseconds.
//! A sender that is late finds its times waiting, so what it sends late counts from when it was
//! to be sent.

use std::thread;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::measure::nanos;

/// The times of one sender, in ns since the run began.
pub type Times = UnboundedReceiver<u64>;

/// Starts the clock for so many senders, which begin to send in turn, one each `interval`.
#[must_use]
pub fn start(
    begin: Instant,
    interval: Duration,
    senders: u32,
    end: Option<Duration>,
) -> Vec<Times> {
    let (to, times): (Vec<_>, Vec<_>) = (0..senders).map(|_| unbounded_channel()).unzip();
    thread::spawn(move || keep(begin, interval, &to, end));
    times
}

fn keep(begin: Instant, interval: Duration, to: &[UnboundedSender<u64>], end: Option<Duration>) {
    let mut count: u64 = 0;
    loop {
        let mut is_anybody_there = false;
        for sender in to {
            let at = Duration::from_nanos(nanos(interval).saturating_mul(count));
            if end.is_some_and(|end| at >= end) {
                return;
            }
            count += 1;
            while let Some(wait) = (begin + at).checked_duration_since(Instant::now()) {
                if wait.is_zero() || to.iter().all(UnboundedSender::is_closed) {
                    break;
                }
                thread::sleep(wait.min(GLANCE));
            }
            is_anybody_there |= sender.send(nanos(at)).is_ok();
        }
        if !is_anybody_there {
            return;
        }
    }
}

/// How long the thread may outlive its senders.
const GLANCE: Duration = Duration::from_millis(100);
