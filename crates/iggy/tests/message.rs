//! The SDK's messages as the codec sees them; no server is needed.

#![expect(clippy::unwrap_used, reason = "test code outside of the test functions")]

use std::collections::BTreeMap;
use std::io::{Read, Write};

use bytes::Bytes;
use iggy::prelude::*;
use proptest::prelude::*;
use thinwire::Encoding;
use thinwire_iggy::{
    ClientCompressionConfig, CompressError, DecompressError, HeaderError, Iggy, Label, MessageCodec,
};
use thinwire_stream::Message;
use thinwire_testkit::alloc;
use thinwire_testkit::payload::{self, Kind};

const ENCODINGS: [Encoding; 4] =
    [Encoding::Gzip, Encoding::Zstd, Encoding::Lz4, Encoding::SnappyBlock];

fn codec(encoding: Encoding) -> MessageCodec {
    MessageCodec::new(&ClientCompressionConfig::new(encoding), Label::IGGY).unwrap()
}

fn json(len: usize, seed: u64) -> Bytes {
    payload::make(Kind::JsonEvents, len, seed).into()
}

fn key(name: &str) -> HeaderKey {
    HeaderKey::try_from(name).unwrap()
}

/// A message as an application makes it.
fn message(payload: Bytes, headers: &[(&str, HeaderValue)]) -> Iggy {
    let map: BTreeMap<_, _> =
        headers.iter().map(|(name, value)| (key(name), value.clone())).collect();
    let builder = IggyMessage::builder().id(7).payload(payload);
    Iggy(match headers {
        [] => builder.build().unwrap(),
        _ => builder.user_headers(map).build().unwrap(),
    })
}

fn labelled(payload: Bytes, value: &str) -> Iggy {
    message(payload, &[("iggy-compression", HeaderValue::try_from(value).unwrap())])
}

/// The same once more: the SDK's is not `Clone`.
fn copy(message: &IggyMessage) -> IggyMessage {
    let IggyMessage { header, payload, user_headers } = message;
    let header = IggyMessageHeader { ..*header };
    IggyMessage { header, payload: payload.clone(), user_headers: user_headers.clone() }
}

#[test]
fn a_message_goes_out_labelled_and_comes_back_as_it_was() {
    let theirs = [("trace", HeaderValue::from(77_u64)), ("zone", true.into())];
    for encoding in ENCODINGS {
        for headers in [&[][..], &theirs] {
            let codec = codec(encoding);
            let given = message(json(4000, 1), headers);
            let sent = codec.maybe_compress(&given).unwrap().unwrap();
            assert!(sent.payload.len() < 2000, "{encoding}");
            let label = sent.get_user_header(&key("iggy-compression")).unwrap().unwrap();
            assert_eq!(label.as_str().unwrap(), Label::IGGY.value(encoding).unwrap());
            assert_eq!(sent.header.id, 7);
            assert_eq!(sent.header.origin_timestamp, given.header.origin_timestamp);
            // Asserts both lengths in a debug build.
            let len = sent.get_size_bytes().as_bytes_usize();
            let saved = given.get_size_bytes().as_bytes_usize() - len;
            assert_eq!(saved, 4000 - sent.payload.len() - Label::IGGY.len(encoding));

            // What the server hands out.
            let received = IggyMessage::from_bytes(sent.to_bytes()).unwrap();
            let restored = codec.maybe_decompress(Iggy(received)).unwrap();
            assert_eq!(restored.0, given.0, "{encoding}");
        }
    }
}

#[test]
fn sending_again_what_was_compressed_compresses_nothing_twice() {
    let codec = codec(Encoding::Zstd);
    let sent = codec.maybe_compress(&message(json(4000, 2), &[])).unwrap().unwrap();
    assert!(codec.maybe_compress(&sent).unwrap().is_none());
    let restored = codec.maybe_decompress(sent).unwrap();
    assert_eq!(restored.user_headers, None); // forwarded, it fools nobody
}

