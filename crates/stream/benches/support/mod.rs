//! Messages for the benchmarks: those of core's, with a label.

use bytes::Bytes;
use thinwire::{Encoder, Encoding};
use thinwire_stream::{ClientCompressionConfig, Label, Message, MessageCodec};

pub(crate) use crate::bytes_of_messages::{SIZES, Size, bare::bare};
pub(crate) use crate::flat::Flat;

/// The sizes that are measured.
pub(crate) fn sizes() -> impl Iterator<Item = Size> {
    SIZES.into_iter().filter(|size| ["200 B", "1 KB", "4 KB", "64 KB"].contains(&size.name))
}

pub(crate) fn encodings() -> impl Iterator<Item = Encoding> {
    Encoding::ALL.into_iter().filter(|encoding| LABEL.value(*encoding).is_some())
}

/// Compresses every payload, and keeps what gets smaller.
pub(crate) fn codec(encoding: Encoding) -> MessageCodec {
    MessageCodec::new(&ClientCompressionConfig::new(encoding).min_size(0), LABEL).unwrap()
}

pub(crate) fn messages(size: Size) -> Vec<Flat> {
    size.messages().into_iter().map(Bytes::from).map(shared).map(Flat::new).collect()
}

/// The messages compressed and labelled, also where that does not pay.
pub(crate) fn compressed(encoding: Encoding, size: Size) -> Vec<Flat> {
    let encoder = Encoder::new(encoding).unwrap();
    let compress = |payload: Vec<u8>| {
        let mut bytes = Vec::new();
        encoder.compress_into(&payload, &mut bytes).unwrap();
        let label = [(LABEL.name(), encoding.name()), ("Thinwire", "1")];
        Flat::new(Bytes::new()).labelled(shared(bytes.into()), &label).unwrap()
    };
    size.messages().into_iter().map(compress).collect()
}

/// Cloned once, as what a client hands over has been.
fn shared(bytes: Bytes) -> Bytes {
    drop(bytes.clone());
    bytes
}

/// The one that takes more to read and to write.
const LABEL: Label = Label::CONTENT_ENCODING;
