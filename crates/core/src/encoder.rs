//! Ask the policy, compress, keep only what pays.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::codec::{self, Compress};
use crate::encoded::{Encoded, RawReason};
use crate::encoding::Encoding;
use crate::error::EncodeError;
use crate::level::Level;
use crate::policy::Policy;
use crate::pool::{Pool, PoolLimits, Reusable};

/// Turns payloads into [`Encoded`] ones, smaller or as they are.
///
/// Cheap to clone; clones share their pool of compressors, and any number of threads may use
/// one. A call takes a compressor from the pool, makes one if none is idle, and puts it back:
/// in steady state [`encode_into`](Self::encode_into) allocates nothing, and
/// [`encode`](Self::encode) the result. [`PoolLimits`] bounds what is kept.
///
/// For one version of the library behind it ([`Encoding::library`]), a payload always gives the
/// same bytes, whatever was encoded before.
///
/// ```
/// use bytes::Bytes;
/// use thinwire::{Encoder, Encoding, Level, Policy};
///
/// let encoder = Encoder::new(Level::new(Encoding::Zstd, 3)?)?
///     .policy(Policy::default().min_len(400));
///
/// let encoded = encoder.encode(Bytes::from("{\"up\": true}".repeat(50)))?;
/// assert_eq!(encoded.encoding(), Encoding::Zstd);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Encoder {
    level: Level,
    policy: Policy,
    pool: Arc<Pool<Worker>>,
}

impl Encoder {
    /// Makes an encoder at a level, or at an encoding's default level, with the default policy.
    ///
    /// # Errors
    ///
    /// [`EncodeError::NotBuiltIn`] for an encoding that this build lacks,
    /// [`EncodeError::Failed`] without memory for its first compressor.
    ///
    /// ```
    /// # use thinwire::{Encoder, Encoding};
    /// let encoder = Encoder::new(Encoding::Lz4)?;
    /// assert_eq!(encoder.level().to_string(), "lz4:1");
    /// # Ok::<(), thinwire::EncodeError>(())
    /// ```
    pub fn new(level: impl Into<Level>) -> Result<Self, EncodeError> {
        let level = level.into();
        let encoder = Self {
            level,
            policy: Policy::default(),
            pool: Arc::new(Pool::new(PoolLimits::default())),
        };
        // What can't be had is said now and not with the first message.
        if let Some(worker) = Worker::new(level)? {
            encoder.pool.put(worker);
        }
        Ok(encoder)
    }

    /// Sets which payloads are compressed and which results are kept.
    ///
    /// ```
    /// # use thinwire::{Encoder, Encoding, Policy};
    /// let encoder = Encoder::new(Encoding::Gzip)?.policy(Policy::always());
    /// # Ok::<(), thinwire::EncodeError>(())
    /// ```
    #[must_use]
    pub const fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets how much is kept between calls. Clones made before keep their own pool.
    ///
    /// ```
    /// # use thinwire::{Encoder, Encoding, PoolLimits};
    /// let encoder = Encoder::new(Encoding::Gzip)?.pool_limits(PoolLimits::default().max_idle(2));
    /// # Ok::<(), thinwire::EncodeError>(())
    /// ```
    #[must_use]
    pub fn pool_limits(mut self, limits: PoolLimits) -> Self {
        self.pool = Arc::new(Pool::new(limits));
        self
    }

    /// Returns the level, which names the encoding as well.
    ///
    /// ```
    /// # use thinwire::{Encoder, Encoding, Level};
    /// assert_eq!(Encoder::new(Encoding::Gzip)?.level(), Level::from(Encoding::Gzip));
    /// # Ok::<(), thinwire::EncodeError>(())
    /// ```
    #[must_use]
    pub const fn level(&self) -> Level {
        self.level
    }

    /// Returns the encoding that a payload gets when it pays.
    ///
    /// ```
    /// # use thinwire::{Encoder, Encoding};
    /// assert_eq!(Encoder::new(Encoding::Gzip)?.encoding(), Encoding::Gzip);
    /// # Ok::<(), thinwire::EncodeError>(())
    /// ```
    #[must_use]
    pub const fn encoding(&self) -> Encoding {
        self.level.encoding()
    }

    /// Encodes a payload. One that does not pay comes back as it is, not copied, under
    /// [`Encoding::Identity`]; [`Encoded::raw_reason`] says why.
    ///
    /// # Errors
    ///
    /// [`EncodeError::TooLong`] and [`EncodeError::Failed`]: see there.
    ///
    /// ```
    /// # use {bytes::Bytes, thinwire::{Encoder, Encoding}};
    /// let encoded = Encoder::new(Encoding::Zstd)?.encode(Bytes::from(vec![7; 1000]))?;
    /// assert!(encoded.bytes().len() < 30);
    /// # Ok::<(), thinwire::EncodeError>(())
    /// ```
    pub fn encode(&self, payload: Bytes) -> Result<Encoded, EncodeError> {
        if let Some(reason) = self.reason_not_to_try(payload.len()) {
            return Ok(Encoded::raw(payload, reason));
        }
        let Some(mut worker) = self.worker()? else {
            return Ok(Encoded::raw(payload, RawReason::Identity));
        };
        worker.scratch.clear();
        let result = worker.compressor.compress(&payload, &mut worker.scratch);
        let encoded = match result {
            Err(refusal) => Err(codec::encode_error(self.encoding(), payload.len(), &refusal)),
            Ok(()) if self.policy.should_keep(payload.len(), worker.scratch.len()) => {
                Ok(Encoded::new(self.encoding(), Bytes::copy_from_slice(&worker.scratch)))
            }
            Ok(()) => Ok(Encoded::raw(payload, RawReason::TooLittleSaved)),
        };
        self.pool.put(worker);
        encoded
    }

