//! The header that says how a payload is encoded: the names and values of each broker.

mod read;

use thinwire::{Encoding, Level, UnknownEncoding};
use thiserror::Error;

pub(crate) use read::Said;

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
    ContentEncoding { owner: &'static str, applications: Applications },
}

/// What is done with a label that an application made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Applications {
    /// It stays, and the payload as it is.
    PassOn,
    /// It is read as if it were ours.
    Decode,
}

/// Why a label can't be read or written.
///
/// ```
/// use thinwire_stream::{ClientCompressionConfig, DecompressError, Label, LabelError, MessageCodec};
/// # mod mine { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mine.rs")); }
/// # use mine::Mine; // the message of `Message`'s example
///
/// let codec = MessageCodec::new(&ClientCompressionConfig::off(), Label::IGGY)?;
/// let bad = codec.maybe_decompress(Mine::new("hello").header("iggy-compression", "br"));
/// let bad = bad.unwrap_err();
/// let DecompressError::Label(error) = bad.reason() else { panic!("{bad}") };
/// assert!(matches!(error, LabelError::Unknown { name: "iggy-compression", .. }));
/// # Ok::<(), thinwire_stream::ConfigError>(())
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LabelError {
    /// The headers can't be read or written.
    #[error("the headers can't be read or written: {0}")]
    Headers(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// There are several, and they differ.
    #[error("{name} has values that differ")]
    #[non_exhaustive]
    Several {
        /// The header's name.
        name: &'static str,
    },
    /// It names no encoding that is known here.
    #[error("{name} names {:?}, which is no encoding that is known here", unknown.token())]
    #[non_exhaustive]
    Unknown {
        /// The header's name.
        name: &'static str,
        /// What it names.
        #[source]
        unknown: UnknownEncoding,
    },
    /// It names an encoding that this label has no word for.
    #[error("{name} names {encoding}, which is not used there")]
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
    /// `snappy` a block is written and both formats are read; `none` is read as well.
    ///
    /// Payloads of up to 64,000,000 bytes, headers of up to 100,000, as the broker has it.
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
    /// compresses, and `Thinwire: 0` to what it passes on with a label that it did not make: a
    /// consumer leaves those alone. A label without either header was made by a producer in
    /// another language, and is read.
    ///
    /// Payloads of up to 64 MiB, the most that a server can be set to, and headers of up to 65,535
    /// bytes, the most that a stream keeps.
    pub const CONTENT_ENCODING: Self = Self {
        name: "Content-Encoding",
        kind: Kind::ContentEncoding { owner: "Thinwire", applications: Applications::PassOn },
        header_overhead: 4,   // colon, space and the end of the line
        headers_overhead: 12, // the version's line and the empty one
        max_headers_len: 65_535,
        max_payload_len: 64 << 20,
    };

    /// Also decodes what applications labelled themselves: a producer passes it on without a
    /// mark, and a consumer does not ask for one. Nothing changes for [`IGGY`](Self::IGGY), whose
    /// header is never an application's.
    ///
    /// ```
    /// use bytes::Bytes;
    /// use thinwire::{Encoder, Encoding};
    /// use thinwire_stream::{ClientCompressionConfig, Label, MessageCodec};
    /// # mod mine { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mine.rs")); }
    /// # use mine::Mine; // the message of `Message`'s example
    ///
    /// let payload = Bytes::from("an application that compresses by itself ".repeat(20));
    /// let gzip = Encoder::new(Encoding::Gzip)?.encode(payload.clone())?.into_bytes();
    /// let theirs = Mine::new(gzip.clone()).header("Content-Encoding", "gzip");
    ///
    /// let config = ClientCompressionConfig::new(Encoding::Zstd);
    /// let usual = MessageCodec::new(&config, Label::CONTENT_ENCODING)?;
    /// let marked = usual.maybe_compress(&theirs)?.unwrap();
    /// assert_eq!(usual.maybe_decompress(marked.clone()).unwrap().payload, gzip);
    ///
    /// let all = MessageCodec::new(&config, Label::CONTENT_ENCODING.decode_applications())?;
    /// assert_eq!(all.maybe_decompress(marked).unwrap().payload, payload);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn decode_applications(mut self) -> Self {
        if let Kind::ContentEncoding { applications, .. } = &mut self.kind {
            *applications = Applications::Decode;
        }
        self
    }

    /// Returns the header's name.
    ///
    /// ```
    /// # use thinwire_stream::Label;
    /// assert_eq!(Label::CONTENT_ENCODING.name(), "Content-Encoding");
    /// ```
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Returns what the header says of an encoding; `None` if it has no word for it.
    ///
    /// ```
    /// # use {thinwire::Encoding, thinwire_stream::Label};
    /// assert_eq!(Label::IGGY.value(Encoding::Zstd), Some("zstd"));
    /// assert_eq!(Label::IGGY.value(Encoding::Identity), None);
    /// ```
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

    /// Returns how many bytes the label takes at most in a message: if it had no headers before.
    ///
    /// ```
    /// # use {thinwire::Encoding, thinwire_stream::Label};
    /// assert_eq!(Label::IGGY.len(Encoding::Lz4), 29);
    /// assert_eq!(Label::CONTENT_ENCODING.len(Encoding::Lz4), 48);
    /// ```
    #[must_use]
    pub fn len(&self, encoding: Encoding) -> usize {
        self.len_beside(encoding, 0)
    }
}

impl Label {
    /// How many bytes the label adds to headers of so many.
    pub(crate) fn len_beside(&self, encoding: Encoding, headers_len: usize) -> usize {
        let own = self.header_len(self.name, self.value(encoding).unwrap_or_default());
        let owner = match self.kind {
            Kind::Iggy => 0,
            Kind::ContentEncoding { owner, .. } => self.header_len(owner, OURS),
        };
        own + owner + if headers_len == 0 { self.headers_overhead } else { 0 }
    }

    /// Whether headers of so many bytes have room for as many more.
    pub(crate) const fn has_room(&self, headers_len: usize, more: usize) -> bool {
        headers_len.saturating_add(more) <= self.max_headers_len
    }

    const fn header_len(&self, name: &str, value: &str) -> usize {
        name.len() + value.len() + self.header_overhead
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
}

const SNAPPY: &str = Encoding::SnappyFramed.name();

/// A label that a Thinwire producer made.
const OURS: &str = "1";

/// A label that the application made.
const THEIRS: &str = "0";
