//! Large payloads do not keep a runtime from its other tasks.

use std::future::Future;
use std::pin::{Pin, pin};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use thinwire::Encoding;
use thinwire_stream::{
    ClientCompressionConfig, CompressError, Decoded, DecompressError, Message, MessageCodec,
    OnError,
};
use tokio::runtime::Builder;
use tokio_stream::{Stream, StreamExt};

use crate::support::{
    Broker, Iggy, Nats, codec, compressed, eager, encodings, errors, events, labelled,
};

/// Runs a test while the one thread for blocking work is kept busy, and says how to free it: jobs
/// are under way for as long as the test wants.
fn with_busy_thread<F: Future<Output = ()>>(test: impl FnOnce(mpsc::Sender<()>) -> F) {
    let runtime = Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
    let (free, until_free) = mpsc::channel();
    runtime.spawn_blocking(move || until_free.recv());
    runtime.block_on(test(free));
}

fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}

fn poll_next<S: Stream + Unpin>(stream: &mut S) -> Poll<Option<S::Item>> {
    Pin::new(stream).poll_next(&mut Context::from_waker(Waker::noop()))
}

fn decoded<M: Broker>(
    messages: impl IntoIterator<Item = M>,
    codec: MessageCodec,
) -> Decoded<impl Stream<Item = Result<M, &'static str>> + Unpin, M> {
    let messages: Vec<_> = messages.into_iter().map(Ok).collect();
    Decoded::new(tokio_stream::iter(messages), codec)
}

fn reader<M: Broker>() -> MessageCodec {
    codec::<M>(&ClientCompressionConfig::off())
}

