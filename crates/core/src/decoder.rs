//! The one door for foreign bytes, with a limit in hand.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::codec::{self, Decompressor, Fault};
use crate::encoded::Encoded;
use crate::encoding::Encoding;
use crate::error::{DecodeError, Unsupported};
use crate::pool::{Pool, PoolLimits, Reusable};

/// Turns encoded bytes, which nobody vouches for, back into payloads of at most
/// `max_payload_len` bytes.
///
/// Cheap to clone; clones share their pool of decompressors, and any number of threads may use
/// one. In steady state [`decode_into`](Self::decode_into) allocates nothing, and
/// [`decode`](Self::decode) the payload. [`PoolLimits`] bounds what is kept.
///
/// A call needs at most `max_payload_len` bytes for the payload, as much again in `decode`, and
/// for the state of its decompressor less than 200 KB, whatever window or block size the bytes
/// declare. Its time is linear in the encoded bytes and the payload.
///
/// ```
/// use bytes::Bytes;
/// use thinwire::{DecodeError, Decoder, Encoded, Encoding};
///
/// let decoder = Decoder::new(4 << 20);
///
/// let hello = Encoded::new(Encoding::SnappyBlock, Bytes::from_static(b"\x05\x10hello"));
/// assert_eq!(decoder.decode(hello)?, "hello");
///
/// let cut = Encoded::new(Encoding::SnappyBlock, Bytes::from_static(b"\x05\x10hell"));
/// assert!(matches!(decoder.decode(cut), Err(DecodeError::Malformed { .. })));
/// # Ok::<(), DecodeError>(())
/// ```
#[derive(Clone)]
pub struct Decoder {
    max_payload_len: usize,
    accepted: Accepted,
    pool: Arc<Pool<Worker>>,
}

impl Decoder {
    /// The length in bytes, in either form, that every encoding decompresses in about a millisecond:
    /// longer ones do not belong on a thread that an async runtime has other tasks for. As
    /// [`Level::prompt_len`](crate::Level::prompt_len) for compression.
    ///
    /// ```
    /// assert_eq!(thinwire::Decoder::PROMPT_LEN, 1_048_576);
    /// ```
    pub const PROMPT_LEN: usize = 1 << 20;

    /// Makes a decoder that gives no payload above so many bytes and accepts every encoding that
    /// is built in.
    ///
    /// ```
    /// # use thinwire::Decoder;
    /// let decoder = Decoder::new(64_000_000);
    /// assert_eq!(decoder.max_payload_len(), 64_000_000);
    /// ```
    #[must_use]
    pub fn new(max_payload_len: usize) -> Self {
        Self {
            max_payload_len,
            accepted: Encoding::ALL.into_iter().filter(|it| it.is_available()).collect(),
            pool: Arc::new(Pool::new(PoolLimits::default())),
        }
    }

    /// Narrows what is accepted to these encodings, as far as they are built in. Identity, which
    /// is no compression, is accepted only if it is among them.
    ///
    /// ```
    /// # use thinwire::{Decoder, Encoding};
    /// let decoder = Decoder::new(1 << 20).accept([Encoding::Identity, Encoding::Zstd]);
    /// assert!(decoder.accepts(Encoding::Zstd));
    /// assert!(!decoder.accepts(Encoding::Gzip));
    /// ```
    #[must_use]
    pub fn accept(mut self, encodings: impl IntoIterator<Item = Encoding>) -> Self {
        self.accepted = encodings.into_iter().filter(|it| it.is_available()).collect();
        self
    }

    /// Sets how much is kept between calls. Clones made before keep their own pool.
    ///
    /// ```
    /// # use thinwire::{Decoder, PoolLimits};
    /// let decoder = Decoder::new(1 << 20).pool_limits(PoolLimits::default().max_idle(2));
    /// ```
    #[must_use]
    pub fn pool_limits(mut self, limits: PoolLimits) -> Self {
        self.pool = Arc::new(Pool::new(limits));
        self
    }

    /// Lowers the limit, which is never raised; shares the pool. For a caller that first tries
    /// what is quickly done.
    ///
    /// ```
    /// # use thinwire::Decoder;
    /// let decoder = Decoder::new(4 << 20);
    /// assert_eq!(decoder.at_most(1 << 20).max_payload_len(), 1 << 20);
    /// assert_eq!(decoder.at_most(8 << 20).max_payload_len(), 4 << 20);
    /// ```
    #[must_use]
    pub fn at_most(&self, max_payload_len: usize) -> Self {
        Self { max_payload_len: max_payload_len.min(self.max_payload_len), ..self.clone() }
    }

    /// Returns the limit in bytes.
    ///
    /// ```
    /// # use thinwire::Decoder;
    /// assert_eq!(Decoder::new(1024).max_payload_len(), 1024);
    /// ```
    #[must_use]
    pub const fn max_payload_len(&self) -> usize {
        self.max_payload_len
    }

    /// Says whether an encoding is accepted: for what a transport announces to its peer.
    ///
    /// ```
    /// # use thinwire::{Decoder, Encoding};
    /// assert!(Decoder::new(1024).accepts(Encoding::Identity));
    /// ```
    #[must_use]
    pub fn accepts(&self, encoding: Encoding) -> bool {
        self.accepted.contains(encoding)
    }

