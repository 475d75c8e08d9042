//! What the types promise by being what they are.

use std::fmt::{Debug, Display};
use std::hash::Hash;

use thinwire::{
    DecodeError, Decoder, EncodeError, Encoded, Encoder, Encoding, Level, LevelError, Policy,
    PoolLimits, UnknownEncoding,
};

const fn shared<T: Send + Sync + Unpin + 'static>() {}
const fn cheap<T: Clone + Debug + Send + Sync + 'static>() {}
const fn value<T: Copy + Eq + Debug + Send + Sync + 'static>() {}
const fn error<T: std::error::Error + Clone + Eq + Send + Sync + 'static>() {}
const fn key<T: Hash + Eq + Display>() {}

#[test]
fn types_can_be_shared_cloned_and_printed() {
    shared::<Encoder>();
    shared::<Decoder>();
    cheap::<Encoder>();
    cheap::<Decoder>();
    cheap::<Encoded>();
    value::<Encoding>();
    value::<Level>();
    value::<Policy>();
    value::<PoolLimits>();
    key::<Encoding>();
    key::<Level>();
    error::<DecodeError>();
    error::<EncodeError>();
    error::<LevelError>();
    error::<UnknownEncoding>();
}

/// They cross every call, in a `Result`.
#[test]
fn errors_are_small() {
    assert!(size_of::<DecodeError>() <= 80, "{}", size_of::<DecodeError>());
    assert!(size_of::<EncodeError>() <= 40, "{}", size_of::<EncodeError>());
    assert_eq!(size_of::<Encoding>(), 1);
    assert_eq!(size_of::<Option<Encoding>>(), 1);
}

#[test]
fn the_setters_are_told_by_the_getters() {
    let level = Level::new(Encoding::Zstd, 7).unwrap();
    let encoder = Encoder::new(level).unwrap().policy(Policy::always());
    assert_eq!((encoder.level(), encoder.encoding()), (level, Encoding::Zstd));
    assert_eq!(Encoder::new(Encoding::Gzip).unwrap().level(), Level::from(Encoding::Gzip));
    assert_eq!(Decoder::new(123).max_payload_len(), 123);
    let decoder = Decoder::new(1).accept([Encoding::Gzip]);
    for encoding in Encoding::ALL {
        assert_eq!(decoder.accepts(encoding), encoding == Encoding::Gzip);
        assert!(Decoder::new(1).accepts(encoding));
    }
}

#[test]
fn encoded_gives_back_what_it_was_made_of() {
    let bytes = bytes::Bytes::from_static(b"whatever");
    let encoded = Encoded::new(Encoding::Lz4, bytes.clone());
    assert_eq!(encoded.encoding(), Encoding::Lz4);
    assert_eq!(encoded.bytes(), &bytes);
    assert_eq!(encoded.into_bytes().as_ptr(), bytes.as_ptr());
}
