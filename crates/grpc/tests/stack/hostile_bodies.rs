//! Streams that no honest peer sends, read on both sides.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http_body::{Body, Frame};
use http_body_util::StreamBody;
use thinwire::{Decoder, Encoding};
use thinwire_grpc::{BoxError, ClientCompressionLayer, ServerCompressionLayer};

use crate::frames::{
    Lines, Read, Wire, all_encoders, compressed, compressing, framed, read, request, response,
    seen_by_service, through_client, trailers,
};

const LIMIT: usize = 1 << 20;

/// Gives what a service, and a client, sees of such a stream.
async fn both_sides(lines: Lines<'_>, mut body: impl FnMut() -> Wire) -> [Wire; 2] {
    let server = ServerCompressionLayer::new(all_encoders(), Decoder::new(LIMIT));
    let client = ClientCompressionLayer::new(all_encoders(), Decoder::new(LIMIT));
    let seen = seen_by_service(&server, request(lines, body())).await.unwrap();
    let call = request(&[], Wire::new([], None));
    let (_, heard) = through_client(&client, call, response(lines, body())).await;
    [Wire::of(seen.into_body()), Wire::of(heard.into_body())]
}

async fn read_both(lines: Lines<'_>, frames: &[Bytes]) -> [Read; 2] {
    let [seen, heard] = both_sides(lines, || Wire::new(frames.to_vec(), None)).await;
    [read(seen).await, read(heard).await]
}

#[tokio::test]
async fn every_flag_above_one_is_internal_and_its_message_is_not_seen() {
    for flag in 2..=255 {
        for lines in [&[][..], &[("grpc-encoding", &b"zstd"[..])]] {
            let good = framed(0, b"good");
            let frames = [good.clone(), framed(flag, b"bad"), framed(0, b"after")];
            for read in read_both(lines, &frames).await {
                assert_eq!(read.code(), Some(13), "{flag}: {read:?}");
                assert_eq!(read.data, good, "{flag}");
            }
        }
    }
}

#[tokio::test]
async fn a_stream_cut_anywhere_is_internal_and_never_a_part_of_a_message() {
    let payload = b"one part after the other and the same part again and again".repeat(5);
    for encoding in compressing() {
        let lines = [("grpc-encoding", encoding.name().as_bytes())];
        let one = framed(1, &compressed(encoding, &payload));
        let stream = Bytes::from([&one[..], &one].concat());
        for cut in 0..stream.len() {
            let whole = cut / one.len();
            let is_between = cut % one.len() == 0;
            let bytes: Vec<_> = stream[..cut].chunks(1).map(Bytes::copy_from_slice).collect();
            for frames in [vec![stream.slice(..cut)], bytes] {
                for read in read_both(&lines, &frames).await {
                    let code = if is_between { None } else { Some(13) };
                    assert_eq!(read.code(), code, "{encoding} cut at {cut}: {read:?}");
                    assert_eq!(read.data, framed(0, &payload).repeat(whole), "{encoding} {cut}");
                }
            }
        }
    }
}

/// The message is as long as it says, but its encoding is not at its end.
#[tokio::test]
async fn a_message_cut_within_its_encoding_is_internal_and_never_a_part() {
    let payload = b"one part after the other and the same part again and again".repeat(5);
    for encoding in compressing() {
        let lines = [("grpc-encoding", encoding.name().as_bytes())];
        let coded = compressed(encoding, &payload);
        for cut in 1..coded.len() {
            for read in read_both(&lines, &[framed(1, &coded[..cut])]).await {
                // No bytes after the first chunk is how snappy's framing says nothing.
                if encoding == Encoding::SnappyFramed && cut == 10 {
                    assert_eq!((read.code(), &read.data[..]), (None, &framed(0, b"")[..]));
                    continue;
                }
                assert_eq!(read.code(), Some(13), "{encoding} cut at {cut}: {read:?}");
                assert!(read.data.is_empty(), "{encoding} {cut}");
            }
        }
    }
}

