//! Independent decoders read what we write at every level, and we read what they write.
//!
//! The judges are the `gzip`, `zstd` and `lz4` tools, Python's zlib, cramjam for both Snappy formats,
//! and libsnappy where it is installed. One Python process (`interop.py`, beside this file) does it
//! all. Missing tools fail the test where `CI` is set; elsewhere it says that it was skipped.
//! `THINWIRE_PYTHON` names a Python that has cramjam; the default is `python3`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "test code outside of the test functions"
)]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Command};

use thinwire::Encoding;
use thinwire_testkit::payload::{self, Kind};
use thinwire_testkit::{levels, promise};

/// `interop.py` ends so when tools are missing.
const TOOLS_ARE_MISSING: i32 = 77;

#[test]
fn independent_tools_read_ours_and_we_read_theirs() {
    if !tools_are_there() {
        return;
    }
    let folder = Folder::new();
    let payloads = payloads();
    for (index, payload) in payloads.iter().enumerate() {
        folder.write(&format!("payloads/{index}"), payload);
    }
    for level in levels::all() {
        for (index, payload) in payloads.iter().enumerate() {
            let file = format!("ours/{}/{level}/{index}", level.encoding());
            folder.write(&file, &promise::compress(level, payload));
        }
    }
    judge(&folder);
    let theirs = read_theirs(&folder, &payloads);
    println!("read {theirs} that they wrote");
    assert!(theirs >= payloads.len() * 6, "every encoding has a tool that writes it");
}

/// Looks for the tools; false when one is missing and need not be there.
fn tools_are_there() -> bool {
    let output = match script().output() {
        Ok(output) => output,
        Err(error) => return skip(&error.to_string()),
    };
    if output.status.code() == Some(TOOLS_ARE_MISSING) {
        return skip(String::from_utf8_lossy(&output.stdout).trim());
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    true
}

/// Lets the tools check ours and write theirs.
fn judge(folder: &Folder) {
    let output = script().arg(&folder.0).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    println!("{said}");
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
}

fn script() -> Command {
    let python = env::var("THINWIRE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut command = Command::new(python);
    command.arg("-B").arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop.py"));
    command
}

fn skip(why: &str) -> bool {
    assert!(env::var_os("CI").is_none(), "in CI nothing may be missing: {why}");
    println!("skipped: {why}");
    false
}

/// Decodes `theirs/<encoding>/<variant>/<index>`.
fn read_theirs(folder: &Folder, payloads: &[Vec<u8>]) -> usize {
    let mut read = 0;
    for encoding in levels::compressing() {
        for variant in entries(&folder.0.join("theirs").join(encoding.name())) {
            for file in entries(&variant) {
                let index: usize = file.file_name().unwrap().to_str().unwrap().parse().unwrap();
                let what = format!("{encoding}, {}", file.display());
                let encoded = fs::read(&file).unwrap();
                let decoded = promise::decode(encoding, &encoded, payloads[index].len());
                let decoded = decoded.unwrap_or_else(|error| panic!("{what}: {error}"));
                promise::assert_same(&what, &decoded, &payloads[index]);
                read += 1;
            }
        }
    }
    read
}

/// Of every kind and around every block size; and real ones, where they are beside the repository.
fn payloads() -> Vec<Vec<u8>> {
    let mut payloads = vec![Vec::new()];
    for kind in Kind::ALL {
        for len in [1, 100, 4096] {
            payloads.push(payload::make(kind, len, 1));
        }
    }
    for kind in [Kind::Random, Kind::Repeated, Kind::JsonEvents] {
        for len in [65_535, 65_536, 65_537, 131_071, 131_072, 131_073] {
            payloads.push(payload::make(kind, len, 2));
        }
    }
    let real = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !real.is_dir() {
        println!("no real payloads beside the repository, generated ones only");
        return payloads;
    }
    for file in entries(&real.join("snappy")) {
        payloads.push(start_of(&file));
    }
    payloads.push(start_of(&real.join("packages.ndjson")));
    for file in entries(&real.join("remote-write")).iter().take(3) {
        let block = fs::read(file).unwrap();
        payloads.push(promise::decode(Encoding::SnappyBlock, &block, 1 << 20).unwrap());
    }
    payloads
}

/// Enough for several blocks of every format, and for every level within a test's time.
fn start_of(file: &Path) -> Vec<u8> {
    let mut bytes = fs::read(file).unwrap();
    bytes.truncate(140_000);
    bytes
}

/// In order, so that every run does the same.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Is gone when the test is.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = env::temp_dir().join(format!("thinwire-interop-{}", process::id()));
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn write(&self, file: &str, bytes: &[u8]) {
        let path = self.0.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}
