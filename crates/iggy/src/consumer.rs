//! The SDK's consumer, of messages with their payloads restored.

use std::fmt;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_core::Stream;
use iggy::prelude::{
    AutoCommit, EncryptorKind, IggyConsumer, IggyConsumerBuilder, IggyError, ReceivedMessage,
};
use thinwire::counters::Counters;
use thinwire_stream::{
    ClientCompressionConfig, ConfigError, Decoded, DecompressError, Label, MessageCodec, OnError,
    Place, StreamError,
};

use crate::batch_end::Batch;
use crate::commits::{Commits, Offset};
use crate::message::Received;
use crate::source::Source;

/// A consumer, alone or in a group, whose messages have their payloads restored.
///
/// It is a [`Stream`] of the SDK's own [`ReceivedMessage`]s. Its methods are those of
/// [`IggyConsumer`], and those that it does not have are the consumer's own, by [`Deref`].
///
/// ```no_run
/// use futures_util::StreamExt;
/// use iggy::prelude::*;
/// use thinwire_iggy::{ClientCompressionConfig, CompressedConsumer};
///
/// # async fn f(client: IggyClient) -> Result<(), Box<dyn std::error::Error>> {
/// let consumer = client.consumer_group("billing", "shop", "orders")?;
/// let mut consumer = CompressedConsumer::committing(consumer, &ClientCompressionConfig::off())?;
/// consumer.init().await?;
/// while let Some(received) = consumer.next().await {
///     let received = received?;
///     println!("{} bytes at offset {}", received.message.payload.len(), received.message.header.offset);
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Messages that can't be restored
///
/// Of an unknown encoding, damaged, or longer than `max_payload_size`: the messages around them
/// arrive, in order, and `on_error` says what becomes of them.
///
/// | `on_error` | the stream gives | with [`committing`](Self::committing) |
/// |---|---|---|
/// | `Report` | an error with the message in it | committed when the next is asked for |
/// | `Skip` | nothing, and counts it | committed with the next |
/// | `Stop` | an error with the message in it, then it ends | not committed: a new consumer gets it again |
/// | `Raw` | the message as it came | committed when the next is asked for |
///
/// # Commits
///
/// The SDK's default commits a batch when it is polled, before anything in it was decompressed:
/// what a process had not handled when it ended, and what comes after a `Stop`, is lost. Other
/// settings of its `auto_commit` commit when a message is handed over, before it is restored.
/// [`committing`](Self::committing) commits a message when the next is asked for: it was restored
/// and handled by then.
///
/// Who stores offsets by hand, with `AutoCommit::Disabled` and
/// [`store_offset`](IggyConsumer::store_offset), has to store those of skipped messages too
/// ([`last_skipped`](Self::last_skipped)): the server gives the same batch again until then, and
/// the SDK asks for it again and again.
///
/// # Encryption
///
/// Given an encryptor, the SDK decrypts a batch at a time: one message that can't be is an error
/// for all of it, again and again, and one shorter than 12 bytes a panic.
/// [`encryptor`](Self::encryptor) decrypts message by message.
pub struct CompressedConsumer {
    decoded: Decoded<Source, Received>,
    commits: Option<Commits>,
    /// At whose end the SDK will poll the server once more.
    batch: Batch,
    skips: bool,
    skipped: u64,
    last_skipped: Option<Place>,
}

impl CompressedConsumer {
    /// Wraps a consumer.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], which names the field.
    pub fn new(
        consumer: IggyConsumer,
        config: &ClientCompressionConfig,
    ) -> Result<Self, ConfigError> {
        Ok(Self::with_codec(consumer, MessageCodec::new(config, Label::IGGY)?))
    }

    /// Wraps a consumer that shares a codec, and so its counters, with others.
    #[must_use]
    pub fn with_codec(consumer: IggyConsumer, codec: MessageCodec) -> Self {
        let source = Source::new(consumer);
        // What is skipped is skipped here, where it is committed.
        let skips = codec.on_error() == OnError::Skip;
        let decoded =
            if skips { Decoded::reporting(source, codec) } else { Decoded::new(source, codec) };
        Self {
            decoded,
            commits: None,
            batch: Batch::of(Batch::DEFAULT_LENGTH),
            skips,
            skipped: 0,
            last_skipped: None,
        }
    }

