//! What was measured in one run.

use serde::{Deserialize, Serialize};

use super::latency::{CurvePoint, Latency};
use crate::bench::ending::Ended;

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
    /// Largest resident memory of this process during the run: with what earlier runs left in it,
    /// all messages, and the server where it runs in this process. So it tells whether a machine
    /// has enough, and nothing about an encoding.
    pub client_peak_memory_bytes: Option<u64>,
    /// The same of the server's process, where it is one of ours.
    pub server_peak_memory_bytes: Option<u64>,
    /// Of the time of all processors of this machine, what other programs used, 0 to 1; `None`
    /// where the system does not tell, in runs too short for that, and where it is not known what
    /// of it the server used.
    #[serde(default)]
    pub others_share: Option<f64>,
}

/// Time in codecs, on the wall clock of the threads that were in them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Codec {
    /// Compressing, clients and our server together.
    pub encode_ns: u64,
    /// Decompressing.
    pub decode_ns: u64,
    /// What the clients spent in codecs of the time that their actors had, each from the beginning
    /// of the run to its end; 0 to 1. Both are times of the wall clock.
    pub share: Option<f64>,
}

/// What receivers found when they checked the hash and the number of each message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// Who checked: `consumers`, `server`, `afterwards`, where nobody received under the clock, or
    /// `nobody`: the run ended before anybody could.
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
