//! The SDK's consumer, of messages with their payloads restored.

use std::fmt;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;
use iggy::prelude::{IggyConsumer, IggyError, ReceivedMessage};
use thinwire::counters::Counters;
use thinwire_stream::{
    ClientCompressionConfig, ConfigError, Decoded, DecompressError, Label, MessageCodec, OnError,
    StreamError,
};

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
/// let consumer = client
///     .consumer_group("billing", "shop", "orders")?
///     .auto_commit(AutoCommit::Disabled) // see below
///     .build();
/// let mut consumer = CompressedConsumer::new(consumer, &ClientCompressionConfig::off())?
///     .commit_when_done();
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
/// | `on_error` | the stream gives | with [`commit_when_done`](Self::commit_when_done) |
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
/// settings of its `auto_commit` commit when a message is handed over, before it is restored. With
/// `AutoCommit::Disabled` and [`commit_when_done`](Self::commit_when_done), or with
/// [`store_offset`](IggyConsumer::store_offset), nothing is committed before that.
pub struct CompressedConsumer {
    decoded: Decoded<Source, Received>,
    commits: Option<Commits>,
    skips: bool,
    skipped: u64,
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
        Self { decoded, commits: None, skips, skipped: 0 }
    }

    /// Commits a message when the next is asked for: it was restored and handled by then. The
    /// consumer must have been built with `AutoCommit::Disabled`, or the SDK commits too.
    ///
    /// Commits are sent while the stream is polled, one at a time, and a later one of a partition
    /// takes the place of one that waits, so they slow nothing down. One that fails is an error in
    /// the stream; the next message brings the next. [`shutdown`](Self::shutdown) waits for those
    /// that were asked for, and [`commit`](Self::commit) sends also that of the last message.
    #[must_use]
    pub fn commit_when_done(self) -> Self {
        let commits = Some(Commits::new(self.inner().state()));
        Self { commits, ..self }
    }

    /// Commits all messages that the stream gave, the last one too, and waits for that. Without
    /// [`commit_when_done`](Self::commit_when_done) it does nothing.
    ///
    /// # Errors
    ///
    /// The SDK's.
    pub async fn commit(&mut self) -> Result<(), IggyError> {
        match &mut self.commits {
            Some(commits) => {
                commits.done();
                commits.flush().await
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

    /// Makes the consumer ready, as [`IggyConsumer::init`].
    ///
    /// # Errors
    ///
    /// The SDK's.
    pub async fn init(&mut self) -> Result<(), IggyError> {
        self.decoded.get_mut().consumer_mut().init().await
    }

    /// Shuts the consumer down, as [`IggyConsumer::shutdown`], after the commits that were asked
    /// for.
    ///
    /// # Errors
    ///
    /// The SDK's; it is shut down all the same.
    pub async fn shutdown(&mut self) -> Result<(), IggyError> {
        let flushed = match &mut self.commits {
            Some(commits) => commits.flush().await,
            None => Ok(()),
        };
        flushed.and(self.decoded.get_mut().consumer_mut().shutdown().await)
    }
}

impl Stream for CompressedConsumer {
    type Item = Result<ReceivedMessage, StreamError<Received, IggyError>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        for _ in 0..MAX_SKIPPED {
            if let Some(commits) = &mut this.commits {
                commits.done();
                if let Poll::Ready(Err(error)) = commits.poll(cx) {
                    return Poll::Ready(Some(Err(StreamError::Client(error))));
                }
            }
            let item = match Pin::new(&mut this.decoded).poll_next(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(item) => item,
            };
            match item {
                // A thread that is gone is not the message's fault: it must come again.
                Some(Err(StreamError::BadMessage(bad)))
                    if this.skips && !matches!(bad.reason(), DecompressError::Stopped) =>
                {
                    this.skipped += 1;
                    this.gave(bad.message());
                }
                Some(Err(StreamError::BadMessage(bad))) => {
                    let is_its_fault = !matches!(bad.reason(), DecompressError::Stopped);
                    if is_its_fault && this.on_error() != OnError::Stop {
                        this.gave(bad.message());
                    }
                    return Poll::Ready(Some(Err(StreamError::BadMessage(bad))));
                }
                Some(Ok(received)) => {
                    this.gave(&received);
                    return Poll::Ready(Some(Ok(received.into_inner())));
                }
                other => return Poll::Ready(other.map(|it| it.map(Received::into_inner))),
            }
        }
        // So many bad messages: others have their turn.
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl CompressedConsumer {
    pub(crate) const fn on_error(&self) -> OnError {
        if self.skips { OnError::Skip } else { self.decoded.codec().on_error() }
    }

    fn gave(&mut self, received: &ReceivedMessage) {
        if let Some(commits) = &mut self.commits {
            let offset = received.message.header.offset;
            commits.gave(Offset { partition: received.partition_id, offset });
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

/// How many messages in a row are skipped before others have their turn.
const MAX_SKIPPED: usize = 64;
