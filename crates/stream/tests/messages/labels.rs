//! What a consumer makes of a label, right or wrong, ours or not.

use thinwire::Encoding;
use thinwire::counters::ErrorKind;
use thinwire_stream::{BadMessage, ClientCompressionConfig, DecompressError, LabelError};

use crate::support::{
    Broker, Iggy, Nats, codec, compressed, eager, encodings, errors, events, labelled,
};

/// Gives what a consumer says of a message that it can't restore: it is as it was, and counted.
fn refused<M: Broker>(message: &M, kind: ErrorKind) -> Box<BadMessage<M>> {
    let codec = codec::<M>(&ClientCompressionConfig::off());
    let bad = codec.maybe_decompress(message.clone()).unwrap_err();
    assert_eq!(bad.message(), message, "{bad}");
    assert_eq!(bad.encoded_len(), message.payload().len(), "{bad}");
    let counted: Vec<_> = errors(codec.counters()).iter().map(|it| (it.1, it.2)).collect();
    assert_eq!(counted, [(kind, 1)], "{bad}");
    assert!(codec.counters().snapshot().rows.is_empty(), "{bad}");
    bad
}

fn restored<M: Broker>(message: M) -> M {
    codec::<M>(&ClientCompressionConfig::off()).maybe_decompress(message).unwrap()
}

#[test]
fn on_nats_names_and_values_are_read_in_any_letter_case() {
    for encoding in encodings::<Nats>() {
        let payload = events(4000, 20);
        let value = encoding.name();
        for name in ["Content-Encoding", "content-encoding", "CONTENT-ENCODING"] {
            for value in [value.to_owned(), value.to_uppercase(), format!(" {value}\t")] {
                let message = Nats::new(compressed(encoding, &payload)).header(name, value);
                assert_eq!(restored(message), Nats::new(payload.clone()));
            }
        }
    }
}

#[test]
fn several_values_are_read_if_they_are_alike() {
    let payload = events(4000, 21);
    let message = Nats::new(compressed(Encoding::Gzip, &payload))
        .header("Content-Encoding", "gzip")
        .header("content-encoding", "GZIP ");
    assert_eq!(restored(message), Nats::new(payload));
}

#[test]
fn several_values_that_differ_are_an_error_in_any_order() {
    for values in [["gzip", "zstd"], ["gzip", "br"], ["br", "gzip"], ["br", "xz"], ["gzip", ""]] {
        for values in [values, [values[1], values[0]]] {
            let gzip = compressed(Encoding::Gzip, &events(4000, 22));
            let message = values
                .iter()
                .fold(Nats::new(gzip), |it, value| it.header("Content-Encoding", value));
            let bad = refused(&message, ErrorKind::Malformed);
            let DecompressError::Label(error) = bad.reason() else { panic!("{bad}") };
            assert!(matches!(error, LabelError::Several { name: "Content-Encoding", .. }));
        }
    }
}

