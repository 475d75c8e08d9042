//! Counters are exact: both sizes, reasons, errors by kind.

use std::sync::Arc;
use std::time::Duration;

use thinwire::counters::{Direction, ErrorKind};
use thinwire::{Encoding, RawReason};
use thinwire_stream::ClientCompressionConfig;

use crate::support::{Broker, Iggy, Nats, codec, encodings, events, rows};

#[test]
fn every_message_is_counted_once_each_way_with_both_sizes() {
    fn check<M: Broker>() {
        for encoding in encodings::<M>() {
            let codec = codec::<M>(&ClientCompressionConfig::new(encoding).max_payload_size(9000));
            let mut wire_len = 0;
            for seed in 0..5 {
                let sent = codec.maybe_compress(&M::new(events(4000, seed))).unwrap().unwrap();
                wire_len += sent.payload().len() as u64;
                codec.maybe_decompress(sent).unwrap();
            }
            for len in [0, 10, 200] {
                let raw = M::new(events(len, 70));
                assert_eq!(codec.maybe_compress(&raw).unwrap(), None);
                codec.maybe_decompress(raw).unwrap();
            }
            for direction in [Direction::Encode, Direction::Decode] {
                let rows = rows(codec.counters(), direction);
                let counted: Vec<_> = rows
                    .iter()
                    .map(|it| (it.encoding, it.messages, it.payload_bytes, it.wire_bytes))
                    .collect();
                let expected = [(Encoding::Identity, 3, 210, 210), (encoding, 5, 20_000, wire_len)];
                assert_eq!(counted, expected, "{direction:?}");
                assert_eq!(rows[0].codec_time, Duration::ZERO);
                assert!(rows[1].codec_time > Duration::ZERO);
            }
            assert_eq!(codec.counters().snapshot().raw, [(RawReason::BelowMinLen, 3)]);
            assert!(codec.counters().snapshot().errors.is_empty());
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn every_reason_to_stay_raw_is_counted() {
    let codec = codec::<Iggy>(&ClientCompressionConfig::new(Encoding::Zstd));
    let random = thinwire_testkit::payload::make(thinwire_testkit::payload::Kind::Random, 500, 71);
    for message in [
        Iggy::new("short"),
        Iggy::new(random),
        Iggy::new(events(4000, 71)).header("iggy-compression", "lz4"),
        Iggy::new(events(4000, 71)).header("filler", vec![b'x'; 99_990 - "filler".len()]),
    ] {
        assert_eq!(codec.maybe_compress(&message).unwrap(), None);
    }
    assert_eq!(codec.off().maybe_compress(&Iggy::new(events(4000, 71))).unwrap(), None);
    let reasons = [
        RawReason::Identity,
        RawReason::BelowMinLen,
        RawReason::TooLittleSaved,
        RawReason::Labelled,
        RawReason::NoRoomForLabel,
    ];
    assert_eq!(codec.counters().snapshot().raw, reasons.map(|reason| (reason, 1)));
    let row = &rows(codec.counters(), Direction::Encode)[0];
    assert_eq!((row.encoding, row.messages), (Encoding::Identity, 5));
    assert_eq!(row.payload_bytes, 5 + 500 + 3 * 4000);
    assert_eq!(row.wire_bytes, row.payload_bytes);
}

#[test]
fn an_applications_label_is_counted_as_left_alone_and_as_received_raw() {
    let codec = codec::<Nats>(&ClientCompressionConfig::new(Encoding::Zstd));
    let theirs = Nats::new(events(4000, 72)).header("Content-Encoding", "br");
    let sent = codec.maybe_compress(&theirs).unwrap().unwrap();
    codec.maybe_decompress(sent).unwrap();
    let snapshot = codec.counters().snapshot();
    assert_eq!(snapshot.raw, [(RawReason::Labelled, 1)]);
    let counted: Vec<_> = snapshot.rows.iter().map(|it| (it.encoding, it.payload_bytes)).collect();
    assert_eq!(counted, [(Encoding::Identity, 4000); 2]);
}

#[test]
fn errors_are_counted_by_kind_and_direction() {
    let codec = codec::<Iggy>(&ClientCompressionConfig::new(Encoding::Zstd).max_payload_size(1000));
    let labelled = |value, payload: Vec<u8>| Iggy::new(payload).header("iggy-compression", value);
    codec.maybe_compress(&Iggy::new(vec![0; 1001])).unwrap_err();
    codec.maybe_decompress(Iggy::new(vec![0; 1001])).unwrap_err();
    codec.maybe_decompress(labelled("gzip", vec![7; 50])).unwrap_err();
    codec.maybe_decompress(labelled("br", vec![7; 50])).unwrap_err();
    codec.maybe_decompress(labelled("deflate", vec![7; 50])).unwrap_err();
    assert_eq!(
        codec.counters().snapshot().errors,
        [
            (Direction::Encode, ErrorKind::TooLong, 1),
            (Direction::Decode, ErrorKind::TooLong, 1),
            (Direction::Decode, ErrorKind::Malformed, 1),
            (Direction::Decode, ErrorKind::Unsupported, 2),
        ]
    );
}

#[test]
fn clones_count_together() {
    let codec = codec::<Iggy>(&ClientCompressionConfig::new(Encoding::Zstd));
    let others = [codec.clone(), codec.off(), codec.clone().offload_above(10)];
    for other in &others {
        assert!(Arc::ptr_eq(codec.counters(), other.counters()));
    }
}
