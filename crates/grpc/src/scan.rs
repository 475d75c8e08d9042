//! Watches a stream without an encoding go by: counts what is sent, and lets nothing in that is
//! flagged or too long.

use std::time::Duration;

use thinwire::{Encoding, RawReason};

use crate::counts::Counts;
use crate::message::PREFIX_LEN;
use crate::status::{CallError, Cause, Side};

/// Where in the stream we are.
#[derive(Debug)]
pub(crate) struct Scan {
    side: Side,
    kind: Kind,
    counts: Counts,
    /// The prefix as far as it has come.
    prefix: [u8; PREFIX_LEN],
    prefix_len: usize,
    /// How long the message is, and how much of it is still to come.
    len: usize,
    rest: usize,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Our own application's, not compressed for this reason.
    Sent(RawReason),
    /// The peer's, with the limit of a message.
    Received { limit: usize },
}

impl Scan {
    pub(crate) const fn sent(side: Side, reason: RawReason, counts: Counts) -> Self {
        Self::new(side, Kind::Sent(reason), counts)
    }

    pub(crate) const fn received(side: Side, limit: usize, counts: Counts) -> Self {
        Self::new(side, Kind::Received { limit }, counts)
    }

    const fn new(side: Side, kind: Kind, counts: Counts) -> Self {
        Self { side, kind, counts, prefix: [0; PREFIX_LEN], prefix_len: 0, len: 0, rest: 0 }
    }

    pub(crate) const fn is_between_messages(&self) -> bool {
        self.prefix_len == 0
    }

    /// Checks a chunk on its way. The error comes with how much of the chunk lies before the message
    /// that is wrong.
    pub(crate) fn check(&mut self, chunk: &[u8]) -> Result<(), (usize, CallError)> {
        let (mut rest, mut good_len) = (chunk, 0);
        while let Some((&byte, after)) = rest.split_first() {
            if self.prefix_len < PREFIX_LEN {
                if let Some(place) = self.prefix.get_mut(self.prefix_len) {
                    *place = byte;
                }
                self.prefix_len += 1;
                rest = after;
                if self.prefix_len == PREFIX_LEN {
                    self.start().map_err(|error| (good_len, error))?;
                }
            } else {
                let passed = self.rest.min(rest.len());
                self.rest -= passed;
                rest = rest.get(passed..).unwrap_or_default();
            }
            if self.prefix_len == PREFIX_LEN && self.rest == 0 {
                (self.prefix_len, self.len) = (0, 0);
                good_len = chunk.len() - rest.len();
            }
        }
        Ok(())
    }

    fn start(&mut self) -> Result<(), CallError> {
        let [flag, len @ ..] = self.prefix;
        let len = usize::try_from(u32::from_be_bytes(len)).unwrap_or(usize::MAX);
        let cause = match (self.kind, flag) {
            (Kind::Received { limit }, 0) if len > limit => Cause::TooLong { wire_len: len, limit },
            (Kind::Received { .. }, 1) => Cause::FlagWithoutEncoding,
            (Kind::Received { .. }, 2..) => Cause::InvalidFlag(flag),
            (kind, _) => {
                (self.len, self.rest) = (len, len);
                if let Kind::Sent(reason) = kind {
                    self.counts.kept_raw(reason);
                }
                self.counts.passed(Encoding::Identity, len, len, Duration::ZERO);
                return Ok(());
            }
        };
        Err(self.counts.failed(CallError::new(self.side, cause)))
    }

    pub(crate) fn end(&self) -> Result<(), CallError> {
        // What is sent as it is, is not ours to judge.
        if self.is_between_messages() || matches!(self.kind, Kind::Sent(_)) {
            return Ok(());
        }
        let received_len = self.prefix_len + self.len - self.rest;
        let cause = Cause::Truncated { received_len };
        Err(self.counts.failed(CallError::new(self.side, cause)))
    }
}
