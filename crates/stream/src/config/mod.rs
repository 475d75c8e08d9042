//! How a producer compresses and what a consumer does with what it can't read: a part of a
//! service's own configuration.

use thinwire::{Encoding, Level};
use thiserror::Error;

/// How a producer compresses, and what a consumer does with a message that it can't read.
///
/// With the feature `serde` it is read from a file; what it does not say has its default.
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
/// too large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum OnError {
    /// Gives an error with the message in it, and goes on with the next.
    #[default]
    Report,
    /// Counts it, says so in a `tracing` event, and goes on with the next.
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
    /// [`off`](Self::off).
    #[must_use]
    pub const fn new(algorithm: Encoding) -> Self {
        Self {
            algorithm,
            level: None,
            min_size: DEFAULT_MIN_SIZE,
            max_payload_size: None,
            on_error: OnError::Report,
        }
    }

    /// Sends everything raw, and still reads what is compressed.
    #[must_use]
    pub const fn off() -> Self {
        Self::new(Encoding::Identity)
    }

    /// Sets the algorithm's level.
    #[must_use]
    pub const fn level(mut self, level: i32) -> Self {
        self.level = Some(level);
        self
    }

    /// Sets the size in bytes from which on payloads are compressed. The default is 256.
    #[must_use]
    pub const fn min_size(mut self, bytes: usize) -> Self {
        self.min_size = bytes;
        self
    }

    /// Sets the size in bytes that no payload may exceed, as sent by the application and as
    /// received by it. The default is the broker's own.
    #[must_use]
    pub const fn max_payload_size(mut self, bytes: usize) -> Self {
        self.max_payload_size = Some(bytes);
        self
    }

    /// Sets what a consumer does with a message that it can't restore.
    #[must_use]
    pub const fn on_error(mut self, on_error: OnError) -> Self {
        self.on_error = on_error;
        self
    }

    /// Checks every field.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], which names the field.
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
    #[must_use]
    pub const fn field(&self) -> &'static str {
        self.field
    }
}

/// As in core: shorter messages hardly get smaller.
const DEFAULT_MIN_SIZE: usize = 256;

#[cfg(feature = "serde")]
mod file {
    //! The configuration as it is written in a file.

    use serde::{Deserialize, Serialize};
    use thinwire::Encoding;

    use super::{ClientCompressionConfig, ConfigError, OnError};

    #[derive(Debug, Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    pub(super) struct Written {
        algorithm: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        level: Option<i32>,
        #[serde(default = "default_min_size")]
        min_size: usize,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max_payload_size: Option<usize>,
        #[serde(default)]
        on_error: OnError,
    }

    const OFF: &str = "off";

    const fn default_min_size() -> usize {
        super::DEFAULT_MIN_SIZE
    }

    impl TryFrom<Written> for ClientCompressionConfig {
        type Error = ConfigError;

        fn try_from(written: Written) -> Result<Self, ConfigError> {
            let algorithm = if written.algorithm.eq_ignore_ascii_case(OFF) {
                Encoding::Identity
            } else {
                let parsed = written.algorithm.parse::<Encoding>();
                parsed.map_err(|error| ConfigError::new("algorithm", error.to_string()))?
            };
            let config = Self {
                algorithm,
                level: written.level,
                min_size: written.min_size,
                max_payload_size: written.max_payload_size,
                on_error: written.on_error,
            };
            config.validate()?;
            Ok(config)
        }
    }

    impl From<ClientCompressionConfig> for Written {
        fn from(config: ClientCompressionConfig) -> Self {
            let is_off = config.algorithm == Encoding::Identity;
            let algorithm = if is_off { OFF } else { config.algorithm.name() };
            Self {
                algorithm: algorithm.to_owned(),
                level: config.level,
                min_size: config.min_size,
                max_payload_size: config.max_payload_size,
                on_error: config.on_error,
            }
        }
    }
}
