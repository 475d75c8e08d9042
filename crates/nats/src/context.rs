//! `JetStream`: publishing, and the way to consumers.

use std::ops::Deref;
use std::sync::Arc;

use async_nats::HeaderMap;
use async_nats::jetstream::Context;
use async_nats::jetstream::consumer::{Consumer, IntoConsumerConfig};
use async_nats::jetstream::context::{self, PublishAckFuture};
use async_nats::jetstream::kv::Store;
use async_nats::jetstream::message::PublishMessage;
use async_nats::message::OutboundMessage;
use async_nats::subject::ToSubject;
use bytes::Bytes;
use thinwire::counters::Counters;
use thinwire_stream::{ClientCompressionConfig, ConfigError, Label};

use crate::codec::Codec;
use crate::consumer::CompressedConsumer;
use crate::error::PublishError;
use crate::kv::CompressedStore;

/// A `JetStream` context that compresses what it publishes when it pays.
///
/// Its methods are those of [`Context`], and those that it does not have are the context's own, by
/// [`Deref`]: streams and consumers are made as ever, and a consumer restores what it receives
/// once it went through [`consumer`](Self::consumer).
///
/// ```no_run
/// use async_nats::jetstream;
/// use thinwire::Encoding;
/// use thinwire_nats::{ClientCompressionConfig, CompressedContext};
///
/// # async fn f(client: async_nats::Client) -> Result<(), async_nats::Error> {
/// let config = ClientCompressionConfig::new(Encoding::Zstd);
/// let jetstream = CompressedContext::new(jetstream::new(client), &config)?;
/// jetstream.publish("orders", "{}".into()).await?.await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct CompressedContext {
    context: Context,
    codec: Codec,
}

impl CompressedContext {
    /// Wraps a context.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], which names the field.
    pub fn new(context: Context, config: &ClientCompressionConfig) -> Result<Self, ConfigError> {
        Self::with_label(context, config, Label::CONTENT_ENCODING)
    }

    /// Wraps a context that labels and reads as this label says: with
    /// [`Label::decode_applications`] it also decodes what applications labelled themselves.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], which names the field.
    pub fn with_label(
        context: Context,
        config: &ClientCompressionConfig,
        label: Label,
    ) -> Result<Self, ConfigError> {
        Ok(Self::with(context, Codec::new(config, label)?))
    }

    /// Returns the same context, counters shared, that sends everything raw: for a message whose
    /// length must not tell what is in it.
    #[must_use]
    pub fn off(&self) -> Self {
        Self::with(self.context.clone(), self.codec.off())
    }

    pub(crate) const fn with(context: Context, codec: Codec) -> Self {
        Self { context, codec }
    }

    /// Returns the context, which neither compresses nor restores.
    #[must_use]
    pub const fn inner(&self) -> &Context {
        &self.context
    }

    /// Returns what this context, its clones and its consumers have counted.
    #[must_use]
    pub const fn counters(&self) -> &Arc<Counters> {
        self.codec.counters()
    }

    /// Publishes a message; the future that this gives waits for the server's word that it is
    /// stored.
    ///
    /// # Errors
    ///
    /// [`PublishError`]: the payload is too long, or the client can't send it.
    pub async fn publish(&self, subject: impl ToSubject, payload: Bytes) -> PublishResult {
        self.send(subject, None, payload).await
    }

    /// Publishes a message with headers, as [`publish`](Self::publish).
    ///
    /// # Errors
    ///
    /// [`PublishError`]: the payload is too long, or the client can't send it.
    pub async fn publish_with_headers(
        &self,
        subject: impl ToSubject,
        headers: HeaderMap,
        payload: Bytes,
    ) -> PublishResult {
        self.send(subject, Some(headers), payload).await
    }

    /// Publishes a message with what its builder says, as [`publish`](Self::publish).
    ///
    /// # Errors
    ///
    /// [`PublishError`]: the payload is too long, or the client can't send it.
    pub async fn send_publish(
        &self,
        subject: impl ToSubject,
        publish: PublishMessage,
    ) -> PublishResult {
        let built = publish.outbound_message(subject);
        self.send(built.subject, built.headers, built.payload).await
    }

    /// Restores what a consumer of the client's receives.
    pub fn consumer<T: IntoConsumerConfig>(&self, consumer: Consumer<T>) -> CompressedConsumer<T> {
        CompressedConsumer::new(consumer, self.codec.clone())
    }

    /// Compresses and restores the values of a key-value bucket.
    #[must_use]
    pub fn key_value(&self, store: Store) -> CompressedStore {
        CompressedStore::new(store, self.clone())
    }

    pub(crate) const fn codec(&self) -> &Codec {
        &self.codec
    }

    async fn send(
        &self,
        subject: impl ToSubject,
        headers: Option<HeaderMap>,
        payload: Bytes,
    ) -> PublishResult {
        let message =
            OutboundMessage { subject: subject.to_subject(), reply: None, payload, headers };
        let message = self.codec.compress(message).await?;
        let mut publish = PublishMessage::build().payload(message.payload);
        if let Some(headers) = message.headers {
            publish = publish.headers(headers);
        }
        let sent = self.context.send_publish(message.subject, publish).await;
        sent.map_err(PublishError::Client)
    }
}

/// The context's other methods.
impl Deref for CompressedContext {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

/// What publishing comes to.
type PublishResult = Result<PublishAckFuture, PublishError<context::PublishError>>;
