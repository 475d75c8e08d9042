//! Headers that can't be read or written: typed errors, and no message is lost.

use std::error::Error;

use thinwire::counters::{Direction, ErrorKind};
use thinwire::{Encoding, RawReason};
use thinwire_stream::{CompressError, DecompressError, LabelError};

use crate::support::{Broker, Fails, Fault, Iggy, Nats, eager, encodings, errors, events};

fn fault(error: &LabelError) -> Fault {
    let LabelError::Headers(source) = error else { panic!("{error}") };
    *source.downcast_ref().unwrap()
}

#[test]
fn a_producer_refuses_headers_that_it_cant_use_and_the_message_is_as_it_was() {
    fn check<M: Broker>() {
        for encoding in encodings::<M>() {
            let codec = eager::<M>(encoding);
            let message = M::new(events(4000, 50)).header("trace", "7").failing(Fails::Label);
            let before = message.clone();
            let error = codec.maybe_compress(&message).unwrap_err();
            let CompressError::Label(error) = error else { panic!("{error}") };
            assert_eq!(fault(&error), Fault::Asked(Fails::Label));
            assert_eq!(message, before);
            let counted = errors(codec.counters());
            assert_eq!(counted, [(Direction::Encode, ErrorKind::Malformed, 1)]);
            assert!(codec.counters().snapshot().rows.is_empty(), "nothing passed");
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn a_producer_passes_on_what_has_headers_that_cant_be_read() {
    fn check<M: Broker>() {
        for encoding in encodings::<M>().chain([Encoding::Identity]) {
            let codec = eager::<M>(encoding);
            let message = M::new(events(4000, 50)).header("trace", "7").failing(Fails::Get);
            assert_eq!(codec.maybe_compress(&message).unwrap(), None);
            let snapshot = codec.counters().snapshot();
            assert_eq!(snapshot.raw, [(RawReason::Labelled, 1)]);
            assert!(snapshot.errors.is_empty());
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn a_mark_that_cant_be_put_on_is_an_error() {
    let codec = eager::<Nats>(Encoding::Zstd);
    let theirs = Nats::new("x").header("Content-Encoding", "br").failing(Fails::Label);
    codec.maybe_compress(&theirs).unwrap_err();
    let snapshot = codec.counters().snapshot();
    assert!(snapshot.rows.is_empty() && snapshot.raw.is_empty(), "{snapshot:?}");
}

#[test]
fn a_consumer_gives_a_message_back_whose_headers_it_cant_use() {
    fn check<M: Broker>() {
        for encoding in encodings::<M>() {
            for (fails, named) in [(Fails::Get, None), (Fails::Restore, Some(encoding))] {
                let codec = eager::<M>(encoding);
                let message = M::new(events(4000, 51)).header("trace", "7");
                let sent = codec.maybe_compress(&message).unwrap().unwrap().failing(fails);
                let bad = codec.maybe_decompress(sent.clone()).unwrap_err();
                assert_eq!(bad.encoding(), named);
                let error = bad.reason();
                let DecompressError::Label(error) = error else { panic!("{error}") };
                assert_eq!(fault(error), Fault::Asked(fails));
                assert!(bad.source().is_some());
                assert_eq!(bad.into_message(), sent);
                let counted = errors(codec.counters());
                assert_eq!(counted, [(Direction::Decode, ErrorKind::Malformed, 1)]);
                let rows = codec.counters().snapshot().rows;
                assert_eq!(rows.len(), 1, "nothing was received: {rows:?}");
            }
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn headers_are_not_asked_where_there_are_none() {
    fn check<M: Broker>() {
        let codec = eager::<M>(Encoding::Zstd);
        let message = M::new("short").failing(Fails::Get);
        assert_eq!(codec.maybe_compress(&message).unwrap(), None);
        assert_eq!(codec.maybe_decompress(message.clone()).unwrap(), message);
    }
    check::<Nats>();
    check::<Iggy>();
}
