//! A consumer's stream: order, neighbours of a bad message, and what is done with it.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use thinwire::Encoding;
use thinwire_stream::{
    ClientCompressionConfig, Decoded, MessageCodec, OnError, Place, StreamError,
};
use tokio_stream::{Stream, StreamExt};

use crate::support::{Broker, Iggy, Nats, codec, eager, encodings, errors, events};

/// What a consumer gives: the broker's client may fail, too.
pub(crate) type Given<M> = Result<M, &'static str>;

/// What came out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Came<M> {
    Message(M),
    Bad(M),
    Client(&'static str),
}

impl<M: Broker> From<Result<M, StreamError<M, &'static str>>> for Came<M> {
    fn from(item: Result<M, StreamError<M, &'static str>>) -> Self {
        match item {
            Ok(message) => Self::Message(message),
            Err(StreamError::Client(error)) => Self::Client(error),
            Err(StreamError::BadMessage(bad)) => Self::Bad(bad.into_message()),
            Err(other) => panic!("{other}"),
        }
    }
}

pub(crate) async fn all<M: Broker>(
    given: impl IntoIterator<Item = Given<M>>,
    codec: MessageCodec,
) -> Vec<Came<M>> {
    let given: Vec<_> = given.into_iter().collect();
    Decoded::new(tokio_stream::iter(given), codec).map(Came::from).collect().await
}

fn reader<M: Broker>(on_error: OnError) -> MessageCodec {
    codec::<M>(&ClientCompressionConfig::off().max_payload_size(10_000).on_error(on_error))
}

/// A message as its application makes it, and as it was sent.
fn message<M: Broker>(at: usize) -> (M, M) {
    let encodings: Vec<_> = encodings::<M>().chain([Encoding::Identity]).collect();
    let place = Place { offset: Some(at as u64), ..Place::default() };
    let message = M::new(events(1000 + at, at as u64)).header("trace", "7").at(place);
    let sent = eager::<M>(encodings[at % encodings.len()]).maybe_compress(&message).unwrap();
    (message.clone(), sent.unwrap_or(message))
}

/// Of an unknown encoding, damaged, and too large, raw and compressed.
fn bad<M: Broker>() -> Vec<M> {
    let gzip = crate::support::labelled::<M>(Encoding::Gzip, &events(4000, 80));
    let cut = gzip.carrying(gzip.payload().slice(..100));
    let unknown = M::new(events(1000, 81)).header(M::LABEL.name(), "br");
    let bomb = crate::support::labelled::<M>(Encoding::Zstd, &events(10_001, 82));
    vec![unknown, cut, bomb, M::new(events(10_001, 83))]
}

#[tokio::test]
async fn messages_arrive_in_order_wherever_they_are_decompressed() {
    async fn check<M: Broker>() {
        for offload_above in [0, 1010, usize::MAX] {
            let (expected, sent): (Vec<_>, Vec<_>) = (0..40).map(message::<M>).unzip();
            let codec = reader::<M>(OnError::Report).offload_above(offload_above);
            let came = all(sent.into_iter().map(Ok), codec).await;
            assert_eq!(came, expected.into_iter().map(Came::Message).collect::<Vec<_>>());
        }
    }
    check::<Nats>().await;
    check::<Iggy>().await;
}

/// Each bad message at each place of a batch, for each choice, in place and off the runtime.
#[tokio::test]
async fn the_neighbours_of_a_bad_message_arrive_as_if_it_were_not_there() {
    async fn check<M: Broker>() {
        const LEN: usize = 5;
        for (bad, bad_at) in
            bad::<M>().into_iter().flat_map(|it| [0, 2, LEN - 1].map(|at| (it.clone(), at)))
        {
            for on_error in [OnError::Report, OnError::Skip, OnError::Stop, OnError::Raw] {
                let (mut expected, mut sent): (Vec<_>, Vec<_>) =
                    (0..LEN - 1).map(message::<M>).unzip();
                sent.insert(bad_at, bad.clone());
                let mut expected: Vec<_> = expected.drain(..).map(Came::Message).collect();
                if on_error == OnError::Stop {
                    expected.truncate(bad_at);
                }
                if on_error == OnError::Raw {
                    expected.insert(bad_at, Came::Message(bad.clone()));
                } else if on_error != OnError::Skip {
                    expected.insert(bad_at, Came::Bad(bad.clone()));
                }
                for offload_above in [0, usize::MAX] {
                    let codec = reader::<M>(on_error).offload_above(offload_above);
                    let came = all(sent.iter().cloned().map(Ok), codec.clone()).await;
                    assert_eq!(came, expected, "{on_error:?} at {bad_at}");
                    let counted: u64 = errors(codec.counters()).iter().map(|it| it.2).sum();
                    assert_eq!(counted, 1, "{on_error:?} at {bad_at}");
                }
            }
        }
    }
    check::<Nats>().await;
    check::<Iggy>().await;
}

#[tokio::test]
async fn an_adapter_can_have_every_bad_message_reported() {
    for on_error in [OnError::Report, OnError::Skip, OnError::Stop, OnError::Raw] {
        let codec = reader::<Iggy>(on_error);
        assert_eq!(codec.on_error(), on_error);
        let bad = bad::<Iggy>();
        let given: Vec<_> = bad.iter().cloned().map(Ok::<_, &str>).collect();
        let reporting = Decoded::reporting(tokio_stream::iter(given), codec);
        let came: Vec<_> = reporting.map(Came::from).collect().await;
        assert_eq!(came, bad.into_iter().map(Came::Bad).collect::<Vec<_>>(), "{on_error:?}");
    }
}

