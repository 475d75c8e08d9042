//! One variant for each reaction of a caller. Messages name sizes, the limit and the setting;
//! they never hold payload bytes.

use thiserror::Error;

use crate::encoding::Encoding;

/// Why encoded bytes gave no payload. Nothing of it was delivered.
///
/// ```
/// use thinwire::{DecodeError, Decoder, Encoding};
///
/// let claims_4_gib = [0xff, 0xff, 0xff, 0xff, 0x0f, 0x00];
/// let error = Decoder::new(1 << 20)
///     .decode_into(Encoding::SnappyBlock, &claims_4_gib, &mut Vec::new())
///     .unwrap_err();
/// assert!(matches!(error, DecodeError::TooLong { limit: 0x10_0000, .. }));
/// assert_eq!(
///     error.to_string(),
///     "payload of at least 4294967295 bytes exceeds the limit of 1048576 bytes \
///      (max_payload_len); it came as 6 bytes of snappy-block",
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The payload is longer than the limit: drop the message, or raise the limit.
    #[error(
        "payload of at least {at_least} bytes exceeds the limit of {limit} bytes \
         (max_payload_len); it came as {encoded_len} bytes of {encoding}"
    )]
    #[non_exhaustive]
    TooLong {
        /// The encoding that the bytes were said to be in.
        encoding: Encoding,
        /// How many encoded bytes there were.
        encoded_len: usize,
        /// How long the payload is at least, as declared or as decoded before stopping, in bytes.
        at_least: u64,
        /// The limit that the decoder was made with, in bytes.
        limit: usize,
    },
    /// The bytes are not one whole payload in that encoding: drop the message.
    #[error(
        "malformed {encoding}: {detail}{}; {encoded_len} bytes came, {decoded_len} were decoded \
         before, the limit is {limit} bytes (max_payload_len)",
        Hint(*.looks_like)
    )]
    #[non_exhaustive]
    Malformed {
        /// The encoding that the bytes were said to be in.
        encoding: Encoding,
        /// How many encoded bytes there were.
        encoded_len: usize,
        /// How many bytes were decoded before the fault: those of the members, frames or chunks
        /// before it.
        decoded_len: usize,
        /// The limit that the decoder was made with, in bytes.
        limit: usize,
        /// What is wrong with them.
        detail: &'static str,
        /// What they look like instead, if they begin like something else.
        looks_like: Option<&'static str>,
    },
    /// This decoder can't read that encoding, or not with that dictionary: renegotiate.
    #[error("unsupported {encoding}: {reason}; {encoded_len} bytes came")]
    #[non_exhaustive]
    Unsupported {
        /// The encoding that the bytes were said to be in.
        encoding: Encoding,
        /// How many encoded bytes there were.
        encoded_len: usize,
        /// What is missing.
        reason: Unsupported,
    },
}

/// What a decoder lacks.
///
/// ```
/// use thinwire::{DecodeError, Decoder, Encoding, Unsupported};
///
/// let error = Decoder::new(1024)
///     .accept([Encoding::Zstd])
///     .decode_into(Encoding::Gzip, b"\x1f\x8b", &mut Vec::new())
///     .unwrap_err();
/// assert!(matches!(error, DecodeError::Unsupported { reason: Unsupported::NotAccepted, .. }));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Error)]
#[non_exhaustive]
pub enum Unsupported {
    /// The build lacks the encoding.
    #[error("not built in (cargo feature `{feature}`)")]
    #[non_exhaustive]
    NotBuiltIn {
        /// The cargo feature that builds it in.
        feature: &'static str,
    },
    /// The decoder was told not to accept it.
    #[error("not among the encodings that this decoder accepts (accept)")]
    NotAccepted,
    /// It was compressed with a dictionary that the decoder does not have.
    #[error("needs the dictionary with id {id}")]
    #[non_exhaustive]
    Dictionary {
        /// The dictionary's id, as the bytes name it; for zlib its Adler-32.
        id: u32,
    },
}

