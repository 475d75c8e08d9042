//! Key-value buckets.

mod entries;
mod watch;

use async_nats::jetstream::context::{self, PublishErrorKind};
use async_nats::jetstream::kv::{Entry, Operation, Store};
use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::{
    DirectGetError, DirectGetErrorKind, LastRawMessageError, LastRawMessageErrorKind,
};
use async_nats::{HeaderMap, HeaderValue, header};
use bytes::Bytes;
use thinwire_stream::BadMessage;
use thiserror::Error;

pub use entries::Entries;

use crate::context::CompressedContext;
use crate::error::PublishError;
use crate::message::Nats;

/// A key-value bucket whose values are compressed when it pays.
///
/// Its methods are those of [`Store`] that write or give values, and it reads what any client wrote.
/// [`Store`] gives values without their headers: what is written here comes compressed out of its
/// `get`, `entry`, `watch` and `history`, and out of other languages' key-value clients, with
/// nothing that says so. Use it where all readers of a bucket do. What has to do with no value is
/// the store's own, by [`inner`](Self::inner): `keys`, `delete`, `purge`, `status`.
///
/// ```no_run
/// use thinwire_nats::CompressedContext;
///
/// # async fn f(jetstream: CompressedContext) -> Result<(), async_nats::Error> {
/// let bucket = jetstream.key_value(jetstream.get_key_value("profiles").await?);
/// let revision = bucket.put("ada", "{}".into()).await?;
/// assert_eq!(bucket.get("ada").await?.as_deref(), Some(&b"{}"[..]));
/// bucket.inner().delete("ada").await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct CompressedStore {
    store: Store,
    context: CompressedContext,
}

/// Why a value was not written or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum KeyValueError {
    /// No bucket has such a key.
    #[error("a key is made of letters, digits and -/_=. and does not begin or end with a dot")]
    InvalidKey,
    /// [`CompressedStore::create`] found a value.
    #[error("the key has a value")]
    AlreadyExists,
    /// The bucket is in another domain, or a mirror of one that is: only the client can write
    /// to it.
    #[error("the bucket is written to in another domain")]
    Elsewhere,
    /// The value was not written.
    #[error(transparent)]
    Publish(#[from] PublishError<context::PublishError>),
    /// The value was not read.
    #[error("{0}")]
    Get(#[source] async_nats::Error),
    /// The value can't be restored, and is in here as it is stored.
    #[error(transparent)]
    BadValue(#[from] Box<BadMessage<Nats<StreamMessage>>>),
}

impl CompressedStore {
    pub(crate) const fn new(store: Store, context: CompressedContext) -> Self {
        Self { store, context }
    }

    /// Returns the client's bucket, which neither compresses nor restores.
    #[must_use]
    pub const fn inner(&self) -> &Store {
        &self.store
    }

    /// Writes a value and returns its revision.
    ///
    /// # Errors
    ///
    /// [`KeyValueError`]: the key is none, the value is too long, or it was not written.
    pub async fn put(&self, key: impl AsRef<str>, value: Bytes) -> Result<u64, KeyValueError> {
        self.write(key.as_ref(), HeaderMap::new(), value).await
    }

    /// Writes a value if the key has none, or none any more, and returns its revision.
    ///
    /// # Errors
    ///
    /// [`KeyValueError::AlreadyExists`], or as [`put`](Self::put).
    pub async fn create(&self, key: impl AsRef<str>, value: Bytes) -> Result<u64, KeyValueError> {
        let key = key.as_ref();
        let error = match self.update(key, value.clone(), 0).await {
            Err(error) if is_of_another_revision(&error) => error,
            other => return other,
        };
        match self.last(key).await? {
            None => Err(error),
            Some(last) if operation(Some(&last.headers)) == Operation::Put => {
                Err(KeyValueError::AlreadyExists)
            }
            Some(deleted) => self.update(key, value, deleted.sequence).await,
        }
    }

    /// Writes a value if the key's last revision is this one, 0 for none, and returns its
    /// revision.
    ///
    /// # Errors
    ///
    /// [`KeyValueError`]: there is another revision, or as [`put`](Self::put).
    pub async fn update(
        &self,
        key: impl AsRef<str>,
        value: Bytes,
        revision: u64,
    ) -> Result<u64, KeyValueError> {
        let mut headers = HeaderMap::new();
        headers.insert(header::NATS_EXPECTED_LAST_SUBJECT_SEQUENCE, HeaderValue::from(revision));
        self.write(key.as_ref(), headers, value).await
    }

    /// Reads a value; `None` if there is none, or if it was deleted.
    ///
    /// A value that can't be restored is an error whatever `on_error` says, except for
    /// [`OnError::Raw`](thinwire_stream::OnError::Raw).
    ///
    /// # Errors
    ///
    /// [`KeyValueError`]: the key is none, or the value can't be read or restored.
    pub async fn get(&self, key: impl AsRef<str>) -> Result<Option<Bytes>, KeyValueError> {
        let entry = self.entry(key).await?;
        Ok(entry.filter(|it| it.operation == Operation::Put).map(|it| it.value))
    }

    /// Reads the last entry of a key, which may be its deletion; `None` if there is none.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub async fn entry(&self, key: impl AsRef<str>) -> Result<Option<Entry>, KeyValueError> {
        let key = key.as_ref();
        match self.last(key).await? {
            None => Ok(None),
            Some(message) => self.restored(key, message).await.map(Some),
        }
    }

    /// Reads the entry of a key that has this revision; `None` if there is none, or if the revision
    /// is another key's.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub async fn entry_for_revision(
        &self,
        key: impl AsRef<str>,
        revision: u64,
    ) -> Result<Option<Entry>, KeyValueError> {
        let key = key.as_ref();
        let subject = self.subject(key)?;
        let stream = &self.store.stream;
        let found = if stream.cached_info().config.allow_direct {
            directly(stream.direct_get(revision).await)?
        } else {
            as_ever(stream.get_raw_message(revision).await)?
        };
        match found.filter(|message| *message.subject == *subject) {
            None => Ok(None),
            Some(message) => self.restored(key, message).await.map(Some),
        }
    }

    async fn restored(&self, key: &str, message: StreamMessage) -> Result<Entry, KeyValueError> {
        let message = self.context.codec().restore(message).await?;
        Ok(Entry {
            bucket: self.store.name.clone(),
            key: key.to_owned(),
            operation: operation(Some(&message.headers)),
            value: message.payload,
            revision: message.sequence,
            created: message.time,
            delta: 0,
            seen_current: false,
        })
    }

    async fn last(&self, key: &str) -> Result<Option<StreamMessage>, KeyValueError> {
        let subject = self.subject(key)?;
        let stream = &self.store.stream;
        if stream.cached_info().config.allow_direct {
            directly(stream.direct_get_last_for_subject(subject).await)
        } else {
            as_ever(stream.get_last_raw_message_by_subject(&subject).await)
        }
    }

    async fn write(
        &self,
        key: &str,
        headers: HeaderMap,
        value: Bytes,
    ) -> Result<u64, KeyValueError> {
        if !is_key(key) {
            return Err(KeyValueError::InvalidKey);
        }
        if self.store.use_jetstream_prefix {
            return Err(KeyValueError::Elsewhere);
        }
        let prefix = self.store.put_prefix.as_ref().unwrap_or(&self.store.prefix);
        let subject = format!("{prefix}{key}");
        let stored = self.context.publish_with_headers(subject, headers, value).await?;
        Ok(stored.await.map_err(PublishError::Client)?.sequence)
    }

    /// Where a key's values are read.
    fn subject(&self, key: &str) -> Result<String, KeyValueError> {
        if is_key(key) {
            Ok(format!("{}{key}", self.store.prefix))
        } else {
            Err(KeyValueError::InvalidKey)
        }
    }
}

