//! Small messages that would be large: refused, before they cost memory or time.

use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http_body::{Body, Frame};
use http_body_util::StreamBody;
use thinwire::{Decoder, Encoding};
use thinwire_grpc::{BoxError, ClientCompressionLayer, ServerCompressionLayer};
use thinwire_testkit::{alloc, promise, vectors};
use tokio_stream::StreamExt;

use crate::frames::{
    Read, Wire, all_encoders, compressed, compressing, framed, request, response, seen_by_service,
    through_client,
};

/// Reads a body that never has to wait, on this thread, whose allocations are counted.
fn read_now(body: impl Body<Data = Bytes, Error = BoxError>) -> (Read, alloc::Allocations) {
    let mut body = pin!(body);
    let mut cx = Context::from_waker(Waker::noop());
    alloc::measure(|| {
        let mut read = Read::default();
        loop {
            match body.as_mut().poll_frame(&mut cx) {
                Poll::Ready(None) => return read,
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => read.data.extend_from_slice(&data),
                    Err(frame) => read.trailers = frame.into_trailers().ok(),
                },
                Poll::Ready(Some(Err(error))) => {
                    read.error = Some(tonic::Status::from_error(error));
                }
                Poll::Pending => panic!("it waits"),
            }
        }
    })
}

/// Reads a message as a server and as a client.
async fn read_on_both_sides(
    encoding: Encoding,
    limit: usize,
    message: &Bytes,
) -> [(Read, alloc::Allocations); 2] {
    let lines = [("grpc-encoding", encoding.name().as_bytes())];
    let server = ServerCompressionLayer::new(all_encoders(), Decoder::new(limit));
    let client = ClientCompressionLayer::new(all_encoders(), Decoder::new(limit));
    let (server, client) = (server.offload_above(usize::MAX), client.offload_above(usize::MAX));
    let body = || Wire::new([message.clone()], None);
    let seen = seen_by_service(&server, request(&lines, body())).await.unwrap();
    let call = request(&[], Wire::new([], None));
    let (_, heard) = through_client(&client, call, response(&lines, body())).await;
    [read_now(seen.into_body()), read_now(heard.into_body())]
}

fn assert_refused(what: &str, limit: usize, read: &Read, needed: &alloc::Allocations) {
    assert_eq!(read.code(), Some(8), "{what}: {read:?}");
    assert!(read.data.is_empty(), "{what}: part of it arrived");
    // The buffer for what is allowed, at its last growth, and the decoder's own state.
    let bound = (2 * limit + promise::MAX_STATE_LEN) as u64;
    assert!(needed.peak_bytes < bound, "{what}: {needed:?} where {bound} is enough");
}

#[tokio::test]
async fn known_bombs_cost_no_more_than_the_limit() {
    let mut bombs = vectors::all();
    bombs.retain(|vector| vector.expect == vectors::Expect::TooLong);
    assert!(bombs.iter().any(|bomb| bomb.name.ends_with("zstd/rle-1g")));
    for bomb in bombs {
        let message = framed(1, &bomb.encoded);
        for (read, needed) in read_on_both_sides(bomb.encoding, bomb.limit, &message).await {
            assert_refused(&bomb.name, bomb.limit, &read, &needed);
        }
    }
}

#[tokio::test]
async fn what_compresses_best_costs_no_more_than_the_limit() {
    // zstd's is among the known ones; the others can't say more than this in as many bytes.
    let zeros = vec![0; 32 << 20];
    for encoding in compressing() {
        let message = framed(1, &compressed(encoding, &zeros));
        for (read, needed) in read_on_both_sides(encoding, 1 << 20, &message).await {
            assert_refused(encoding.name(), 1 << 20, &read, &needed);
        }
    }
}

#[tokio::test]
async fn a_length_of_four_gigabytes_costs_nothing() {
    let prefix = |flag| Bytes::from([&[flag], &u32::MAX.to_be_bytes()[..]].concat());
    for encoding in Encoding::ALL {
        for flag in [0, 1] {
            let limit = 1 << 20;
            for (read, needed) in read_on_both_sides(encoding, limit, &prefix(flag)).await {
                let is_flag_wrong = encoding == Encoding::Identity && flag == 1;
                let code = if is_flag_wrong { 13 } else { 8 };
                assert_eq!(read.code(), Some(code), "{encoding} {flag}: {read:?}");
                assert!(needed.peak_bytes < 10_000, "{encoding} {flag}: {needed:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_length_that_is_allowed_costs_what_comes_and_not_what_it_says() {
    for encoding in Encoding::ALL {
        let start = [&[0][..], &(900_000_u32).to_be_bytes(), b"a few bytes"].concat();
        for (read, needed) in read_on_both_sides(encoding, 1 << 20, &start.into()).await {
            assert_eq!(read.code(), Some(13), "{encoding}: {read:?}");
            assert!(needed.peak_bytes < 10_000, "{encoding}: {needed:?}");
        }
    }
}

/// Says how much each of so many streams keeps while it waits for the rest of a message.
#[tokio::test]
async fn a_stream_keeps_no_more_than_came_of_one_message() {
    const STREAMS: usize = 8;
    const CAME: usize = 500_000;
    let start = Bytes::from([&[1][..], &900_000_u32.to_be_bytes()].concat());
    let chunk = Bytes::from(vec![0; CAME / 10]);
    let layer = ServerCompressionLayer::new(all_encoders(), Decoder::new(1 << 20));
    let mut bodies = Vec::new();
    for _ in 0..STREAMS {
        let frames = std::iter::once(start.clone()).chain(std::iter::repeat_n(chunk.clone(), 10));
        let frames = tokio_stream::iter(frames.map(|it| Ok::<_, BoxError>(Frame::data(it))));
        let body = Wire::of(StreamBody::new(frames.chain(tokio_stream::pending())));
        let call = request(&[("grpc-encoding", b"gzip")], body);
        bodies.push(seen_by_service(&layer, call).await.unwrap().into_body());
    }
    let mut cx = Context::from_waker(Waker::noop());
    let ((), needed) = alloc::measure(|| {
        for body in &mut bodies {
            assert!(Pin::new(body).poll_frame(&mut cx).is_pending());
        }
    });
    // A buffer that grows may be twice as large as what is in it.
    let bound = (STREAMS * 2 * CAME + promise::MAX_STATE_LEN) as u64;
    assert!(needed.peak_bytes < bound, "{needed:?} where {bound} is enough");
    let ((), freed) = alloc::measure(|| drop(bodies));
    assert!(freed.kept_bytes <= -i64::try_from(STREAMS * CAME).unwrap(), "{freed:?}");
}
