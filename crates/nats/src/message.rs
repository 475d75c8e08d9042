//! What the codec has to know of NATS's messages.

use std::ops::Deref;
use std::pin::Pin;

use async_nats::jetstream::AckKind;
use async_nats::message::OutboundMessage;
use async_nats::{HeaderMap, HeaderName, HeaderValue, jetstream};
use bytes::Bytes;
use thinwire_stream::{Message, Place};
use thiserror::Error;

/// A message of the client's, as the codec knows it.
///
/// It is there for [`thinwire_stream::Message`], which is neither NATS's nor this crate's to
/// implement on the client's own types. It reads as what is in it.
///
/// ```
/// use async_nats::HeaderMap;
/// use async_nats::message::OutboundMessage;
/// use thinwire_nats::Nats;
/// use thinwire_stream::Message;
///
/// let mut headers = HeaderMap::new();
/// headers.insert("content-encoding", "zstd");
/// let message = OutboundMessage {
///     subject: "orders".into(),
///     reply: None,
///     payload: "{}".into(),
///     headers: Some(headers),
/// };
/// let mut values = Vec::new();
/// Nats(message).get("Content-Encoding", &mut |value| values.push(value.to_vec())).unwrap();
/// assert_eq!(values, [b"zstd"]); // in any letter case
/// ```
#[derive(Debug, Clone)]
#[expect(clippy::exhaustive_structs, reason = "a name for what is in it")]
pub struct Nats<T>(pub T);

impl<T> Nats<T> {
    /// Takes the client's message.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T: Parts> Nats<T> {
    /// Says whether the server left the payload out, for a consumer that wants headers only.
    fn is_without_payload(&self) -> bool {
        let is_sized = |headers: &HeaderMap| {
            headers.iter().any(|(own, _)| is_same(own.as_ref(), MESSAGE_SIZE))
        };
        self.0.payload().is_empty() && self.0.headers().is_some_and(is_sized)
    }
}

impl<T> Deref for Nats<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Parts> Message for Nats<T> {
    type HeaderError = HeaderError;

    fn payload(&self) -> &Bytes {
        self.0.payload()
    }

    fn get(&self, name: &str, each: &mut dyn FnMut(&[u8])) -> Result<(), HeaderError> {
        if self.is_without_payload() {
            return Ok(());
        }
        let headers = self.0.headers().into_iter().flat_map(HeaderMap::iter);
        for (_, values) in headers.filter(|(own, _)| is_same(own.as_ref(), name)) {
            values.iter().for_each(|value| each(value.as_str().as_bytes()));
        }
        Ok(())
    }

    fn labelled(&self, payload: Bytes, headers: &[(&str, &str)]) -> Result<Self, HeaderError> {
        let is_set = |own: &HeaderName| headers.iter().any(|(name, _)| is_same(own.as_ref(), name));
        let mut labelled = self.0.headers().map_or_else(HeaderMap::new, |map| without(map, is_set));
        for (name, value) in headers {
            let name: HeaderName = name.parse().map_err(HeaderError::new)?;
            let value: HeaderValue = value.parse().map_err(HeaderError::new)?;
            labelled.insert(name, value);
        }
        Ok(Self(self.0.with(payload, labelled)))
    }

    fn restore(&mut self, payload: Bytes, names: &[&str]) -> Result<(), HeaderError> {
        let is_taken_off = |own: &HeaderName| names.iter().any(|name| is_same(own.as_ref(), name));
        let has_any = |map: &&HeaderMap| map.iter().any(|(own, _)| is_taken_off(own));
        if let Some(map) = self.0.headers().filter(has_any) {
            let others = without(map, is_taken_off);
            self.0.put_headers(others);
        }
        self.0.put_payload(payload);
        Ok(())
    }

    fn headers_len(&self) -> usize {
        self.0.headers().map_or(0, wire_len)
    }

    fn place(&self) -> Place {
        self.0.place()
    }
}

/// Why a header can't be set: a name or a value that NATS does not have. What came can be read.
#[derive(Debug, Error)]
#[error(transparent)]
pub struct HeaderError(async_nats::Error);

impl HeaderError {
    fn new(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self(Box::new(error))
    }
}

/// What the client's messages have in common.
#[expect(unnameable_types, reason = "the list of the client's messages is closed")]
pub trait Parts: Sized {
    #[doc(hidden)]
    fn payload(&self) -> &Bytes;
    #[doc(hidden)]
    fn put_payload(&mut self, payload: Bytes);
    #[doc(hidden)]
    fn headers(&self) -> Option<&HeaderMap>;
    #[doc(hidden)]
    fn put_headers(&mut self, headers: HeaderMap);
    /// Another in the same place.
    #[doc(hidden)]
    fn with(&self, payload: Bytes, headers: HeaderMap) -> Self;
    #[doc(hidden)]
    fn place(&self) -> Place;
    /// Tells the server not to deliver it again.
    #[doc(hidden)]
    fn terminate(self) -> Option<Farewell> {
        None
    }
}

