//! A report that was written down, read again.

use serde::Deserialize;
use serde_json::Value;
use thiserror::Error;

use super::report::{Report, SCHEMA, SCHEMA_VERSION};
use super::warning::Warning;

/// Why a text is no report that can be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// It is no JSON.
    #[error("not a report: no JSON ({0}); `thinwire bench --format json` writes one")]
    NotJson(#[source] serde_json::Error),
    /// It is JSON that says of itself to be something else, or nothing.
    #[error("not a report of `thinwire bench`, whose schema is {SCHEMA}: {found}")]
    OtherSchema {
        /// What it says.
        found: String,
    },
    /// It is from a later program.
    #[error(
        "a report of version {version} of the schema {SCHEMA}; this program reads version \
         {SCHEMA_VERSION}: use the thinwire that wrote it, or a later one"
    )]
    OtherVersion {
        /// What it says.
        version: String,
    },
    /// A field is missing or has another form.
    #[error("a damaged report: {0}")]
    Damaged(#[source] serde_json::Error),
}

/// Reads a report; warnings of kinds that are unknown here are passed over.
///
/// # Errors
///
/// [`LoadError`] for all that is not a report of this version.
pub fn parse(text: &[u8]) -> Result<Report, LoadError> {
    let mut value: Value = serde_json::from_slice(text).map_err(LoadError::NotJson)?;
    match value.get("schema") {
        Some(Value::String(schema)) if schema == SCHEMA => {}
        Some(other) => return Err(LoadError::OtherSchema { found: format!("this is of {other}") }),
        None => {
            return Err(LoadError::OtherSchema { found: "this names no schema".to_owned() });
        }
    }
    let version = value.get("schema_version").unwrap_or(&Value::Null);
    if version.as_u64() != Some(SCHEMA_VERSION.into()) {
        return Err(LoadError::OtherVersion { version: version.to_string() });
    }
    if let Some(Value::Array(warnings)) = value.get_mut("warnings") {
        warnings.retain(|warning| Warning::deserialize(warning).is_ok());
    }
    serde_json::from_value(value).map_err(LoadError::Damaged)
}
