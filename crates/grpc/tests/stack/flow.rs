//! A slow reader holds the writer back, compressed or not.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http_body::{Body, Frame};
use http_body_util::{BodyExt, StreamBody};
use thinwire::{Decoder, Encoding};
use thinwire_grpc::{BoxError, ClientCompressionLayer, ServerCompressionLayer};
use tokio::sync::mpsc;
use tokio_stream::StreamExt;
use tonic::client::Grpc;
use tonic::service::Routes;
use tower::Layer;

use crate::frames::{
    Wire, answered_by_service, compressed, encoder, framed, request, response, seen_by_service,
    through_client,
};
use crate::handled::{Handled, WINDOW, answer, call, send, serve, soon};
use crate::support::{Echo, unary};

const MESSAGE_LEN: usize = 10_000;

/// A message that nothing makes smaller, or one that is next to nothing once compressed.
fn message(is_noise: bool) -> Bytes {
    let noise = (0..MESSAGE_LEN / 4).map(|i| u32::try_from(i).unwrap().wrapping_mul(2_654_435_761));
    if is_noise {
        noise.flat_map(u32::to_le_bytes).collect()
    } else {
        vec![b'a'; MESSAGE_LEN].into()
    }
}

/// How many messages there may be ahead of the reader: its window of the stream, as much again on
/// the way, and one or two frames in each body between.
fn bound(wire_len: usize) -> usize {
    (2 * WINDOW as usize + 8 * (16 << 10)) / wire_len + 16
}

#[tokio::test]
async fn a_service_is_asked_for_no_more_answers_than_the_window_holds() {
    for is_noise in [true, false] {
        let pulled = Arc::new(AtomicUsize::new(0));
        let count = pulled.clone();
        let handled = Handled::new(move |_| {
            let count = count.clone();
            let endless = tokio_stream::iter(std::iter::repeat_with(move || {
                count.fetch_add(1, Ordering::Relaxed);
                Ok(message(is_noise))
            }));
            async { Ok(answer(endless)) }
        });
        let server = ServerCompressionLayer::new(encoder(Encoding::Zstd), Decoder::new(1 << 20));
        let client = ClientCompressionLayer::new(encoder(Encoding::Zstd), Decoder::new(1 << 20));
        let channel = serve(Routes::new(handled).add_service(Echo::default()), Some(server)).await;
        let service = client.layer(channel);
        let mut answers =
            call(Grpc::new(service.clone()), [Bytes::new()]).await.unwrap().into_inner();
        answers.message().await.unwrap().unwrap();
        // Whatever can move moves while these pass beside it.
        for _ in 0..50 {
            unary(service.clone(), message(is_noise)).await.unwrap();
        }
        let wire_len = if is_noise {
            MESSAGE_LEN
        } else {
            compressed(Encoding::Zstd, &message(false)).len() + 5
        };
        let pulled = pulled.load(Ordering::Relaxed);
        assert!(pulled <= bound(wire_len), "{pulled} messages of {wire_len} bytes");
        assert!(pulled > 1, "{pulled}");
    }
}

#[tokio::test]
async fn a_client_is_asked_for_no_more_messages_than_the_window_holds() {
    for is_noise in [true, false] {
        let (started, mut on_started) = mpsc::unbounded_channel();
        let handled = Handled::new(move |request| {
            started.send(()).unwrap();
            let mut messages = request.into_inner();
            async move {
                messages.message().await?.unwrap();
                // The rest is held and not read.
                let never = tokio_stream::pending().map(move |it| {
                    let _ = &messages;
                    it
                });
                Ok(answer(never))
            }
        });
        let server = ServerCompressionLayer::new(encoder(Encoding::Zstd), Decoder::new(1 << 20));
        let client = ClientCompressionLayer::new(encoder(Encoding::Zstd), Decoder::new(1 << 20));
        let channel = serve(Routes::new(handled).add_service(Echo::default()), Some(server)).await;
        let service = client.layer(channel);
        let pulled = Arc::new(AtomicUsize::new(0));
        let count = pulled.clone();
        let endless = tokio_stream::iter(std::iter::repeat_with(move || {
            count.fetch_add(1, Ordering::Relaxed);
            message(is_noise)
        }));
        let grpc = Grpc::new(service.clone());
        let answers = send(grpc, "/test.Handled/Call", tonic::Request::new(endless)).await.unwrap();
        soon(on_started.recv()).await.unwrap();
        for _ in 0..50 {
            unary(service.clone(), message(is_noise)).await.unwrap();
        }
        let wire_len = if is_noise {
            MESSAGE_LEN
        } else {
            compressed(Encoding::Zstd, &message(false)).len() + 5
        };
        let pulled = pulled.load(Ordering::Relaxed);
        assert!(pulled <= bound(wire_len), "{pulled} messages of {wire_len} bytes");
        assert!(pulled > 1, "{pulled}");
        drop(answers);
    }
}

