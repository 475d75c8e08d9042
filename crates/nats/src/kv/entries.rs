//! Entries of a bucket as they change.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use async_nats::jetstream::{self, kv};
use futures_core::Stream;
use pin_project_lite::pin_project;
use thinwire_stream::StreamError;

use super::operation;
use crate::codec::Codec;
use crate::error::ClientError;
use crate::message::Nats;
use crate::messages::Messages;

pin_project! {
    /// The entries of a watch or of a history, their values restored.
    ///
    /// It is a [`Stream`] of `Result<`[`kv::Entry`]`, StreamError<..>>`, with the entries of the
    /// client's own `Watch` and `History`: deletions are among them. Of a value that can't be
    /// restored it does what `on_error` says.
    #[derive(Debug)]
    pub struct Entries {
        #[pin]
        messages: Messages<Source, jetstream::Message>,
        bucket: String,
        prefix: String, // stands before the key in a subject
        is_current: bool,
    }
}

impl Entries {
    /// `is_current` says that there is nothing yet.
    pub(super) fn new(
        inner: impl Stream<Item = Result<jetstream::Message, async_nats::Error>> + Send + 'static,
        codec: &Codec,
        store: &kv::Store,
        is_current: bool,
    ) -> Self {
        let messages = Messages::new(Source(Box::pin(inner)), codec, false);
        Self { messages, bucket: store.name.clone(), prefix: store.prefix.clone(), is_current }
    }

    /// Returns how many values [`OnError::Skip`](thinwire_stream::OnError::Skip) left out.
    #[must_use]
    pub const fn skipped(&self) -> u64 {
        self.messages.skipped()
    }
}

impl Stream for Entries {
    type Item = Result<kv::Entry, StreamError<Nats<jetstream::Message>, ClientError>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.project();
        let Some(message) = ready!(this.messages.poll_next(cx)).transpose()? else {
            return Poll::Ready(None);
        };
        let info = match message.info() {
            Ok(info) => info,
            Err(error) => {
                return Poll::Ready(Some(Err(StreamError::Client(ClientError::new(error)))));
            }
        };
        *this.is_current |= info.pending == 0;
        let (revision, delta, created) = (info.stream_sequence, info.pending, info.published);
        let key = message.subject.strip_prefix(&**this.prefix).unwrap_or(&message.subject);
        Poll::Ready(Some(Ok(kv::Entry {
            bucket: this.bucket.clone(),
            key: key.to_owned(),
            operation: operation(message.headers.as_ref()),
            value: message.message.payload,
            revision,
            delta,
            created,
            seen_current: *this.is_current,
        })))
    }
}

/// The client's stream, of whichever consumer.
struct Source(Pin<Box<dyn Stream<Item = Result<jetstream::Message, async_nats::Error>> + Send>>);

impl Stream for Source {
    type Item = Result<jetstream::Message, async_nats::Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(cx)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Source")
    }
}

pin_project! {
    /// A stream whose errors are of any type.
    pub(super) struct AnyError<S> {
        #[pin]
        pub(super) inner: S,
    }
}

impl<S, T, E> Stream for AnyError<S>
where
    S: Stream<Item = Result<T, E>>,
    E: Into<async_nats::Error>,
{
    type Item = Result<T, async_nats::Error>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.project().inner.poll_next(cx).map_err(Into::into)
    }
}
