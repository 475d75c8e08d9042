//! Encoders and decoders that are kept, as services keep theirs: making new ones for every message
//! takes longer than all else that a fuzz target does.

use std::sync::LazyLock;

use thinwire::{Decoder, Encoder, Encoding, Policy};

/// Those of the layers, and those that look after them.
pub(crate) static LAYERS: LazyLock<Codecs> = LazyLock::new(Codecs::new);
pub(crate) static OTHERS: LazyLock<Codecs> = LazyLock::new(Codecs::new);

/// One of each.
#[derive(Debug)]
pub(crate) struct Codecs {
    encoders: Vec<Encoder>,
    decoder: Decoder,
}

impl Codecs {
    fn new() -> Self {
        let encoders = Encoding::ALL.into_iter().filter_map(|it| Encoder::new(it).ok());
        // Always, so that the shortest message shows what was chosen.
        let encoders = encoders.map(|it| it.policy(Policy::always())).collect();
        Self { encoders, decoder: Decoder::new(usize::MAX) }
    }

    /// At the default level.
    pub(crate) fn encoder(&self, encoding: Encoding) -> Encoder {
        let encoder = self.encoders.iter().find(|it| it.encoding() == encoding);
        encoder.cloned().unwrap_or_else(|| panic!("{encoding} is not built in"))
    }

    /// Accepts every encoding.
    pub(crate) fn decoder(&self, max_payload_len: usize) -> Decoder {
        self.decoder.at_most(max_payload_len)
    }

    /// Whether it pays or not.
    #[cfg(feature = "arbitrary")]
    pub(crate) fn compress(&self, encoding: Encoding, payload: &[u8]) -> Vec<u8> {
        let mut encoded = Vec::new();
        if let Err(error) = self.encoder(encoding).compress_into(payload, &mut encoded) {
            panic!("{encoding}: {error}");
        }
        encoded
    }
}
