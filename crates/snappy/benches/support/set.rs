//! Messages to measure on.

use std::fs;
use std::path::{Path, PathBuf};

/// A row of the tables: distinct messages, measured in turn. One message repeated would be learnt
/// by the branch predictor and read up to twice too fast.
#[derive(Debug)]
pub(crate) struct Set {
    pub(crate) name: String,
    pub(crate) messages: Vec<Vec<u8>>,
}

/// Returns them, and which are not there.
pub(crate) fn sets() -> (Vec<Set>, Vec<String>) {
    let mut random = fastrand::Rng::with_seed(7);
    let mut sets = Vec::new();
    for (name, len, count) in JSON {
        let lines = json_lines();
        let messages = (0..count).map(|_| json(&lines, len, &mut random)).collect();
        sets.push(Set { name: format!("JSON {name}"), messages });
    }
    let mut missing = Vec::new();
    let bodies = remote_write(&mut missing);
    for (name, len) in [("1 KB", 1_000), ("4 KB", 4_000), ("10 KB", 10_000)] {
        let messages = (0..300)
            .map(|_| {
                let body = &bodies[random.usize(..bodies.len())];
                let start = random.usize(..=body.len().saturating_sub(len));
                body[start..body.len().min(start + len)].to_vec()
            })
            .collect();
        sets.push(Set { name: format!("remote-write {name}"), messages });
    }
    sets.push(Set { name: "remote-write whole".to_owned(), messages: bodies });
    let digits = b"123456789".repeat(1025);
    let messages = (0..9).map(|start| digits[start..start + 9 * 1024].to_vec()).collect();
    sets.push(Set { name: "nine digits".to_owned(), messages });
    sets.extend(classics(&mut missing));
    (sets, missing)
}

const JSON: [(&str, usize, usize); 6] = [
    ("200 B", 200, 2000),
    ("1 KB", 1_000, 1000),
    ("2 KB", 2_000, 500),
    ("4 KB", 4_000, 300),
    ("64 KB", 65_536, 32),
    ("1 MB", 1_000_000, 4),
];

fn json(lines: &[String], len: usize, random: &mut fastrand::Rng) -> Vec<u8> {
    let mut message = Vec::with_capacity(len + 2_000);
    while message.len() < len {
        message.extend_from_slice(lines[random.usize(..lines.len())].as_bytes());
        message.push(b'\n');
    }
    message.truncate(len);
    message
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn json_lines() -> Vec<String> {
    let samples = root().join("samples");
    ["events.ndjson", "packages.ndjson"]
        .iter()
        .flat_map(|name| {
            let text = fs::read_to_string(samples.join(name)).unwrap();
            text.lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .collect()
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = entries
        .map(|entry| {
            let entry = entry.unwrap();
            (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// As Prometheus sent them, without their compression.
fn remote_write(missing: &mut Vec<String>) -> Vec<Vec<u8>> {
    let sent = files(&root().join("../shared/data/remote-write"));
    if sent.is_empty() {
        missing.push("most of the remote-write bodies: no ../shared/data/remote-write".to_owned());
    }
    let decoded = sent.iter().map(|(_, block)| {
        let mut body = vec![0; snap::raw::decompress_len(block).unwrap()];
        snap::raw::Decoder::new().decompress(block, &mut body).unwrap();
        body
    });
    let samples = files(&root().join("samples/remote-write"));
    samples.into_iter().map(|(_, body)| body).chain(decoded).collect()
}

/// The corpus of google/snappy, where it is.
fn classics(missing: &mut Vec<String>) -> Vec<Set> {
    let classics = files(&root().join("../shared/data/snappy"));
    if classics.is_empty() {
        missing.push("the corpus of google/snappy: no ../shared/data/snappy".to_owned());
    }
    classics
        .into_iter()
        .filter(|(name, _)| !name.ends_with(".snappy"))
        .map(|(name, bytes)| Set { name, messages: vec![bytes] })
        .collect()
}
