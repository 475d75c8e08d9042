//! The header that says how a payload is encoded: the names and values of each broker.

use bytes::Bytes;
use thinwire::{Encoding, Level, UnknownEncoding};
use thiserror::Error;

use crate::message::Message;

/// How a broker's messages say that their payload is compressed.
///
/// ```
/// use thinwire::Encoding;
/// use thinwire_stream::Label;
///
/// assert_eq!(Label::IGGY.name(), "iggy-compression");
/// assert_eq!(Label::IGGY.value(Encoding::SnappyBlock), Some("snappy"));
/// assert_eq!(Label::IGGY.value(Encoding::Deflate), None);
/// assert_eq!(Label::CONTENT_ENCODING.value(Encoding::SnappyBlock), Some("snappy-block"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    name: &'static str,
    kind: Kind,
    /// What a header takes beside its name and value.
    header_overhead: usize,
    /// What the first header of a message takes beside that.
    headers_overhead: usize,
    max_headers_len: usize,
    max_payload_len: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Four values, of which `snappy` stands for both formats.
    Iggy,
    /// HTTP's content codings as far as Thinwire has them, in any letter case. Applications use
    /// the same header, so a second one says whose it is.
    ContentEncoding { owner: &'static str },
}

/// Why a label can't be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LabelError {
    /// The headers can't be read.
    #[error("the headers can't be read: {0}")]
    Headers(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// There are two, and they differ.
    #[error("{name} has two values")]
    #[non_exhaustive]
    Several {
        /// The header's name.
        name: &'static str,
    },
    /// It names no encoding that is known here.
    #[error("{name}: {unknown}")]
    #[non_exhaustive]
    Unknown {
        /// The header's name.
        name: &'static str,
        /// What it names.
        #[source]
        unknown: UnknownEncoding,
    },
    /// It names an encoding that this label has no word for.
    #[error("{name} names {encoding}, which it does not have")]
    #[non_exhaustive]
    NotHere {
        /// The header's name.
        name: &'static str,
        /// What it names.
        encoding: Encoding,
    },
}

impl Label {
    /// Iggy's: the user header `iggy-compression` with `gzip`, `zstd`, `lz4` or `snappy`. Under
    /// `snappy` a block is written and both formats are read.
    pub const IGGY: Self = Self {
        name: "iggy-compression",
        kind: Kind::Iggy,
        header_overhead: 10, // two kinds and two lengths
        headers_overhead: 0,
        max_headers_len: 100_000,
        max_payload_len: 64_000_000,
    };

    /// The header `Content-Encoding`, as on NATS.
    ///
    /// Applications may have set it themselves, so a producer adds `Thinwire: 1` to what it
    /// compresses, and `Thinwire: 0` to what it passes on with a label that it did not make.
    pub const CONTENT_ENCODING: Self = Self {
        name: "Content-Encoding",
        kind: Kind::ContentEncoding { owner: "Thinwire" },
        header_overhead: 4,   // colon, space and the end of the line
        headers_overhead: 12, // the version's line and the empty one
        max_headers_len: 64 << 10,
        max_payload_len: 64 << 20,
    };

    /// Returns the header's name.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns what the header says of an encoding; `None` if it has no word for it.
    #[must_use]
    pub const fn value(&self, encoding: Encoding) -> Option<&'static str> {
        match (self.kind, encoding) {
            (_, Encoding::Identity) | (Kind::Iggy, Encoding::Deflate | Encoding::SnappyFramed) => {
                None
            }
            (Kind::Iggy, Encoding::SnappyBlock) => Some(SNAPPY),
            (Kind::Iggy | Kind::ContentEncoding { .. }, encoding) => Some(encoding.name()),
        }
    }

    /// Returns how many bytes the label takes at most in a message.
    #[must_use]
    pub fn len(&self, encoding: Encoding) -> usize {
        let header = |name: &str, value: &str| name.len() + value.len() + self.header_overhead;
        let own = header(self.name, self.value(encoding).unwrap_or_default());
        let owner = match self.kind {
            Kind::Iggy => 0,
            Kind::ContentEncoding { owner } => header(owner, OURS),
        };
        own + owner + self.headers_overhead
    }
}

/// What a message says of its payload.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// Nothing.
    Nothing,
    /// That it is in this encoding.
    Encoded(Encoding),
    /// Something that is the application's and not for us.
    Foreign,
}