#[tokio::test]
async fn errors_of_the_brokers_client_pass_through_and_end_nothing() {
    for on_error in [OnError::Report, OnError::Skip, OnError::Stop, OnError::Raw] {
        let (first, sent) = message::<Iggy>(1);
        let (second, sent_second) = message::<Iggy>(2);
        let codec = reader::<Iggy>(on_error);
        let given = [Err("lost"), Ok(sent), Err("lost again"), Ok(sent_second), Err("gone")];
        let came = all(given, codec.clone()).await;
        let expected = [
            Came::Client("lost"),
            Came::Message(first),
            Came::Client("lost again"),
            Came::Message(second),
            Came::Client("gone"),
        ];
        assert_eq!(came, expected, "{on_error:?}");
        assert!(errors(codec.counters()).is_empty(), "not ours to count");
    }
}

/// Gives messages until there are none, and counts how often it is asked.
struct Asked<M> {
    given: VecDeque<M>,
    asked: usize,
}

impl<M: Broker + Unpin> Stream for Asked<M> {
    type Item = Given<M>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Given<M>>> {
        self.asked += 1;
        match self.given.pop_front() {
            Some(message) => Poll::Ready(Some(Ok(message))),
            None => Poll::Pending, // for ever: nothing wakes
        }
    }
}

/// Counts how often it is woken.
#[derive(Default)]
struct Woken(AtomicUsize);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn stop_ends_the_stream_and_asks_the_consumer_for_nothing_more() {
    let given = [message::<Iggy>(0).1, bad::<Iggy>().remove(0), message::<Iggy>(1).1];
    let asked = Asked { given: given.into(), asked: 0 };
    let mut decoded = Decoded::new(asked, reader::<Iggy>(OnError::Stop));
    let mut cx = Context::from_waker(Waker::noop());
    let mut poll = || Pin::new(&mut decoded).poll_next(&mut cx);
    assert!(matches!(poll(), Poll::Ready(Some(Ok(_)))));
    assert!(matches!(poll(), Poll::Ready(Some(Err(StreamError::BadMessage(_))))));
    for _ in 0..3 {
        assert!(matches!(poll(), Poll::Ready(None)));
    }
    assert_eq!(decoded.get_ref().asked, 2, "the third is still there, to be read after a restart");
}

#[test]
fn a_long_row_of_messages_to_skip_lets_others_have_their_turn() {
    let (expected, good) = message::<Iggy>(0);
    let mut given: VecDeque<_> = bad::<Iggy>().into_iter().cycle().take(1000).collect();
    given.push_back(good);
    let codec = reader::<Iggy>(OnError::Skip);
    let mut decoded = Decoded::new(Asked { given, asked: 0 }, codec.clone());
    let woken = Arc::new(Woken::default());
    let waker = Waker::from(woken.clone());
    let mut cx = Context::from_waker(&waker);
    let mut polls = 0;
    loop {
        let before = decoded.get_ref().asked;
        let polled = Pin::new(&mut decoded).poll_next(&mut cx);
        polls += 1;
        assert!(decoded.get_ref().asked - before <= 64, "so many at once");
        match polled {
            Poll::Pending => assert_eq!(woken.0.load(Ordering::SeqCst), polls, "it is asked again"),
            Poll::Ready(Some(Ok(message))) => break assert_eq!(message, expected),
            Poll::Ready(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(polls, 1000 / 64 + 1);
    assert_eq!(errors(codec.counters()).iter().map(|it| it.2).sum::<u64>(), 1000);
    // With nothing to skip, it is for the consumer to wake.
    assert!(Pin::new(&mut decoded).poll_next(&mut cx).is_pending());
    assert_eq!(woken.0.load(Ordering::SeqCst), polls - 1);
}

#[test]
fn an_error_says_what_the_client_or_the_bad_message_says() {
    let client: StreamError<Iggy, _> = StreamError::Client(std::io::Error::other("lost"));
    assert_eq!(client.to_string(), "lost");
    let bad = reader::<Iggy>(OnError::Report).maybe_decompress(bad::<Iggy>().remove(0));
    let bad = bad.unwrap_err();
    let said = bad.to_string();
    let error: StreamError<Iggy, std::io::Error> = StreamError::BadMessage(bad);
    assert_eq!(error.to_string(), said);
}

#[test]
fn a_long_row_of_good_messages_lets_others_have_their_turn() {
    fn turns(payload_len: usize, count: usize) -> usize {
        let codec = eager::<Nats>(Encoding::Lz4);
        let message = Nats::new(events(payload_len, 3));
        let sent = codec.maybe_compress(&message).unwrap().unwrap();
        let given = vec![Ok::<_, &'static str>(sent); count];
        let mut decoded = Decoded::new(tokio_stream::iter(given), codec);
        let mut cx = Context::from_waker(Waker::noop());
        let (mut turns, mut came) = (0, 0);
        loop {
            match Pin::new(&mut decoded).poll_next(&mut cx) {
                Poll::Pending => turns += 1,
                Poll::Ready(None) => break,
                Poll::Ready(Some(restored)) => {
                    assert_eq!(restored.unwrap(), message);
                    came += 1;
                }
            }
        }
        assert_eq!(came, count);
        turns
    }
    // One for each MiB that was decompressed, and none within the first.
    assert_eq!(turns(100_000, 10), 0);
    assert_eq!(turns(100_000, 110), 10);
}
