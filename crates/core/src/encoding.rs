//! The closed list of content codings and their wire tokens. The only file that spells a token.

use std::fmt;
use std::str::FromStr;

use crate::error::UnknownEncoding;

/// A content coding: an algorithm in one format, under one wire token.
///
/// Variants exist in every build; [`is_available`](Self::is_available) says whether this build
/// can use one.
///
/// ```
/// use thinwire::Encoding;
///
/// assert_eq!(Encoding::SnappyBlock.name(), "snappy-block");
/// assert_eq!("GZIP".parse(), Ok(Encoding::Gzip));
/// assert!("brotli".parse::<Encoding>().is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// `identity`: the payload itself. A value, not an absence.
    Identity,
    /// `gzip`: RFC 1952.
    Gzip,
    /// `deflate`: RFC 1950 (zlib), which is what gRPC and HTTP call deflate.
    Deflate,
    /// `zstd`: RFC 8878.
    Zstd,
    /// `lz4`: the LZ4 frame format.
    Lz4,
    /// `snappy`: the Snappy framing format.
    SnappyFramed,
    /// `snappy-block`: one raw Snappy block, as in Prometheus remote write.
    SnappyBlock,
}

impl Encoding {
    /// Every encoding, in the order in which reports list them.
    pub const ALL: [Self; 7] = [
        Self::Identity,
        Self::Gzip,
        Self::Deflate,
        Self::Zstd,
        Self::Lz4,
        Self::SnappyFramed,
        Self::SnappyBlock,
    ];

    /// Returns the wire token, as in `grpc-encoding` and `Content-Encoding`.
    ///
    /// ```
    /// # use thinwire::Encoding;
    /// assert_eq!(Encoding::SnappyFramed.name(), "snappy");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Zstd => "zstd",
            Self::Lz4 => "lz4",
            Self::SnappyFramed => "snappy",
            Self::SnappyBlock => "snappy-block",
        }
    }

    /// Returns the cargo feature that builds this encoding in, or `None` for identity.
    ///
    /// ```
    /// # use thinwire::Encoding;
    /// assert_eq!(Encoding::Deflate.feature(), Some("gzip"));
    /// ```
    #[must_use]
    pub const fn feature(self) -> Option<&'static str> {
        match self {
            Self::Identity => None,
            Self::Gzip | Self::Deflate => Some("gzip"),
            Self::Zstd => Some("zstd"),
            Self::Lz4 => Some("lz4"),
            Self::SnappyFramed | Self::SnappyBlock => Some("snappy"),
        }
    }

    /// Says whether this build can encode and decode it.
    ///
    /// ```
    /// # use thinwire::Encoding;
    /// assert!(Encoding::Identity.is_available());
    /// ```
    #[must_use]
    pub const fn is_available(self) -> bool {
        match self {
            Self::Identity => true,
            Self::Gzip | Self::Deflate => cfg!(feature = "gzip"),
            Self::Zstd => cfg!(feature = "zstd"),
            Self::Lz4 => cfg!(feature = "lz4"),
            Self::SnappyFramed | Self::SnappyBlock => cfg!(feature = "snappy"),
        }
    }

    /// Returns the name and version of the library behind it, for reports: encoded bytes are the
    /// same only for the same version. `None` for identity and for what is not built in.
    ///
    /// ```
    /// # use thinwire::Encoding;
    /// assert!(Encoding::Zstd.library().unwrap().starts_with("zstd 1."));
    /// ```
    #[must_use]
    pub fn library(self) -> Option<String> {
        crate::codec::library(self)
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Encoding {
    type Err = UnknownEncoding;

    /// Reads a wire token, in any ASCII case, without surrounding white space.
    fn from_str(token: &str) -> Result<Self, UnknownEncoding> {
        Self::ALL
            .into_iter()
            .find(|encoding| encoding.name().eq_ignore_ascii_case(token))
            .ok_or_else(|| UnknownEncoding::new(token))
    }
}
