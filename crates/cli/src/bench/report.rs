//! The report of `thinwire bench`: everything that was measured.
//!
//! This is the versioned schema of `--format json` and all that a renderer gets to see. Units are
//! in the names; MB = 10^6 and GB = 10^9 payload bytes; times are nanoseconds. What was not
//! measured is `None` (`null`), never 0.

use serde::{Deserialize, Serialize};

use super::ending::Ended;
use super::warning::Warning;
use crate::report::Environment;

/// The value of [`Report::schema`].
pub const SCHEMA: &str = "thinwire.bench";

/// Raised when a field changes its meaning or goes away; new fields do not raise it.
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

/// One encoding at one level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EncodingResult {
    /// Encoding and level as they are written everywhere: `zstd:3`, `snappy`; `raw` for none.
    pub level: String,
    /// Token of the encoding alone; `identity` for `raw`.
    pub encoding: String,
    /// Over all repeats.
    pub summary: Summary,
    /// Each repeat.
    pub runs: Vec<Run>,
}

/// One encoding over all its repeats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Of the senders: producers, or pairs.
    pub sending: Option<RoleSummary>,
    /// Of the receivers: consumers. Pairs count as senders.
    pub receiving: Option<RoleSummary>,
    /// Payload bytes / wire bytes of all repeats; larger is better.
    pub ratio: Option<f64>,
    /// Median over the repeats of the clients' CPU seconds per 10^9 payload bytes.
    pub client_cpu_seconds_per_gb: Option<f64>,
    /// The same for the server, where it is ours.
    pub server_cpu_seconds_per_gb: Option<f64>,
    /// Median over the repeats of [`Codec::share`].
    pub codec_share: Option<f64>,
}

/// One role over all repeats of an encoding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoleSummary {
    /// Payload MB per second of all actors together: median over the repeats.
    pub mb_per_second: Option<f64>,
    /// Messages per second of all actors together: median over the repeats.
    pub messages_per_second: Option<f64>,
    /// `mb_per_second` / that of `raw` in the same report.
    pub times_raw: Option<f64>,
    /// Smallest of the repeats.
    pub min_mb_per_second: Option<f64>,
    /// Largest of the repeats.
    pub max_mb_per_second: Option<f64>,
    /// Middle half's width as percent of the median; `None` below three repeats.
    pub spread_percent: Option<f64>,
    /// The samples of all actors and all repeats in one histogram.
    pub latency: Latency,
    /// The same histogram as a curve.
    pub curve: Vec<CurvePoint>,
}

/// One run: one encoding, once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// Which repeat, from 0.
    pub repeat: u64,
    /// When it began, counted from the start of the first run.
    pub begin_ns: u64,
    /// How it ended.
    pub ended: Ended,
    /// Of the senders: producers, or pairs; `None` where there were none under the clock.
    pub sending: Option<Role>,
    /// Of the receivers.
    pub receiving: Option<Role>,
    /// Each actor.
    pub actors: Vec<Actor>,
    /// Payload bytes that the clients encoded, and what became of them.
    pub wire: Wire,
    /// Payloads that the clients sent as they were, by reason.
    pub kept_raw: Vec<KeptRaw>,
    /// Errors by kind: of codecs, counted by the transport, and what ended actors.
    pub errors: Vec<ErrorCount>,
    /// CPU time and memory.
    pub cost: Cost,
    /// Time in codecs.
    pub codec: Codec,
    /// What receivers found when they checked.
    pub verified: Verified,
}

/// All actors of one role together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Role {
    /// Messages acknowledged, or received and found right.
    pub messages: u64,
    /// Their payload bytes.
    pub payload_bytes: u64,
    /// From the beginning of the run to the last acknowledgement, or the last receipt.
    pub elapsed_ns: u64,
    /// Payload MB per second.
    pub mb_per_second: Option<f64>,
    /// Messages per second.
    pub messages_per_second: Option<f64>,
    /// The samples of all actors in one histogram.
    pub latency: Latency,
    /// The same histogram as a curve.
    pub curve: Vec<CurvePoint>,
}

/// One actor of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Actor {
    /// What it does.
    pub role: RoleName,
    /// Which one of its role, from 0.
    pub index: u64,
    /// Messages acknowledged, or received and found right.
    pub messages: u64,
    /// Their payload bytes.
    pub payload_bytes: u64,
    /// From the beginning of the run to its last acknowledgement or receipt.
    pub elapsed_ns: u64,
    /// Payload MB per second.
    pub mb_per_second: Option<f64>,
    /// Messages per second.
    pub messages_per_second: Option<f64>,
    /// Its own samples.
    pub latency: Latency,
    /// What it did over time.
    pub series: Series,
}

/// What an actor does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RoleName {
    /// Sends.
    Producer,
    /// Receives.
    Consumer,
    /// Sends, and waits for what it sent.
    Pair,
}

