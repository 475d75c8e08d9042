//! Values as they are written, and those that were.

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull, push};

use super::entries::{AnyError, Entries};
use super::{CompressedStore, KeyValueError, get, is_of_key};

impl CompressedStore {
    /// Gives the entries of a key, or of all that match if there are wildcards in it, that are
    /// written from now on.
    ///
    /// # Errors
    ///
    /// [`KeyValueError`]: the key is none, or the client can't watch.
    pub async fn watch(&self, key: impl AsRef<str>) -> Result<Entries, KeyValueError> {
        self.watch_from(key.as_ref(), DeliverPolicy::New).await
    }

    /// As [`watch`](Self::watch), with the last entry of each key first.
    ///
    /// # Errors
    ///
    /// As [`watch`](Self::watch).
    pub async fn watch_with_history(&self, key: impl AsRef<str>) -> Result<Entries, KeyValueError> {
        self.watch_from(key.as_ref(), DeliverPolicy::LastPerSubject).await
    }

    /// As [`watch`](Self::watch), with the entries since this revision first.
    ///
    /// # Errors
    ///
    /// As [`watch`](Self::watch).
    pub async fn watch_from_revision(
        &self,
        key: impl AsRef<str>,
        revision: u64,
    ) -> Result<Entries, KeyValueError> {
        let start = DeliverPolicy::ByStartSequence { start_sequence: revision };
        self.watch_from(key.as_ref(), start).await
    }

    /// Gives the entries of all keys that are written from now on.
    ///
    /// # Errors
    ///
    /// As [`watch`](Self::watch).
    pub async fn watch_all(&self) -> Result<Entries, KeyValueError> {
        self.watch(">").await
    }

    /// Gives the entries of a key that the bucket has kept, the oldest first, and ends.
    ///
    /// # Errors
    ///
    /// [`KeyValueError`]: the key is none, or the client can't read.
    pub async fn history(&self, key: impl AsRef<str>) -> Result<Entries, KeyValueError> {
        let config = pull::Config {
            description: Some("kv history consumer".to_owned()),
            filter_subject: self.subject(key.as_ref())?,
            ack_policy: AckPolicy::None,
            ..pull::Config::default()
        };
        let consumer = self.store.stream.create_consumer(config).await.map_err(get)?;
        let pending = consumer.cached_info().num_pending;
        // What was removed in the meantime does not come: the server says that there is no more.
        let kept = usize::try_from(pending).unwrap_or(usize::MAX).max(1);
        let kept = consumer.fetch().max_messages(kept).messages().await.map_err(get)?;
        Ok(Entries::new(kept, self.context.codec(), &self.store, pending == 0))
    }

    async fn watch_from(
        &self,
        key: &str,
        deliver_policy: DeliverPolicy,
    ) -> Result<Entries, KeyValueError> {
        if key.is_empty() || !key.bytes().all(|byte| is_of_key(byte) || b"*>".contains(&byte)) {
            return Err(KeyValueError::InvalidKey);
        }
        let config = push::OrderedConfig {
            deliver_subject: self.context.inner().client().new_inbox(),
            description: Some("kv watch consumer".to_owned()),
            filter_subject: format!("{}{key}", self.store.prefix),
            deliver_policy,
            ..push::OrderedConfig::default()
        };
        let consumer = self.store.stream.create_consumer(config).await.map_err(get)?;
        let is_current = consumer.cached_info().num_pending == 0;
        let inner = consumer.messages().await.map_err(get)?;
        Ok(Entries::new(AnyError { inner }, self.context.codec(), &self.store, is_current))
    }
}
