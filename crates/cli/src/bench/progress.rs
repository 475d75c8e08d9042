//! What a benchmark is doing, on standard error, for people who wait.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::ledger::Ledger;

/// One line that changes; only on a terminal, and gone in the end.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    runs: u64,
    done: u64,
    what: String,
}

impl Progress {
    /// Begins with so many runs to come.
    #[must_use]
    pub fn new(runs: u64) -> Self {
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(runs.max(1)), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        Self { bar, runs, done: 0, what: String::new() }
    }

    /// Says what is done next.
    pub fn next(&mut self, what: String) {
        self.bar.set_position(self.done.min(self.runs));
        self.bar.set_message(what.clone());
        self.what = what;
    }

    /// One run is over.
    pub fn done(&mut self) {
        self.done += 1;
    }

    /// Says how a run goes.
    pub fn tell(&mut self, elapsed: Duration, ledger: &Ledger) {
        let (sent, sent_bytes) = ledger.sent();
        let (received, received_bytes) = ledger.received();
        let seconds = elapsed.as_secs_f64().max(1e-3);
        #[expect(clippy::cast_precision_loss, reason = "shown in a few digits")]
        let rate = |bytes: u64| bytes as f64 / seconds / 1e6;
        self.bar.set_message(format!(
            "{}: {:.1} s, {sent} sent at {:.0} MB/s, {received} received at {:.0} MB/s",
            self.what,
            seconds,
            rate(sent_bytes),
            rate(received_bytes),
        ));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