/// Why a payload could not be encoded. It is as it was, and can be sent raw.
///
/// ```
/// use thinwire::{EncodeError, Encoder, Encoding};
///
/// match Encoder::new(Encoding::Zstd) {
///     Ok(encoder) => drop(encoder),
///     Err(EncodeError::NotBuiltIn { feature, .. }) => panic!("turn on the feature {feature}"),
///     Err(error) => panic!("{error}"),
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The build lacks the encoding.
    #[error("{encoding} is not built in (cargo feature `{feature}`)")]
    #[non_exhaustive]
    NotBuiltIn {
        /// The encoding that was asked for.
        encoding: Encoding,
        /// The cargo feature that builds it in.
        feature: &'static str,
    },
    /// The format has no room for so long a payload: send it raw, or in another encoding.
    #[error("payload of {payload_len} bytes exceeds what {encoding} can hold ({limit} bytes)")]
    #[non_exhaustive]
    TooLong {
        /// The encoder's encoding.
        encoding: Encoding,
        /// How long the payload is, in bytes.
        payload_len: usize,
        /// The format's own limit, in bytes.
        limit: usize,
    },
    /// The library gave up, which it does only for want of memory.
    #[error("{encoding} could not compress {payload_len} bytes: {detail}")]
    #[non_exhaustive]
    Failed {
        /// The encoder's encoding.
        encoding: Encoding,
        /// How long the payload is, in bytes; 0 while the encoder was being made.
        payload_len: usize,
        /// What the library said.
        detail: &'static str,
    },
}

/// A token that names no encoding.
///
/// ```
/// use thinwire::Encoding;
///
/// let error = "br".parse::<Encoding>().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "unknown encoding \"br\"; known are identity, gzip, deflate, zstd, lz4, snappy, snappy-block",
/// );
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown encoding {token:?}; known are {}", known())]
pub struct UnknownEncoding {
    token: String,
}

impl UnknownEncoding {
    /// Keeps the start of the token: it may come from the wire.
    pub(crate) fn new(token: &str) -> Self {
        Self { token: token.chars().take(MAX_TOKEN_CHARS).collect() }
    }

    /// Returns the token, cut to its first 64 characters.
    ///
    /// ```
    /// # use thinwire::Encoding;
    /// assert_eq!("br".parse::<Encoding>().unwrap_err().token(), "br");
    /// ```
    #[must_use]
    pub fn token(&self) -> &str {
        &self.token
    }
}

/// Why there is no such level.
///
/// ```
/// use thinwire::{Level, LevelError};
///
/// assert!(matches!("zstd:23".parse::<Level>(), Err(LevelError::OutOfRange { max: 22, .. })));
/// assert!(matches!("snappy:1".parse::<Level>(), Err(LevelError::NoLevels { .. })));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LevelError {
    /// The encoding has levels, but not this one.
    #[error("{encoding} has no level {number}: its levels are {min} to {max}")]
    #[non_exhaustive]
    OutOfRange {
        /// The encoding.
        encoding: Encoding,
        /// The level that was asked for.
        number: i32,
        /// The lowest level.
        min: i32,
        /// The highest level.
        max: i32,
    },
    /// The encoding has no levels at all.
    #[error("{encoding} has no levels, so none can be {number}; write \"{encoding}\" alone")]
    #[non_exhaustive]
    NoLevels {
        /// The encoding.
        encoding: Encoding,
        /// The level that was asked for.
        number: i32,
    },
    /// What stands after the colon is not a whole number.
    #[error("{text:?} is not a level of {encoding}; write it as in \"zstd:3\"")]
    #[non_exhaustive]
    NotANumber {
        /// The encoding.
        encoding: Encoding,
        /// What stands there, cut to its first 64 characters.
        text: String,
    },
    /// What stands before the colon names no encoding.
    #[error(transparent)]
    UnknownEncoding(#[from] UnknownEncoding),
}

impl LevelError {
    pub(crate) fn not_a_number(encoding: Encoding, text: &str) -> Self {
        Self::NotANumber { encoding, text: text.chars().take(MAX_TOKEN_CHARS).collect() }
    }
}

fn known() -> String {
    Encoding::ALL.map(Encoding::name).join(", ")
}

struct Hint(Option<&'static str>);

impl std::fmt::Display for Hint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            None => Ok(()),
            Some(format) => write!(f, " (it looks like {format})"),
        }
    }
}

const MAX_TOKEN_CHARS: usize = 64;
