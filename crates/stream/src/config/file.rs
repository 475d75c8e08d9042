//! The configuration as it is written in a file. Each error names its field.

use serde::de::{Error, IntoDeserializer};
use serde::{Deserialize, Deserializer, Serialize};
use thinwire::{Encoding, Policy};

use super::{ClientCompressionConfig, ConfigError, OnError};

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Written {
    #[serde(deserialize_with = "algorithm")]
    algorithm: String,
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "level")]
    level: Option<i32>,
    #[serde(default = "default_min_size", deserialize_with = "min_size")]
    min_size: usize,
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "max_payload_size"
    )]
    max_payload_size: Option<usize>,
    #[serde(default, deserialize_with = "on_error")]
    on_error: OnError,
}

fn algorithm<'de, D: Deserializer<'de>>(value: D) -> Result<String, D::Error> {
    named("algorithm", value)
}

fn level<'de, D: Deserializer<'de>>(value: D) -> Result<Option<i32>, D::Error> {
    named("level", value)
}

fn min_size<'de, D: Deserializer<'de>>(value: D) -> Result<usize, D::Error> {
    named("min_size", value)
}

fn max_payload_size<'de, D: Deserializer<'de>>(value: D) -> Result<Option<usize>, D::Error> {
    named("max_payload_size", value)
}

fn on_error<'de, D: Deserializer<'de>>(value: D) -> Result<OnError, D::Error> {
    let name: String = named("on_error", value)?;
    let name = name.to_ascii_lowercase(); // as an algorithm may be written
    named("on_error", name.as_str().into_deserializer())
}

fn named<'de, D, T>(field: &str, value: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(value).map_err(|error| D::Error::custom(format!("{field}: {error}")))
}

const OFF: &str = "off";

const fn default_min_size() -> usize {
    Policy::DEFAULT_MIN_LEN
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