    /// Builds a consumer that commits a message when the next is asked for. What the builder says
    /// of `auto_commit` is replaced by [`AutoCommit::Disabled`].
    ///
    /// Commits are sent while the stream is polled, one at a time, and a later one of a partition
    /// takes the place of one that waits. At the end of a batch they are waited for, so that the
    /// server does not give the same messages again. One that fails is an error in the stream, and
    /// is tried again until it, or a later one, is stored.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], which names the field.
    pub fn committing(
        builder: IggyConsumerBuilder,
        config: &ClientCompressionConfig,
    ) -> Result<Self, ConfigError> {
        Ok(Self::committing_with_codec(builder, MessageCodec::new(config, Label::IGGY)?))
    }

    /// As [`committing`](Self::committing), with a codec, and so its counters, shared with others.
    #[must_use]
    pub fn committing_with_codec(builder: IggyConsumerBuilder, codec: MessageCodec) -> Self {
        let this = Self::with_codec(builder.auto_commit(AutoCommit::Disabled).build(), codec);
        let commits = Some(Commits::new(this.inner().state()));
        Self { commits, ..this }
    }

    /// Says what `batch_length` the SDK's builder was told, if that was not its default of 1000:
    /// at the end of a batch commits are waited for.
    #[must_use]
    pub const fn batch_length(mut self, messages: u32) -> Self {
        self.batch = Batch::of(messages);
        self
    }

    /// Decrypts messages, each by itself: one that can't be decrypted is a message that can't be
    /// restored, and the others arrive. The consumer must have none of its own:
    /// `without_encryptor()` on its builder takes the client's off.
    #[must_use]
    pub fn encryptor(mut self, encryptor: Arc<EncryptorKind>) -> Self {
        self.decoded.get_mut().decrypt_with(encryptor);
        self
    }

    /// Commits all messages that the stream gave, the last one too, and waits for that, five
    /// seconds at most. A consumer that is not [`committing`](Self::committing) does nothing.
    ///
    /// # Errors
    ///
    /// The SDK's, or [`TaskTimeout`](IggyError::TaskTimeout); what was not stored still will be, by
    /// the stream or by another call.
    pub async fn commit(&mut self) -> Result<(), IggyError> {
        match &mut self.commits {
            Some(commits) => {
                commits.done();
                commits.flush(FLUSH_TIME).await
            }
            None => Ok(()),
        }
    }

    /// Returns the consumer, whose messages are not restored.
    #[must_use]
    pub const fn inner(&self) -> &IggyConsumer {
        self.decoded.get_ref().consumer()
    }

    /// Returns what this consumer, and all with its codec, have counted.
    #[must_use]
    pub const fn counters(&self) -> &Arc<Counters> {
        self.decoded.codec().counters()
    }

    /// Returns how many messages [`OnError::Skip`] left out.
    #[must_use]
    pub const fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Returns where the last message was that [`OnError::Skip`] left out.
    #[must_use]
    pub const fn last_skipped(&self) -> Option<&Place> {
        self.last_skipped.as_ref()
    }

    /// Makes the consumer ready, as [`IggyConsumer::init`].
    ///
    /// # Errors
    ///
    /// The SDK's.
    pub async fn init(&mut self) -> Result<(), IggyError> {
        self.decoded.get_mut().consumer_mut().init().await
    }

    /// Shuts the consumer down, as [`IggyConsumer::shutdown`], after the commits of all messages
    /// but the last one given, which may not be handled: [`commit`](Self::commit) says that it is.
    /// Commits are waited for five seconds at most.
    ///
    /// # Errors
    ///
    /// The SDK's, or [`TaskTimeout`](IggyError::TaskTimeout); it is shut down all the same.
    pub async fn shutdown(&mut self) -> Result<(), IggyError> {
        let mut flushed = Ok(());
        if let Some(mut commits) = self.commits.take() {
            flushed = commits.flush(FLUSH_TIME).await;
            commits.abort();
        }
        flushed.and(self.decoded.get_mut().consumer_mut().shutdown().await)
    }
}

