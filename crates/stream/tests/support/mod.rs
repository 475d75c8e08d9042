//! Messages like those of two brokers, in memory.

#![expect(
    clippy::unwrap_used,
    reason = "a test may stop where it fails; the lints allow it in test functions only"
)]

mod brokers;

pub(crate) use brokers::{Broker, Fails, Fault, Iggy, Nats};

use bytes::Bytes;
use thinwire::counters::{Counters, Direction, ErrorKind, Row};
use thinwire::{Encoder, Encoding};
use thinwire_stream::{ClientCompressionConfig, MessageCodec};
use thinwire_testkit::payload::{self, Kind};

/// Every encoding that a broker's label has a word for.
pub(crate) fn encodings<M: Broker>() -> impl Iterator<Item = Encoding> {
    Encoding::ALL.into_iter().filter(|encoding| M::LABEL.value(*encoding).is_some())
}

pub(crate) fn codec<M: Broker>(config: &ClientCompressionConfig) -> MessageCodec {
    MessageCodec::new(config, M::LABEL).unwrap()
}

/// Compresses whatever gets smaller.
pub(crate) fn eager<M: Broker>(encoding: Encoding) -> MessageCodec {
    codec::<M>(&ClientCompressionConfig::new(encoding).min_size(0))
}

/// A payload that every encoding makes smaller.
pub(crate) fn events(len: usize, seed: u64) -> Bytes {
    payload::make(Kind::JsonEvents, len, seed).into()
}

/// A payload in an encoding, whether it pays or not.
pub(crate) fn compressed(encoding: Encoding, payload: &[u8]) -> Bytes {
    let mut bytes = Vec::new();
    Encoder::new(encoding).unwrap().compress_into(payload, &mut bytes).unwrap();
    bytes.into()
}

/// A message as another producer would label it.
pub(crate) fn labelled<M: Broker>(encoding: Encoding, payload: &[u8]) -> M {
    let value = M::LABEL.value(encoding).unwrap();
    M::new(compressed(encoding, payload)).header(M::LABEL.name(), value)
}

/// What was counted of one direction.
pub(crate) fn rows(counters: &Counters, direction: Direction) -> Vec<Row> {
    let rows = counters.snapshot().rows;
    rows.into_iter().filter(|row| row.direction == direction).collect()
}

pub(crate) fn errors(counters: &Counters) -> Vec<(Direction, ErrorKind, u64)> {
    counters.snapshot().errors
}