/// What a latency is the time of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LatencyOf {
    /// A batch, from when it was to be sent to its acknowledgement.
    Send,
    /// A batch, from asking for it until it is decoded; waiting for the first message included.
    Fetch,
    /// A message, from when its batch was to be sent to its decoded receipt.
    Delivery,
    /// A batch, from when it was to be sent until all of it is decoded again.
    RoundTrip,
}

/// A histogram in figures, exact to three digits. A percentile needs enough samples: p99 needs
/// 100, p99.9 needs 1000; it is `None` below.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Latency {
    /// What it is the time of.
    pub of: LatencyOf,
    /// How many.
    pub samples: u64,
    /// The shortest.
    pub min_ns: Option<u64>,
    /// Half of the samples take at most this long.
    pub p50_ns: Option<u64>,
    /// 90 in 100.
    pub p90_ns: Option<u64>,
    /// 95 in 100.
    pub p95_ns: Option<u64>,
    /// 99 in 100.
    pub p99_ns: Option<u64>,
    /// 999 in 1000.
    pub p99_9_ns: Option<u64>,
    /// 9999 in 10,000.
    pub p99_99_ns: Option<u64>,
    /// The longest.
    pub max_ns: Option<u64>,
    /// Mean.
    pub mean_ns: Option<f64>,
    /// Standard deviation.
    pub stdev_ns: Option<f64>,
}

/// One point of a percentile curve.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CurvePoint {
    /// 0 to 100.
    pub percentile: f64,
    /// So many in 100 samples take at most this long.
    pub ns: u64,
}

/// What an actor did over time; all actors of a run have the same interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Length of each interval, from the beginning of the run.
    pub interval_ns: u64,
    /// Payload bytes acknowledged or received in each interval.
    pub payload_bytes: Vec<u64>,
    /// Messages.
    pub messages: Vec<u64>,
    /// Latency samples that ended in the interval.
    pub samples: Vec<u64>,
    /// Their mean; `None` where there were none.
    pub mean_ns: Vec<Option<u64>>,
    /// Their maximum; `None` where there were none.
    pub max_ns: Vec<Option<u64>>,
}

/// What compression made of the payloads, as the clients counted it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Wire {
    /// Payload bytes that went out.
    pub sent_payload_bytes: u64,
    /// What they became, raw ones included, without the transport's own framing.
    pub sent_wire_bytes: u64,
    /// Payload bytes that came in.
    pub received_payload_bytes: u64,
    /// What they were on the wire.
    pub received_wire_bytes: u64,
    /// Payload bytes / wire bytes in both directions; larger is better.
    pub ratio: Option<f64>,
}

/// Payloads that were sent as they were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptRaw {
    /// `identity`, `below_min_len`, `too_little_saved`, `not_accepted`, `labelled`,
    /// `no_room_for_label`.
    pub reason: String,
    /// How many.
    pub messages: u64,
}

/// Errors of one kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorCount {
    /// `encode_too_long`, `decode_malformed`, ...; or `send`, `receive`, `timeout`, `corrupt`.
    pub kind: String,
    /// How many.
    pub count: u64,
    /// What the first one said.
    pub first: Option<String>,
}

/// CPU time and memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// CPU time of the clients' threads, kernel time included.
    pub client_cpu_ns: Option<u64>,
    /// CPU time of the server, where it is ours.
    pub server_cpu_ns: Option<u64>,
    /// Per 10^9 payload bytes that were acknowledged or received, the larger of the two.
    pub client_cpu_seconds_per_gb: Option<f64>,
    /// The same for the server.
    pub server_cpu_seconds_per_gb: Option<f64>,
    /// Largest resident memory of this process until the end of the run; the server's is in it
    /// where it runs in this process.
    pub client_peak_memory_bytes: Option<u64>,
    /// The same of the server's process, where it is one of ours.
    pub server_peak_memory_bytes: Option<u64>,
}

/// Time in codecs, on the wall clock of the threads that were in them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Codec {
    /// Compressing, clients and our server together.
    pub encode_ns: u64,
    /// Decompressing.
    pub decode_ns: u64,
    /// Of all CPU time in [`Cost`], 0 to 1. On a busy machine it reads too high; `None` where that
    /// makes it more than all.
    pub share: Option<f64>,
}

/// What receivers found when they checked the hash and the number of each message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// Who checked: `consumers`, `server`, or `afterwards`, where nobody received under the clock.
    pub by: String,
    /// Messages that were right.
    pub messages: u64,
    /// Their payload bytes.
    pub payload_bytes: u64,
    /// Messages that were acknowledged and can't be had back, since the transport keeps only so
    /// much.
    pub not_kept: u64,
    /// Messages that were acknowledged and never came.
    pub lost: u64,
    /// Messages that came more than once.
    pub duplicates: u64,
    /// Messages whose bytes were not what was sent.
    pub corrupt: u64,
    /// Messages of other runs, passed over.
    pub strangers: u64,
}