    /// Decodes a payload: the whole of it, or an error. Identity is not copied.
    ///
    /// # Errors
    ///
    /// * [`DecodeError::TooLong`]: it is longer than the limit.
    /// * [`DecodeError::Malformed`]: the bytes are not one whole payload in that encoding.
    /// * [`DecodeError::Unsupported`]: the encoding is not accepted, or needs a dictionary.
    ///
    /// ```
    /// # use {bytes::Bytes, thinwire::{Decoder, Encoded, Encoding}};
    /// let nothing = Encoded::new(Encoding::Zstd, Bytes::new());
    /// assert_eq!(Decoder::new(1024).decode(nothing)?, ""); // as some writers send it
    /// # Ok::<(), thinwire::DecodeError>(())
    /// ```
    pub fn decode(&self, encoded: Encoded) -> Result<Bytes, DecodeError> {
        let encoding = encoded.encoding();
        let bytes = encoded.into_bytes();
        self.check(encoding, bytes.len())?;
        if encoding == Encoding::Identity || bytes.is_empty() {
            return Ok(bytes);
        }
        let mut worker = self.pool.take().unwrap_or_default();
        let stated =
            codec::payload_len(encoding, &bytes).filter(|&len| len <= self.max_payload_len);
        let payload = if let Some(len) = stated {
            let mut exact = Vec::with_capacity(len);
            self.decompress(&mut worker, encoding, &bytes, &mut exact).map(|_| {
                // A buffer with room to spare is not kept for as long as the payload is.
                if exact.len() == len { Bytes::from(exact) } else { Bytes::copy_from_slice(&exact) }
            })
        } else {
            let mut scratch = std::mem::take(&mut worker.scratch);
            scratch.clear();
            let decompressed = self.decompress(&mut worker, encoding, &bytes, &mut scratch);
            let payload = decompressed.map(|_| Bytes::copy_from_slice(&scratch));
            worker.scratch = scratch;
            payload
        };
        self.pool.put(worker);
        payload
    }

    /// Decodes a payload onto the end of `dst` and returns its length. On error `dst` is as
    /// before.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode).
    ///
    /// ```
    /// # use thinwire::{Decoder, Encoding};
    /// let mut buffer = b"> ".to_vec();
    /// let len = Decoder::new(1024).decode_into(Encoding::SnappyBlock, b"\x05\x10hello", &mut buffer)?;
    /// assert_eq!((len, &*buffer), (5, &b"> hello"[..]));
    /// # Ok::<(), thinwire::DecodeError>(())
    /// ```
    pub fn decode_into(
        &self,
        encoding: Encoding,
        encoded: &[u8],
        dst: &mut Vec<u8>,
    ) -> Result<usize, DecodeError> {
        self.check(encoding, encoded.len())?;
        if encoding == Encoding::Identity || encoded.is_empty() {
            dst.extend_from_slice(encoded);
            return Ok(encoded.len());
        }
        let mut worker = self.pool.take().unwrap_or_default();
        let result = self.decompress(&mut worker, encoding, encoded, dst);
        self.pool.put(worker);
        result
    }

    /// Checks what can be told without looking at the bytes.
    fn check(&self, encoding: Encoding, encoded_len: usize) -> Result<(), DecodeError> {
        if !self.accepted.contains(encoding) {
            let reason = match encoding.feature() {
                Some(feature) if !encoding.is_available() => Unsupported::NotBuiltIn { feature },
                Some(_) | None => Unsupported::NotAccepted,
            };
            return Err(DecodeError::Unsupported { encoding, encoded_len, reason });
        }
        if encoding == Encoding::Identity && encoded_len > self.max_payload_len {
            let at_least = encoded_len as u64;
            return Err(self.error(encoding, &[], encoded_len, 0, &Fault::TooLong { at_least }));
        }
        Ok(())
    }

    fn decompress(
        &self,
        worker: &mut Worker,
        encoding: Encoding,
        src: &[u8],
        dst: &mut Vec<u8>,
    ) -> Result<usize, DecodeError> {
        let start = dst.len();
        match worker.decompressor.decompress(encoding, src, dst, self.max_payload_len) {
            Ok(()) => Ok(dst.len() - start),
            Err(fault) => {
                let decoded_len = dst.len() - start;
                dst.truncate(start);
                Err(self.error(encoding, src, src.len(), decoded_len, &fault))
            }
        }
    }

    fn error(
        &self,
        encoding: Encoding,
        src: &[u8],
        encoded_len: usize,
        decoded_len: usize,
        fault: &Fault,
    ) -> DecodeError {
        let limit = self.max_payload_len;
        match *fault {
            Fault::TooLong { at_least } => {
                DecodeError::TooLong { encoding, encoded_len, at_least, limit }
            }
            Fault::Malformed(detail) => DecodeError::Malformed {
                encoding,
                encoded_len,
                decoded_len,
                limit,
                detail,
                looks_like: codec::looks_like(encoding, src),
            },
            Fault::Dictionary { id } => DecodeError::Unsupported {
                encoding,
                encoded_len,
                reason: Unsupported::Dictionary { id },
            },
        }
    }
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder")
            .field("max_payload_len", &self.max_payload_len)
            .field("accepted", &self.accepted)
            .finish_non_exhaustive()
    }
}

/// A set of encodings.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Accepted(u8);

impl Accepted {
    const fn contains(self, encoding: Encoding) -> bool {
        self.0 & 1 << encoding as u8 != 0
    }
}

impl FromIterator<Encoding> for Accepted {
    fn from_iter<I: IntoIterator<Item = Encoding>>(encodings: I) -> Self {
        Self(encodings.into_iter().fold(0, |set, encoding| set | 1 << encoding as u8))
    }
}

impl fmt::Debug for Accepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(Encoding::ALL.iter().filter(|it| self.contains(**it))).finish()
    }
}

/// A decompressor, and a buffer for payloads whose length is not known yet.
#[derive(Debug, Default)]
struct Worker {
    decompressor: Decompressor,
    scratch: Vec<u8>,
}

impl Reusable for Worker {
    fn kept_len(&self) -> usize {
        self.decompressor.kept_len() + self.scratch.capacity()
    }

    fn shrink(&mut self, _max_len: usize) {
        self.scratch = Vec::new();
    }
}