/// A word to the server that takes a moment.
pub(crate) type Farewell = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The map tells `Content-Encoding` from `content-encoding`; clients in other languages do not.
fn is_same(own: &str, name: &str) -> bool {
    own.eq_ignore_ascii_case(name)
}

/// The map has no way to remove a header, so the others are copied; of a label alone there are
/// none.
fn without(map: &HeaderMap, is_left_out: impl Fn(&HeaderName) -> bool) -> HeaderMap {
    let mut others = HeaderMap::new();
    for (own, values) in map.iter().filter(|(own, _)| !is_left_out(own)) {
        for value in values {
            others.append(own.clone(), value.clone());
        }
    }
    others
}

/// `NATS/1.0`, a line for each value, and an empty one.
fn wire_len(map: &HeaderMap) -> usize {
    let line = |name: &HeaderName, value: &HeaderValue| {
        let name: &str = name.as_ref();
        name.len() + value.as_str().len() + 4 // ": " and the end of the line
    };
    let lines = map.iter().flat_map(|(name, values)| values.iter().map(move |it| line(name, it)));
    let len: usize = lines.sum();
    if len == 0 { 0 } else { len + 12 }
}

impl Parts for OutboundMessage {
    fn payload(&self) -> &Bytes {
        &self.payload
    }

    fn put_payload(&mut self, payload: Bytes) {
        self.payload = payload;
    }

    fn headers(&self) -> Option<&HeaderMap> {
        self.headers.as_ref()
    }

    fn put_headers(&mut self, headers: HeaderMap) {
        self.headers = some(headers);
    }

    fn with(&self, payload: Bytes, headers: HeaderMap) -> Self {
        let (subject, reply) = (self.subject.clone(), self.reply.clone());
        Self { subject, reply, payload, headers: some(headers) }
    }

    fn place(&self) -> Place {
        at(&self.subject)
    }
}

impl Parts for async_nats::Message {
    fn payload(&self) -> &Bytes {
        &self.payload
    }

    /// Its `length` stays that of the message on the wire.
    fn put_payload(&mut self, payload: Bytes) {
        self.payload = payload;
    }

    fn headers(&self) -> Option<&HeaderMap> {
        self.headers.as_ref()
    }

    fn put_headers(&mut self, headers: HeaderMap) {
        self.headers = some(headers);
    }

    fn with(&self, payload: Bytes, headers: HeaderMap) -> Self {
        Self {
            subject: self.subject.clone(),
            reply: self.reply.clone(),
            payload,
            headers: some(headers),
            status: self.status,
            description: self.description.clone(),
            length: self.length,
        }
    }

    fn place(&self) -> Place {
        at(&self.subject)
    }
}

impl Parts for jetstream::Message {
    fn payload(&self) -> &Bytes {
        &self.message.payload
    }

    fn put_payload(&mut self, payload: Bytes) {
        self.message.payload = payload;
    }

    fn headers(&self) -> Option<&HeaderMap> {
        self.message.headers.as_ref()
    }

    fn put_headers(&mut self, headers: HeaderMap) {
        self.message.headers = some(headers);
    }

    fn with(&self, payload: Bytes, headers: HeaderMap) -> Self {
        Self { message: self.message.with(payload, headers), context: self.context.clone() }
    }

    fn place(&self) -> Place {
        let sequence = self.info().ok().map(|info| info.stream_sequence);
        Place { offset: sequence, ..at(&self.message.subject) }
    }

    fn terminate(self) -> Option<Farewell> {
        Some(Box::pin(async move {
            if let Err(error) = self.ack_with(AckKind::Term).await {
                tracing::warn!(subject = %self.subject, "a message could not be terminated: {error}");
            }
        }))
    }
}

impl Parts for jetstream::message::StreamMessage {
    fn payload(&self) -> &Bytes {
        &self.payload
    }

    fn put_payload(&mut self, payload: Bytes) {
        self.payload = payload;
    }

    fn headers(&self) -> Option<&HeaderMap> {
        Some(&self.headers)
    }

    fn put_headers(&mut self, headers: HeaderMap) {
        self.headers = headers;
    }

    fn with(&self, payload: Bytes, headers: HeaderMap) -> Self {
        Self { payload, headers, ..self.clone() }
    }

    fn place(&self) -> Place {
        Place { offset: Some(self.sequence), ..at(&self.subject) }
    }
}

/// Without headers a message is shorter than with none in them.
fn some(headers: HeaderMap) -> Option<HeaderMap> {
    (!headers.is_empty()).then_some(headers)
}

fn at(subject: &str) -> Place {
    Place { stream: subject.to_owned(), ..Place::default() }
}

/// How long the payload is that the server left out.
const MESSAGE_SIZE: &str = "Nats-Msg-Size";
