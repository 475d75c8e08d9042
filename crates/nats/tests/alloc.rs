//! Allocations of a message of the client's, counted exactly.

use async_nats::message::OutboundMessage;
use async_nats::{HeaderMap, Message};
use bytes::Bytes;
use thinwire::Encoding;
use thinwire_nats::{ClientCompressionConfig, Label, Nats};
use thinwire_stream::MessageCodec;
use thinwire_testkit::alloc;
use thinwire_testkit::payload::{self, Kind};

#[test]
fn restoring_allocates_the_payload_and_copies_no_more_than_other_headers() {
    for encoding in Encoding::ALL.into_iter().filter(|it| *it != Encoding::Identity) {
        let config = ClientCompressionConfig::new(encoding);
        let codec = MessageCodec::new(&config, Label::CONTENT_ENCODING).unwrap();
        let payload: Bytes = payload::make(Kind::JsonEvents, 4000, 1).into();
        let mut others = HeaderMap::new();
        others.insert("Trace", "7");
        // A map's table, a list and a value; the name is shared.
        for (headers, copied) in [(None, 0), (Some(others), 3)] {
            let subject = "a.b".into();
            let out = OutboundMessage { subject, reply: None, payload: payload.clone(), headers };
            let sent = codec.maybe_compress(&Nats(out.clone())).unwrap().unwrap().into_inner();
            let received = || {
                let (payload, headers) = (sent.payload.clone(), sent.headers.clone());
                let (status, description, length) = (None, None, payload.len());
                let (subject, reply) = (sent.subject.clone(), None);
                Nats(Message { subject, reply, payload, headers, status, description, length })
            };
            drop(codec.maybe_decompress(received())); // the pool is filled
            let message = received();
            let (restored, used) = alloc::measure(|| codec.maybe_decompress(message).ok());
            let restored = restored.unwrap();
            assert!(restored.payload == payload && restored.headers == out.headers, "{encoding}");
            assert_eq!(used.count, 1 + copied, "{encoding}: {used:?}");
        }
    }
}

#[test]
fn a_label_takes_a_map_of_two_headers() {
    let config = ClientCompressionConfig::new(Encoding::Zstd);
    let codec = MessageCodec::new(&config, Label::CONTENT_ENCODING).unwrap();
    let payload: Bytes = payload::make(Kind::JsonEvents, 4000, 1).into();
    drop(payload.clone()); // the first clone of a vector's bytes allocates
    let out = Nats(OutboundMessage { subject: "a".into(), reply: None, payload, headers: None });
    codec.maybe_compress(&out).unwrap();
    let (sent, used) = alloc::measure(|| codec.maybe_compress(&out).unwrap());
    assert!(sent.is_some());
    // The payload, the map's table, and for each header a name, a list and a value.
    assert_eq!(used.count, 1 + 1 + 2 * 3, "{used:?}");
}
