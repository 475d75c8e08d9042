//! The blocks of this repository's vectors, and those that fuzzing starts from, are judged as `snap`
//! judges them. Under Miri, which needs `-Zmiri-disable-isolation` to read files, the short ones.
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a helper of tests")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use support::check;
use thinwire_snappy::decompress_into;

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(folder);
    let Ok(entries) = fs::read_dir(&folder) else {
        println!("skipped: no {}", folder.display());
        return Vec::new();
    };
    let most = if cfg!(miri) { 3_000 } else { 1 << 20 };
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| fs::metadata(path).unwrap().len() <= most);
    paths.sort();
    paths
}

#[test]
fn vectors_are_judged_alike() {
    for path in files("vectors/valid/snappy-block") {
        let block = fs::read(&path).unwrap();
        check(&block);
        assert!(decompress_into(&block, &mut Vec::new(), 1 << 30).is_ok(), "{}", path.display());
    }
    for path in files("vectors/invalid/snappy-block") {
        let block = fs::read(&path).unwrap();
        check(&block);
        assert!(decompress_into(&block, &mut Vec::new(), 1 << 30).is_err(), "{}", path.display());
    }
}

#[test]
fn what_fuzzing_starts_from_is_judged_alike() {
    for path in files("fuzz/seeds/snappy_decompress") {
        check(fs::read(&path).unwrap().get(1..).unwrap_or_default());
    }
}
