//! What is compared, and with what load.

use std::fmt;

use thinwire::Encoding;
use thinwire_nats::ClientCompressionConfig;

/// How messages go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// By the client alone.
    Raw,
    /// By this crate, as it is configured.
    Ours(Encoding),
}

pub(crate) const KINDS: [Kind; 6] = [
    Kind::Raw,
    Kind::Ours(Encoding::Identity),
    Kind::Ours(Encoding::Gzip),
    Kind::Ours(Encoding::Zstd),
    Kind::Ours(Encoding::Lz4),
    Kind::Ours(Encoding::SnappyBlock),
];

impl Kind {
    /// The configuration, for this crate's client.
    pub(crate) fn config(self) -> Option<ClientCompressionConfig> {
        match self {
            Self::Raw => None,
            Self::Ours(encoding) => Some(ClientCompressionConfig::new(encoding)),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Raw => f.write_str("raw"),
            Self::Ours(Encoding::Identity) => f.write_str("off"),
            Self::Ours(encoding) => write!(f, "{encoding}"),
        }
    }
}

/// A load.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) message_len: usize,
    /// How many wait for the server's word at a time.
    pub(crate) in_flight: usize,
    /// How many are sent in a round.
    pub(crate) count: usize,
}

pub(crate) const SHAPES: [Shape; 6] = [
    shape(400, 64, 30_000),
    shape(400, 1, 4_000),
    shape(4_000, 64, 15_000),
    shape(4_000, 1, 3_000),
    shape(65_536, 64, 1_600),
    shape(65_536, 1, 600),
];

const fn shape(message_len: usize, in_flight: usize, count: usize) -> Shape {
    Shape { message_len, in_flight, count }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let len = match self.message_len {
            65_536 => "64 KB".to_owned(),
            len if len < 1000 => format!("{len} B"),
            len => format!("{},{:03} B", len / 1000, len % 1000),
        };
        write!(f, "{len}, {} in flight", self.in_flight)
    }
}
