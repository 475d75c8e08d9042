//! How a producer compresses and what a consumer does with what it can't read: a part of a
//! service's own configuration.

#[cfg(feature = "serde")]
mod file;

use thinwire::{Encoding, Level, Policy};
use thiserror::Error;

/// How a producer compresses, and what a consumer does with a message that it can't read.
///
/// With the feature `serde` it is a part of a service's own file. `algorithm` is an encoding's name
/// or `off`, in any letter case; what else the file does not say has its default, and what is wrong in it is an error
/// that names the field:
///
/// ```json
/// {
///   "algorithm": "zstd",
///   "level": 3,
///   "min_size": 200,
///   "max_payload_size": 1048576,
///   "on_error": "skip"
/// }
/// ```
///
/// In code:
///
/// ```
/// use thinwire::Encoding;
/// use thinwire_stream::{ClientCompressionConfig, OnError};
///
/// let config = ClientCompressionConfig::new(Encoding::Zstd)
///     .level(3)
///     .min_size(200)
///     .max_payload_size(1 << 20)
///     .on_error(OnError::Skip);
/// config.validate()?;
/// # Ok::<(), thinwire_stream::ConfigError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "file::Written", into = "file::Written"))]
pub struct ClientCompressionConfig {
    algorithm: Encoding,
    level: Option<i32>,
    min_size: usize,
    max_payload_size: Option<usize>,
    on_error: OnError,
}

/// What a consumer does with a message that it can't restore: of an unknown encoding, damaged, or
/// too large. In a file in lower case, as `"skip"`.
///
/// Whichever it is, the message is counted by kind and told in a `tracing` event at the level
/// WARN. What its choice means for offsets and acknowledgements, the broker's adapter says.
///
/// ```
/// use thinwire::Encoding;
/// use thinwire_stream::{ClientCompressionConfig, OnError};
///
/// let config = ClientCompressionConfig::new(Encoding::Lz4).on_error(OnError::Stop);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum OnError {
    /// Gives an error with the message in it, and goes on with the next.
    #[default]
    Report,
    /// Gives nothing, and goes on with the next.
    Skip,
    /// Gives an error with the message in it, and ends.
    Stop,
    /// Gives the message as it came, label and all.
    Raw,
}

/// Why a configuration can't be used.
///
/// ```
/// use thinwire::Encoding;
/// use thinwire_stream::ClientCompressionConfig;
///
/// let error = ClientCompressionConfig::new(Encoding::Gzip).level(99).validate().unwrap_err();
/// assert!(error.to_string().starts_with("level: "));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{field}: {problem}")]
pub struct ConfigError {
    field: &'static str,
    problem: String,
}

impl ClientCompressionConfig {
    /// Compresses with this algorithm at its default level; [`Encoding::Identity`] is
    /// [`off`](Self::off). Which algorithms a broker's label has a word for,
    /// [`Label::value`](crate::Label::value) says.
    ///
    /// ```
    /// # use {thinwire::Encoding, thinwire_stream::ClientCompressionConfig};
    /// let config = ClientCompressionConfig::new(Encoding::Lz4);
    /// ```
    #[must_use]
    pub const fn new(algorithm: Encoding) -> Self {
        Self {
            algorithm,
            level: None,
            min_size: Policy::DEFAULT_MIN_LEN,
            max_payload_size: None,
            on_error: OnError::Report,
        }
    }

    /// Sends everything raw, and still reads what is compressed.
    ///
    /// ```
    /// # use {thinwire::Encoding, thinwire_stream::ClientCompressionConfig};
    /// let off = ClientCompressionConfig::off();
    /// assert_eq!(off, ClientCompressionConfig::new(Encoding::Identity));
    /// ```
    #[must_use]
    pub const fn off() -> Self {
        Self::new(Encoding::Identity)
    }

