//! Doubts about the numbers of a run, as data with a text.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::unit;

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
        /// The encodings whose repeats do.
        encodings: Vec<Spread>,
    },
    /// Other programs kept the processors busy.
    Busy {
        /// Of the time of all processors, what they used in the run in which it was the most, 0 to
        /// 1.
        others_share: f64,
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
        /// The encodings that did not reach it.
        encodings: Vec<Reached>,
    },
    /// More was sent per second than was asked for, since few batches fit into a run.
    RateExceeded {
        /// The encodings that did so.
        encodings: Vec<Reached>,
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

/// How far the repeats of an encoding differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Which encoding.
    pub level: String,
    /// Its widest spread.
    pub spread_percent: f64,
}

/// How much an encoding sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reached {
    /// Which encoding.
    pub level: String,
    /// Payload bytes per second that were sent.
    pub reached_bytes_per_second: f64,
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
                "{:.1} % of the payload bytes are the header by which each message is verified; \
                 half of it does not compress: ratios are lower than `advise` gives for the same \
                 messages",
                share * 100.0
            ),
            Self::FewDistinct { distinct } => write!(
                f,
                "{distinct} distinct message(s) are sent in turn: caches and branch predictors \
                 learn so few by heart"
            ),
            Self::Noisy { encodings } => noisy(f, encodings),
            Self::Busy { others_share } => write!(
                f,
                "a busy machine: other programs used up to {:.0} % of its processors during a run; \
                 close them and measure again",
                others_share * 100.0
            ),
            Self::OneRun => {
                f.write_str("one run of each encoding: nothing is known about noise; --repeat 3")
            }
            Self::Short { elapsed_ns } => write!(
                f,
                "the shortest run took {:.1} ms: its beginning and end weigh in",
                *elapsed_ns as f64 / 1e6
            ),
            Self::RateMissed { encodings } => rate_missed(f, encodings),
            Self::RateExceeded { encodings } => rate_exceeded(f, encodings),
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

fn noisy(f: &mut fmt::Formatter<'_>, encodings: &[Spread]) -> fmt::Result {
    let one = |it: &Spread| format!("{} by {:.0} %", it.level, it.spread_percent);
    write!(
        f,
        "noisy: the repeats spread, those of {}; close other programs, or give more --duration and \
         --repeat",
        listed(encodings, one)
    )
}

fn rate_missed(f: &mut fmt::Formatter<'_>, encodings: &[Reached]) -> fmt::Result {
    write!(
        f,
        "--rate was not reached: {}; such latency is mostly the time for which batches waited to be \
         sent",
        listed(encodings, sent)
    )
}

fn rate_exceeded(f: &mut fmt::Formatter<'_>, encodings: &[Reached]) -> fmt::Result {
    write!(
        f,
        "--rate was exceeded: {}; a run counts to its last acknowledgement, and few batches fit \
         into it: give more --duration, or fewer --messages-per-batch",
        listed(encodings, sent)
    )
}

fn sent(it: &Reached) -> String {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "shown")]
    let bytes = unit::bytes(it.reached_bytes_per_second as u64);
    format!("{} sent {bytes}/s", it.level)
}

fn listed<T>(items: &[T], one: impl Fn(&T) -> String) -> String {
    items.iter().map(one).collect::<Vec<_>>().join(", ")
}