#[tokio::test]
async fn garbage_for_an_encoding_is_unimplemented_at_the_server_and_harmless_at_the_client() {
    let long = [b'x'; 300];
    let garbage: [Lines<'_>; 5] = [
        &[("grpc-encoding", &long)],
        &[("grpc-encoding", b"\xff\xfe\x80")],
        &[("grpc-encoding", b"gzip"), ("grpc-encoding", b"gzip")],
        &[("grpc-encoding", b"gzip"), ("grpc-encoding", b"zstd")],
        &[("grpc-encoding", b"gzip;q=1")],
    ];
    let server = ServerCompressionLayer::new(all_encoders(), Decoder::new(LIMIT));
    let client = ClientCompressionLayer::new(all_encoders(), Decoder::new(LIMIT));
    for lines in garbage {
        let call = request(lines, Wire::new([framed(0, b"x")], None));
        let refused = seen_by_service(&server, call).await.unwrap_err();
        assert_eq!(refused.headers()["grpc-status"], "12", "{lines:?}");
        assert!(refused.headers().contains_key("grpc-accept-encoding"));
        assert!(refused.headers()["grpc-message"].len() < 1200, "{refused:?}");
        for (flag, code, data) in [(0, 0, framed(0, b"x")), (1, 13, Bytes::new())] {
            let answer = response(lines, Wire::new([framed(flag, b"x")], Some(trailers("0"))));
            let call = request(&[], Wire::new([], None));
            let (_, heard) = through_client(&client, call, answer).await;
            assert!(!heard.headers().contains_key("grpc-encoding"), "{heard:?}");
            let read = read(heard.into_body()).await;
            assert_eq!((read.code(), &read.data[..]), (Some(code), &data[..]), "{lines:?}");
        }
    }
}

#[tokio::test]
async fn an_error_of_the_connection_passes_as_it_is() {
    for lines in [&[][..], &[("grpc-encoding", &b"lz4"[..])]] {
        let bodies = both_sides(lines, || {
            let error: BoxError = tonic::Status::aborted("the line is gone").into();
            let frames = [Ok(Frame::data(framed(0, b"x"))), Err(error)];
            Wire::of(StreamBody::new(tokio_stream::iter(frames)))
        });
        for body in bodies.await {
            let read = read(body).await;
            assert_eq!(read.data, framed(0, b"x"));
            let error = read.error.unwrap();
            assert_eq!((error.code(), error.message()), (tonic::Code::Aborted, "the line is gone"));
        }
    }
}

/// Gives these frames over and over, and stops to wait once it was asked too often at a time.
struct Endless {
    first: VecDeque<Bytes>,
    then: Bytes,
    asked: usize,
}

const TOO_OFTEN: usize = 20_000;

impl Body for Endless {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        self.asked += 1;
        if self.asked >= TOO_OFTEN {
            return Poll::Pending;
        }
        let then = self.then.clone();
        Poll::Ready(Some(Ok(Frame::data(self.first.pop_front().unwrap_or(then)))))
    }
}

/// Says how much of an endless stream is taken in within one call.
async fn assert_yields(what: &str, lines: Lines<'_>, first: &[Bytes], then: &Bytes) {
    let endless =
        || Endless { first: first.iter().cloned().collect(), then: then.clone(), asked: 0 };
    for mut body in both_sides(lines, || Wire::of(endless())).await {
        let woken = std::sync::Arc::new(Woken::default());
        let waker = Waker::from(woken.clone());
        match Pin::new(&mut body).poll_frame(&mut Context::from_waker(&waker)) {
            Poll::Ready(Some(Ok(frame))) => {
                let len = frame.data_ref().unwrap().len();
                assert!(len <= then.len().max(32 << 10), "{what}: {len} bytes at once");
            }
            Poll::Ready(other) => panic!("{what}: {other:?}"),
            // Taking in without end would have stopped where nobody wakes it.
            Poll::Pending => assert!(woken.is_woken(), "{what}: it takes in without end"),
        }
    }
}

#[derive(Default)]
struct Woken(std::sync::atomic::AtomicBool);

impl Woken {
    fn is_woken(&self) -> bool {
        self.0.load(std::sync::atomic::Ordering::Relaxed)
    }
}

impl std::task::Wake for Woken {
    fn wake(self: std::sync::Arc<Self>) {
        self.0.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

#[tokio::test]
async fn a_stream_without_end_does_not_hold_the_runtime() {
    let start = Bytes::from([&[0][..], &(900_000_u32).to_be_bytes()].concat());
    for lines in [&[][..], &[("grpc-encoding", &b"gzip"[..])]] {
        assert_yields("empty frames", lines, &[], &Bytes::new()).await;
        let within = [start.clone()];
        assert_yields("empty frames in a message", lines, &within, &Bytes::new()).await;
        assert_yields("single bytes", lines, &within, &Bytes::from_static(b"x")).await;
        assert_yields("empty messages", lines, &[], &framed(0, b"")).await;
        let many = framed(0, b"").repeat(100_000).into();
        assert_yields("very many empty messages", lines, &[], &many).await;
    }
    let flagged = framed(1, b"");
    let lines: Lines<'_> = &[("grpc-encoding", b"gzip")];
    assert_yields("empty flagged messages", lines, &[], &flagged).await;
    assert_yields("very many of them", lines, &[], &flagged.repeat(100_000).into()).await;
}