#[test]
fn a_large_payload_is_decompressed_beside_the_runtime_and_a_small_one_in_place() {
    fn check<M: Broker>() {
        for encoding in encodings::<M>() {
            with_busy_thread(|free| async move {
                let codec = reader::<M>().offload_above(5000);
                let sizes = [5000, 5001, 5000];
                let messages = sizes.map(|len| labelled::<M>(encoding, &events(len, 90)));
                let mut decoded = decoded(messages, codec);
                assert!(poll_next(&mut decoded).is_ready(), "{encoding}: in place");
                assert!(poll_next(&mut decoded).is_pending(), "{encoding}: on the other thread");
                assert!(poll_next(&mut decoded).is_pending(), "{encoding}: still");
                free.send(()).unwrap();
                let message = decoded.next().await.unwrap().unwrap();
                assert_eq!(message, M::new(events(5001, 90)), "{encoding}");
                assert!(poll_next(&mut decoded).is_ready(), "{encoding}: in place again");
            });
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn more_than_a_mebibyte_is_large() {
    with_busy_thread(|free| async move {
        let messages =
            [1 << 20, (1 << 20) + 1].map(|len| labelled::<Iggy>(Encoding::Zstd, &vec![7; len]));
        let mut decoded = decoded(messages, reader::<Iggy>());
        assert!(poll_next(&mut decoded).is_ready());
        assert!(poll_next(&mut decoded).is_pending());
        free.send(()).unwrap();
        decoded.next().await.unwrap().unwrap();
    });
}

/// Time goes with what is read, too.
#[test]
fn many_bytes_that_say_little_are_read_beside_the_runtime() {
    with_busy_thread(|free| async move {
        let empty_members = compressed(Encoding::Gzip, b"").repeat(400);
        let message = Nats::new(empty_members).header("Content-Encoding", "gzip");
        let mut decoded = decoded([message], reader::<Nats>().offload_above(5000));
        assert!(poll_next(&mut decoded).is_pending());
        free.send(()).unwrap();
        assert_eq!(decoded.next().await.unwrap().unwrap(), Nats::new(""));
    });
}

#[test]
fn what_is_raw_needs_no_other_thread_however_large() {
    with_busy_thread(|_free| async move {
        let raw = Nats::new(vec![7; 3_000_000]);
        let identity = raw.clone().header("Content-Encoding", "identity");
        let theirs = raw.clone().header("Content-Encoding", "gzip").header("Thinwire", "0");
        let mut decoded = decoded([raw.clone(), identity, theirs], reader::<Nats>());
        for _ in 0..3 {
            let Poll::Ready(Some(Ok(message))) = poll_next(&mut decoded) else {
                panic!("in place")
            };
            assert_eq!(message.payload, raw.payload);
        }
    });
}

#[test]
fn without_a_runtime_all_is_done_in_place() {
    let message = Iggy::new(vec![7; 3_000_000]);
    let codec = eager::<Iggy>(Encoding::Lz4);
    let Poll::Ready(sent) = poll_once(&mut pin!(codec.maybe_compress_off_runtime(&message))) else {
        panic!("in place")
    };
    let sent = sent.unwrap().unwrap();
    let restoring = &mut pin!(codec.maybe_decompress_off_runtime(sent.clone()));
    let Poll::Ready(restored) = poll_once(restoring) else { panic!("in place") };
    assert!(restored.unwrap() == message);
    let Poll::Ready(Some(Ok(restored))) = poll_next(&mut decoded([sent], codec.clone())) else {
        panic!("in place")
    };
    assert!(restored == message);
}

/// As while a service shuts down: the message is not lost.
#[test]
fn a_runtime_that_is_gone_does_not_take_a_message_with_it() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let handle = runtime.handle().clone();
    runtime.shutdown_background();
    let _entered = handle.enter();
    let message = Iggy::new(vec![7; 3_000_000]);
    let codec = eager::<Iggy>(Encoding::Lz4);
    let Poll::Ready(sent) = poll_once(&mut pin!(codec.maybe_compress_off_runtime(&message))) else {
        panic!("in place")
    };
    let Poll::Ready(Some(Ok(restored))) = poll_next(&mut decoded([sent.unwrap().unwrap()], codec))
    else {
        panic!("in place")
    };
    assert!(restored == message);
}

#[test]
fn a_large_payload_is_compressed_beside_the_runtime_and_stays_the_callers() {
    fn check<M: Broker>() {
        for encoding in encodings::<M>() {
            with_busy_thread(|free| async move {
                let codec = eager::<M>(encoding).offload_above(5000);
                let [short, long] =
                    [5000, 5001].map(|len| M::new(events(len, 91)).header("trace", "7"));
                let expected = codec.maybe_compress(&long).unwrap().unwrap();
                let before = long.clone();
                {
                    let in_place = &mut pin!(codec.maybe_compress_off_runtime(&short));
                    assert!(poll_once(in_place).is_ready(), "{encoding}");
                }
                let mut compressing = Box::pin(codec.maybe_compress_off_runtime(&long));
                assert!(poll_once(&mut compressing).is_pending(), "{encoding}");
                free.send(()).unwrap();
                assert_eq!(compressing.await.unwrap(), Some(expected), "{encoding}");
                assert_eq!(long, before);
            });
        }
    }
    check::<Nats>();
    check::<Iggy>();
}

#[test]
fn what_is_not_compressed_needs_no_other_thread() {
    with_busy_thread(|_free| async move {
        let codec = codec::<Iggy>(&ClientCompressionConfig::new(Encoding::Zstd).min_size(9000));
        let codec = codec.offload_above(100);
        let labelled = labelled::<Iggy>(Encoding::Lz4, &events(4000, 92));
        for message in [Iggy::new(events(4000, 92)), labelled] {
            let sent = codec.maybe_compress_off_runtime(&message).await.unwrap();
            assert_eq!(sent, None);
        }
        let secret = Iggy::new(events(20_000, 92));
        assert_eq!(codec.off().maybe_compress_off_runtime(&secret).await.unwrap(), None);
    });
}

#[tokio::test]
async fn both_doors_give_the_same_message_the_same_errors_and_the_same_counts() {
    async fn check<M: Broker>() {
        let config = ClientCompressionConfig::new(Encoding::Gzip).max_payload_size(10_000);
        let (here, beside) = (codec::<M>(&config), codec::<M>(&config).offload_above(0));
        for message in [M::new(""), M::new(events(300, 93)), M::new(events(10_000, 93))] {
            let sent = here.maybe_compress(&message).unwrap();
            assert_eq!(beside.maybe_compress_off_runtime(&message).await.unwrap(), sent);
            let sent = sent.unwrap_or(message);
            let restored = here.maybe_decompress(sent.clone()).unwrap();
            assert_eq!(beside.maybe_decompress_off_runtime(sent).await.unwrap(), restored);
        }
        let long = M::new(events(10_001, 93));
        for error in [
            here.maybe_compress(&long).unwrap_err(),
            beside.maybe_compress_off_runtime(&long).await.unwrap_err(),
        ] {
            assert!(matches!(error, CompressError::TooLong { len: 10_001, limit: 10_000, .. }));
        }
        let too_long = labelled::<M>(Encoding::Lz4, &events(10_001, 93));
        let damaged = too_long.carrying(too_long.payload().slice(..50));
        for bad in [long, too_long, damaged] {
            let expected = here.maybe_decompress(bad.clone()).unwrap_err();
            let came = beside.maybe_decompress_off_runtime(bad.clone()).await.unwrap_err();
            assert_eq!(came.to_string(), expected.to_string());
            assert_eq!(came.into_message(), bad);
        }
        let (here, beside) = (here.counters().snapshot(), beside.counters().snapshot());
        let lens = |rows: &[thinwire::counters::Row]| -> Vec<_> {
            let lens =
                |it: &thinwire::counters::Row| (it.messages, it.payload_bytes, it.wire_bytes);
            rows.iter().map(lens).collect()
        };
        assert_eq!(lens(&here.rows), lens(&beside.rows));
        assert_eq!((here.raw, here.errors), (beside.raw, beside.errors));
    }
    check::<Nats>().await;
    check::<Iggy>().await;
}

#[tokio::test]
async fn an_error_names_the_limit_wherever_it_was_found() {
    let short = labelled::<Iggy>(Encoding::Gzip, &events(4000, 94));
    let damaged = short.carrying(short.payload().slice(..50));
    for codec in [reader::<Iggy>(), reader::<Iggy>().offload_above(10)] {
        let bad = codec.maybe_decompress_off_runtime(damaged.clone()).await.unwrap_err();
        assert!(bad.to_string().contains("64000000"), "{bad}");
        assert_eq!(errors(codec.counters()).len(), 1);
    }
}

#[test]
fn a_call_that_is_given_up_counts_nothing_and_leaves_the_thread_to_others() {
    with_busy_thread(|free| async move {
        let codec = eager::<Iggy>(Encoding::Zstd).offload_above(0);
        let message = Iggy::new(events(5000, 95));
        let sent = codec.maybe_compress(&message).unwrap().unwrap();
        let count = || codec.counters().snapshot().rows.len();
        assert_eq!(count(), 1);
        {
            let mut compressing = Box::pin(codec.maybe_compress_off_runtime(&message));
            assert!(poll_once(&mut compressing).is_pending());
            let mut restoring = Box::pin(codec.maybe_decompress_off_runtime(sent.clone()));
            assert!(poll_once(&mut restoring).is_pending());
        }
        free.send(()).unwrap();
        // The one thread takes its work in order.
        tokio::task::spawn_blocking(|| ()).await.unwrap();
        assert_eq!(count(), 1);
        assert_eq!(codec.maybe_decompress_off_runtime(sent).await.unwrap(), message);
    });
}

#[test]
fn a_stream_that_is_dropped_gives_up_its_large_message() {
    struct Owned(#[expect(dead_code, reason = "it is there to be dropped")] Arc<()>, Bytes);
    impl AsRef<[u8]> for Owned {
        fn as_ref(&self) -> &[u8] {
            &self.1
        }
    }
    with_busy_thread(|free| async move {
        let here = Arc::new(());
        let bytes = compressed(Encoding::Lz4, &events(5000, 96));
        let payload = Bytes::from_owner(Owned(here.clone(), bytes));
        let message = Iggy::new(payload).header("iggy-compression", "lz4");
        let codec = reader::<Iggy>().offload_above(0);
        let mut decoded = decoded([message], codec.clone());
        assert!(poll_next(&mut decoded).is_pending());
        drop(decoded);
        free.send(()).unwrap();
        tokio::task::spawn_blocking(|| ()).await.unwrap();
        assert_eq!(Arc::strong_count(&here), 1, "nobody has the message");
        assert!(codec.counters().snapshot().rows.is_empty(), "and nobody worked on it");
    });
}

#[test]
fn a_message_that_was_worked_on_wakes_whoever_polled_last() {
    with_busy_thread(|free| async move {
        let codec = reader::<Iggy>().offload_above(0);
        let message = labelled::<Iggy>(Encoding::Gzip, &events(5000, 97));
        let mut decoded = decoded([message], codec);
        assert!(poll_next(&mut decoded).is_pending());
        // Another task goes on with it.
        let len = tokio::spawn(async move { decoded.next().await.unwrap().unwrap().payload.len() });
        tokio::task::yield_now().await;
        free.send(()).unwrap();
        assert_eq!(len.await.unwrap(), 5000);
    });
}

#[tokio::test]
async fn a_large_bad_message_is_one_bad_message() {
    for on_error in [OnError::Report, OnError::Skip] {
        let good = labelled::<Iggy>(Encoding::Zstd, &events(5000, 98));
        let bad = good.carrying(good.payload().slice(..good.payload().len() - 1));
        let config = ClientCompressionConfig::off().on_error(on_error);
        let codec = codec::<Iggy>(&config).offload_above(0);
        let mut decoded = decoded([bad.clone(), good], codec);
        if on_error == OnError::Report {
            let Err(error) = decoded.next().await.unwrap() else { panic!("it is damaged") };
            let thinwire_stream::StreamError::BadMessage(came) = error else { panic!("{error}") };
            assert!(matches!(came.reason(), DecompressError::Decode(_)));
            assert_eq!(came.into_message(), bad);
        }
        assert_eq!(decoded.next().await.unwrap().unwrap(), Iggy::new(events(5000, 98)));
    }
}

#[test]
fn the_futures_can_be_sent_to_other_threads() {
    fn is_send<T: Send>(_: &T) {}
    let codec = reader::<Iggy>();
    let message = Iggy::new("x");
    is_send(&codec.maybe_compress_off_runtime(&message));
    is_send(&codec.maybe_decompress_off_runtime(Iggy::new("x")));
    is_send(&decoded([Iggy::new("x")], reader::<Iggy>()));
}