#[test]
fn what_names_no_encoding_is_an_error_that_says_so() {
    fn check<M: Broker>() {
        let long = "x".repeat(300);
        for (value, token) in [
            (&b"br"[..], "br"),
            (b"", ""),
            (b"gzip, gzip", "gzip, gzip"),
            (b"gzip;q=1", "gzip;q=1"),
            (b"x-gzip", "x-gzip"),
            (b"\xff\xfegzip", "\u{fffd}\u{fffd}gzip"),
            (b"gz\0ip", "gz\0ip"),
            (long.as_bytes(), &long[..64]),
        ] {
            let message = M::new(events(4000, 23)).header(M::LABEL.name(), value);
            let bad = refused(&message, ErrorKind::Unsupported);
            assert_eq!(bad.encoding(), None);
            let error = bad.reason();
            let DecompressError::Label(LabelError::Unknown { name, unknown, .. }) = error else {
                panic!("{error}")
            };
            assert_eq!((*name, unknown.token()), (M::LABEL.name(), token));
            assert!(bad.to_string().len() < 400, "{bad}");
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn a_label_of_another_type_is_an_error() {
    let message = Iggy::new(events(4000, 24)).number("iggy-compression", 2);
    let bad = refused(&message, ErrorKind::Malformed);
    assert!(matches!(bad.reason(), DecompressError::Label(LabelError::Headers(_))), "{bad}");
    assert!(bad.to_string().contains("NotText"), "{bad}");
}

#[test]
fn iggy_has_four_values_and_no_other() {
    for encoding in [Encoding::Deflate, Encoding::SnappyBlock] {
        let message = Iggy::new(compressed(encoding, &events(4000, 25)))
            .header("iggy-compression", encoding.name());
        let bad = refused(&message, ErrorKind::Unsupported);
        let error = bad.reason();
        let DecompressError::Label(LabelError::NotHere { encoding: named, .. }) = error else {
            panic!("{error}")
        };
        assert_eq!(*named, encoding);
    }
}

#[test]
fn both_formats_of_snappy_are_read_under_its_value_on_iggy() {
    for payload in [events(4000, 26), events(200_000, 27)] {
        for encoding in [Encoding::SnappyBlock, Encoding::SnappyFramed] {
            let message =
                Iggy::new(compressed(encoding, &payload)).header("iggy-compression", "snappy");
            assert_eq!(restored(message), Iggy::new(payload.clone()), "{encoding}");
        }
    }
}

#[test]
fn none_on_iggy_is_the_payload_itself() {
    for value in ["none", "None", "identity"] {
        let message = Iggy::new("as it is").header("iggy-compression", value);
        assert_eq!(restored(message), Iggy::new("as it is"), "{value}");
    }
}

#[test]
fn identity_on_nats_is_the_payload_itself() {
    let message = Nats::new("as it is").header("Content-Encoding", "identity");
    assert_eq!(restored(message), Nats::new("as it is"));
}

#[test]
fn no_bytes_under_a_label_are_the_empty_payload() {
    fn check<M: Broker>() {
        for encoding in encodings::<M>() {
            let value = M::LABEL.value(encoding).unwrap();
            assert_eq!(restored(M::new("").header(M::LABEL.name(), value)), M::new(""));
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn a_producer_in_another_language_is_read_by_its_label_alone() {
    fn check<M: Broker>() {
        for encoding in encodings::<M>() {
            let payload = events(4000, 28);
            assert_eq!(restored(labelled::<M>(encoding, &payload)), M::new(payload), "{encoding}");
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn bytes_that_are_not_what_the_label_says_are_an_error_with_all_in_it() {
    fn check<M: Broker>() {
        let place = thinwire_stream::Place {
            stream: "orders".into(),
            partition: Some(3),
            offset: Some(41),
        };
        for encoding in encodings::<M>() {
            let message = M::new("what nobody compressed")
                .header(M::LABEL.name(), M::LABEL.value(encoding).unwrap())
                .at(place.clone());
            let bad = refused(&message, ErrorKind::Malformed);
            assert_eq!((bad.place(), bad.encoding()), (&place, Some(encoding)));
            let said = bad.to_string();
            let start =
                format!("orders, partition 3, offset 41: a message of 22 bytes of {encoding}: ");
            assert!(said.starts_with(&start), "{said}");
            assert!(said.contains(&M::MAX_PAYLOAD_LEN.to_string()), "{said}: the limit");
            assert!(!said.contains("nobody"), "{said}: what is in it");
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn an_applications_own_label_is_passed_on_and_not_decoded() {
    let producer = eager::<Nats>(Encoding::Zstd);
    for (bytes, value) in [
        (compressed(Encoding::Gzip, &events(4000, 29)), "gzip"),
        (events(4000, 29), "br"),
        (events(4000, 29), "\u{fffd}"),
    ] {
        let theirs = Nats::new(bytes).header("Content-Encoding", value).header("trace", "7");
        let sent = producer.maybe_compress(&theirs).unwrap().unwrap();
        let received = restored(sent.clone());
        assert_eq!(received, sent, "label and all");
        // And so it is behind the next producer, and the next consumer.
        assert_eq!(producer.maybe_compress(&received).unwrap(), None);
        assert_eq!(restored(received), sent);
    }
}

#[test]
fn an_applications_own_label_is_decoded_where_that_is_configured() {
    let payload = events(4000, 30);
    let theirs = Nats::new(compressed(Encoding::Gzip, &payload)).header("Content-Encoding", "gzip");
    let config = ClientCompressionConfig::new(Encoding::Zstd);
    let label = Nats::LABEL.decode_applications();
    let all = thinwire_stream::MessageCodec::new(&config, label).unwrap();
    // At the producer, it goes without a mark:
    assert_eq!(all.maybe_compress(&theirs).unwrap(), None);
    assert_eq!(restored(theirs.clone()), Nats::new(payload.clone()));
    // At the consumer, a mark is overlooked, and taken off.
    let marked = theirs.header("Thinwire", "0");
    assert_eq!(all.maybe_decompress(marked).unwrap(), Nats::new(payload));
}

#[test]
fn an_applications_mark_is_read_with_white_space_around_it() {
    for mark in ["0", " 0", "0\t"] {
        let theirs = Nats::new("x").header("Content-Encoding", "br").header("thinwire", mark);
        assert_eq!(restored(theirs.clone()), theirs);
    }
}

#[test]
fn what_we_compressed_is_decoded_whatever_else_the_mark_says() {
    let payload = events(4000, 31);
    for mark in ["1", " 1", "2", "", "application"] {
        let message = labelled::<Nats>(Encoding::Lz4, &payload).header("thinwire", mark);
        assert_eq!(restored(message), Nats::new(payload.clone()), "{mark}");
    }
}

#[test]
fn a_decoded_message_that_is_forwarded_does_not_fool_the_next_reader() {
    fn check<M: Broker>() {
        for encoding in encodings::<M>() {
            let original = M::new(events(4000, 32)).header("trace", "7");
            let sent = eager::<M>(encoding).maybe_compress(&original).unwrap().unwrap();
            let received = restored(sent);
            assert_eq!(received.names(), ["trace"], "{encoding}");
            // By a client without compression:
            assert_eq!(restored(received.clone()), original);
            // By a producer with another encoding:
            for other in encodings::<M>() {
                let again = eager::<M>(other).maybe_compress(&received).unwrap().unwrap();
                assert_eq!(restored(again), original, "{encoding}, then {other}");
            }
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn raw_and_compressed_messages_of_any_producers_interleave() {
    fn check<M: Broker>() {
        let producers: Vec<_> = encodings::<M>()
            .chain([Encoding::Identity])
            .map(|encoding| codec::<M>(&ClientCompressionConfig::new(encoding)))
            .collect();
        for reader in &producers {
            for (at, len) in
                [0, 100, 4000, 255, 256, 70_000, 1].into_iter().cycle().take(70).enumerate()
            {
                let message = M::new(events(len, at as u64));
                let sent = producers[at % producers.len()].maybe_compress(&message).unwrap();
                let received = reader.maybe_decompress(sent.unwrap_or_else(|| message.clone()));
                assert_eq!(received.unwrap(), message);
            }
        }
    }
    check::<Nats>();
    check::<Iggy>();
}
