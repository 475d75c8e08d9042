//! What client and server say to each other, besides the messages themselves.
//!
//! A session is opened with `Open`; its number and a destination's then go with each call as
//! metadata. Control calls carry JSON and are not compressed.

use serde::{Deserialize, Serialize};

use crate::bench::counts::Counts;
use crate::bench::ledger::Found;

/// Opens a session: its answer is empty.
pub(super) const OPEN: &str = "/thinwire.bench.v1.Bench/Open";
/// Begins a run: its answer is empty.
pub(super) const BEGIN: &str = "/thinwire.bench.v1.Bench/Begin";
/// Asks for [`Facts`].
pub(super) const FACTS: &str = "/thinwire.bench.v1.Bench/Facts";
/// Closes a session: its answer is empty.
pub(super) const CLOSE: &str = "/thinwire.bench.v1.Bench/Close";
/// A batch is sent, message by message; the answer is empty and says that all came.
pub(super) const PRODUCE: &str = "/thinwire.bench.v1.Bench/Produce";
/// A batch is asked for without any message; the answer has its messages.
pub(super) const CONSUME: &str = "/thinwire.bench.v1.Bench/Consume";
/// A batch is sent, and comes back.
pub(super) const ECHO: &str = "/thinwire.bench.v1.Bench/Echo";

/// Metadata: the session's number.
pub(super) const SESSION: &str = "bench-session";
/// Metadata: the destination's number.
pub(super) const DESTINATION: &str = "bench-destination";
/// Metadata: how many messages are wanted at most.
pub(super) const MOST: &str = "bench-most";
/// Metadata: how long the first may take, in ms.
pub(super) const WAIT_MS: &str = "bench-wait-ms";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Open {
    pub(super) session: u64,
    /// Such as `zstd:3`, or `identity`.
    pub(super) level: String,
    pub(super) min_size: usize,
    pub(super) max_len: usize,
    pub(super) purpose: Purpose,
    pub(super) destinations: u32,
    pub(super) senders: u32,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Purpose {
    SendOnly,
    FillFirst,
    Relay,
    RoundTrip,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Begin {
    pub(super) session: u64,
    pub(super) run_id: u64,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Which {
    pub(super) session: u64,
}

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Facts {
    pub(super) cpu_ns: Option<u64>,
    pub(super) peak_memory_bytes: Option<u64>,
    pub(super) counts: Counts,
    pub(super) found: Option<Found>,
    pub(super) not_kept: u64,
}

impl From<crate::bench::plan::Purpose> for Purpose {
    fn from(purpose: crate::bench::plan::Purpose) -> Self {
        match purpose {
            crate::bench::plan::Purpose::SendOnly => Self::SendOnly,
            crate::bench::plan::Purpose::FillFirst => Self::FillFirst,
            crate::bench::plan::Purpose::Relay => Self::Relay,
            crate::bench::plan::Purpose::RoundTrip => Self::RoundTrip,
        }
    }
}

impl From<Purpose> for crate::bench::plan::Purpose {
    fn from(purpose: Purpose) -> Self {
        match purpose {
            Purpose::SendOnly => Self::SendOnly,
            Purpose::FillFirst => Self::FillFirst,
            Purpose::Relay => Self::Relay,
            Purpose::RoundTrip => Self::RoundTrip,
        }
    }
}
