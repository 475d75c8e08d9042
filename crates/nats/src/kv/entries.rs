//! Entries of a bucket as they change.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
        is_current: Arc<AtomicBool>,
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
        let is_current = Arc::new(AtomicBool::new(is_current));
        let source = Source { inner: Box::pin(inner), is_current: is_current.clone() };
        let messages = Messages::new(source, codec, false);
        Self { messages, bucket: store.name.clone(), prefix: store.prefix.clone(), is_current }
    }

    /// Returns how many values [`OnError::Skip`](thinwire_stream::OnError::Skip) left out.
    #[must_use]
    pub const fn skipped(&self) -> u64 {
        self.messages.skipped()
    }

    /// Says whether all values that there were at the beginning have come, those that can't be
    /// restored included: an entry's `seen_current` says the same, but one that was skipped has no
    /// entry.
    #[must_use]
    pub fn seen_current(&self) -> bool {
        self.is_current.load(Ordering::Relaxed)
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
            seen_current: this.is_current.load(Ordering::Relaxed),
        })))
    }
}

/// The client's stream, of whichever consumer, which notes when all that was there has come.
struct Source {
    inner: Pin<Box<dyn Stream<Item = Result<jetstream::Message, async_nats::Error>> + Send>>,
    is_current: Arc<AtomicBool>,
}

impl Stream for Source {
    type Item = Result<jetstream::Message, async_nats::Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let item = ready!(self.inner.as_mut().poll_next(cx));
        if let Some(Ok(message)) = &item
            && message.info().is_ok_and(|info| info.pending == 0)
        {
            self.is_current.store(true, Ordering::Relaxed);
        }
        Poll::Ready(item)
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
