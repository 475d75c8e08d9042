//! Tower layers that give gRPC clients and servers every Thinwire encoding.
//!
//! tonic, or any gRPC stack on `http-body`, speaks plain messages to the layer; the layer speaks
//! `snappy`, `snappy-block`, `zstd`, `lz4`, `gzip` and `deflate` to the peer, message by message,
//! as gRPC's compression document says.
//!
//! ```no_run
//! # #[cfg(feature = "tonic")]
//! # fn f(channel: tonic::transport::Channel) -> Result<(), thinwire::EncodeError> {
//! use thinwire::{Decoder, Encoder, Encoding};
//! use thinwire_grpc::{ClientCompressionLayer, ServerCompressionLayer};
//! use tower_layer::Layer;
//!
//! let decoder = Decoder::new(4 << 20); // no message above 4 MiB
//!
//! // A client: any generated one over this channel.
//! let layer = ClientCompressionLayer::new(Encoder::new(Encoding::SnappyBlock)?, decoder.clone());
//! let channel = layer.layer(channel);
//! // let mut client = PushClient::new(channel);
//!
//! // A server, with the encodings that it answers in, the best first:
//! let layer = ServerCompressionLayer::new(
//!     [Encoder::new(Encoding::SnappyBlock)?, Encoder::new(Encoding::Gzip)?],
//!     decoder,
//! );
//! // Server::builder().layer(layer).add_service(PushServer::new(service))
//! # Ok(())
//! # }
//! ```

mod body;
mod choice;
mod client;
mod counts;
mod deadline;
mod fallback;
mod frame;
mod headers;
mod message;
mod pipe;
mod scan;
mod server;
mod settings;
mod status;
mod step;
#[cfg(feature = "tonic")]
mod tonic;

pub use body::{BoxError, MessageBody};
pub use choice::{Compress, Encoders};
pub use client::{ClientCompression, ClientCompressionLayer, ClientFuture, Rewrap};
pub use fallback::Fallback;
pub use server::{ServerCompression, ServerCompressionLayer, ServerFuture};
pub use status::{CallError, Code};
pub use thinwire::counters::{Counters, Direction, ErrorKind, Row, Snapshot};