/// An endless body that counts how often it gave a frame.
fn endless(frame: Bytes, given: &Arc<AtomicUsize>) -> Wire {
    let given = given.clone();
    Wire::of(StreamBody::new(tokio_stream::iter(std::iter::repeat_with(move || {
        given.fetch_add(1, Ordering::Relaxed);
        Ok::<_, BoxError>(Frame::data(frame.clone()))
    }))))
}

/// Several messages may go into one frame, of 32 KiB or of 128 KiB of payloads.
async fn assert_asked_only_when_asked<B>(what: &str, mut body: B, given: &AtomicUsize, len: usize)
where
    B: Body<Data = Bytes, Error = BoxError> + Unpin,
{
    assert_eq!(given.load(Ordering::Relaxed), 0, "{what}: before anybody asked");
    for asked in 1..=50 {
        assert!(body.frame().await.unwrap().unwrap().is_data());
        let given = given.load(Ordering::Relaxed);
        let most = asked * ((128 << 10) + len);
        assert!(given * len <= most, "{what}: {given} messages of {len} bytes for {asked} frames");
    }
}

#[tokio::test]
async fn a_body_takes_messages_only_when_it_is_asked_for_some() {
    let encoding = Encoding::SnappyBlock;
    let client = ClientCompressionLayer::new(encoder(encoding), Decoder::new(1 << 20));
    let server = ServerCompressionLayer::new(encoder(encoding), Decoder::new(1 << 20));
    for len in [10, 3000, 50_000] {
        let payload = vec![b'a'; len];
        let (plain, coded) = (framed(0, &payload), framed(1, &compressed(encoding, &payload)));
        let lines: crate::frames::Lines<'_> = &[("grpc-encoding", b"snappy-block")];
        let accept: crate::frames::Lines<'_> = &[("grpc-accept-encoding", b"snappy-block")];
        let nothing = || Wire::new([], None);
        let given = || Arc::new(AtomicUsize::new(0));

        let count = given();
        let (sent, _) = through_client(
            &client,
            request(&[], endless(plain.clone(), &count)),
            response(&[], nothing()),
        )
        .await;
        assert_asked_only_when_asked("client encodes", sent.into_body(), &count, len).await;

        for (lines, frame) in [(lines, &coded), (&[], &plain)] {
            let count = given();
            let answer = response(lines, endless(frame.clone(), &count));
            let (_, heard) = through_client(&client, request(&[], nothing()), answer).await;
            assert_asked_only_when_asked("client decodes", heard.into_body(), &count, len).await;

            let count = given();
            let call = request(lines, endless(frame.clone(), &count));
            let seen = seen_by_service(&server, call).await.unwrap();
            assert_asked_only_when_asked("server decodes", seen.into_body(), &count, len).await;
        }
        for lines in [accept, &[]] {
            let count = given();
            let answer = response(&[], endless(plain.clone(), &count));
            let answered = answered_by_service(&server, request(lines, nothing()), answer).await;
            assert_asked_only_when_asked("server encodes", answered.into_body(), &count, len).await;
        }
    }
}