    /// Compresses a payload onto the end of `dst` if that pays; if not, `dst` is as before and the
    /// reason is returned. On error `dst` is as before.
    ///
    /// # Errors
    ///
    /// [`EncodeError::TooLong`] and [`EncodeError::Failed`]: see there.
    ///
    /// ```
    /// # use thinwire::{Encoder, Encoding, RawReason};
    /// let encoder = Encoder::new(Encoding::SnappyBlock)?;
    /// let mut frame = Vec::new();
    /// assert_eq!(encoder.compress_if_it_pays(&[7; 1000], &mut frame)?, None);
    /// assert!(frame.len() < 60);
    /// let reason = encoder.compress_if_it_pays(b"short", &mut frame)?;
    /// assert_eq!(reason, Some(RawReason::BelowMinLen));
    /// # Ok::<(), thinwire::EncodeError>(())
    /// ```
    pub fn compress_if_it_pays(
        &self,
        payload: &[u8],
        dst: &mut Vec<u8>,
    ) -> Result<Option<RawReason>, EncodeError> {
        if let Some(reason) = self.reason_not_to_try(payload.len()) {
            return Ok(Some(reason));
        }
        let start = dst.len();
        self.compress_into(payload, dst)?;
        if self.policy.should_keep(payload.len(), dst.len() - start) {
            return Ok(None);
        }
        dst.truncate(start);
        Ok(Some(RawReason::TooLittleSaved))
    }

    /// Encodes a payload onto the end of `dst` and says how: the payload itself goes there when
    /// it does not pay. On error `dst` is as before.
    ///
    /// # Errors
    ///
    /// [`EncodeError::TooLong`] and [`EncodeError::Failed`]: see there.
    ///
    /// ```
    /// # use thinwire::{Encoder, Encoding};
    /// let encoder = Encoder::new(Encoding::SnappyBlock)?;
    /// let mut buffer = Vec::new(); // kept from message to message
    /// assert_eq!(encoder.encode_into(&[7; 1000], &mut buffer)?, Encoding::SnappyBlock);
    /// buffer.clear();
    /// assert_eq!(encoder.encode_into(b"short", &mut buffer)?, Encoding::Identity);
    /// assert_eq!(buffer, b"short");
    /// # Ok::<(), thinwire::EncodeError>(())
    /// ```
    pub fn encode_into(&self, payload: &[u8], dst: &mut Vec<u8>) -> Result<Encoding, EncodeError> {
        if self.compress_if_it_pays(payload, dst)?.is_none() {
            return Ok(self.encoding());
        }
        dst.extend_from_slice(payload);
        Ok(Encoding::Identity)
    }

    /// Compresses a payload onto the end of `dst` without asking the policy: for a container
    /// that always has this encoding, such as a file. Also an empty payload gets its frame. On
    /// error `dst` is as before.
    ///
    /// # Errors
    ///
    /// [`EncodeError::TooLong`] and [`EncodeError::Failed`]: see there.
    ///
    /// ```
    /// # use thinwire::{Encoder, Encoding};
    /// let mut file = Vec::new();
    /// Encoder::new(Encoding::Gzip)?.compress_into(b"", &mut file)?;
    /// assert!(file.starts_with(b"\x1f\x8b"));
    /// # Ok::<(), thinwire::EncodeError>(())
    /// ```
    pub fn compress_into(&self, payload: &[u8], dst: &mut Vec<u8>) -> Result<(), EncodeError> {
        let Some(mut worker) = self.worker()? else {
            dst.extend_from_slice(payload);
            return Ok(());
        };
        let start = dst.len();
        let result = worker.compressor.compress(payload, dst);
        self.pool.put(worker);
        result.map_err(|refusal| {
            dst.truncate(start);
            codec::encode_error(self.encoding(), payload.len(), &refusal)
        })
    }

    fn reason_not_to_try(&self, payload_len: usize) -> Option<RawReason> {
        if self.encoding() == Encoding::Identity {
            Some(RawReason::Identity)
        } else if self.policy.should_compress(payload_len) {
            None
        } else {
            Some(RawReason::BelowMinLen)
        }
    }

    /// Takes an idle worker or makes one; `None` for identity.
    fn worker(&self) -> Result<Option<Worker>, EncodeError> {
        match self.pool.take() {
            Some(worker) => Ok(Some(worker)),
            None => Worker::new(self.level),
        }
    }
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encoder")
            .field("level", &self.level)
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

/// A compressor, and a buffer for results whose length is not known yet.
struct Worker {
    compressor: Box<dyn Compress>,
    scratch: Vec<u8>,
}

impl Worker {
    fn new(level: Level) -> Result<Option<Self>, EncodeError> {
        let compressor = codec::compressor(level)?;
        Ok(compressor.map(|compressor| Self { compressor, scratch: Vec::new() }))
    }
}

impl Reusable for Worker {
    fn kept_len(&self) -> usize {
        self.compressor.kept_len() + self.scratch.capacity()
    }

    fn shrink(&mut self, _max_len: usize) {
        self.scratch = Vec::new();
    }
}