fn directly(
    found: Result<StreamMessage, DirectGetError>,
) -> Result<Option<StreamMessage>, KeyValueError> {
    match found {
        Ok(message) => Ok(Some(message)),
        Err(error) if error.kind() == DirectGetErrorKind::NotFound => Ok(None),
        Err(error) => Err(get(error)),
    }
}

fn as_ever(
    found: Result<StreamMessage, LastRawMessageError>,
) -> Result<Option<StreamMessage>, KeyValueError> {
    match found {
        Ok(message) => Ok(Some(message)),
        Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
        Err(error) => Err(get(error)),
    }
}

fn get(error: impl Into<async_nats::Error>) -> KeyValueError {
    KeyValueError::Get(error.into())
}

fn is_of_another_revision(error: &KeyValueError) -> bool {
    matches!(error, KeyValueError::Publish(PublishError::Client(error))
        if error.kind() == PublishErrorKind::WrongLastSequence)
}

/// What is no value says so: deleted, purged, or the server's mark of one that ran out.
fn operation(headers: Option<&HeaderMap>) -> Operation {
    let said = |name: &str| headers?.get(name).map(HeaderValue::as_str);
    match (said("KV-Operation"), said(header::NATS_MARKER_REASON.as_ref())) {
        (Some("PUT"), _) | (None, None) => Operation::Put,
        (Some("DEL"), _) | (None, Some("Remove")) => Operation::Delete,
        (Some(_), _) | (None, Some(_)) => Operation::Purge,
    }
}

fn is_key(key: &str) -> bool {
    !key.is_empty() && key.bytes().all(is_of_key) && !key.starts_with('.') && !key.ends_with('.')
}

fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-/_=.".contains(&byte)
}
