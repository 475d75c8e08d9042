//! The client's streams of messages with their payloads restored.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use async_nats::jetstream;
use async_nats::jetstream::consumer::{pull, push};
use futures_core::Stream;
use pin_project_lite::pin_project;
use thinwire_stream::{Decoded, DecompressError, OnError, StreamError};

use crate::codec::Codec;
use crate::error::ClientError;
use crate::message::{Farewell, Nats, Parts};

pin_project! {
    /// A client's stream, of the same messages with their payloads restored.
    ///
    /// It is a [`Stream`] of `Result<M, StreamError<Nats<M>, E>>`, where `M` is the client's own
    /// message: all that can be done with it, acknowledging above all, reaches the server.
    #[derive(Debug)]
    pub struct Messages<S, M> {
        #[pin]
        decoded: Decoded<Source<S>, Nats<M>>,
        skips: bool,
        terminates: bool,
        farewell: Option<Told>,
        skipped: u64,
    }
}

/// A subscription of core NATS.
pub type Subscription = Messages<async_nats::Subscriber, async_nats::Message>;

impl<S, M> Messages<S, M> {
    pub(crate) fn new(inner: S, codec: &Codec, terminates: bool) -> Self {
        let (source, codec) = (Source { inner }, codec.messages().clone());
        // What is skipped is skipped here, where the server can be told.
        let skips = codec.on_error() == OnError::Skip;
        let decoded =
            if skips { Decoded::reporting(source, codec) } else { Decoded::new(source, codec) };
        Self { decoded, skips, terminates, farewell: None, skipped: 0 }
    }

    /// Returns the client's stream.
    pub const fn get_ref(&self) -> &S {
        &self.decoded.get_ref().inner
    }

    /// Returns the client's stream, to unsubscribe or to drain.
    pub const fn get_mut(&mut self) -> &mut S {
        &mut self.decoded.get_mut().inner
    }

    /// Returns how many messages [`OnError::Skip`] left out.
    #[must_use]
    pub const fn skipped(&self) -> u64 {
        self.skipped
    }
}

impl<S, M> Stream for Messages<S, M>
where
    S: Stream<Item: Delivered<Message = M>>,
    M: Parts,
{
    type Item = Result<M, StreamError<Nats<M>, <S::Item as Delivered>::Error>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        for _ in 0..MAX_SKIPPED {
            if let Some(Told(farewell)) = this.farewell {
                ready!(farewell.as_mut().poll(cx));
                *this.farewell = None;
            }
            match ready!(this.decoded.as_mut().poll_next(cx)) {
                // A thread that is gone is not the message's fault: it must come again.
                Some(Err(StreamError::BadMessage(bad)))
                    if *this.skips && !matches!(bad.reason(), DecompressError::Stopped) =>
                {
                    *this.skipped += 1;
                    if *this.terminates {
                        *this.farewell = bad.into_message().into_inner().terminate().map(Told);
                    }
                }
                other => return Poll::Ready(other.map(|it| it.map(Nats::into_inner))),
            }
        }
        // So many bad messages: others have their turn.
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

/// What a client's stream gives: core NATS a message, `JetStream` a message or an error.
pub trait Delivered {
    /// The client's message.
    type Message;
    /// The client's error.
    type Error;

    #[doc(hidden)]
    fn delivered(self) -> Result<Nats<Self::Message>, Self::Error>;
}

impl Delivered for async_nats::Message {
    type Message = Self;
    type Error = Infallible;

    fn delivered(self) -> Result<Nats<Self>, Infallible> {
        Ok(Nats(self))
    }
}

/// A batch's errors are of no type that is an [`Error`](std::error::Error).
impl Delivered for Result<jetstream::Message, async_nats::Error> {
    type Message = jetstream::Message;
    type Error = ClientError;

    fn delivered(self) -> Result<Nats<jetstream::Message>, ClientError> {
        self.map(Nats).map_err(ClientError::new)
    }
}

macro_rules! delivered {
    ($($error:ty)*) => {$(
        impl Delivered for Result<jetstream::Message, $error> {
            type Message = jetstream::Message;
            type Error = $error;

            fn delivered(self) -> Result<Nats<jetstream::Message>, $error> {
                self.map(Nats)
            }
        }
    )*};
}

delivered!(pull::MessagesError pull::OrderedError push::MessagesError push::OrderedError);

pin_project! {
    #[derive(Debug)]
    struct Source<S> {
        #[pin]
        inner: S,
    }
}

impl<S: Stream<Item: Delivered>> Stream for Source<S> {
    type Item = Result<Nats<<S::Item as Delivered>::Message>, <S::Item as Delivered>::Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.project().inner.poll_next(cx).map(|item| item.map(Delivered::delivered))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.inner.size_hint()
    }
}

struct Told(Farewell);

impl std::fmt::Debug for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Told")
    }
}

/// How many messages in a row are skipped before others have their turn.
const MAX_SKIPPED: usize = 64;
