//! What a benchmark is doing, on standard error, for people who wait.

use std::io::{IsTerminal, Write};
use std::time::Duration;

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::ledger::Ledger;

/// On a terminal one line that changes, and is gone in the end; elsewhere a line for each run.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    runs: u64,
    done: u64,
    what: String,
    /// How the run that is under way goes.
    state: String,
}

impl Progress {
    /// Begins with so many runs to come, and says so if they are known to take long.
    #[must_use]
    pub fn new(runs: u64, expected: Option<Duration>) -> Self {
        if let Some(time) = expected.filter(|time| *time > LONG) {
            say(&format!("{runs} run(s), {} in all", HumanDuration(time)));
        }
        let target = if std::io::stderr().is_terminal() {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let bar = ProgressBar::with_draw_target(Some(runs.max(1)), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {msg}") {
            bar.set_style(style);
        }
        Self { bar, runs, done: 0, what: String::new(), state: String::new() }
    }

    /// Says what is done next.
    pub fn next(&mut self, what: String) {
        self.bar.set_position(self.done.min(self.runs));
        self.bar.set_message(what.clone());
        self.what = what;
        self.state.clear();
    }

    /// One run is over.
    pub fn done(&mut self) {
        self.done += 1;
        if self.bar.is_hidden() {
            say(&format!("{}/{} {}: {}", self.done, self.runs, self.what, self.state));
        }
    }

    /// Says how a run goes.
    pub fn tell(&mut self, elapsed: Duration, ledger: &Ledger) {
        let (sent, sent_bytes) = ledger.sent();
        let (received, received_bytes) = ledger.received();
        let seconds = elapsed.as_secs_f64().max(1e-3);
        #[expect(clippy::cast_precision_loss, reason = "shown in a few digits")]
        let rate = |bytes: u64| bytes as f64 / seconds / 1e6;
        self.state = format!("{seconds:.1} s, {sent} sent at {:.0} MB/s", rate(sent_bytes));
        if received > 0 {
            let rate = rate(received_bytes);
            self.state.push_str(&format!(", {received} received at {rate:.0} MB/s"));
        }
        self.bar.set_message(format!("{}: {}", self.what, self.state));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// If standard error is gone, nobody can be told.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// For this long people wait without a word.
const LONG: Duration = Duration::from_secs(90);
