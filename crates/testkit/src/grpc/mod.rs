//! The layers of thinwire-grpc, driven without a network and without a runtime: bodies of given
//! frames, and what must come out of them.

mod call;
mod codecs;
mod drain;
mod expect;
mod headers;
#[cfg(feature = "arbitrary")]
mod input;
mod trip;
mod wire;

pub use call::{Call, Settings};
pub use drain::Drained;
pub(crate) use expect::{Way, assert_stream};
pub(crate) use headers::{Spoken, accept_list, is_grpc, listed, spoken, without};
pub use trip::{Seen, Trip};
pub(crate) use trip::{to_client, to_server};
pub(crate) use wire::messages;
pub use wire::{Event, Script, ScriptError, Wire, framed};
