//! Compression for message payloads: bounded, pooled, and byte-compatible with the peers
//! that gRPC services and message streams already have.
//!
//! A sender turns a payload into an [`Encoded`] with an [`Encoder`]; whatever carries messages
//! moves its bytes and its [`Encoding`]; a receiver turns it back with a [`Decoder`], which
//! cannot be made without a limit.
//!
//! ```text
//! payload ─► Encoder (Level, Policy) ─► Encoded { encoding, bytes } ─► Decoder (max_payload_len) ─► payload
//! ```
//!
//! ```
//! use bytes::Bytes;
//! use thinwire::{Decoder, Encoder, Encoding};
//!
//! let encoder = Encoder::new(Encoding::Zstd)?;
//! let decoder = Decoder::new(4 * 1024 * 1024); // no payload above 4 MiB
//!
//! let payload = Bytes::from("a line of a log\n".repeat(100));
//! let encoded = encoder.encode(payload.clone())?;
//! assert_eq!(encoded.encoding(), Encoding::Zstd);
//! assert!(encoded.bytes().len() < payload.len() / 10);
//!
//! assert_eq!(decoder.decode(encoded)?, payload);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What is promised
//!
//! * **Bounded.** Decoding never produces more than the limit, never allocates from a length
//!   that the input declares before checking it, and allocates no declared window.
//! * **Never bigger.** A payload that does not pay is left as it is, under
//!   [`Encoding::Identity`], not copied; [`Policy`] decides.
//! * **The whole payload or an error.** Every member, frame and chunk is decoded; truncation, a
//!   wrong checksum and bytes after the end are errors. Zero encoded bytes are the empty payload.
//! * **Memory is reused, history is not.** A used encoder gives the same bytes as a new one. In
//!   steady state the `_into` calls allocate nothing and the [`Bytes`](bytes::Bytes) calls
//!   allocate the result.
//!
//! # Cargo features
//!
//! `gzip` (gzip and deflate), `lz4`, `snappy` (both formats) and `zstd`, all on by default. They
//! say which encodings can be used; the types do not change with them. An encoding that is not
//! built in gives an error that names its feature.

mod codec;
pub mod counters;
mod decoder;
mod encoded;
mod encoder;
mod encoding;
mod error;
mod level;
#[cfg(any(feature = "gzip", feature = "lz4", feature = "zstd"))]
mod native;
mod policy;
mod pool;

pub use decoder::Decoder;
pub use encoded::{Encoded, RawReason};
pub use encoder::Encoder;
pub use encoding::Encoding;
pub use error::{DecodeError, EncodeError, LevelError, UnknownEncoding, Unsupported};
pub use level::Level;
pub use policy::Policy;
pub use pool::PoolLimits;

/// The example of the project's README is one of the tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