impl Label {
    pub(crate) const fn max_headers_len(&self) -> usize {
        self.max_headers_len
    }

    /// What the broker itself takes at most.
    pub(crate) const fn max_payload_len(&self) -> usize {
        self.max_payload_len
    }

    /// The level that is written for one that was asked for.
    pub(crate) fn level(&self, level: Level) -> Level {
        match (self.kind, level.encoding()) {
            (Kind::Iggy, Encoding::SnappyFramed) => Level::from(Encoding::SnappyBlock),
            _ => level,
        }
    }

    /// Says whether a message bears a label, right or wrong.
    pub(crate) fn is_on<M: Message>(&self, message: &M) -> Result<bool, LabelError> {
        Ok(!get(message, self.name)?.is_empty())
    }

    /// Reads what a message says.
    pub(crate) fn read<M: Message>(&self, message: &M) -> Result<Said, LabelError> {
        let values = get(message, self.name)?;
        let Some((first, others)) = values.split_first() else { return Ok(Said::Nothing) };
        if self.owner(message)? == Some(THEIRS) {
            return Ok(Said::Foreign);
        }
        if others.iter().any(|other| !other.eq_ignore_ascii_case(first)) {
            return Err(LabelError::Several { name: self.name });
        }
        let text = String::from_utf8_lossy(first);
        let unknown = |unknown| LabelError::Unknown { name: self.name, unknown };
        let encoding: Encoding = text.trim().parse().map_err(unknown)?;
        match (self.kind, encoding) {
            (Kind::ContentEncoding { .. }, encoding) => Ok(Said::Encoded(encoding)),
            (Kind::Iggy, Encoding::SnappyFramed) => {
                Ok(Said::Encoded(snappy_format(message.payload())))
            }
            (Kind::Iggy, encoding) if self.value(encoding).is_some() => Ok(Said::Encoded(encoding)),
            (Kind::Iggy, _) => Err(LabelError::NotHere { name: self.name, encoding }),
        }
    }

    /// Puts the label on a message that was compressed.
    pub(crate) fn put_on<M: Message>(
        &self,
        message: &mut M,
        value: &str,
    ) -> Result<(), LabelError> {
        message.set(self.name, value).map_err(headers)?;
        match self.kind {
            Kind::Iggy => Ok(()),
            Kind::ContentEncoding { owner } => message.set(owner, OURS).map_err(headers),
        }
    }

    /// Takes the label off a message that was decompressed.
    pub(crate) fn take_off<M: Message>(&self, message: &mut M) -> Result<(), LabelError> {
        message.remove(self.name).map_err(headers)?;
        match self.kind {
            Kind::Iggy => Ok(()),
            Kind::ContentEncoding { owner } => message.remove(owner).map_err(headers),
        }
    }

    /// Says on a message that its label is the application's, if that has to be said.
    pub(crate) fn disown<M: Message>(&self, message: &M) -> Result<Option<M>, LabelError> {
        let Kind::ContentEncoding { owner } = self.kind else { return Ok(None) };
        if self.owner(message)?.is_some() {
            return Ok(None);
        }
        let mut marked = message.with_payload(message.payload().clone());
        marked.set(owner, THEIRS).map_err(headers)?;
        Ok(Some(marked))
    }

    fn owner<M: Message>(&self, message: &M) -> Result<Option<&'static str>, LabelError> {
        let Kind::ContentEncoding { owner } = self.kind else { return Ok(None) };
        let values = get(message, owner)?;
        let known = [OURS, THEIRS];
        Ok(known.into_iter().find(|known| values.iter().any(|it| *it == known.as_bytes())))
    }
}

fn get<M: Message>(message: &M, name: &str) -> Result<Vec<Bytes>, LabelError> {
    message.get(name).map_err(headers)
}

fn headers(error: impl std::error::Error + Send + Sync + 'static) -> LabelError {
    LabelError::Headers(Box::new(error))
}

/// A frame begins with an identifier that no block can begin with: as a block it would copy from
/// before its own start.
fn snappy_format(payload: &[u8]) -> Encoding {
    if payload.starts_with(b"\xff\x06\x00\x00sNaPpY") {
        Encoding::SnappyFramed
    } else {
        Encoding::SnappyBlock
    }
}

const SNAPPY: &str = Encoding::SnappyFramed.name();

/// A label that a Thinwire producer made.
const OURS: &str = "1";

/// A label that the application made.
const THEIRS: &str = "0";
