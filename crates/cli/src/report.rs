//! The report of `thinwire advise`: everything that was measured and what follows from it.
//!
//! This is the versioned schema of `--format json` (fields and units: docs/REPORT.md) and all that
//! a renderer gets to see. Units are in the names; MB = 10^6 and GB = 10^9 payload bytes. What was
//! not measured is `None` (`null`), never 0.

use serde::{Deserialize, Serialize};

use crate::advise::Advice;
use crate::warning::Warning;

/// The value of [`Report::schema`].
pub const SCHEMA: &str = "thinwire.advise";

/// Raised when a field changes its meaning or goes away; new fields do not raise it.
pub const SCHEMA_VERSION: u32 = 1;

/// One run of `thinwire advise`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Always [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Where it was measured and with what.
    pub environment: Environment,
    /// What was asked for.
    pub settings: Settings,
    /// What was read and which part of it was measured.
    pub corpus: Corpus,
    /// The encodings and levels that were measured; the first is `identity`, the baseline.
    pub candidates: Vec<Candidate>,
    /// Doubts about the numbers.
    pub warnings: Vec<Warning>,
    /// What follows for the link and the prices in `settings`.
    pub advice: Advice,
}

/// The machine, the versions and the command: without them the numbers mean little.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// Version of Thinwire.
    pub thinwire: String,
    /// The command as it was typed.
    pub command: String,
    /// The CPU's own name, where the system tells it.
    pub cpu: Option<String>,
    /// Cores that this process may use.
    pub cores: Option<usize>,
    /// Operating system, with its release where it is known.
    pub os: String,
    /// Instruction set, such as `x86_64`.
    pub arch: String,
    /// One entry per encoding that is built in and uses a library.
    pub libraries: Vec<Library>,
    /// Cost of one clock reading, measured; already taken off every message's time.
    pub clock_read_ns: u64,
}

/// The library behind an encoding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Library {
    /// Token of the encoding.
    pub encoding: String,
    /// Name and version.
    pub library: String,
}

/// What was asked for: the constraints of the advice and the bounds of the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Speed of the link that the advice is for.
    pub link_bits_per_second: f64,
    /// True when no speed was asked for.
    pub link_is_default: bool,
    /// Price of an hour of one core, in any currency.
    pub cpu_price_per_core_hour: Option<f64>,
    /// Price of 10^9 bytes on the network, in the same currency.
    pub network_price_per_gb: Option<f64>,
    /// What the header or label of a compressed message costs; counted in `encoded_bytes`.
    pub label_bytes: u64,
    /// How files become messages: `auto`, `none`, `lines`, `length-delimited`, `varint`, `u32be`.
    pub split: String,
    /// Most payload bytes that the sample may hold; also the longest message that is measured.
    pub sample_limit_bytes: u64,
    /// Most messages that the sample may hold.
    pub sample_limit_messages: u64,
    /// Time asked for; the run takes longer where three rounds need longer.
    pub time_limit_ns: u64,
}

/// What was read, and the sample that was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Corpus {
    /// The paths that were named.
    pub paths: Vec<String>,
    /// Files that were read.
    pub files: u64,
    /// Files in folders passed over: README*, LICENSE*, hidden, and what is no regular file.
    pub files_skipped: u64,
    /// Messages with at least one byte, whether sampled or not.
    pub messages: u64,
    /// Their payload bytes.
    pub payload_bytes: u64,
    /// Messages without a byte: nothing to compress, not measured.
    pub empty_messages: u64,
    /// Messages over `settings.sample_limit_bytes`: not measured.
    pub too_long_messages: u64,
    /// The messages that were measured.
    pub sample: Sample,
    /// How the sample falls into classes of size; only classes that hold a message.
    pub size_classes: Vec<SizeClass>,
}

