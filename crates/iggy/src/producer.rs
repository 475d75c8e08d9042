//! The SDK's producer, of messages that are compressed when it pays.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use iggy::prelude::{
    Identifier, IggyMessage, IggyProducer, Partitioner, Partitioning, SendMessagesResponse,
};
use thinwire::counters::Counters;
use thinwire_stream::{ClientCompressionConfig, ConfigError, Label, MessageCodec};

use crate::error::SendError;
use crate::sender::Sender;

/// A producer that compresses what it sends when it pays.
///
/// Its methods are those of [`IggyProducer`], and those that it does not have are the producer's
/// own, by [`Deref`].
///
/// ```no_run
/// use iggy::prelude::*;
/// use thinwire::Encoding;
/// use thinwire_iggy::{ClientCompressionConfig, CompressedProducer};
///
/// # async fn f(client: IggyClient, messages: Vec<IggyMessage>) -> Result<(), Box<dyn std::error::Error>> {
/// let producer = client.producer("shop", "orders")?.build();
/// let producer = CompressedProducer::new(producer, &ClientCompressionConfig::new(Encoding::Lz4))?;
/// producer.init().await?;
/// producer.send(messages).await?;
/// # Ok(())
/// # }
/// ```
///
/// # What failed
///
/// [`SendError`] has the messages that were not sent, as they were given: a retry, the caller's or
/// the SDK's own, compresses nothing twice. A background producer tells failures to its
/// [`ErrorCallback`](iggy::clients::producer_error_callback::ErrorCallback) instead; wrap that in
/// a [`RestoringCallback`](crate::RestoringCallback).
///
/// # Partitions, ids and encryption
///
/// The id of a message, its other headers and the partitioning are what they are without
/// compression. The SDK would show a [`Partitioner`] the compressed payloads: give it to
/// [`partitioner`](Self::partitioner) instead of to the SDK's builder, and it sees the messages as
/// they were given. What is encrypted is encrypted after compression, label and all.
pub struct CompressedProducer {
    producer: IggyProducer,
    codec: MessageCodec,
    /// The same, which sends everything raw.
    off: MessageCodec,
    partitioner: Option<Arc<dyn Partitioner>>,
}

impl CompressedProducer {
    /// Wraps a producer.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], which names the field.
    pub fn new(
        producer: IggyProducer,
        config: &ClientCompressionConfig,
    ) -> Result<Self, ConfigError> {
        Ok(Self::with_codec(producer, MessageCodec::new(config, Label::IGGY)?))
    }

    /// Wraps a producer that shares a codec, and so its counters, with others.
    ///
    /// ```no_run
    /// use iggy::prelude::{IggyConsumer, IggyProducer};
    /// use thinwire::Encoding;
    /// use thinwire_iggy::{
    ///     ClientCompressionConfig, CompressedConsumer, CompressedProducer, Label, MessageCodec,
    /// };
    ///
    /// # fn f(producer: IggyProducer, consumer: IggyConsumer) -> Result<(), thinwire_iggy::ConfigError> {
    /// let codec = MessageCodec::new(&ClientCompressionConfig::new(Encoding::Zstd), Label::IGGY)?;
    /// let producer = CompressedProducer::with_codec(producer, codec.clone());
    /// let consumer = CompressedConsumer::with_codec(consumer, codec);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn with_codec(producer: IggyProducer, codec: MessageCodec) -> Self {
        Self { producer, off: codec.off(), codec, partitioner: None }
    }

    /// Sets what chooses a partition, from the messages as they were given, before all other
    /// partitioning. The producer that was wrapped must have no partitioner of its own, which would
    /// go before this one and see compressed payloads: `without_partitioner()` on its builder
    /// takes the client's off.
    #[must_use]
    pub fn partitioner(self, partitioner: Arc<dyn Partitioner>) -> Self {
        Self { partitioner: Some(partitioner), ..self }
    }

    /// Returns the producer, which does not compress.
    #[must_use]
    pub const fn inner(&self) -> &IggyProducer {
        &self.producer
    }

    /// Returns what this producer, and all with its codec, have counted.
    #[must_use]
    pub const fn counters(&self) -> &Arc<Counters> {
        self.codec.counters()
    }

    /// Sends the messages of some calls raw, and counts them: for those whose length must not tell
    /// what is in them.
    ///
    /// ```no_run
    /// # async fn f(
    /// #     producer: thinwire_iggy::CompressedProducer, secret: iggy::prelude::IggyMessage,
    /// # ) -> Result<(), thinwire_iggy::SendError> {
    /// producer.off().send_one(secret).await?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn off(&self) -> Sender<'_> {
        Sender::new(&self.producer, &self.off, self.partitioner.as_deref())
    }

    /// Sends messages, as [`IggyProducer::send`].
    ///
    /// # Errors
    ///
    /// [`SendError`], with the messages that were not sent.
    pub async fn send(&self, messages: Vec<IggyMessage>) -> SendResult {
        self.sender().send(messages).await
    }

    /// Sends a message, as [`IggyProducer::send_one`].
    ///
    /// # Errors
    ///
    /// [`SendError`], with the message.
    pub async fn send_one(&self, message: IggyMessage) -> SendResult {
        self.sender().send_one(message).await
    }

    /// Sends messages to the partition that is said, as [`IggyProducer::send_with_partitioning`].
    ///
    /// # Errors
    ///
    /// [`SendError`], with the messages that were not sent.
    pub async fn send_with_partitioning(
        &self,
        messages: Vec<IggyMessage>,
        partitioning: Option<Arc<Partitioning>>,
    ) -> SendResult {
        self.sender().send_with_partitioning(messages, partitioning).await
    }

    /// Sends messages to any stream and topic, as [`IggyProducer::send_to`].
    ///
    /// # Errors
    ///
    /// [`SendError`], with the messages that were not sent.
    pub async fn send_to(
        &self,
        stream: Arc<Identifier>,
        topic: Arc<Identifier>,
        messages: Vec<IggyMessage>,
        partitioning: Option<Arc<Partitioning>>,
    ) -> SendResult {
        self.sender().send_to(stream, topic, messages, partitioning).await
    }

    /// Shuts the producer down, as [`IggyProducer::shutdown`]: a background producer sends what it
    /// has.
    pub async fn shutdown(self) {
        self.producer.shutdown().await;
    }

    fn sender(&self) -> Sender<'_> {
        Sender::new(&self.producer, &self.codec, self.partitioner.as_deref())
    }
}

/// The producer's other methods.
impl Deref for CompressedProducer {
    type Target = IggyProducer;

    fn deref(&self) -> &IggyProducer {
        &self.producer
    }
}

impl fmt::Debug for CompressedProducer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompressedProducer")
            .field("stream", self.producer.stream())
            .field("topic", self.producer.topic())
            .field("codec", &self.codec)
            .field("partitioner", &self.partitioner)
            .finish_non_exhaustive()
    }
}

/// What sending comes to: the server's word for what is stored, or the messages back.
pub(crate) type SendResult = Result<SendMessagesResponse, SendError>;