#[expect(clippy::disallowed_methods, reason = "bounded by `take`, as it does it")]
#[test]
fn what_the_public_example_writes_is_read_and_it_reads_what_is_written() {
    let payload = json(4000, 3);
    let mut theirs = lz4_flex::frame::FrameEncoder::new(Vec::new());
    theirs.write_all(&payload).unwrap();
    let theirs = labelled(theirs.finish().unwrap().into(), "lz4");
    let codec = codec(Encoding::Lz4);
    assert_eq!(codec.maybe_decompress(theirs).unwrap().payload, payload);
    assert_eq!(codec.maybe_decompress(labelled(payload.clone(), "none")).unwrap().payload, payload);

    let ours = codec.maybe_compress(&message(payload.clone(), &[])).unwrap().unwrap();
    let value = ours.get_user_header(&key("iggy-compression")).unwrap().unwrap();
    assert_eq!(value.as_str().unwrap(), "lz4");
    let mut read = Vec::new();
    let theirs = lz4_flex::frame::FrameDecoder::new(&*ours.payload);
    theirs.take(64_000_001).read_to_end(&mut read).unwrap();
    assert!(read == payload);
}

#[test]
fn labels_that_hold_anything_are_errors_with_the_message_as_it_came() {
    let values = [
        HeaderValue::try_from("br").unwrap(),
        HeaderValue::try_from("x".repeat(255)).unwrap(),
        HeaderValue::try_from(&b"zstd"[..]).unwrap(), // raw
        HeaderValue::from(7_u32),
        HeaderValue::from_raw(HeaderKind::String, &[0xff, 0xfe]).unwrap(),
    ];
    let codec = codec(Encoding::Zstd);
    for value in values {
        let bad = message(json(300, 4), &[("iggy-compression", value)]);
        let came = copy(&bad);
        let bad = codec.maybe_decompress(bad).unwrap_err();
        assert!(matches!(bad.reason(), DecompressError::Label(_)), "{bad}");
        assert_eq!(bad.into_message().into_inner(), came);
    }
    // Longer than the SDK would write.
    let mut headers = vec![2, 16, 0, 0, 0];
    headers.extend(b"iggy-compression\x02\x2c\x01\x00\x00");
    headers.extend([b'z'; 300]);
    let long =
        IggyMessage { user_headers: Some(headers.into()), ..copy(&message(json(300, 5), &[])) };
    let bad = codec.maybe_decompress(Iggy(long)).unwrap_err();
    assert!(matches!(bad.reason(), DecompressError::Label(_)), "{bad}");
    assert!(bad.to_string().len() < 300, "{bad}");
}

#[test]
fn two_labels_that_differ_are_an_error() {
    let given = message(json(300, 4), &[]);
    let once = given.labelled(given.payload.clone(), &[("iggy-compression", "lz4")]).unwrap();
    let twice = given.labelled(given.payload.clone(), &[("iggy-compression", "gzip")]).unwrap();
    let both = [once.user_headers.clone().unwrap(), twice.user_headers.clone().unwrap()].concat();
    let both = IggyMessage { user_headers: Some(both.into()), ..given.into_inner() };
    let bad = codec(Encoding::Zstd).maybe_decompress(Iggy(both)).unwrap_err();
    assert!(bad.to_string().contains("differ"), "{bad}");
}

#[test]
fn headers_that_are_no_headers_are_passed_on_by_a_producer_and_an_error_at_a_consumer() {
    let codec = codec(Encoding::Zstd);
    let given = message(json(4000, 6), &[]);
    let encrypted = IggyMessage { user_headers: Some("encrypted".into()), ..copy(&given) };
    assert!(codec.maybe_compress(&Iggy(copy(&encrypted))).unwrap().is_none());
    let bad = codec.maybe_decompress(Iggy(encrypted)).unwrap_err();
    assert!(bad.to_string().contains("malformed at byte 0"), "{bad}");
}

