//! Doubts about the numbers, as data with a text.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A doubt about the numbers, for the reader to weigh. Its text is its `Display`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Warning {
    /// Files or folders that could not be read, or whose framing broke off.
    Unreadable {
        /// How many.
        count: u64,
        /// What happened to the first of them.
        first: String,
    },
    /// Links that lead back to a folder above them.
    LinkLoop {
        /// How many.
        count: u64,
    },
    /// Messages longer than the sample may hold.
    TooLong {
        /// How many.
        count: u64,
        /// The limit that they exceed.
        limit_bytes: u64,
    },
    /// There is nothing to compare.
    OneMessage,
    /// Every message is the same: caches and branch predictors learn it by heart.
    AllIdentical,
    /// So little that a CPU learns it by heart.
    SmallSample {
        /// Distinct messages.
        distinct_messages: u64,
        /// Payload bytes.
        payload_bytes: u64,
    },
    /// The machine was busy or changed its clock speed.
    Noisy {
        /// The candidate with the widest spread.
        level: String,
        /// Its spread.
        spread_percent: f64,
    },
    /// Other programs used the same cores.
    Busy {
        /// Wall time of the measurement, as a multiple of its CPU time.
        wall_per_cpu: f64,
    },
    /// The time was enough for few rounds only.
    FewRounds {
        /// How many.
        rounds: u64,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { count: 1, first } => write!(f, "not read in full: {first}"),
            Self::Unreadable { count, first } => {
                write!(f, "{count} files or folders not read in full; the first: {first}")
            }
            Self::LinkLoop { count } => {
                write!(f, "{count} symbolic link(s) to a folder above were not followed")
            }
            Self::TooLong { count, limit_bytes } => write!(
                f,
                "{count} message(s) longer than {limit_bytes} bytes left out; \
                 --sample-size raises the limit"
            ),
            Self::OneMessage => f.write_str(
                "one message only: its neighbours may compress quite differently, and repeated \
                 measurement of one message reads too fast",
            ),
            Self::AllIdentical => f.write_str(
                "all messages are identical: real traffic varies, so expect lower speed and \
                 another ratio",
            ),
            Self::SmallSample { distinct_messages, payload_bytes } => write!(
                f,
                "a small sample ({distinct_messages} distinct messages, {payload_bytes} bytes): \
                 the CPU learns it by heart, so speeds read too fast"
            ),
            Self::Noisy { level, spread_percent } => write!(
                f,
                "noisy: the rounds of {level} spread by {spread_percent:.0} %; close other \
                 programs or give more --time"
            ),
            Self::Busy { wall_per_cpu } => write!(
                f,
                "a busy machine: measuring took {wall_per_cpu:.1} times its CPU time; all figures \
                 count CPU time, but other programs were in the caches as well"
            ),
            Self::FewRounds { rounds } => {
                write!(f, "only {rounds} rounds fitted into --time")
            }
        }
    }
}
