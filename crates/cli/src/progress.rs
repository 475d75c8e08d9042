//! A bar on standard error, for people who wait.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shows itself after a second, and only on a terminal; goes away without a trace.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    begin: Instant,
}

impl Progress {
    /// Begins, unseen.
    #[must_use]
    pub fn new() -> Self {
        let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::hidden());
        Self { bar, begin: Instant::now() }
    }

    /// Tells how many bytes were read; how many there will be is not known.
    pub fn read(&mut self, bytes: u64) {
        if self.is_time() {
            self.bar.set_message(format!("reading, {}", crate::unit::bytes(bytes)));
        }
    }

    /// Tells which share of the measurement is done.
    pub fn measured(&mut self, share: f64) {
        if self.is_time() {
            self.bar.set_message("measuring");
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1")]
            #[expect(clippy::cast_precision_loss, reason = "a small constant")]
            self.bar.set_position((share * STEPS as f64) as u64);
        }
    }

    fn is_time(&self) -> bool {
        if self.bar.is_hidden()
            && self.begin.elapsed() >= PATIENCE
            && std::io::stderr().is_terminal()
        {
            if let Ok(style) = ProgressStyle::with_template("{bar:40} {percent:>3} %  {msg}") {
                self.bar.set_style(style);
            }
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        !self.bar.is_hidden()
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

const STEPS: u64 = 1000;

const PATIENCE: Duration = Duration::from_secs(1);
