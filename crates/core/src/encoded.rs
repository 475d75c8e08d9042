//! The seam between core and whatever carries messages.

use bytes::Bytes;

use crate::encoding::Encoding;

/// Bytes and the encoding that they are in: what [`Encoder`](crate::Encoder) makes, what
/// [`Decoder`](crate::Decoder) takes, and the only thing that a transport has to carry.
///
/// ```
/// use bytes::Bytes;
/// use thinwire::{Encoded, Encoding};
///
/// // What a transport read from its wire, not yet trusted:
/// let encoded = Encoded::new(Encoding::SnappyBlock, Bytes::from_static(b"\x05\x10hello"));
/// assert_eq!(thinwire::Decoder::new(1024).decode(encoded)?, "hello");
/// # Ok::<(), thinwire::DecodeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Encoded {
    encoding: Encoding,
    bytes: Bytes,
    raw_reason: Option<RawReason>,
}

impl Encoded {
    /// Labels bytes that came from elsewhere. They are not looked at.
    ///
    /// ```
    /// # use {bytes::Bytes, thinwire::{Encoded, Encoding}};
    /// let encoded = Encoded::new(Encoding::Gzip, Bytes::from_static(b"\x1f\x8b"));
    /// assert_eq!(encoded.encoding(), Encoding::Gzip);
    /// ```
    #[must_use]
    pub const fn new(encoding: Encoding, bytes: Bytes) -> Self {
        Self { encoding, bytes, raw_reason: None }
    }

    pub(crate) const fn raw(payload: Bytes, reason: RawReason) -> Self {
        Self { encoding: Encoding::Identity, bytes: payload, raw_reason: Some(reason) }
    }

    /// Returns the encoding, for the transport's label.
    ///
    /// ```
    /// # use {bytes::Bytes, thinwire::{Encoded, Encoding}};
    /// assert_eq!(Encoded::new(Encoding::Lz4, Bytes::new()).encoding(), Encoding::Lz4);
    /// ```
    #[must_use]
    pub const fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Returns the encoded bytes.
    ///
    /// ```
    /// # use {bytes::Bytes, thinwire::{Encoded, Encoding}};
    /// assert!(Encoded::new(Encoding::Lz4, Bytes::new()).bytes().is_empty());
    /// ```
    #[must_use]
    pub const fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// Takes the encoded bytes, without a copy.
    ///
    /// ```
    /// # use {bytes::Bytes, thinwire::{Encoded, Encoding}};
    /// assert_eq!(Encoded::new(Encoding::Identity, Bytes::from("x")).into_bytes(), "x");
    /// ```
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }

    /// Says why an encoder left this payload as it was, or `None` if it did not.
    ///
    /// ```
    /// # use {bytes::Bytes, thinwire::{Encoder, Encoding, RawReason}};
    /// let encoded = Encoder::new(Encoding::Gzip)?.encode(Bytes::from("short"))?;
    /// assert_eq!(encoded.encoding(), Encoding::Identity);
    /// assert_eq!(encoded.raw_reason(), Some(RawReason::BelowMinLen));
    /// # Ok::<(), thinwire::EncodeError>(())
    /// ```
    #[must_use]
    pub const fn raw_reason(&self) -> Option<RawReason> {
        self.raw_reason
    }
}

/// Why an encoder, or a transport, sent a payload as it was: to be counted.
///
/// ```
/// use thinwire::{Encoder, Encoding, RawReason};
///
/// let nothing_twice: Vec<u8> = (0..=255).collect();
/// let encoded = Encoder::new(Encoding::SnappyBlock)?.encode(nothing_twice.into())?;
/// assert_eq!(encoded.raw_reason(), Some(RawReason::TooLittleSaved));
/// # Ok::<(), thinwire::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RawReason {
    /// Nothing else was asked for: the encoder's encoding is identity, or compression is off.
    Identity,
    /// The payload is empty or shorter than the policy's `min_len`.
    BelowMinLen,
    /// The result, with its label, did not save what the policy asks for.
    TooLittleSaved,
    /// The peer reads none of the encodings that a transport has encoders for.
    NotAccepted,
    /// The message bears a label already, and a transport left it alone.
    Labelled,
    /// The message's headers are as long as its transport allows.
    NoRoomForLabel,
}
