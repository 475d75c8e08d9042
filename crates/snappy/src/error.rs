//! Why bytes are not decompressed, or not compressed.

use std::fmt;

/// Why there is no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Error {
    /// The block does not begin with a length of at most 32 bits.
    NoLength,
    /// The payload is longer than the limit: the caller's, or the format's 4 294 967 295 bytes.
    #[non_exhaustive]
    TooLong {
        /// How long it is, as the block says or as it was given.
        stated: usize,
        /// How long it may be.
        limit: usize,
    },
    /// The block states more bytes than one so short can hold.
    #[non_exhaustive]
    Overstated {
        /// How many it states.
        stated: usize,
    },
    /// The block is cut short, damaged, or not as long as it states.
    Damaged,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLength => f.write_str("no length where the block begins"),
            Self::TooLong { stated, limit } => {
                write!(f, "{stated} bytes of payload exceed the limit of {limit} bytes")
            }
            Self::Overstated { stated } => {
                write!(f, "the block states {stated} bytes, more than one so short can hold")
            }
            Self::Damaged => {
                f.write_str("the block is cut short, damaged, or not as long as stated")
            }
        }
    }
}

impl std::error::Error for Error {}
