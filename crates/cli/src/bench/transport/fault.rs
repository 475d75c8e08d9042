//! Why a transport did not do what it should.

use thiserror::Error;

/// Why a transport did not do what it should.
#[derive(Debug, Clone, Error)]
#[error("{why}")]
pub struct Fault {
    /// `connect`, `send`, `receive`: for counting.
    pub kind: &'static str,
    /// What happened.
    pub why: String,
}

impl Fault {
    /// Says what happened while doing what.
    pub fn new(kind: &'static str, why: impl std::fmt::Display) -> Self {
        Self { kind, why: why.to_string() }
    }
}

/// An error with all that it comes from.
#[cfg(any(feature = "grpc", feature = "nats", feature = "iggy"))]
pub(super) fn whole(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}