#[test]
fn headers_have_room_for_the_label_or_stay_as_they_are() {
    let codec = codec(Encoding::Zstd);
    let value = HeaderValue::try_from("v".repeat(255)).unwrap();
    let fill = |last: usize| {
        // 370 of 270 bytes and one for the rest
        let mut headers: Vec<_> =
            (0..370).map(|number| (format!("{number:05}"), value.clone())).collect();
        let rest = 100_000 - last - 370 * 270 - 15;
        headers.push(("rest.".into(), HeaderValue::try_from("v".repeat(rest)).unwrap()));
        let headers: Vec<_> = headers.iter().map(|(it, value)| (&**it, value.clone())).collect();
        let filled = message(json(4000, 7), &headers);
        assert_eq!(filled.headers_len(), 100_000 - last);
        filled
    };
    let label_len = Label::IGGY.len(Encoding::Zstd);
    let sent = codec.maybe_compress(&fill(label_len)).unwrap().unwrap();
    assert_eq!(sent.headers_len(), 100_000);
    assert!(codec.maybe_compress(&fill(label_len - 1)).unwrap().is_none());
}

#[test]
fn the_sdk_counts_a_payload_before_compression_and_the_codec_after_decompression() {
    let longest = vec![7; 64_000_000];
    assert!(IggyMessage::builder().payload([&longest[..], &[7]].concat().into()).build().is_err());
    let codec = codec(Encoding::Lz4);
    let given = message(longest.into(), &[]);
    let sent = codec.maybe_compress(&given).unwrap().unwrap();
    assert_eq!(codec.maybe_decompress(sent).unwrap().payload.len(), 64_000_000);

    // Made by hand, it is the codec that refuses it.
    let long = IggyMessage { payload: vec![7; 64_000_001].into(), ..IggyMessage::default() };
    let refused = codec.maybe_compress(&Iggy(long)).unwrap_err();
    assert!(matches!(refused, CompressError::TooLong { len: 64_000_001, limit: 64_000_000, .. }));
}

#[test]
fn a_message_costs_its_payload_and_its_headers() {
    for encoding in ENCODINGS {
        let codec = codec(encoding);
        let warm = codec.maybe_compress(&message(json(65_536, 1), &[])).unwrap().unwrap();
        drop(codec.maybe_decompress(warm));
        for headers in [&[][..], &[("trace", HeaderValue::from(77_u64))]] {
            for len in [1000, 4000, 65_536] {
                let given = message(json(len, 2), headers);
                drop(given.payload.clone()); // the first clone allocates what counts the owners
                let (sent, used) = alloc::measure(|| codec.maybe_compress(&given));
                let sent = sent.unwrap().unwrap();
                assert_eq!(used.count, 2, "{encoding}, {len} bytes: {used:?}");

                let sent = Iggy(IggyMessage::from_bytes(sent.to_bytes()).unwrap());
                let (restored, used) = alloc::measure(|| codec.maybe_decompress(sent));
                assert_eq!(restored.unwrap().0, given.0);
                assert_eq!((used.count, used.bytes), (1, len as u64), "{encoding}: {used:?}");
            }
        }
    }
}

proptest! {
    #[test]
    fn headers_of_any_bytes_are_read_or_refused(headers: Vec<u8>, payload: Vec<u8>) {
        let codec = codec(Encoding::Lz4);
        let given = || {
            let headers = Some(Bytes::from(headers.clone())).filter(|it| !it.is_empty());
            Iggy(IggyMessage { payload: payload.clone().into(), user_headers: headers, ..IggyMessage::default() })
        };
        let is_read = given().get("iggy-compression", &mut |_| {}).is_ok();
        match codec.maybe_decompress(given()) {
            Ok(restored) => {
                prop_assert!(is_read);
                prop_assert_eq!(&restored.payload[..], &payload[..]);
            }
            Err(bad) => {
                let is_headers = matches!(bad.reason(), DecompressError::Label(_));
                prop_assert!(is_headers && !is_read, "{}", bad);
            }
        }
    }
}

#[test]
fn header_errors_say_where() {
    let error = HeaderError::clone(
        &Iggy(IggyMessage { user_headers: Some("??".into()), ..IggyMessage::default() })
            .get("a", &mut |_| {})
            .unwrap_err(),
    );
    assert_eq!(error.to_string(), "2 bytes of user headers are malformed at byte 0");
}
