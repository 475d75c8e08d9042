//! What one run came to, before arithmetic.

use super::counts::Counts;
use super::ending::Ended;
use super::ledger::Found;
use super::record::Record;
use super::usage::Machine;

/// One run: one encoding, once.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// How it ended.
    pub ended: Ended,
    /// The records of all actors that came to an end.
    pub records: Vec<Record>,
    /// What the clients counted.
    pub client: Counts,
    /// What our server counted.
    pub server: Counts,
    /// CPU time of the clients.
    pub client_cpu_ns: Option<u64>,
    /// CPU time of the server.
    pub server_cpu_ns: Option<u64>,
    /// What the processors of this machine did meanwhile; `None` where not all of what clients and
    /// server used of it is known.
    pub machine: Option<Machine>,
    /// Largest resident memory of this process.
    pub client_peak_memory_bytes: Option<u64>,
    /// Largest resident memory of the server's.
    pub server_peak_memory_bytes: Option<u64>,
    /// Who checked the messages.
    pub verified_by: Verifier,
    /// What was found.
    pub found: Found,
    /// Messages that were acknowledged and have not come.
    pub lost: u64,
    /// Messages that the transport does not keep.
    pub not_kept: u64,
    /// What went wrong with actors, by kind.
    pub faults: Vec<(&'static str, String)>,
}

impl Outcome {
    /// Says whether anybody got as far as to send or receive.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        !self.records.is_empty()
    }

    /// The outcome of a run in which nothing was measured.
    #[must_use]
    pub fn nothing(ended: Ended) -> Self {
        Self {
            ended,
            records: Vec::new(),
            client: Counts::default(),
            server: Counts::default(),
            client_cpu_ns: None,
            server_cpu_ns: None,
            machine: None,
            client_peak_memory_bytes: None,
            server_peak_memory_bytes: None,
            verified_by: Verifier::Consumers,
            found: Found::default(),
            lost: 0,
            not_kept: 0,
            faults: Vec::new(),
        }
    }
}

/// Who checks the messages of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verifier {
    /// Consumers or pairs, under the clock.
    Consumers,
    /// The server, under the clock.
    Server,
    /// Consumers that read what is kept after the run.
    Afterwards,
    /// The run ended before anybody could.
    Nobody,
}

impl Verifier {
    /// The name in the report.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Consumers => "consumers",
            Self::Server => "server",
            Self::Afterwards => "afterwards",
            Self::Nobody => "nobody",
        }
    }
}
