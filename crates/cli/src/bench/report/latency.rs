//! Histograms in figures.

use serde::{Deserialize, Serialize};

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
