//! The report of `thinwire bench`: everything that was measured.
//!
//! This is the versioned schema of `--format json` and all that a renderer gets to see. Units are
//! in the names; MB = 10^6 and GB = 10^9 payload bytes; times are nanoseconds. What was not
//! measured is `None` (`null`), never 0.

mod encoding;
mod latency;
mod run;

pub use encoding::{Bottleneck, EncodingResult, Limit, RoleSummary, Summary};
pub use latency::{CurvePoint, Latency, LatencyOf};
pub use run::{
    Actor, Codec, Cost, ErrorCount, KeptRaw, Role, RoleName, Run, Series, Verified, Wire,
};
use serde::{Deserialize, Serialize};

use super::ending::Ended;
use super::warning::{self, Warning};
use crate::report::Environment;

/// The value of [`Report::schema`].
pub const SCHEMA: &str = "thinwire.bench";

/// Raised when a field changes its meaning or goes away; new fields do not raise it, so they are
/// options, or have a default: older reports are read without them.
pub const SCHEMA_VERSION: u32 = 1;

/// One run of `thinwire bench`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Always [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Where it was measured and with what.
    pub environment: Environment,
    /// What was asked for, defaults filled in.
    pub settings: Settings,
    /// The messages that were sent.
    pub messages: Messages,
    /// What carried them.
    pub transport: Transport,
    /// One entry per encoding, in the order in which they were asked for.
    pub encodings: Vec<EncodingResult>,
    /// Doubts about the numbers.
    #[serde(deserialize_with = "warning::known")]
    pub warnings: Vec<Warning>,
    /// How the run ended: the first run's end that was not as planned, or as planned.
    pub ended: Ended,
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// `pinned-producer`, `end-to-end-producing-and-consuming` and so on.
    pub kind: String,
    /// Actors that only send.
    pub producers: u64,
    /// Actors that only receive.
    pub consumers: u64,
    /// Actors that send and wait for what they sent.
    pub pairs: u64,
    /// Messages that are sent, or asked for, at once.
    pub messages_per_batch: u64,
    /// Payloads below this are not compressed.
    pub min_size_bytes: u64,
    /// Payload bytes per second that all senders together begin to send; `None`: as fast as it
    /// goes (closed loop).
    pub rate_bytes_per_second: Option<f64>,
    /// The same in messages, where that was asked for.
    pub rate_messages_per_second: Option<f64>,
    /// Messages of a run, all senders together; `None`: not limited by count.
    pub limit_messages: Option<u64>,
    /// Payload bytes of a run, all senders together; `None`: not limited by bytes.
    pub limit_payload_bytes: Option<u64>,
    /// Time for which a run sends; `None`: not limited by time.
    pub limit_ns: Option<u64>,
    /// Time for which each run warms up before, on the same connections.
    pub warmup_ns: u64,
    /// Runs per encoding.
    pub repeats: u64,
    /// Without progress for so long, a run is ended.
    pub idle_limit_ns: u64,
    /// Seed of messages and of the order of encodings.
    pub seed: u64,
}

/// The messages that were sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Messages {
    /// `json`, `remote-write`, `log`, `random`, or `files`.
    pub source: String,
    /// The paths that were read, for `files`.
    pub paths: Vec<String>,
    /// Messages that differ in their content; they are sent in turn, each time with another header.
    pub distinct: u64,
    /// Bytes of each message that are the header by which it is verified.
    pub header_bytes: u64,
    /// Length of the shortest, header included.
    pub min_bytes: u64,
    /// Half of the messages are at most this long.
    pub median_bytes: u64,
    /// Length of the longest.
    pub max_bytes: u64,
    /// Mean length.
    pub mean_bytes: f64,
    /// Ratio that was asked for; `None`: as the generator makes them.
    pub asked_ratio: Option<f64>,
    /// xxHash64, as 16 hexadecimal digits, of length and xxHash64 of all contents in order: the
    /// same where the same messages were sent.
    #[serde(default)]
    pub content_hash: Option<String>,
}

/// What carried the messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Transport {
    /// `memory`, `grpc`, `nats`, `iggy`.
    pub name: String,
    /// Where the server is and what it says of itself, such as `nats-server 2.9.10, started for
    /// this run`.
    pub server: Option<String>,
    /// True when the server shares this machine with the clients.
    pub is_local: bool,
    /// Rate of the shaped link; `None`: not shaped.
    pub link_bits_per_second: Option<f64>,
    /// Delay of the shaped link, one way; `None`: not shaped.
    pub link_delay_ns: Option<u64>,
}
