//! NATS and `JetStream` with messages that are compressed when it pays.
//!
//! [`CompressedClient`] wraps [`async_nats::Client`], [`CompressedContext`] wraps
//! [`async_nats::jetstream::Context`] and [`CompressedConsumer`] a consumer of any kind. Their
//! methods are the client's and their messages are the client's.
//!
//! ```no_run
//! use thinwire::Encoding;
//! use thinwire_nats::{ClientCompressionConfig, CompressedClient};
//!
//! # async fn f() -> Result<(), async_nats::Error> {
//! let config = ClientCompressionConfig::new(Encoding::Zstd);
//! let client = CompressedClient::new(async_nats::connect("localhost").await?, &config)?;
//! let jetstream = client.jetstream();
//! jetstream.publish("orders.new", "{}".into()).await?.await?;
//!
//! let consumer = jetstream.get_consumer_from_stream("worker", "orders").await?;
//! let mut messages = jetstream.consumer::<async_nats::jetstream::consumer::pull::Config>(consumer)
//!     .messages()
//!     .await?;
//! # Ok(())
//! # }
//! ```
//!
//! # On the wire
//!
//! A compressed payload is labelled `Content-Encoding: zstd` (or `gzip`, `deflate`, `lz4`,
//! `snappy`, `snappy-block`), which any client in any language can act on, and `Thinwire: 1`. A
//! label is read in any letter case. One that the application set itself is passed on with
//! `Thinwire: 0`, and is not decoded, unless [`Label::decode_applications`] is asked for.
//!
//! The server's `max_payload` counts what is on the wire, headers and compressed payload: a
//! payload that exceeds it goes through if it compresses to less. `max_payload_size` counts the
//! application's bytes, on both sides.
//!
//! # What is left alone
//!
//! * Subjects that begin with `$JS.` or `$SYS.`, which the server reads itself, and `$O.`.
//! * Object stores: the client publishes their chunks itself, without headers. Compress an object
//!   with [`thinwire::Encoder`] before `put`, and say so in `ObjectMetadata::headers`.
//! * Key-value buckets, unless they are used through [`CompressedStore`].

mod client;
mod codec;
mod consumer;
mod context;
mod error;
mod kv;
mod message;
mod messages;

pub use client::CompressedClient;
pub use consumer::CompressedConsumer;
pub use context::CompressedContext;
pub use error::{ClientError, PublishError, RequestError};
pub use kv::{CompressedStore, Entries, KeyValueError};
pub use message::{HeaderError, Nats};
pub use messages::{Delivered, Messages, Subscription};
pub use thinwire_stream::{
    BadMessage, ClientCompressionConfig, CompressError, ConfigError, DecompressError, Label,
    OnError, StreamError,
};
