//! `JetStream`'s consumers.

use async_nats::jetstream;
use async_nats::jetstream::consumer::pull::{self, BatchBuilder, FetchBuilder, StreamBuilder};
use async_nats::jetstream::consumer::{AckPolicy, Consumer, IntoConsumerConfig, push};
use futures_core::Stream;

use crate::codec::Codec;
use crate::messages::{Delivered, Messages};

/// A consumer whose messages have their payloads restored.
///
/// Its methods are those of [`Consumer`], pull, push or ordered, and give the client's own
/// messages: `ack` and its like reach the server. What the client's builders take is said in a
/// closure, so that no stream comes out raw by accident.
///
/// What becomes of a message that can't be restored is for `on_error` to say:
///
/// | `on_error` | the stream gives | the server is told |
/// |---|---|---|
/// | `Report` | an error with the message in it | what you tell it: `bad.message().ack_with(..)` |
/// | `Skip` | nothing, and counts it | `Term`, so that it is not delivered again |
/// | `Stop` | an error with the message in it, then it ends | what you tell it |
/// | `Raw` | the message as it came | what you tell it |
///
/// A message that nothing was said of comes again after `ack_wait`, up to `max_deliver` times, to
/// this stream or to one that is made later. `Term` is sent for consumers with
/// [`AckPolicy::Explicit`] only: with `None` there is nothing to say, and with `All` it would
/// acknowledge what came before. On a stream with work-queue retention the server removes what was
/// terminated.
///
/// Ordered consumers acknowledge nothing: the client counts what came, before it is restored here,
/// and goes on behind it when it has to begin anew. A bad message comes once.
///
/// ```no_run
/// use async_nats::jetstream::consumer::PullConsumer;
/// use thinwire_nats::CompressedContext;
///
/// # async fn f(jetstream: CompressedContext) -> Result<(), async_nats::Error> {
/// let consumer: PullConsumer = jetstream.get_consumer_from_stream("worker", "orders").await?;
/// let consumer = jetstream.consumer(consumer);
/// let messages = consumer.fetch(|fetch| fetch.max_messages(100)).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct CompressedConsumer<T: IntoConsumerConfig> {
    consumer: Consumer<T>,
    codec: Codec,
}

impl<T: IntoConsumerConfig> CompressedConsumer<T> {
    pub(crate) const fn new(consumer: Consumer<T>, codec: Codec) -> Self {
        Self { consumer, codec }
    }

    /// Returns the client's consumer, whose messages are not restored.
    #[must_use]
    pub const fn inner(&self) -> &Consumer<T> {
        &self.consumer
    }

    /// Returns the client's consumer, as to ask for its state.
    #[must_use]
    pub const fn inner_mut(&mut self) -> &mut Consumer<T> {
        &mut self.consumer
    }

    /// Restores the messages of a stream that the client's consumer gave.
    pub fn restored<S>(&self, messages: S) -> Messages<S, jetstream::Message>
    where
        S: Stream<Item: Delivered<Message = jetstream::Message>>,
    {
        // `cached_info` is what the server said when the consumer was made or found.
        let policy = self.consumer.cached_info().config.ack_policy;
        Messages::new(messages, &self.codec, policy == AckPolicy::Explicit)
    }
}

/// Pull consumers.
impl CompressedConsumer<pull::Config> {
    /// Gives messages as they come, without an end.
    ///
    /// # Errors
    ///
    /// The client's.
    pub async fn messages(
        &self,
    ) -> Result<Messages<pull::Stream, jetstream::Message>, jetstream::consumer::StreamError> {
        Ok(self.restored(self.consumer.messages().await?))
    }

    /// As [`messages`](Self::messages), with settings.
    ///
    /// # Errors
    ///
    /// The client's.
    pub async fn stream(
        &self,
        set: impl FnOnce(StreamBuilder<'_>) -> StreamBuilder<'_>,
    ) -> Result<Messages<pull::Stream, jetstream::Message>, jetstream::consumer::StreamError> {
        Ok(self.restored(set(self.consumer.stream()).messages().await?))
    }

    /// Gives messages that are there.
    ///
    /// # Errors
    ///
    /// The client's.
    pub async fn fetch(
        &self,
        set: impl FnOnce(FetchBuilder<'_>) -> FetchBuilder<'_>,
    ) -> Result<Messages<pull::Batch, jetstream::Message>, pull::BatchError> {
        Ok(self.restored(set(self.consumer.fetch()).messages().await?))
    }

    /// Gives a number of messages, and waits for them.
    ///
    /// # Errors
    ///
    /// The client's.
    pub async fn batch(
        &self,
        set: impl FnOnce(BatchBuilder<'_>) -> BatchBuilder<'_>,
    ) -> Result<Messages<pull::Batch, jetstream::Message>, pull::BatchError> {
        Ok(self.restored(set(self.consumer.batch()).messages().await?))
    }
}

/// Ordered pull consumers.
impl CompressedConsumer<pull::OrderedConfig> {
    /// Gives messages as they come, without a gap.
    ///
    /// # Errors
    ///
    /// The client's.
    pub async fn messages(
        self,
    ) -> Result<Messages<pull::Ordered, jetstream::Message>, jetstream::consumer::StreamError> {
        let Self { consumer, codec } = self;
        Ok(Messages::new(consumer.messages().await?, &codec, false))
    }
}

/// Push consumers.
impl CompressedConsumer<push::Config> {
    /// Gives messages as they come, without an end.
    ///
    /// # Errors
    ///
    /// The client's.
    pub async fn messages(
        &self,
    ) -> Result<Messages<push::Messages, jetstream::Message>, jetstream::consumer::StreamError>
    {
        Ok(self.restored(self.consumer.messages().await?))
    }
}

/// Ordered push consumers.
impl CompressedConsumer<push::OrderedConfig> {
    /// Gives messages as they come, without a gap.
    ///
    /// # Errors
    ///
    /// The client's.
    pub async fn messages(
        self,
    ) -> Result<Messages<push::Ordered, jetstream::Message>, jetstream::consumer::StreamError> {
        let Self { consumer, codec } = self;
        Ok(Messages::new(consumer.messages().await?, &codec, false))
    }
}
