//! What the codec has to know of Iggy's messages.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use bytes::Bytes;
use iggy::prelude::{EncryptorKind, IggyMessage, IggyMessageHeader, ReceivedMessage};
use thinwire_stream::{Message, Place};

use crate::encryption;
use crate::headers::{self, Entries, HeaderError};

/// A message of the SDK's, as the codec knows it: for those who poll and send by the SDK's
/// low-level client. It reads as what is in it.
///
/// ```
/// use iggy::prelude::IggyMessage;
/// use thinwire::Encoding;
/// use thinwire_iggy::{ClientCompressionConfig, Iggy, Label, MessageCodec};
///
/// let codec = MessageCodec::new(&ClientCompressionConfig::new(Encoding::Lz4), Label::IGGY)?;
/// let message = Iggy(IggyMessage::from("a line of a log\n".repeat(100)));
/// let sent = codec.maybe_compress(&message)?.unwrap_or(message);
/// assert!(sent.payload.len() < 100 && sent.user_headers.is_some());
///
/// let received = codec.maybe_decompress(sent).map_err(|bad| bad.to_string())?;
/// assert_eq!((received.payload.len(), &received.user_headers), (1600, &None));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "a name for what is in it")]
pub struct Iggy(pub IggyMessage);

impl Iggy {
    /// Takes the SDK's message.
    ///
    /// ```
    /// # use {iggy::prelude::IggyMessage, thinwire_iggy::Iggy};
    /// let message: IggyMessage = Iggy(IggyMessage::from("payload")).into_inner();
    /// ```
    #[must_use]
    pub fn into_inner(self) -> IggyMessage {
        self.0
    }
}

impl Deref for Iggy {
    type Target = IggyMessage;

    fn deref(&self) -> &IggyMessage {
        &self.0
    }
}

impl Message for Iggy {
    type HeaderError = HeaderError;

    fn payload(&self) -> &Bytes {
        &self.0.payload
    }

    fn get(&self, name: &str, each: &mut dyn FnMut(&[u8])) -> Result<(), HeaderError> {
        get(&self.0, name, each)
    }

    fn labelled(&self, payload: Bytes, headers: &[(&str, &str)]) -> Result<Self, HeaderError> {
        labelled(&self.0, payload, headers).map(Self)
    }

    fn restore(&mut self, payload: Bytes, names: &[&str]) -> Result<(), HeaderError> {
        restore(&mut self.0, payload, names)
    }

    fn headers_len(&self) -> usize {
        headers_of(&self.0).len()
    }

    fn place(&self) -> Place {
        Place { offset: Some(self.0.header.offset), ..Place::default() }
    }
}

/// What a consumer received, as the codec knows it. It reads as what is in it.
///
/// ```
/// use thinwire_iggy::{BadMessage, Received};
///
/// fn put_aside(bad: BadMessage<Received>) {
///     let (partition, offset) = (bad.message().partition_id, bad.message().message.header.offset);
///     let as_it_came: iggy::prelude::ReceivedMessage = bad.into_message().into_inner();
/// }
/// ```
pub struct Received {
    received: ReceivedMessage,
    topic: Arc<str>,
    /// What can't be decrypted has no headers to be read, and no payload.
    is_readable: bool,
}

impl Received {
    /// Decrypts it, if there is something to do that with.
    pub(crate) fn new(
        mut received: ReceivedMessage,
        topic: Arc<str>,
        encryptor: Option<&EncryptorKind>,
    ) -> Self {
        let decrypted = encryptor.map(|it| encryption::decrypted(&received.message, it));
        let is_readable = !matches!(decrypted, Some(Err(_)));
        if let Some(Ok(decrypted)) = decrypted {
            received.message = decrypted;
        }
        Self { received, topic, is_readable }
    }

    /// Takes the SDK's message.
    #[must_use]
    pub fn into_inner(self) -> ReceivedMessage {
        self.received
    }
}

impl Deref for Received {
    type Target = ReceivedMessage;

    fn deref(&self) -> &ReceivedMessage {
        &self.received
    }
}

/// Where it was and how long it is; not what is in it.
impl fmt::Debug for Received {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Received")
            .field("topic", &self.topic)
            .field("partition_id", &self.received.partition_id)
            .field("current_offset", &self.received.current_offset)
            .field("header", &self.received.message.header)
            .finish_non_exhaustive()
    }
}

impl Message for Received {
    type HeaderError = HeaderError;

    fn payload(&self) -> &Bytes {
        &self.received.message.payload
    }

    fn get(&self, name: &str, each: &mut dyn FnMut(&[u8])) -> Result<(), HeaderError> {
        if !self.is_readable {
            return Err(HeaderError::Encrypted);
        }
        get(&self.received.message, name, each)
    }

    fn labelled(&self, payload: Bytes, headers: &[(&str, &str)]) -> Result<Self, HeaderError> {
        let message = labelled(&self.received.message, payload, headers)?;
        let ReceivedMessage { current_offset, partition_id, .. } = self.received;
        let received = ReceivedMessage { message, current_offset, partition_id };
        Ok(Self { received, topic: self.topic.clone(), is_readable: self.is_readable })
    }

    fn restore(&mut self, payload: Bytes, names: &[&str]) -> Result<(), HeaderError> {
        restore(&mut self.received.message, payload, names)
    }

    /// What can't be read counts as well, so that it is asked for.
    fn headers_len(&self) -> usize {
        headers_of(&self.received.message).len() + usize::from(!self.is_readable)
    }

    fn place(&self) -> Place {
        Place {
            stream: self.topic.as_ref().to_owned(),
            partition: Some(self.received.partition_id),
            offset: Some(self.received.message.header.offset),
        }
    }
}

fn headers_of(message: &IggyMessage) -> &[u8] {
    message.user_headers.as_deref().unwrap_or_default()
}

fn get(message: &IggyMessage, name: &str, each: &mut dyn FnMut(&[u8])) -> Result<(), HeaderError> {
    for entry in Entries::of(headers_of(message)) {
        let entry = entry?;
        if entry.is(name) {
            each(entry.value.text()?);
        }
    }
    Ok(())
}

fn labelled(
    message: &IggyMessage,
    payload: Bytes,
    headers: &[(&str, &str)],
) -> Result<IggyMessage, HeaderError> {
    let headers = headers::with(headers_of(message), headers)?;
    Ok(with_parts(&message.header, payload, Some(headers)))
}

fn restore(message: &mut IggyMessage, payload: Bytes, names: &[&str]) -> Result<(), HeaderError> {
    let headers = message.user_headers.as_ref();
    let headers = headers.map(|headers| headers::without(headers, names)).transpose()?;
    *message = with_parts(&message.header, payload, headers);
    Ok(())
}

/// The same message with another payload and other headers. Its lengths are those of its parts,
/// which the SDK asserts.
pub(crate) fn with_parts(
    header: &IggyMessageHeader,
    payload: Bytes,
    user_headers: Option<Bytes>,
) -> IggyMessage {
    let user_headers = user_headers.filter(|headers| !headers.is_empty());
    let header = IggyMessageHeader {
        payload_length: len(&payload),
        user_headers_length: user_headers.as_ref().map_or(0, len),
        ..IggyMessageHeader { ..*header }
    };
    IggyMessage { header, payload, user_headers }
}

/// What exceeds it the server refuses long before.
fn len(bytes: &Bytes) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}
