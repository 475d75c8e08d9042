//! What was measured of one encoding.

use serde::{Deserialize, Serialize};

use super::latency::{CurvePoint, Latency};
use super::run::Run;

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
    /// Median over the repeats of `codec.share` of each run.
    pub codec_share: Option<f64>,
    /// What it ran into; `None` where nothing moved.
    #[serde(default)]
    pub bottleneck: Option<Bottleneck>,
}

/// What an encoding ran into, and by which figures.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bottleneck {
    /// `None`: neither the link nor the processors; then it is the server, or waiting.
    pub limit: Option<Limit>,
    /// Wire MB per second in the direction that carries more, as the clients count them: median
    /// over the repeats.
    pub wire_mb_per_second: Option<f64>,
    /// CPU seconds per second of the clients, and of the server where it is ours: median over the
    /// repeats.
    pub cores_used: Option<f64>,
}

/// What has an end that can be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Limit {
    /// The shaped link is full.
    Link,
    /// The processors are busy.
    Processors,
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
