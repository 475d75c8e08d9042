//! Client-side compression for message streams: what every broker's adapter shares.
//!
//! A [`MessageCodec`] compresses a payload when that pays and labels the message; it decompresses
//! what bears a label and takes the label off. It knows a broker's messages by the small trait
//! [`Message`] and its label by a [`Label`]. [`Decoded`] turns a consumer's stream into one whose
//! payloads are restored.
//!
//! ```
//! use thinwire::Encoding;
//! use thinwire_stream::{ClientCompressionConfig, Label, MessageCodec};
//!
//! let config = ClientCompressionConfig::new(Encoding::Lz4).min_size(200);
//! let codec = MessageCodec::new(&config, Label::IGGY)?;
//! # Ok::<(), thinwire_stream::ConfigError>(())
//! ```
//!
//! # What is promised
//!
//! * The caller's message is never changed: what is compressed is another one, so a message whose
//!   sending failed is as it was, and sending it again compresses it once.
//! * A message that bears a label already is left alone.
//! * A message that compression, with its label, does not make smaller goes as it is.
//! * No payload above `max_payload_size` leaves a producer or a consumer. It counts the payload:
//!   before compression, and after decompression.
//! * One bad message is one error, with the message in it; its neighbours arrive.
//! * Nothing that a header or a payload holds makes it panic.
//! * In steady state a message costs the allocation of its new payload, and what its own headers
//!   take.
//!
//! # Cargo features
//!
//! `gzip` (gzip and deflate), `lz4`, `snappy` (both formats) and `zstd`, all on by default, and
//! `serde`, by which [`ClientCompressionConfig`] is read from a file.

mod codec;
mod compress;
mod config;
mod decoded;
mod decompress;
mod error;
mod label;
mod message;
mod off_runtime;

#[cfg(test)]
extern crate self as thinwire_stream; // for the message that tests and examples share

pub use codec::MessageCodec;
pub use config::{ClientCompressionConfig, ConfigError, OnError};
pub use decoded::{Decoded, StreamError};
pub use error::{BadMessage, CompressError, DecompressError};
pub use label::{Label, LabelError};
pub use message::{Message, Place};
