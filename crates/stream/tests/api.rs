//! What the public types promise to the type checker.

use thinwire_stream::{
    BadMessage, ClientCompressionConfig, CompressError, ConfigError, Decoded, DecompressError,
    Label, LabelError, Message, MessageCodec, OnError, Place, StreamError,
};

#[expect(dead_code, unused_imports, reason = "one message type is all it takes")]
mod support;

use support::Nats;

#[test]
fn every_public_type_can_be_sent_and_shared() {
    fn check<T: Send + Sync + 'static>() {}
    check::<MessageCodec>();
    check::<ClientCompressionConfig>();
    check::<OnError>();
    check::<Label>();
    check::<Place>();
    check::<BadMessage<Nats>>();
    check::<Decoded<(), Nats>>();
    check::<StreamError<Nats, std::io::Error>>();
    check::<(CompressError, DecompressError, LabelError, ConfigError)>();
}

#[test]
fn every_error_is_an_error() {
    fn check<T: std::error::Error>() {}
    check::<BadMessage<Nats>>();
    check::<StreamError<Nats, std::io::Error>>();
    check::<CompressError>();
    check::<DecompressError>();
    check::<LabelError>();
    check::<ConfigError>();
    check::<<Nats as Message>::HeaderError>();
}

#[test]
fn an_error_is_a_small_part_of_a_result() {
    assert!(size_of::<Result<Nats, Box<BadMessage<Nats>>>>() <= size_of::<Nats>() + 8);
}

#[test]
fn a_place_names_what_is_known_of_it() {
    let place = |stream: &str, partition, offset| {
        Place { stream: stream.to_owned(), partition, offset }.to_string()
    };
    assert_eq!(place("orders", Some(3), Some(41)), "orders, partition 3, offset 41");
    assert_eq!(place("orders", None, Some(41)), "orders, offset 41");
    assert_eq!(place("", None, None), "a stream");
}