/// The messages that were measured: all of the corpus, or a random choice with a fixed seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Messages in the sample.
    pub messages: u64,
    /// Their payload bytes.
    pub payload_bytes: u64,
    /// Messages that differ from all others before them in the sample.
    pub distinct_messages: u64,
    /// Length of the shortest.
    pub min_bytes: u64,
    /// Half of the messages are at most this long.
    pub median_bytes: u64,
    /// Length of the longest.
    pub max_bytes: u64,
    /// Kinds of files, by their name's extension, such as `.json`; `(no extension)` is one too.
    pub groups: Vec<String>,
    /// For each message, in the order of measurement: its length.
    pub message_bytes: Vec<u64>,
    /// For each message: the index of its group in `groups`.
    pub message_group: Vec<usize>,
}

/// A class of message sizes and what of the sample falls into it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeClass {
    /// Smallest length in the class.
    pub min_bytes: u64,
    /// First length beyond the class; `None`: no end.
    pub end_bytes: Option<u64>,
    /// Messages of the sample in this class.
    pub messages: u64,
    /// Their payload bytes.
    pub payload_bytes: u64,
}

/// One encoding at one level, measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Encoding and level as they are written everywhere: `zstd:3`, `snappy`, `identity`.
    pub level: String,
    /// Token of the encoding alone.
    pub encoding: String,
    /// Over the whole sample.
    pub total: Row,
    /// Per class, in the order of [`Corpus::size_classes`].
    pub classes: Vec<Row>,
    /// The measurements that the rows were made from.
    pub samples: Samples,
}

/// Summary of one candidate over some messages.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Messages.
    pub messages: u64,
    /// Their payload bytes.
    pub payload_bytes: u64,
    /// Bytes sent: the shorter of payload and encoded bytes plus label, message by message.
    pub encoded_bytes: u64,
    /// `payload_bytes / encoded_bytes`; larger is better.
    pub ratio: f64,
    /// Messages that compression made smaller, the label counted.
    pub paying_messages: u64,
    /// `paying_messages / messages`, 0 to 1.
    pub paying_share: f64,
    /// From payload to what is sent, trying every message.
    pub encode: Timing,
    /// From what was sent to the payload.
    pub decode: Timing,
    /// Encoding and decoding together; measured over the whole sample only.
    pub cpu_seconds_per_gb: Option<f64>,
}

/// Time that one direction takes, on one thread, with warm reused state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Payload MB per second of the thread's CPU clock, or of the wall clock where there is none;
    /// `None` where the clock could not tell.
    pub mb_per_second: Option<f64>,
    /// Half of the messages take at most this long, each by its own entry in [`Samples`].
    pub p50_ns: u64,
    /// 99 in 100 messages take at most this long; `None` below 100 messages.
    pub p99_ns: Option<u64>,
    /// Seconds of the thread's CPU clock per 10^9 payload bytes; measured over the whole sample only.
    pub cpu_seconds_per_gb: Option<f64>,
    /// Middle half of the rounds' times (third minus first quartile) as percent of their median.
    pub spread_percent: Option<f64>,
}

/// The raw measurements of one candidate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Samples {
    /// Per message, in the order of [`Sample::message_bytes`]: bytes sent, label counted.
    pub encoded_bytes: Vec<u64>,
    /// Per message: its share of the CPU time that a pass takes to encode all.
    pub encode_ns: Vec<u64>,
    /// Per message: its share of the CPU time that a pass takes to decode all.
    pub decode_ns: Vec<u64>,
    /// Round after round.
    pub rounds: Vec<Round>,
}

/// One candidate's turn in one round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// Encoding all messages, several times over if they are few.
    pub encode: Turn,
    /// Decoding them.
    pub decode: Turn,
}

/// One stretch of work under the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// Times that the whole sample was gone through.
    pub passes: u64,
    /// Wall clock, clock readings taken off.
    pub wall_ns: u64,
    /// The thread's CPU clock; `None` where the system has none.
    pub cpu_ns: Option<u64>,
}
