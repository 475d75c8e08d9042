//! Reads more decoding cases from beside the repository, where there are any.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use thinwire::Encoding;

/// An input and which answers are right.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Case {
    /// What it is called.
    pub id: String,
    /// The encoding that the bytes are said to be in.
    pub encoding: Encoding,
    /// The longest payload to allow, in bytes.
    pub limit: usize,
    /// The encoded bytes.
    pub encoded: Vec<u8>,
    /// The payload, if there is one.
    pub payload: Option<Vec<u8>>,
    /// Kinds of error that are right too: `too_large`, `unsupported`, `corrupt` and more. `None`
    /// when each is.
    pub errors: Option<Vec<String>>,
    /// A remark.
    pub note: String,
}

/// Reads all cases; `None` when there is no such file.
///
/// # Panics
///
/// When a line is not as it should be.
#[must_use]
pub fn all() -> Option<Vec<Case>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/decode.jsonl");
    let lines = fs::read_to_string(file).ok()?;
    let parse = |line| serde_json::from_str::<Line>(line).expect("a case").into_case();
    Some(lines.lines().map(parse).collect())
}

/// Joins parts, each a hex string and how often it comes.
///
/// # Panics
///
/// When a part is not hex.
#[must_use]
pub fn join(parts: &[(String, usize)]) -> Vec<u8> {
    parts.iter().flat_map(|(hex, count)| unhex(hex).repeat(*count)).collect()
}

#[derive(Deserialize)]
struct Line {
    id: String,
    encoding: String,
    limit: usize,
    input: Vec<(String, usize)>,
    expect: Answer,
    #[serde(default)]
    note: String,
}

#[derive(Deserialize)]
struct Answer {
    ok: Option<Vec<(String, usize)>>,
    error: Option<Vec<String>>,
    #[serde(default)]
    or_error: bool,
}

impl Line {
    fn into_case(self) -> Case {
        let any_error = self.expect.or_error;
        Case {
            encoding: self.encoding.parse().expect("a known encoding"),
            id: self.id,
            limit: self.limit,
            encoded: join(&self.input),
            payload: self.expect.ok.map(|parts| join(&parts)),
            errors: if any_error { None } else { Some(self.expect.error.unwrap_or_default()) },
            note: self.note,
        }
    }
}

fn unhex(text: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).expect("a hex digit");
    let byte = |pair: &[u8]| {
        let [high, low] = pair.try_into().expect("hex digits come in pairs");
        u8::try_from(digit(high) * 16 + digit(low)).expect("two digits are a byte")
    };
    text.as_bytes().chunks(2).map(byte).collect()
}
