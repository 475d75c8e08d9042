//! What a producer sends, and what it leaves as it is.

use thinwire::{Encoder, Encoding, RawReason};
use thinwire_stream::{ClientCompressionConfig, Message, MessageCodec};
use thinwire_testkit::payload::{self, Kind};

use crate::support::{Broker, Iggy, Nats, codec, compressed, eager, encodings, events, labelled};

#[test]
fn what_is_sent_is_smaller_labelled_and_restored_to_the_same_message() {
    fn check<M: Broker>() {
        for encoding in encodings::<M>() {
            let codec = eager::<M>(encoding);
            for message in [M::new(events(4000, 1)), M::new(events(4000, 2)).header("trace", "7")] {
                let sent = codec.maybe_compress(&message).unwrap().unwrap();
                assert!(sent.wire_len() < message.wire_len(), "{encoding}");
                assert!(sent.names().contains(&M::LABEL.name()), "{encoding}");
                let restored = codec.maybe_decompress(sent).unwrap();
                assert_eq!(restored, message, "{encoding}");
            }
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

/// The label alone, as readers in other languages look for it.
#[test]
fn labels_and_formats_are_the_documented_ones() {
    let payload = events(4000, 3);
    for (encoding, value) in [
        (Encoding::Gzip, "gzip"),
        (Encoding::Zstd, "zstd"),
        (Encoding::Lz4, "lz4"),
        (Encoding::SnappyBlock, "snappy"),
    ] {
        let message = Iggy::new(payload.clone());
        let sent = eager::<Iggy>(encoding).maybe_compress(&message).unwrap().unwrap();
        let expected = Iggy::new(compressed(encoding, &payload)).header("iggy-compression", value);
        assert_eq!(sent, expected);
    }
    for (encoding, value) in [
        (Encoding::Gzip, "gzip"),
        (Encoding::Deflate, "deflate"),
        (Encoding::Zstd, "zstd"),
        (Encoding::Lz4, "lz4"),
        (Encoding::SnappyFramed, "snappy"),
        (Encoding::SnappyBlock, "snappy-block"),
    ] {
        let message = Nats::new(payload.clone());
        let sent = eager::<Nats>(encoding).maybe_compress(&message).unwrap().unwrap();
        let expected = Nats::new(compressed(encoding, &payload))
            .header("Content-Encoding", value)
            .header("Thinwire", "1");
        assert_eq!(sent, expected);
    }
}

#[test]
fn snappy_on_iggy_writes_blocks_whichever_of_its_formats_was_asked_for() {
    let message = Iggy::new(events(4000, 4));
    for encoding in [Encoding::SnappyFramed, Encoding::SnappyBlock] {
        let sent = eager::<Iggy>(encoding).maybe_compress(&message).unwrap().unwrap();
        assert_eq!(sent.payload, compressed(Encoding::SnappyBlock, &message.payload));
    }
}

#[test]
fn the_callers_message_is_never_changed() {
    fn check<M: Broker>() {
        let short = M::new("short");
        let long = M::new(events(4000, 5)).header("trace", "7");
        for encoding in encodings::<M>().chain([Encoding::Identity]) {
            let codec = eager::<M>(encoding);
            for message in [&short, &long, &labelled(encodings::<M>().next().unwrap(), b"x")] {
                let before = message.clone();
                let at = message.payload().as_ptr();
                let _ = codec.maybe_compress(message).unwrap();
                assert_eq!(*message, before, "{encoding}");
                assert_eq!(message.payload().as_ptr(), at, "{encoding}");
            }
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn a_resend_compresses_once_whether_of_the_original_or_of_what_was_made() {
    fn check<M: Broker>() {
        for encoding in encodings::<M>() {
            let codec = eager::<M>(encoding);
            let message = M::new(events(4000, 6)).header("trace", "7");
            let sent = codec.maybe_compress(&message).unwrap().unwrap();
            // By the caller, who has the original:
            assert_eq!(codec.maybe_compress(&message).unwrap().as_ref(), Some(&sent));
            // By a retry inside of the client, through the same producer or any other:
            for other in encodings::<M>().chain([Encoding::Identity]) {
                assert_eq!(eager::<M>(other).maybe_compress(&sent).unwrap(), None);
            }
            assert_eq!(codec.maybe_decompress(sent).unwrap(), message);
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn a_label_that_we_did_not_make_is_left_alone_right_or_wrong() {
    let long = vec![b'x'; 300];
    let values: [&[u8]; 7] = [b"gzip", b"ZSTD", b"br", b"", b"gzip, gzip", b"\xff\xfe", &long];
    for value in values {
        let iggy = Iggy::new(events(4000, 7)).header("iggy-compression", value);
        assert_eq!(eager::<Iggy>(Encoding::Zstd).maybe_compress(&iggy).unwrap(), None);

        let nats = Nats::new(events(4000, 7)).header("content-encoding", value);
        let codec = eager::<Nats>(Encoding::Zstd);
        let marked = codec.maybe_compress(&nats).unwrap().unwrap();
        assert_eq!(marked, nats.clone().header("Thinwire", "0"));
        assert_eq!(codec.maybe_compress(&marked).unwrap(), None, "one mark is enough");
    }
}

#[test]
fn a_payload_is_compressed_from_min_size_on() {
    fn check<M: Broker>() {
        for encoding in encodings::<M>() {
            let codec = codec::<M>(&ClientCompressionConfig::new(encoding).min_size(600));
            assert_eq!(codec.maybe_compress(&M::new(vec![7; 599])).unwrap(), None);
            assert_eq!(codec.counters().snapshot().raw, [(RawReason::BelowMinLen, 1)]);
            assert!(codec.maybe_compress(&M::new(vec![7; 600])).unwrap().is_some());
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn by_default_a_payload_is_compressed_from_256_bytes_on() {
    let codec = codec::<Iggy>(&ClientCompressionConfig::new(Encoding::Lz4));
    assert_eq!(codec.maybe_compress(&Iggy::new(vec![7; 255])).unwrap(), None);
    assert!(codec.maybe_compress(&Iggy::new(vec![7; 256])).unwrap().is_some());
}

#[test]
fn an_empty_payload_is_never_labelled() {
    fn check<M: Broker>() {
        for encoding in encodings::<M>() {
            assert_eq!(eager::<M>(encoding).maybe_compress(&M::new("")).unwrap(), None);
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

/// The judge is the length of the whole message, by its own type.
#[test]
fn compressed_is_sent_if_and_only_if_the_whole_message_gets_smaller() {
    fn check<M: Broker>(bare: fn(Vec<u8>) -> M) {
        for encoding in encodings::<M>() {
            let codec = eager::<M>(encoding);
            let encoder = Encoder::new(encoding).unwrap();
            let mut savings = Vec::new();
            for zeros in 0..150 {
                let mut payload = payload::make(Kind::Random, 200, 8);
                payload.resize(payload.len() + zeros, 0);
                let message = bare(payload.clone());
                let mut bytes = Vec::new();
                encoder.compress_into(&payload, &mut bytes).unwrap();
                let mut candidate = message
                    .carrying(bytes.into())
                    .header(M::LABEL.name(), M::LABEL.value(encoding).unwrap());
                if M::LABEL.name() == "Content-Encoding" {
                    candidate = candidate.header("Thinwire", "1");
                }
                let is_smaller = candidate.wire_len() < message.wire_len();
                let sent = codec.maybe_compress(&message).unwrap();
                assert_eq!(sent, is_smaller.then_some(candidate.clone()), "{encoding}, {zeros}");
                savings.push(message.wire_len().wrapping_sub(candidate.wire_len()).cast_signed());
            }
            assert!(savings.contains(&0) && savings.contains(&1), "{encoding}: {savings:?}");
        }
    }
    check(Nats::new);
    check(|payload| Nats::new(payload).header("trace", "7"));
    check(Iggy::new);
    check(|payload| Iggy::new(payload).header("trace", "7"));
}

#[test]
fn a_label_is_put_on_while_the_headers_stay_within_the_brokers_limit() {
    fn check<M: Broker>() {
        let encoding = Encoding::Zstd;
        let codec = eager::<M>(encoding);
        let payload = events(4000, 9);
        // What label and limit leave for one header's value.
        let none = M::new(payload.clone()).header("filler", "");
        let label_len =
            codec.maybe_compress(&none).unwrap().unwrap().headers_len() - none.headers_len();
        let room = M::MAX_HEADERS_LEN - none.headers_len() - label_len;

        let fits = M::new(payload.clone()).header("filler", vec![b'x'; room]);
        let sent = codec.maybe_compress(&fits).unwrap().unwrap();
        assert_eq!(sent.headers_len(), M::MAX_HEADERS_LEN);

        let full = M::new(payload).header("filler", vec![b'x'; room + 1]);
        assert_eq!(codec.maybe_compress(&full).unwrap(), None);
        assert_eq!(codec.counters().snapshot().raw, [(RawReason::NoRoomForLabel, 1)]);
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn a_mark_is_put_on_while_the_headers_stay_within_the_brokers_limit() {
    let codec = eager::<Nats>(Encoding::Zstd);
    let theirs = |filler| {
        let filler = vec![b'x'; filler];
        Nats::new("x").header("Content-Encoding", "br").header("filler", filler)
    };
    let room = 65_535 - theirs(0).headers_len() - "Thinwire: 0\r\n".len();
    let marked = codec.maybe_compress(&theirs(room)).unwrap().unwrap();
    assert_eq!(marked.headers_len(), 65_535);
    assert_eq!(codec.maybe_compress(&theirs(room + 1)).unwrap(), None);
}

#[test]
fn off_sends_raw_and_reads_both() {
    fn check<M: Broker>() {
        let off = codec::<M>(&ClientCompressionConfig::off());
        let message = M::new(events(4000, 10));
        assert_eq!(off.maybe_compress(&message).unwrap(), None);
        assert_eq!(off.counters().snapshot().raw, [(RawReason::Identity, 1)]);
        assert_eq!(off.maybe_decompress(message.clone()).unwrap(), message);
        for encoding in encodings::<M>() {
            let sent = eager::<M>(encoding).maybe_compress(&message).unwrap().unwrap();
            assert_eq!(off.maybe_compress(&sent).unwrap(), None);
            assert_eq!(off.maybe_decompress(sent).unwrap(), message);
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn one_message_can_be_sent_raw_and_is_counted_with_the_others() {
    let codec = eager::<Iggy>(Encoding::Zstd);
    let secret = Iggy::new(events(4000, 11));
    assert_eq!(codec.off().maybe_compress(&secret).unwrap(), None);
    assert!(codec.maybe_compress(&secret).unwrap().is_some());
    let rows = codec.counters().snapshot().rows;
    assert_eq!(rows.iter().map(|row| row.messages).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn deflate_has_no_name_on_iggy() {
    let config = ClientCompressionConfig::new(Encoding::Deflate);
    let error = MessageCodec::new(&config, Iggy::LABEL).unwrap_err();
    assert_eq!(error.field(), "algorithm");
    assert_eq!(error.to_string(), "algorithm: deflate has no name under iggy-compression");
    assert!(MessageCodec::new(&config, Nats::LABEL).is_ok());
}
