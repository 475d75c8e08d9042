//! Values of key-value buckets.

use async_nats::jetstream::context;
use async_nats::jetstream::kv::Store;
use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::{DirectGetErrorKind, LastRawMessageErrorKind};
use async_nats::{HeaderMap, HeaderValue, header};
use bytes::Bytes;
use thinwire_stream::BadMessage;
use thiserror::Error;

use crate::context::CompressedContext;
use crate::error::PublishError;
use crate::message::Nats;

/// A key-value bucket whose values are compressed when it pays.
///
/// [`Store`] gives values without their headers, so what is written here is restored by
/// [`get`](Self::get) only: `Store::get`, `entry`, `watch` and `history`, and other languages'
/// key-value clients, give the compressed bytes and nothing that says so. Use it where all readers
/// of a bucket do, and the store itself for the rest: keys, deletion, purging.
///
/// ```no_run
/// use thinwire_nats::CompressedContext;
///
/// # async fn f(jetstream: CompressedContext) -> Result<(), async_nats::Error> {
/// let bucket = jetstream.key_value(jetstream.get_key_value("profiles").await?);
/// let revision = bucket.put("ada", "{}".into()).await?;
/// assert_eq!(bucket.get("ada").await?.as_deref(), Some(&b"{}"[..]));
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
    /// # Errors
    ///
    /// [`KeyValueError`]: the key is none, or the value can't be read or restored.
    pub async fn get(&self, key: impl AsRef<str>) -> Result<Option<Bytes>, KeyValueError> {
        let key = key.as_ref();
        if !is_key(key) {
            return Err(KeyValueError::InvalidKey);
        }
        let Some(message) = self.last(format!("{}{key}", self.store.prefix)).await? else {
            return Ok(None);
        };
        // What is no value says so: deleted, purged, or the server's mark of one that ran out.
        let marks = [header::NATS_MARKER_REASON.as_ref(), "KV-Operation"];
        if marks
            .iter()
            .any(|mark| message.headers.get(*mark).is_some_and(|it| it.as_str() != "PUT"))
        {
            return Ok(None);
        }
        let codec = self.context.codec().messages();
        let restored = codec.maybe_decompress_off_runtime(Nats(message)).await?;
        Ok(Some(restored.into_inner().payload))
    }

    async fn last(&self, subject: String) -> Result<Option<StreamMessage>, KeyValueError> {
        let stream = &self.store.stream;
        if stream.cached_info().config.allow_direct {
            match stream.direct_get_last_for_subject(subject).await {
                Ok(message) => Ok(Some(message)),
                Err(error) if error.kind() == DirectGetErrorKind::NotFound => Ok(None),
                Err(error) => Err(KeyValueError::Get(error.into())),
            }
        } else {
            match stream.get_last_raw_message_by_subject(&subject).await {
                Ok(message) => Ok(Some(message)),
                Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
                Err(error) => Err(KeyValueError::Get(error.into())),
            }
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
}

fn is_key(key: &str) -> bool {
    let is_of_key = |byte: u8| byte.is_ascii_alphanumeric() || b"-/_=.".contains(&byte);
    !key.is_empty() && key.bytes().all(is_of_key) && !key.starts_with('.') && !key.ends_with('.')
}
