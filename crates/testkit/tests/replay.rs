//! What fuzzing starts from, and what it found, run through the functions of the fuzz targets: on
//! stable, with every test run.
//!
//! Needs the feature `arbitrary`, by which bytes become cases: `./check` turns it on.

#[cfg(feature = "arbitrary")]
#[path = "../../../fuzz/src/lib.rs"]
pub mod targets;

#[cfg(all(test, feature = "arbitrary"))]
mod replay {
    #![expect(clippy::unwrap_used, reason = "test code outside of the test functions")]

    use std::fs;
    use std::path::{Path, PathBuf};

    use thinwire::Encoding;
    use thinwire_testkit::{promise, vectors};

    use crate::targets::{TARGETS, decode_agrees_with_others, decode_stays_within_limit};

    #[test]
    fn seeds_keep_the_promises_of_their_targets() {
        let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
        for (name, target) in TARGETS {
            let files = files(&seeds.join(name));
            assert!(!files.is_empty(), "{name} has no seeds");
            for file in files {
                println!("{}", file.display());
                target(&fs::read(&file).unwrap());
            }
        }
        assert_eq!(fs::read_dir(&seeds).unwrap().count(), TARGETS.len(), "seeds without a target");
    }

    #[test]
    fn regressions_do_not_come_back_under_any_encoding() {
        for file in files(&vectors::folder().join("regressions")) {
            println!("{}", file.display());
            let encoded = fs::read(&file).unwrap();
            promise::decode_never_panics(&encoded, 1 << 20);
            for index in 0..Encoding::ALL.len() {
                for limit in [0, 10, 20] {
                    take(index, limit, &encoded);
                }
            }
        }
    }

    #[test]
    fn vectors_are_judged_alike_by_other_decoders() {
        for vector in vectors::all().iter().filter(|vector| vector.encoded.len() <= 1 << 20) {
            println!("{}", vector.name);
            let index = Encoding::ALL.iter().position(|&it| it == vector.encoding).unwrap();
            take(index, 20, &vector.encoded);
        }
    }

    /// Writes a case as the targets read it: an encoding, a limit, the empty prefix, bytes.
    fn take(index: usize, limit: u8, encoded: &[u8]) {
        let mut bytes = vec![u8::try_from(index).unwrap(), limit];
        if index > 0 {
            bytes.push(0); // identity has but the one prefix
        }
        bytes.extend_from_slice(encoded);
        decode_stays_within_limit(&bytes);
        decode_agrees_with_others(&bytes);
    }

    fn files(folder: &Path) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut paths: Vec<_> =
            paths.filter(|path| path.extension() != Some("json".as_ref())).collect();
        paths.sort();
        paths
    }
}

#[cfg(not(feature = "arbitrary"))]
#[test]
#[ignore = "needs --features thinwire-testkit/arbitrary"]
fn seeds_are_replayed() {}
