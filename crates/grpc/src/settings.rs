//! What both layers are told.

use std::fmt;
use std::sync::Arc;

use http::{Extensions, HeaderMap, HeaderValue};
use thinwire::counters::{Counters, Direction};
use thinwire::{Decoder, Encoder, Encoding};

use crate::choice::{Compress, Encoders};
use crate::counts::Counts;
use crate::fallback::Fallback;
use crate::frame::Buffers;
use crate::headers::{self, Accepted, GRPC_ENCODING};
use crate::status::Cause;

/// A layer's settings; its services share them.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) encoders: Encoders,
    pub(crate) decoder: Decoder,
    /// What the decoder accepts, as the value of the header.
    pub(crate) accepted: HeaderValue,
    /// Instead of the defaults.
    pub(crate) offload_len: Option<usize>,
    pub(crate) per_method: Option<PerMethod>,
    /// Of a client.
    pub(crate) fallback: Fallback,
    pub(crate) counters: Arc<Counters>,
    pub(crate) buffers: Arc<Buffers>,
}

/// A function of the path, such as `/package.Service/Method`.
pub(crate) type PerMethod = Arc<dyn Fn(&str) -> Option<Compress> + Send + Sync>;

impl Settings {
    pub(crate) fn new(encoders: Encoders, decoder: Decoder) -> Self {
        let accepted = Accepted::of(&decoder).to_value();
        Self {
            encoders,
            decoder,
            accepted,
            offload_len: None,
            per_method: None,
            fallback: Fallback::default(),
            counters: Arc::default(),
            buffers: Arc::default(),
        }
    }

    pub(crate) fn counts(&self, direction: Direction) -> Counts {
        Counts::new(self.counters.clone(), direction)
    }

    /// Takes the encoding of a stream off its headers; identity if it is not said.
    pub(crate) fn take_encoding(&self, headers: &mut HeaderMap) -> Result<Encoding, Cause> {
        if !headers.contains_key(GRPC_ENCODING) {
            return Ok(Encoding::Identity);
        }
        let encoding = headers::encoding(headers);
        headers.remove(GRPC_ENCODING);
        let encoding = encoding?;
        if encoding == Encoding::Identity || self.decoder.accepts(encoding) {
            Ok(encoding)
        } else {
            Err(Cause::NotAccepted(encoding))
        }
    }

    /// The longest message that is compressed on the runtime.
    pub(crate) fn encode_on_runtime(&self, encoder: &Encoder) -> usize {
        self.offload_len.unwrap_or(encoder.level().prompt_len())
    }

    /// The longest message that is decompressed on the runtime.
    pub(crate) fn decode_on_runtime(&self) -> usize {
        self.offload_len.unwrap_or(Decoder::PROMPT_LEN)
    }

    /// Returns what the call asks for by an extension, or else its method.
    pub(crate) fn asked(&self, extensions: &Extensions, path: &str) -> Option<Compress> {
        extensions.get().copied().or_else(|| self.per_method.as_ref()?(path))
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("encoders", &self.encoders)
            .field("decoder", &self.decoder)
            .field("offload_len", &self.offload_len)
            .finish_non_exhaustive()
    }
}