    /// Sets the algorithm's level; [`Level::range`] says which there are.
    ///
    /// ```
    /// # use {thinwire::Encoding, thinwire_stream::ClientCompressionConfig};
    /// let config = ClientCompressionConfig::new(Encoding::Zstd).level(3);
    /// ```
    #[must_use]
    pub const fn level(mut self, level: i32) -> Self {
        self.level = Some(level);
        self
    }

    /// Sets the size in bytes from which on payloads are compressed: one of this size still is, an
    /// empty one never. The default is 256.
    ///
    /// ```
    /// # use {thinwire::Encoding, thinwire_stream::ClientCompressionConfig};
    /// let config = ClientCompressionConfig::new(Encoding::Lz4).min_size(200);
    /// ```
    #[must_use]
    pub const fn min_size(mut self, bytes: usize) -> Self {
        self.min_size = bytes;
        self
    }

    /// Sets the size in bytes that no payload may exceed, as the application sends it and as it
    /// receives it: before compression and after decompression. The default is the most that the
    /// broker takes.
    ///
    /// The broker's own limit counts what it stores: after compression. So a payload above it can
    /// pass if this limit is raised above it, here and at every consumer, and the payload becomes
    /// small enough. A producer with this limit refuses what a consumer with the same would.
    ///
    /// ```
    /// # use {thinwire::Encoding, thinwire_stream::ClientCompressionConfig};
    /// let config = ClientCompressionConfig::new(Encoding::Lz4).max_payload_size(1 << 20);
    /// ```
    #[must_use]
    pub const fn max_payload_size(mut self, bytes: usize) -> Self {
        self.max_payload_size = Some(bytes);
        self
    }

    /// Sets what a consumer does with a message that it can't restore. The default is
    /// [`OnError::Report`].
    ///
    /// ```
    /// # use thinwire_stream::{ClientCompressionConfig, OnError};
    /// let config = ClientCompressionConfig::off().on_error(OnError::Skip);
    /// ```
    #[must_use]
    pub const fn on_error(mut self, on_error: OnError) -> Self {
        self.on_error = on_error;
        self
    }

    /// Checks every field; what is read from a file has been checked.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], which names the field: a level that the algorithm has not, or a
    /// `max_payload_size` of 0.
    ///
    /// ```
    /// # use thinwire_stream::ClientCompressionConfig;
    /// let nothing = ClientCompressionConfig::off().max_payload_size(0);
    /// assert_eq!(nothing.validate().unwrap_err().field(), "max_payload_size");
    /// ```
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.encoder_level()?;
        if self.max_payload_size == Some(0) {
            return Err(ConfigError::new("max_payload_size", "0 bytes leave no payload"));
        }
        Ok(())
    }

    pub(crate) fn encoder_level(&self) -> Result<Level, ConfigError> {
        match (self.algorithm, self.level) {
            (Encoding::Identity, Some(_)) => {
                Err(ConfigError::new("level", "there is none without an algorithm"))
            }
            (algorithm, None) => Ok(Level::from(algorithm)),
            (algorithm, Some(level)) => Level::new(algorithm, level)
                .map_err(|error| ConfigError::new("level", error.to_string())),
        }
    }

    pub(crate) const fn min_len(&self) -> usize {
        self.min_size
    }

    pub(crate) const fn max_payload_len(&self) -> Option<usize> {
        self.max_payload_size
    }

    pub(crate) const fn what_on_error(&self) -> OnError {
        self.on_error
    }
}

impl ConfigError {
    pub(crate) fn new(field: &'static str, problem: impl Into<String>) -> Self {
        Self { field, problem: problem.into() }
    }

    /// Returns the field's name.
    ///
    /// ```
    /// # use {thinwire::Encoding, thinwire_stream::ClientCompressionConfig};
    /// let error = ClientCompressionConfig::new(Encoding::Zstd).level(23).validate().unwrap_err();
    /// assert_eq!(error.field(), "level");
    /// ```
    #[must_use]
    pub const fn field(&self) -> &'static str {
        self.field
    }
}
