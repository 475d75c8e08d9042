//! A call that is given up ends at the other end too.

use std::future::{pending, poll_fn};
use std::pin::Pin;
use std::sync::{Mutex, mpsc as std_mpsc};
use std::task::Poll;

use bytes::Bytes;
use http_body::{Body, Frame};
use http_body_util::StreamBody;
use thinwire::{Decoder, Encoding};
use thinwire_grpc::{BoxError, ClientCompressionLayer, ServerCompressionLayer};
use tokio::sync::{mpsc, oneshot};
use tokio_stream::StreamExt;
use tonic::client::Grpc;
use tonic::service::Routes;
use tower::Layer;

use crate::frames::{
    Wire, all_encoders, compressed, compressing, encoder, framed, read, request, response,
    seen_by_service, through_client,
};
use crate::handled::{Handled, answer, call, serve, soon};

/// Tells when it is dropped.
struct Guard(Option<oneshot::Sender<()>>);

fn guard() -> (Guard, oneshot::Receiver<()>) {
    let (sender, receiver) = oneshot::channel();
    (Guard(Some(sender)), receiver)
}

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.take().unwrap().send(());
    }
}

#[tokio::test]
async fn dropping_the_answers_drops_the_services_stream() {
    for encoding in compressing() {
        let (guard, dropped) = guard();
        let guard = Mutex::new(Some(guard));
        let handled = Handled::new(move |_| {
            let guard = guard.lock().unwrap().take();
            let first = tokio_stream::once(Ok(Bytes::from(vec![b'a'; 5000])));
            let never = tokio_stream::pending().map(move |it| {
                let _ = &guard;
                it
            });
            async { Ok(answer(first.chain(never))) }
        });
        let server = ServerCompressionLayer::new(encoder(encoding), Decoder::new(1 << 20));
        let client = ClientCompressionLayer::new(encoder(encoding), Decoder::new(1 << 20));
        let channel = serve(Routes::new(handled), Some(server)).await;
        let answer = call(Grpc::new(client.layer(channel)), [Bytes::new()]).await.unwrap();
        let mut answers = answer.into_inner();
        assert_eq!(soon(answers.message()).await.unwrap().unwrap().len(), 5000);
        drop(answers);
        soon(dropped).await.unwrap();
    }
}

#[tokio::test]
async fn dropping_a_call_under_way_drops_the_services_future() {
    let (started, mut on_started) = mpsc::unbounded_channel();
    let handled = Handled::new(move |request| {
        let (guard, dropped) = guard();
        started.send(dropped).unwrap();
        async move {
            let _guards = (guard, request);
            pending().await
        }
    });
    let server = ServerCompressionLayer::new(all_encoders(), Decoder::new(1 << 20));
    let client = ClientCompressionLayer::new(all_encoders(), Decoder::new(1 << 20));
    let channel = serve(Routes::new(handled), Some(server)).await;
    let calling = call(Grpc::new(client.layer(channel)), [Bytes::from(vec![b'a'; 5000])]);
    let dropped = tokio::select! {
        _ = calling => panic!("nothing answers"),
        dropped = soon(on_started.recv()) => dropped.unwrap(),
    };
    // The call was dropped with the block.
    soon(dropped).await.unwrap();
}

/// A body of this message that drops a guard with itself.
fn guarded(message: Bytes, guard: Guard) -> Wire {
    let frames = tokio_stream::once(Ok::<_, BoxError>(Frame::data(message)));
    Wire::of(StreamBody::new(frames.map(move |it| {
        let _ = &guard;
        it
    })))
}

/// Runs a test while the one thread for blocking work is kept busy, and says how to free it: jobs
/// are under way for as long as the test wants.
fn with_busy_thread<F: Future<Output = ()>>(test: impl FnOnce(std_mpsc::Sender<()>) -> F) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(1)
        .build()
        .unwrap();
    let (free, until_free) = std_mpsc::channel();
    runtime.spawn_blocking(move || until_free.recv());
    runtime.block_on(test(free));
}

async fn poll_once<B>(body: &mut B) -> Poll<()>
where
    B: Body<Data = Bytes, Error = BoxError> + Unpin,
{
    poll_fn(|cx| Poll::Ready(Pin::new(&mut *body).poll_frame(cx).map(drop))).await
}

#[test]
fn dropping_a_call_whose_message_is_being_worked_on_drops_its_body_at_once() {
    with_busy_thread(|free| async move {
        let payload = vec![b'a'; 100_000];
        let mut counters = Vec::new();
        for encoding in compressing() {
            let client = ClientCompressionLayer::new(encoder(encoding), Decoder::new(8 << 20));
            let server = ServerCompressionLayer::new(encoder(encoding), Decoder::new(8 << 20));
            let (client, server) = (client.offload_above(0), server.offload_above(0));
            counters.extend([client.counters().clone(), server.counters().clone()]);
            let (outward, out_dropped) = guard();
            let (inward, in_dropped) = guard();
            let out = request(&[], guarded(framed(0, &payload), outward));
            let (sent, _) = through_client(&client, out, response(&[], Wire::new([], None))).await;
            let lines = [("grpc-encoding", encoding.name().as_bytes())];
            let inward = guarded(framed(1, &compressed(encoding, &payload)), inward);
            let seen = seen_by_service(&server, request(&lines, inward)).await.unwrap();
            let (mut sent, mut seen) = (sent.into_body(), seen.into_body());
            assert!(poll_once(&mut sent).await.is_pending(), "{encoding}");
            assert!(poll_once(&mut seen).await.is_pending(), "{encoding}");
            assert!(!seen.is_end_stream(), "{encoding}");
            drop((sent, seen));
            soon(out_dropped).await.unwrap();
            soon(in_dropped).await.unwrap();
        }
        // What was given up is not in the way of what comes.
        free.send(()).unwrap();
        let layer = ServerCompressionLayer::new(all_encoders(), Decoder::new(8 << 20));
        let coded = framed(1, &compressed(Encoding::Lz4, &payload));
        let call = request(&[("grpc-encoding", b"lz4")], Wire::new([coded], None));
        let seen = seen_by_service(&layer.offload_above(0), call).await.unwrap();
        let read = soon(read(seen.into_body())).await;
        assert_eq!((read.data.len(), read.code()), (payload.len() + 5, None));
        // The one thread takes its work in order, so theirs would have been done by now.
        assert!(counters.iter().all(|it| it.snapshot().rows.is_empty()), "worked for nobody");
    });
}

#[test]
fn a_message_that_was_worked_on_wakes_whoever_polled_last() {
    with_busy_thread(|free| async move {
        let layer = ServerCompressionLayer::new(all_encoders(), Decoder::new(8 << 20));
        let coded = framed(1, &compressed(Encoding::Gzip, &[b'a'; 100_000]));
        let call = request(&[("grpc-encoding", b"gzip")], Wire::new([coded], None));
        let mut seen = seen_by_service(&layer.offload_above(0), call).await.unwrap().into_body();
        assert!(poll_once(&mut seen).await.is_pending());
        // Another task goes on with it.
        let read = tokio::spawn(async move { read(seen).await.data.len() });
        tokio::task::yield_now().await;
        free.send(()).unwrap();
        assert_eq!(soon(read).await.unwrap(), 100_005);
    });
}
