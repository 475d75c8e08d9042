//! Apache Iggy with messages that are compressed when it pays.
//!
//! [`CompressedProducer`] wraps [`iggy::prelude::IggyProducer`], [`CompressedConsumer`] wraps
//! [`iggy::prelude::IggyConsumer`], alone or in a group. Their methods are the SDK's and their
//! messages are the SDK's.
//!
//! ```no_run
//! use futures_util::StreamExt;
//! use iggy::prelude::*;
//! use thinwire::Encoding;
//! use thinwire_iggy::{ClientCompressionConfig, CompressedConsumer, CompressedProducer};
//!
//! # async fn f() -> Result<(), Box<dyn std::error::Error>> {
//! let client = IggyClient::from_connection_string("iggy://iggy:iggy@localhost:8090")?;
//! client.connect().await?;
//! let config = ClientCompressionConfig::new(Encoding::Lz4).min_size(200);
//!
//! let producer = CompressedProducer::new(client.producer("shop", "orders")?.build(), &config)?;
//! producer.init().await?;
//! producer.send_one("{}".into()).await?;
//!
//! let consumer = client.consumer("billing", "shop", "orders", 0)?.build();
//! let mut consumer = CompressedConsumer::new(consumer, &config)?;
//! consumer.init().await?;
//! while let Some(received) = consumer.next().await {
//!     println!("{:?}", received?.message.payload);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # On the wire
//!
//! A compressed payload has the user header `iggy-compression` with `gzip`, `zstd`, `lz4` (a
//! frame) or `snappy` (a block; both formats are read). `none`, and no such header, is a payload as
//! it is. The header is taken off with the compression.
//!
//! The broker's limit of 64,000,000 bytes counts what is on the wire, after compression; the SDK's
//! message builder counts before it. `max_payload_size` counts the application's bytes, on both
//! sides.

mod batch;
mod batch_end;
mod callback;
mod commits;
mod consumer;
mod encryption;
mod error;
mod handler;
mod headers;
mod message;
mod original;
mod pause;
mod producer;
mod sender;
mod source;

pub use callback::RestoringCallback;
pub use consumer::CompressedConsumer;
pub use error::SendError;
pub use headers::HeaderError;
pub use message::{Iggy, Received};
pub use producer::CompressedProducer;
pub use sender::Sender;
pub use thinwire_stream::{
    BadMessage, ClientCompressionConfig, CompressError, ConfigError, DecompressError, Label,
    MessageCodec, OnError, StreamError,
};
