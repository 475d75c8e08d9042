//! Allocations of a message, counted exactly: its new payload, and nothing else.

#![expect(
    clippy::unwrap_used,
    reason = "a test may stop where it fails; the lints allow it in test functions only"
)]

#[path = "support/flat.rs"]
mod flat;

use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use flat::Flat;
use thinwire::Encoding;
use thinwire_stream::{ClientCompressionConfig, Decoded, Label, MessageCodec};
use thinwire_testkit::alloc::{self, Allocations};
use thinwire_testkit::payload::{self, Kind};
use tokio_stream::Stream;

const LENS: [usize; 5] = [200, 1000, 4000, 65_536, 1_000_000];

fn payloads(len: usize, seed: u64) -> Vec<Bytes> {
    let payloads = (seed..seed + 5).map(|seed| payload::make(Kind::JsonEvents, len, seed).into());
    payloads.map(shared).collect()
}

/// Has been cloned before, as what clients receive has been: the first clone of what was made of a
/// vector allocates what counts its owners.
fn shared(bytes: Bytes) -> Bytes {
    drop(bytes.clone());
    bytes
}

fn codecs() -> impl Iterator<Item = (Encoding, MessageCodec)> {
    [Label::IGGY, Label::CONTENT_ENCODING].into_iter().flat_map(|label| {
        let encodings = Encoding::ALL.into_iter().filter(move |it| label.value(*it).is_some());
        encodings.map(move |encoding| {
            let config = ClientCompressionConfig::new(encoding).min_size(0);
            (encoding, MessageCodec::new(&config, label).unwrap())
        })
    })
}

fn exactly(bytes: usize) -> impl Fn(&Allocations) -> bool {
    move |used| used.count == 1 && used.bytes == bytes as u64
}

#[test]
fn compressing_allocates_the_new_payload_and_decompressing_the_old() {
    for (encoding, codec) in codecs() {
        for len in LENS {
            let messages: Vec<_> = payloads(len, 1).into_iter().map(Flat::new).collect();
            for message in &messages {
                let warm = codec.maybe_compress(message).unwrap();
                drop(warm.map(|it| codec.maybe_decompress(it)));
            }
            for message in messages {
                let (sent, used) = alloc::measure(|| codec.maybe_compress(&message).unwrap());
                let Some(mut sent) = sent else {
                    assert_eq!(len, 200, "{encoding}: too short for it to pay");
                    continue;
                };
                assert!(exactly(sent.payload.len())(&used), "{encoding}, {len}: {used:?}");

                sent.payload = shared(sent.payload);
                let (restored, used) = alloc::measure(|| codec.maybe_decompress(sent).ok());
                assert_eq!(restored.unwrap().payload, message.payload);
                assert!(exactly(len)(&used), "{encoding}, {len}: {used:?}");
            }
        }
    }
}

#[test]
fn a_payload_that_nobody_has_cloned_costs_its_first_clone_as_well() {
    for (encoding, codec) in codecs() {
        let payload = payload::make(Kind::JsonEvents, 4000, 6);
        codec.maybe_compress(&Flat::new(payload.clone().into())).unwrap();
        let message = Flat::new(payload.into_boxed_slice().into());
        let (_, first) = alloc::measure(|| codec.maybe_compress(&message).unwrap());
        let (_, second) = alloc::measure(|| codec.maybe_compress(&message).unwrap());
        assert_eq!((first.count, second.count), (2, 1), "{encoding}");
        assert!(first.bytes - second.bytes < 50, "{encoding}: {first:?}");
    }
}

#[test]
fn what_stays_as_it_is_allocates_nothing() {
    for (encoding, codec) in codecs() {
        let random = payload::make(Kind::Random, 4000, 2).into();
        let short = payload::make(Kind::JsonEvents, 30, 2).into();
        let compressed = codec.maybe_compress(&Flat::new(payloads(4000, 3).remove(0))).unwrap();
        let raw = [random, short].map(|payload| Flat::new(shared(payload)));
        for message in raw.iter().chain(&compressed) {
            codec.maybe_compress(message).unwrap();
            let (sent, used) = alloc::measure(|| codec.maybe_compress(message).unwrap());
            assert!(sent.is_none(), "{encoding}");
            assert_eq!(used, Allocations::default(), "{encoding}");
        }
        for message in raw {
            let (received, used) = alloc::measure(|| codec.maybe_decompress(message).ok());
            assert!(received.is_some(), "{encoding}");
            assert_eq!((used.count, used.bytes), (0, 0), "{encoding}");
        }
    }
}

#[test]
fn a_streams_message_allocates_its_payload() {
    for (encoding, codec) in codecs() {
        let messages: Vec<Result<_, &str>> = payloads(4000, 4)
            .into_iter()
            .map(|payload| {
                let mut sent = codec.maybe_compress(&Flat::new(payload)).unwrap().unwrap();
                sent.payload = shared(sent.payload);
                drop(codec.maybe_decompress(sent.clone()));
                Ok(sent)
            })
            .collect();
        let count = messages.len() as u64;
        let mut decoded = Decoded::new(tokio_stream::iter(messages), codec);
        let mut cx = Context::from_waker(Waker::noop());
        let (came, used) = alloc::measure(|| {
            let mut came = 0;
            while let Poll::Ready(Some(Ok(_))) = Pin::new(&mut decoded).poll_next(&mut cx) {
                came += 1;
            }
            came
        });
        assert_eq!((came, used.count, used.bytes), (count, count, count * 4000), "{encoding}");
    }
}

#[test]
fn many_live_payloads_take_their_own_length() {
    for (encoding, codec) in codecs() {
        let sent = codec.maybe_compress(&Flat::new(payloads(200, 5).remove(0))).unwrap();
        let Some(sent) = sent else { continue }; // too short for this encoding
        drop(codec.maybe_decompress(sent.clone()));
        let (kept, used) = alloc::measure(|| {
            let messages = (0..10_000).map(|_| codec.maybe_decompress(sent.clone()).ok().unwrap());
            messages.map(|message| message.payload).collect::<Vec<_>>()
        });
        assert_eq!(kept.len(), 10_000);
        assert!(used.kept_bytes < 10_000 * 300 + 10_000 * 40, "{encoding}: {used:?}");
    }
}
