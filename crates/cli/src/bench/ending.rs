//! How a run ended.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a run ended. Its text is its `Display`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Ended {
    /// As planned: by count, bytes or time, and everything came.
    AsPlanned,
    /// By the user.
    Interrupted,
    /// Nothing came for as long as the idle limit.
    Idle {
        /// Which actor waited.
        actor: String,
        /// For how long.
        idle_ns: u64,
        /// Messages that were acknowledged and had not come.
        missing: u64,
    },
    /// An actor failed.
    Failed {
        /// Which.
        actor: String,
        /// What it was told.
        why: String,
    },
    /// The server that was started for the run is gone.
    ServerGone {
        /// What is known of its end.
        why: String,
    },
    /// A message came that is not what was sent.
    Corrupt {
        /// Which actor found it.
        actor: String,
        /// What was wrong with it.
        why: String,
    },
    /// The run came to its end, but messages are missing.
    Lost {
        /// How many.
        messages: u64,
    },
}

impl Ended {
    /// Says whether the run did all that it was to do.
    #[must_use]
    pub fn is_as_planned(&self) -> bool {
        *self == Self::AsPlanned
    }

    /// Returns the exit code of the command.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::AsPlanned => 0,
            Self::Interrupted => 130,
            Self::Idle { .. }
            | Self::Failed { .. }
            | Self::ServerGone { .. }
            | Self::Corrupt { .. }
            | Self::Lost { .. } => 1,
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsPlanned => f.write_str("as planned"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Idle { actor, idle_ns, missing } => {
                write!(f, "{actor} waited {} ms for nothing (--idle-limit)", idle_ns / 1_000_000)?;
                match missing {
                    0 => Ok(()),
                    missing => write!(f, "; {missing} message(s) are missing"),
                }
            }
            Self::Failed { actor, why } => write!(f, "{actor} failed: {why}"),
            Self::ServerGone { why } => write!(f, "the server is gone: {why}"),
            Self::Corrupt { actor, why } => write!(f, "{actor} got a corrupt message: {why}"),
            Self::Lost { messages } => write!(f, "{messages} message(s) were lost"),
        }
    }
}
