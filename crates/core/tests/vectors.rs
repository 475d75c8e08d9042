//! What reference tools write and what specifications say: the folder `vectors`.

use std::panic;

use thinwire::Encoding;
use thinwire_testkit::vectors::{self, Expect, Vector};
use thinwire_testkit::{levels, promise};

#[test]
fn gzip() {
    every_vector_of(Encoding::Gzip);
}

#[test]
fn deflate() {
    every_vector_of(Encoding::Deflate);
}

#[test]
fn zstd() {
    every_vector_of(Encoding::Zstd);
}

#[test]
fn lz4() {
    every_vector_of(Encoding::Lz4);
}

#[test]
fn snappy_framed() {
    every_vector_of(Encoding::SnappyFramed);
}

#[test]
fn snappy_block() {
    every_vector_of(Encoding::SnappyBlock);
}

#[test]
fn every_encoding_has_vectors_of_every_sort() {
    let all = vectors::all();
    for encoding in levels::compressing() {
        for folder in ["valid", "invalid", "bombs"] {
            let start = format!("{folder}/{encoding}/");
            let some = all.iter().filter(|vector| vector.name.starts_with(&start)).count();
            assert!(some >= 3, "{start} has {some}");
        }
    }
    let names: std::collections::BTreeSet<_> = all.iter().map(|vector| &vector.name).collect();
    assert_eq!(names.len(), all.len(), "two vectors of one name");
    let bombs = all.iter().filter(|vector| vector.name.starts_with("bombs/"));
    assert!(bombs.into_iter().all(|bomb| {
        bomb.expect == Expect::TooLong || matches!(bomb.expect, Expect::Payload(_))
    }));
}

/// All that fail are named, not the first only.
fn every_vector_of(encoding: Encoding) {
    let vectors = vectors::all().into_iter().filter(|vector| vector.encoding == encoding);
    let fails =
        |vector: &Vector| panic::catch_unwind(|| promise::reference_bytes_decode(vector)).is_err();
    let failed: Vec<_> = vectors.filter(fails).map(|vector| vector.name).collect();
    assert!(failed.is_empty(), "{failed:#?}");
}
