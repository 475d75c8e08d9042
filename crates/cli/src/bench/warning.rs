//! Doubts about the numbers of a run, as data with a text.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// A doubt about the numbers, for the reader to weigh. Its text is its `Display`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Warning {
    /// The messages compress as hardly any traffic does.
    NotLifelike {
        /// The best ratio that an encoding reached.
        ratio: f64,
    },
    /// The header by which messages are verified is much of them.
    MostlyHeader {
        /// Its share of the payload bytes, 0 to 1.
        share: f64,
    },
    /// So few messages that caches learn them by heart.
    FewDistinct {
        /// How many.
        distinct: u64,
    },
    /// The repeats differ.
    Noisy {
        /// The encoding with the widest spread.
        level: String,
        /// Its spread.
        spread_percent: f64,
    },
    /// One run of each encoding says nothing about noise.
    OneRun,
    /// A run took so little time that its beginning and end weigh in.
    Short {
        /// The shortest run.
        elapsed_ns: u64,
    },
    /// The rate that was asked for was not reached, so latency is mostly waiting.
    RateMissed {
        /// The encoding that was the furthest behind.
        level: String,
        /// Payload bytes per second that were sent.
        reached_bytes_per_second: f64,
    },
    /// What the transport keeps ended before what was sent: the first messages were not verified.
    NotAllVerified {
        /// How many.
        messages: u64,
    },
    /// Files that were not read in full and the like.
    Corpus {
        /// What reading them gave.
        text: String,
    },
    /// Clients and server took the processors from each other.
    SharedProcessors,
}

/// Reads those that are known here: later versions may doubt more.
pub(super) fn known<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Warning>, D::Error> {
    let warnings = Vec::<Value>::deserialize(from)?;
    Ok(warnings.into_iter().filter_map(|it| serde_json::from_value(it).ok()).collect())
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLifelike { ratio } if *ratio < 1.2 => write!(
                f,
                "the best ratio is {ratio:.2}: these messages hardly compress, which real ones \
                 seldom do"
            ),
            Self::NotLifelike { ratio } => write!(
                f,
                "the best ratio is {ratio:.1}: these messages compress as hardly any real ones do"
            ),
            Self::MostlyHeader { share } => write!(
                f,
                "{:.0} % of the payload bytes are the header by which each message is verified; \
                 half of it does not compress",
                share * 100.0
            ),
            Self::FewDistinct { distinct } => write!(
                f,
                "{distinct} distinct message(s) are sent in turn: caches and branch predictors \
                 learn so few by heart"
            ),
            Self::Noisy { level, spread_percent } => write!(
                f,
                "noisy: the repeats of {level} spread by {spread_percent:.0} %; close other \
                 programs, or give more --duration and --repeat"
            ),
            Self::OneRun => {
                f.write_str("one run of each encoding: nothing is known about noise; --repeat 3")
            }
            Self::Short { elapsed_ns } => write!(
                f,
                "the shortest run took {:.1} ms: its beginning and end weigh in",
                *elapsed_ns as f64 / 1e6
            ),
            Self::RateMissed { level, reached_bytes_per_second } => write!(
                f,
                "--rate was not reached: {level} sent {:.1} MB/s; its latency is mostly the time \
                 for which batches waited to be sent",
                reached_bytes_per_second / 1e6
            ),
            Self::NotAllVerified { messages } => write!(
                f,
                "{messages} message(s) were acknowledged and not verified, since the transport \
                 keeps only the last ones"
            ),
            Self::Corpus { text } => f.write_str(text),
            Self::SharedProcessors => f.write_str(
                "clients and server share the processors of this machine, and no link is between \
                 them that compression could save: --link shows one",
            ),
        }
    }
}
