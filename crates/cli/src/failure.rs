//! Why a command failed, and with which exit code.

use std::fmt::Display;
use std::io;

use thiserror::Error;

/// The reason for an exit code other than 0. Usage errors of the parser exit with 2 as well.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Failure {
    /// The input is bad, or could not be read, or the output not written: exit code 1.
    #[error("{0}")]
    Input(String),
    /// The command does not make sense: exit code 2.
    #[error("{0}")]
    Usage(String),
    /// Ended by the user before there was anything to report: exit code 130.
    #[error("interrupted before anything was measured")]
    Interrupted,
    /// Standard output could not be written: exit code 1, or 0 if the reader has left.
    #[error("standard output: {0}")]
    Stdout(#[source] io::Error),
}

impl Failure {
    /// The input is bad: says which and why.
    pub fn input(what: impl Display, why: impl Display) -> Self {
        Self::Input(format!("{what}: {why}"))
    }

    /// Returns the exit code.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Stdout(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
            Self::Input(_) | Self::Stdout(_) => 1,
            Self::Usage(_) => 2,
            Self::Interrupted => 130,
        }
    }
}
