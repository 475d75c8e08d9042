//! One direction of a layer's counters, and the clock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use thinwire::{Encoded, Encoding};

use crate::counters::{Counters, Direction};
use crate::status::CallError;

#[derive(Debug, Clone)]
pub(crate) struct Counts {
    counters: Arc<Counters>,
    direction: Direction,
}

impl Counts {
    pub(crate) const fn new(counters: Arc<Counters>, direction: Direction) -> Self {
        Self { counters, direction }
    }

    pub(crate) fn encoded(&self, encoded: &Encoded, payload_len: usize, started: Instant) {
        let wire_len = encoded.bytes().len();
        let time = started.elapsed();
        self.counters.passed(self.direction, encoded.encoding(), payload_len, wire_len, time);
        if let Some(reason) = encoded.raw_reason() {
            self.counters.kept_raw(reason);
        }
    }

    pub(crate) fn decoded(
        &self,
        encoding: Encoding,
        payload_len: usize,
        wire_len: usize,
        time: Duration,
    ) {
        self.counters.passed(self.direction, encoding, payload_len, wire_len, time);
    }

    /// Counts an error, tells it, and gives it back.
    pub(crate) fn failed(&self, error: CallError) -> CallError {
        self.counters.failed(self.direction, error.kind());
        tracing::warn!(code = ?error.code(), "{error}");
        error
    }
}
