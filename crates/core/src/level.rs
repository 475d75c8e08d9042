//! How hard to compress: checked for each encoding, never clamped.

use std::fmt;
use std::num::IntErrorKind;
use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::encoding::Encoding;
use crate::error::LevelError;

/// An encoding with a compression level that it has: `zstd:3`, `gzip:1`, `snappy`.
///
/// The textual form is the same on the command line, in reports and here. Without a number it
/// is the encoding's default level.
///
/// ```
/// use thinwire::{Encoding, Level};
///
/// let level = Level::new(Encoding::Zstd, 3)?;
/// assert_eq!(level.to_string(), "zstd:3");
/// assert_eq!("zstd:3".parse::<Level>()?, level);
/// assert_eq!(Level::from(Encoding::Zstd).to_string(), "zstd:1");
/// assert_eq!(
///     Level::new(Encoding::Gzip, 13).unwrap_err().to_string(),
///     "gzip has no level 13: its levels are 1 to 12",
/// );
/// # Ok::<(), thinwire::LevelError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Level {
    encoding: Encoding,
    number: Option<i32>,
}

impl Level {
    /// Checks a level's number against the encoding's range.
    ///
    /// # Errors
    ///
    /// [`LevelError::OutOfRange`] with the range, or [`LevelError::NoLevels`] for Snappy and
    /// identity.
    ///
    /// ```
    /// # use thinwire::{Encoding, Level};
    /// assert_eq!(Level::new(Encoding::Lz4, 9)?.number(), Some(9));
    /// # Ok::<(), thinwire::LevelError>(())
    /// ```
    pub fn new(encoding: Encoding, number: i32) -> Result<Self, LevelError> {
        match Self::range(encoding) {
            None => Err(LevelError::NoLevels { encoding, number }),
            Some(range) if range.contains(&number) => Ok(Self { encoding, number: Some(number) }),
            Some(range) => Err(LevelError::OutOfRange {
                encoding,
                number,
                min: *range.start(),
                max: *range.end(),
            }),
        }
    }

    /// Returns the encoding.
    ///
    /// ```
    /// # use thinwire::{Encoding, Level};
    /// assert_eq!(Level::from(Encoding::Lz4).encoding(), Encoding::Lz4);
    /// ```
    #[must_use]
    pub const fn encoding(self) -> Encoding {
        self.encoding
    }

    /// Returns the number, or `None` for an encoding without levels.
    ///
    /// ```
    /// # use thinwire::{Encoding, Level};
    /// assert_eq!(Level::from(Encoding::Gzip).number(), Some(1));
    /// assert_eq!(Level::from(Encoding::SnappyBlock).number(), None);
    /// ```
    #[must_use]
    pub const fn number(self) -> Option<i32> {
        self.number
    }

    /// Returns the levels that an encoding has, or `None` for one without levels.
    ///
    /// * gzip and deflate: 1 to 12 (libdeflate's; above 9 it searches for the smallest output).
    /// * zstd: −131072 to 22; below 1 it trades ratio for speed, step by step (0 is its own name for 3).
    /// * lz4: −65536 to 12; 2 and above are the slow, dense "HC" levels, which decompress as
    ///   fast; below 1 ratio is traded for speed.
    ///
    /// ```
    /// # use thinwire::{Encoding, Level};
    /// assert_eq!(Level::range(Encoding::Gzip), Some(1..=12));
    /// ```
    #[must_use]
    pub const fn range(encoding: Encoding) -> Option<RangeInclusive<i32>> {
        match encoding {
            Encoding::Identity | Encoding::SnappyFramed | Encoding::SnappyBlock => None,
            Encoding::Gzip | Encoding::Deflate => Some(1..=12),
            Encoding::Zstd => Some(-131_072..=22), // ZSTD_minCLevel(), ZSTD_maxCLevel()
            Encoding::Lz4 => Some(-65_536..=12),   // 1 - LZ4_ACCELERATION_MAX, LZ4HC_CLEVEL_MAX
        }
    }

    /// Returns the length in bytes of a payload that this level compresses in a few milliseconds:
    /// longer ones do not belong on a thread that an async runtime has other tasks for.
    ///
    /// Measured on text of 1 MiB on an AMD EPYC: at most 4 ms for each of the lengths that this
    /// returns, where the whole takes 25 ms at gzip:6, 134 ms at lz4:12 and 530 ms at zstd:19.
    ///
    /// ```
    /// # use thinwire::{Encoding, Level};
    /// assert_eq!(Level::from(Encoding::Gzip).prompt_len(), 1 << 20);
    /// assert_eq!(Level::new(Encoding::Zstd, 19)?.prompt_len(), 8 << 10);
    /// # Ok::<(), thinwire::LevelError>(())
    /// ```
    #[must_use]
    pub const fn prompt_len(self) -> usize {
        let kib = match (self.encoding, self.number) {
            (Encoding::Gzip | Encoding::Deflate, Some(10..)) | (Encoding::Lz4, Some(10..)) => 32,
            (Encoding::Gzip | Encoding::Deflate, Some(7..))
            | (Encoding::Lz4, Some(2..))
            | (Encoding::Zstd, Some(10..=15)) => 64,
            (Encoding::Gzip | Encoding::Deflate, Some(5..)) => 128,
            (Encoding::Zstd, Some(16..)) => 8,
            (Encoding::Zstd, Some(4..)) => 256,
            _ => 1024,
        };
        kib << 10
    }
}

impl From<Encoding> for Level {
    /// The default level: the fastest of the regular ones.
    ///
    /// Messages are compressed while somebody waits, so speed comes first: on remote-write bodies
    /// of 10 KB the next level costs a fifth more time for 1 % of size (zstd 3), twice for 4 %
    /// (gzip 6), or eight times for 12 % (lz4 3). `docs/BENCHMARKS.md` has the table.
    fn from(encoding: Encoding) -> Self {
        let number = match encoding {
            Encoding::Identity | Encoding::SnappyFramed | Encoding::SnappyBlock => None,
            Encoding::Gzip | Encoding::Deflate | Encoding::Zstd | Encoding::Lz4 => Some(1),
        };
        Self { encoding, number }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.number {
            None => f.pad(self.encoding.name()),
            Some(number) => f.pad(&format!("{}:{number}", self.encoding)),
        }
    }
}

impl FromStr for Level {
    type Err = LevelError;

    /// Reads `ENCODING` or `ENCODING:LEVEL`. A number beyond all `i32` counts as the nearest one, which
    /// is out of every range as well.
    fn from_str(text: &str) -> Result<Self, LevelError> {
        let Some((token, number)) = text.split_once(':') else {
            return Ok(text.parse::<Encoding>()?.into());
        };
        let encoding = token.parse::<Encoding>()?;
        let number = match number.parse::<i32>().map_err(|error| *error.kind()) {
            Ok(number) => number,
            Err(IntErrorKind::PosOverflow) => i32::MAX,
            Err(IntErrorKind::NegOverflow) => i32::MIN,
            Err(_) => return Err(LevelError::not_a_number(encoding, number)),
        };
        Self::new(encoding, number)
    }
}
