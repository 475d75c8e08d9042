//! A report that was written down, read again.

use std::io::{self, Read};

use serde::Deserialize;
use serde_json::Value;
use serde_json::error::Category;
use thiserror::Error;

use super::check::{Impossible, check};
use super::report::{Report, SCHEMA, SCHEMA_VERSION};
use crate::split::read_at_most;

/// Most bytes that are read of a report: a thousand actors, seven encodings and ten repeats stay
/// below.
pub const MAX_BYTES: usize = 1 << 30;

/// Why a text is no report that can be read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Reading ended with an error.
    #[error(transparent)]
    Unreadable(#[from] io::Error),
    /// It has no end, or a far one.
    #[error("longer than {most} bytes, the most that is read of a report")]
    TooLong {
        /// What was read.
        most: usize,
    },
    /// It is no JSON object, by its first byte.
    #[error("not a report: it does not begin with {{; `thinwire bench --format json` writes one")]
    NoObject,
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
    #[error("a damaged report: {field}: {why}")]
    Damaged {
        /// Which, or the one in which it is missing; `.` for the report itself.
        field: String,
        /// What is wrong with it.
        #[source]
        why: serde_json::Error,
    },
    /// A field says what no run can give.
    #[error("a damaged report: {0}")]
    Impossible(#[from] Impossible),
}

/// Reads a report of at most so many bytes, as [`parse`] does; [`MAX_BYTES`] is enough for most.
///
/// # Errors
///
/// [`LoadError`] for all that is not a report of this version.
pub fn read(mut reader: impl Read, most: usize) -> Result<Report, LoadError> {
    let mut text = Vec::new();
    // What is something else altogether is not read to its end.
    read_at_most(&mut reader, FIRST_BYTES, &mut text)?;
    if first_byte(&text).is_none_or(|first| first == b'{') {
        let left = most.saturating_add(1).saturating_sub(text.len());
        read_at_most(&mut reader, left, &mut text)?;
    }
    if text.len() > most { Err(LoadError::TooLong { most }) } else { parse(&text) }
}

/// Reads a report and checks it; fields and kinds of warnings that are unknown here are passed over.
///
/// # Errors
///
/// [`LoadError`] for all that is not a report of this version.
pub fn parse(text: &[u8]) -> Result<Report, LoadError> {
    if first_byte(text).is_some_and(|first| first != b'{') {
        return Err(LoadError::NoObject);
    }
    let head: Head = serde_json::from_slice(text).map_err(|error| match error.classify() {
        Category::Data => LoadError::Damaged { field: ".".to_owned(), why: error },
        Category::Io | Category::Syntax | Category::Eof => LoadError::NotJson(error),
    })?;
    match &head.schema {
        Some(Value::String(schema)) if schema == SCHEMA => {}
        other => {
            let found = other.as_ref().map_or("this names no schema".to_owned(), |other| {
                format!("this is of {}", shortened(&other.to_string()))
            });
            return Err(LoadError::OtherSchema { found });
        }
    }
    if head.schema_version.as_u64() != Some(SCHEMA_VERSION.into()) {
        let version = shortened(&head.schema_version.to_string());
        return Err(LoadError::OtherVersion { version });
    }
    let mut fields = serde_json::Deserializer::from_slice(text);
    let report: Report = serde_path_to_error::deserialize(&mut fields).map_err(|error| {
        LoadError::Damaged { field: error.path().to_string(), why: error.into_inner() }
    })?;
    check(&report)?;
    Ok(report)
}

/// What tells whether the rest can be read.
#[derive(Debug, Deserialize)]
struct Head {
    schema: Option<Value>,
    #[serde(default)]
    schema_version: Value,
}

fn first_byte(text: &[u8]) -> Option<u8> {
    text.iter().copied().find(|byte| !byte.is_ascii_whitespace())
}

/// Enough of a text to know it by.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONG) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

const FIRST_BYTES: usize = 64 << 10;

/// More characters of a text tell no more.
const LONG: usize = 80;