impl Stream for CompressedConsumer {
    type Item = Result<ReceivedMessage, StreamError<Received, IggyError>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().poll_received(cx, CommitErrors::Given)
    }
}

/// What becomes of a commit that fails; it is tried again in either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommitErrors {
    /// It is an error in the stream.
    Given,
    /// It is an event.
    Logged,
}

impl CompressedConsumer {
    pub(crate) fn poll_received(
        &mut self,
        cx: &mut Context<'_>,
        commit_errors: CommitErrors,
    ) -> Poll<Option<<Self as Stream>::Item>> {
        for _ in 0..MAX_SKIPPED {
            match self.poll_commits(cx, commit_errors) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(error)) => {
                    return Poll::Ready(Some(Err(StreamError::Client(error))));
                }
            }
            let item = match Pin::new(&mut self.decoded).poll_next(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(item) => item,
            };
            match item {
                // A thread that is gone is not the message's fault: it must come again.
                Some(Err(StreamError::BadMessage(bad)))
                    if self.skips && !matches!(bad.reason(), DecompressError::Stopped) =>
                {
                    self.skipped += 1;
                    self.last_skipped = Some(bad.place().clone());
                    self.gave(bad.message());
                }
                Some(Err(StreamError::BadMessage(bad))) => {
                    let is_its_fault = !matches!(bad.reason(), DecompressError::Stopped);
                    if is_its_fault && self.on_error() != OnError::Stop {
                        self.gave(bad.message());
                    }
                    return Poll::Ready(Some(Err(StreamError::BadMessage(bad))));
                }
                Some(Ok(received)) => {
                    self.gave(&received);
                    return Poll::Ready(Some(Ok(received.into_inner())));
                }
                other => return Poll::Ready(other.map(|it| it.map(Received::into_inner))),
            }
        }
        // So many bad messages: others have their turn.
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    pub(crate) const fn on_error(&self) -> OnError {
        if self.skips { OnError::Skip } else { self.decoded.codec().on_error() }
    }

    fn gave(&mut self, received: &ReceivedMessage) {
        if let Some(commits) = &mut self.commits {
            let (partition, offset) = (received.partition_id, received.message.header.offset);
            commits.gave(Offset { partition, offset });
            self.batch.gave(offset, received.current_offset);
        }
    }

    /// Ready when the SDK may be asked for more: at the end of a batch once its commits are stored,
    /// or when they fail, since the way back to the server is the SDK's to find.
    fn poll_commits(
        &mut self,
        cx: &mut Context<'_>,
        errors: CommitErrors,
    ) -> Poll<Result<(), IggyError>> {
        let Some(commits) = &mut self.commits else { return Poll::Ready(Ok(())) };
        commits.done();
        match commits.poll(cx) {
            Poll::Ready(Err(error)) if errors == CommitErrors::Given => Poll::Ready(Err(error)),
            Poll::Ready(Err(error)) => {
                tracing::error!("an offset is not stored yet: {error}");
                cx.waker().wake_by_ref(); // to try again
                Poll::Ready(Ok(()))
            }
            Poll::Pending if self.batch.is_over() && !commits.is_failing() => Poll::Pending,
            Poll::Ready(Ok(())) if self.batch.is_over() => {
                self.batch.next();
                Poll::Ready(Ok(()))
            }
            Poll::Pending | Poll::Ready(Ok(())) => Poll::Ready(Ok(())),
        }
    }
}

/// The consumer's other methods.
impl Deref for CompressedConsumer {
    type Target = IggyConsumer;

    fn deref(&self) -> &IggyConsumer {
        self.inner()
    }
}

impl fmt::Debug for CompressedConsumer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompressedConsumer")
            .field("name", &self.inner().name())
            .field("stream", self.inner().stream())
            .field("topic", self.inner().topic())
            .field("codec", self.decoded.codec())
            .finish_non_exhaustive()
    }
}

/// As long as the SDK waits for commits of its own.
const FLUSH_TIME: Duration = Duration::from_secs(5);

/// How many messages in a row are skipped before others have their turn.
const MAX_SKIPPED: usize = 64;
