//! One direction of a layer's counters.

use std::sync::Arc;
use std::time::Duration;

use thinwire::{Encoding, RawReason};

use crate::status::CallError;
use thinwire::counters::{Counters, Direction};

#[derive(Debug, Clone)]
pub(crate) struct Counts {
    counters: Arc<Counters>,
    direction: Direction,
}

impl Counts {
    pub(crate) const fn new(counters: Arc<Counters>, direction: Direction) -> Self {
        Self { counters, direction }
    }

    pub(crate) fn passed(
        &self,
        encoding: Encoding,
        payload_len: usize,
        wire_len: usize,
        time: Duration,
    ) {
        self.counters.passed(self.direction, encoding, payload_len, wire_len, time);
    }

    pub(crate) fn kept_raw(&self, reason: RawReason) {
        self.counters.kept_raw(reason);
    }

    /// Counts an error, tells it, and gives it back.
    pub(crate) fn failed(&self, error: CallError) -> CallError {
        self.counters.failed(self.direction, error.kind());
        tracing::warn!(code = ?error.code(), "{error}");
        error
    }
}
