//! From messages as they are given to what the SDK sends.

use std::fmt;
use std::sync::Arc;

use iggy::prelude::{Identifier, IggyError, IggyMessage, IggyProducer, Partitioner, Partitioning};
use thinwire_stream::MessageCodec;

use crate::batch;
use crate::error::SendError;
use crate::original::{self, Original};
use crate::producer::SendResult;

/// A producer with one way to compress. [`CompressedProducer::off`](crate::CompressedProducer::off)
/// makes one that sends everything raw.
#[derive(Clone, Copy)]
pub struct Sender<'a> {
    producer: &'a IggyProducer,
    codec: &'a MessageCodec,
    partitioner: Option<&'a dyn Partitioner>,
}

impl<'a> Sender<'a> {
    pub(crate) const fn new(
        producer: &'a IggyProducer,
        codec: &'a MessageCodec,
        partitioner: Option<&'a dyn Partitioner>,
    ) -> Self {
        Self { producer, codec, partitioner }
    }

    /// Sends messages, as [`IggyProducer::send`].
    ///
    /// # Errors
    ///
    /// [`SendError`], with the messages that were not sent.
    pub async fn send(self, messages: Vec<IggyMessage>) -> SendResult {
        self.send_with_partitioning(messages, None).await
    }

    /// Sends a message, as [`IggyProducer::send_one`].
    ///
    /// # Errors
    ///
    /// [`SendError`], with the message.
    pub async fn send_one(self, message: IggyMessage) -> SendResult {
        self.send(vec![message]).await
    }

    /// Sends messages to the partition that is said, as [`IggyProducer::send_with_partitioning`].
    ///
    /// # Errors
    ///
    /// [`SendError`], with the messages that were not sent.
    pub async fn send_with_partitioning(
        self,
        messages: Vec<IggyMessage>,
        partitioning: Option<Arc<Partitioning>>,
    ) -> SendResult {
        let (stream, topic) = (self.producer.stream(), self.producer.topic());
        let ready = self.prepare(stream, topic, messages, partitioning).await?;
        let sent = self.producer.send_with_partitioning(ready.messages, ready.partitioning).await;
        sent.map_err(|error| failed(&ready.originals, error))
    }

    /// Sends messages to any stream and topic, as [`IggyProducer::send_to`].
    ///
    /// # Errors
    ///
    /// [`SendError`], with the messages that were not sent.
    pub async fn send_to(
        self,
        stream: Arc<Identifier>,
        topic: Arc<Identifier>,
        messages: Vec<IggyMessage>,
        partitioning: Option<Arc<Partitioning>>,
    ) -> SendResult {
        let ready = self.prepare(&stream, &topic, messages, partitioning).await?;
        let sent = self.producer.send_to(stream, topic, ready.messages, ready.partitioning).await;
        sent.map_err(|error| failed(&ready.originals, error))
    }

    async fn prepare(
        &self,
        stream: &Identifier,
        topic: &Identifier,
        messages: Vec<IggyMessage>,
        partitioning: Option<Arc<Partitioning>>,
    ) -> Result<Ready, SendError> {
        let partitioning = match self.partitioner {
            Some(partitioner) if !messages.is_empty() => {
                match partitioner.calculate_partition_id(stream, topic, &messages) {
                    Ok(id) => Some(Arc::new(Partitioning::partition_id(id))),
                    Err(error) => return Err(SendError::Partitioner { error, messages }),
                }
            }
            _ => partitioning,
        };
        let originals: Vec<_> = messages.iter().map(Original::of).collect();
        match batch::compress(self.codec, messages).await {
            Ok(messages) => Ok(Ready { messages, originals, partitioning }),
            Err((index, cause)) => {
                let messages = original::messages(&originals);
                Err(SendError::Compress { index, cause, messages })
            }
        }
    }
}

impl fmt::Debug for Sender<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender")
            .field("stream", self.producer.stream())
            .field("topic", self.producer.topic())
            .field("codec", self.codec)
            .field("partitioner", &self.partitioner)
            .finish_non_exhaustive()
    }
}

/// What is to be sent, and what it was.
struct Ready {
    messages: Vec<IggyMessage>,
    originals: Vec<Original>,
    partitioning: Option<Arc<Partitioning>>,
}

fn failed(originals: &[Original], mut error: IggyError) -> SendError {
    let messages = original::unsent(originals, &mut error);
    SendError::Client { error, messages }
}
