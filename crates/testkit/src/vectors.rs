//! Reads the repository's `vectors` folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thinwire::Encoding;

use crate::cases::join;
use crate::random::Random;

/// An input with its right answer.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Vector {
    /// Folder, encoding and name, as `invalid/zstd/reserved-bit`.
    pub name: String,
    /// The encoding that the bytes are said to be in.
    pub encoding: Encoding,
    /// The encoded bytes.
    pub encoded: Vec<u8>,
    /// The right answer.
    pub expect: Expect,
    /// The longest payload to allow, in bytes.
    pub limit: usize,
    /// The reason to have it.
    pub why: String,
}

/// The right answer to a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expect {
    /// This payload.
    Payload(Vec<u8>),
    /// Malformed.
    Malformed,
    /// Unsupported.
    Unsupported,
    /// Malformed or unsupported.
    Refused,
    /// Too long.
    TooLong,
    /// Any error.
    Error,
}

/// Reads every vector, in the order of the manifest.
///
/// # Panics
///
/// When the manifest or a file is missing or wrong, or an entry gives no reason.
#[must_use]
pub fn all() -> Vec<Vector> {
    let root = folder();
    let manifest = fs::read_to_string(root.join("manifest.json")).expect("vectors/manifest.json");
    let manifest: Manifest = serde_json::from_str(&manifest).expect("vectors/manifest.json");
    let contents = manifest.payloads.iter().map(|(name, payload)| (name, payload.content(&root)));
    let contents: BTreeMap<_, _> = contents.collect();
    manifest.vectors.into_iter().map(|entry| entry.into_vector(&root, &contents)).collect()
}

/// The folder, wherever the repository lies.
#[must_use]
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    payloads: BTreeMap<String, Payload>,
    vectors: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Payload {
    file: Option<String>,
    repeat: Option<String>,
    random: Option<u64>,
    len: usize,
    crc32c: String,
}

impl Payload {
    fn content(&self, root: &Path) -> Vec<u8> {
        let content = match self {
            Self { file: Some(file), .. } => read(root, file),
            Self { repeat: Some(unit), .. } => {
                let unit = join(&[(unit.clone(), 1)]);
                unit.iter().copied().cycle().take(self.len).collect()
            }
            Self { random: Some(seed), .. } => {
                let mut random = Random::new(*seed);
                let words = std::iter::repeat_with(|| random.next().to_le_bytes());
                words.flatten().take(self.len).collect()
            }
            Self { .. } => panic!("a payload without a source"),
        };
        assert_eq!(content.len(), self.len, "length of a payload");
        assert_eq!(format!("{:08x}", crc32c::crc32c(&content)), self.crc32c, "a payload changed");
        content
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    file: Option<String>,
    parts: Option<Vec<(String, usize)>>,
    encoding: String,
    expect: String,
    why: String,
    producer: String,
    version: String,
    limit: usize,
    #[serde(default)]
    payload: Vec<String>,
}

impl Entry {
    fn into_vector(self, root: &Path, contents: &BTreeMap<&String, Vec<u8>>) -> Vector {
        let name = self.name;
        assert!(!self.why.trim().is_empty(), "{name}: says no reason");
        assert!(!self.producer.is_empty() && !self.version.is_empty(), "{name}: by whom?");
        let encoded = match (&self.file, &self.parts) {
            (Some(file), None) => read(root, file),
            (None, Some(parts)) => join(parts),
            (_, _) => panic!("{name}: a file or parts"),
        };
        let expect = match self.expect.as_str() {
            "payload" => {
                assert!(!self.payload.is_empty(), "{name}: which payload?");
                let joined = self.payload.iter().flat_map(|part| {
                    contents.get(part).unwrap_or_else(|| panic!("{name}: no payload {part}"))
                });
                Expect::Payload(joined.copied().collect())
            }
            "malformed" => Expect::Malformed,
            "unsupported" => Expect::Unsupported,
            "refused" => Expect::Refused,
            "too-long" => Expect::TooLong,
            "error" => Expect::Error,
            other => panic!("{name}: expects {other}"),
        };
        let encoding = self.encoding.parse().unwrap_or_else(|error| panic!("{name}: {error}"));
        Vector { name, encoding, encoded, expect, limit: self.limit, why: self.why }
    }
}

fn read(root: &Path, file: &str) -> Vec<u8> {
    fs::read(root.join(file)).unwrap_or_else(|error| panic!("vectors/{file}: {error}"))
}
