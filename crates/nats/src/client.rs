//! Core NATS.

use std::ops::Deref;
use std::sync::Arc;

use async_nats::client::traits::Publisher as _;
use async_nats::client::{self, Request, SubscribeError};
use async_nats::message::OutboundMessage;
use async_nats::subject::ToSubject;
use async_nats::{Client, HeaderMap, Message, jetstream};
use bytes::Bytes;
use thinwire::counters::Counters;
use thinwire_stream::{ClientCompressionConfig, ConfigError, Label};

use crate::codec::Codec;
use crate::context::CompressedContext;
use crate::error::{PublishError, RequestError};
use crate::messages::{Messages, Subscription};

/// A client that compresses what it publishes when it pays, and restores what it receives.
///
/// Its methods are those of [`async_nats::Client`], and those that it does not have are the
/// client's own, by [`Deref`].
///
/// ```no_run
/// use thinwire::Encoding;
/// use thinwire_nats::{ClientCompressionConfig, CompressedClient};
///
/// # async fn f() -> Result<(), async_nats::Error> {
/// let client = async_nats::connect("localhost").await?;
/// let client = CompressedClient::new(client, &ClientCompressionConfig::new(Encoding::Zstd))?;
/// client.publish("orders", "{}".into()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct CompressedClient {
    client: Client,
    codec: Codec,
}

impl CompressedClient {
    /// Wraps a client.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], which names the field.
    pub fn new(client: Client, config: &ClientCompressionConfig) -> Result<Self, ConfigError> {
        Self::with_label(client, config, Label::CONTENT_ENCODING)
    }

    /// Wraps a client that labels and reads as this label says: with
    /// [`Label::decode_applications`] it also decodes what applications labelled themselves.
    ///
    /// # Errors
    ///
    /// [`ConfigError`], which names the field.
    pub fn with_label(
        client: Client,
        config: &ClientCompressionConfig,
        label: Label,
    ) -> Result<Self, ConfigError> {
        Ok(Self { client, codec: Codec::new(config, label)? })
    }

    /// Returns the same client, counters shared, that sends everything raw: for a message whose
    /// length must not tell what is in it.
    #[must_use]
    pub fn off(&self) -> Self {
        Self { client: self.client.clone(), codec: self.codec.off() }
    }

    /// Returns the client, which neither compresses nor restores.
    #[must_use]
    pub const fn inner(&self) -> &Client {
        &self.client
    }

    /// Returns a `JetStream` context on the same connection, which compresses as this client.
    #[must_use]
    pub fn jetstream(&self) -> CompressedContext {
        CompressedContext::with(jetstream::new(self.client.clone()), self.codec.clone())
    }

    /// Returns what this client, its clones and its contexts have counted.
    #[must_use]
    pub const fn counters(&self) -> &Arc<Counters> {
        self.codec.counters()
    }

    /// Publishes a message.
    ///
    /// # Errors
    ///
    /// [`PublishError`]: the payload is too long, or the client can't send it.
    pub async fn publish(&self, subject: impl ToSubject, payload: Bytes) -> PublishResult {
        self.send(subject, None, None, payload).await
    }

    /// Publishes a message with headers.
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
        self.send(subject, None, Some(headers), payload).await
    }

    /// Publishes a message that says where a reply is expected.
    ///
    /// # Errors
    ///
    /// [`PublishError`]: the payload is too long, or the client can't send it.
    pub async fn publish_with_reply(
        &self,
        subject: impl ToSubject,
        reply: impl ToSubject,
        payload: Bytes,
    ) -> PublishResult {
        self.send(subject, Some(reply.to_subject()), None, payload).await
    }

    /// Publishes a message with headers that says where a reply is expected.
    ///
    /// # Errors
    ///
    /// [`PublishError`]: the payload is too long, or the client can't send it.
    pub async fn publish_with_reply_and_headers(
        &self,
        subject: impl ToSubject,
        reply: impl ToSubject,
        headers: HeaderMap,
        payload: Bytes,
    ) -> PublishResult {
        self.send(subject, Some(reply.to_subject()), Some(headers), payload).await
    }

    /// Publishes a message.
    ///
    /// # Errors
    ///
    /// [`PublishError`]: the payload is too long, or the client can't send it.
    pub async fn publish_message(&self, message: OutboundMessage) -> PublishResult {
        let message = self.codec.compress(message).await?;
        self.client.publish_message(message).await.map_err(PublishError::Client)
    }

    /// Sends a request and waits for the reply, which is restored if it is compressed.
    ///
    /// # Errors
    ///
    /// [`RequestError`]: the payload is too long, there was no reply, or it can't be restored.
    pub async fn request(
        &self,
        subject: impl ToSubject,
        payload: Bytes,
    ) -> Result<Message, RequestError> {
        self.send_request(subject, Request::new().payload(payload)).await
    }

    /// Sends a request with headers and waits for the reply, which is restored if it is
    /// compressed.
    ///
    /// # Errors
    ///
    /// [`RequestError`]: the payload is too long, there was no reply, or it can't be restored.
    pub async fn request_with_headers(
        &self,
        subject: impl ToSubject,
        headers: HeaderMap,
        payload: Bytes,
    ) -> Result<Message, RequestError> {
        self.send_request(subject, Request::new().headers(headers).payload(payload)).await
    }

    /// Sends a request and waits for the reply, which is restored if it is compressed.
    ///
    /// A reply that can't be restored is an error whatever `on_error` says, except for
    /// [`OnError::Raw`](thinwire_stream::OnError::Raw): there is no next one.
    ///
    /// # Errors
    ///
    /// [`RequestError`]: the payload is too long, there was no reply, or it can't be restored.
    pub async fn send_request(
        &self,
        subject: impl ToSubject,
        mut request: Request,
    ) -> Result<Message, RequestError> {
        let message = OutboundMessage {
            subject: subject.to_subject(),
            reply: None,
            payload: request.payload.take().unwrap_or_default(),
            headers: request.headers.take(),
        };
        let message = self.codec.compress(message).await?;
        (request.payload, request.headers) = (Some(message.payload), message.headers);
        let reply = self.client.send_request(message.subject, request).await;
        let restored = self.codec.restore(reply.map_err(RequestError::Client)?).await;
        restored.map_err(RequestError::BadReply)
    }

    /// Subscribes, to messages whose payloads are restored.
    ///
    /// # Errors
    ///
    /// [`SubscribeError`]: the client's.
    pub async fn subscribe(&self, subject: impl ToSubject) -> Result<Subscription, SubscribeError> {
        let subscriber = self.client.subscribe(subject).await?;
        Ok(Messages::new(subscriber, &self.codec, false))
    }

    /// Subscribes in a queue group, to messages whose payloads are restored.
    ///
    /// # Errors
    ///
    /// [`SubscribeError`]: the client's.
    pub async fn queue_subscribe(
        &self,
        subject: impl ToSubject,
        queue_group: String,
    ) -> Result<Subscription, SubscribeError> {
        let subscriber = self.client.queue_subscribe(subject, queue_group).await?;
        Ok(Messages::new(subscriber, &self.codec, false))
    }

    async fn send(
        &self,
        subject: impl ToSubject,
        reply: Option<async_nats::Subject>,
        headers: Option<HeaderMap>,
        payload: Bytes,
    ) -> PublishResult {
        let subject = subject.to_subject();
        self.publish_message(OutboundMessage { subject, reply, payload, headers }).await
    }
}

/// The client's other methods.
impl Deref for CompressedClient {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

/// What publishing comes to.
type PublishResult = Result<(), PublishError<client::PublishError>>;
