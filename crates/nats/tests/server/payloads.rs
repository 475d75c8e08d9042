//! What is sent, and what must have crossed the wire.

use std::future::Future;
use std::time::Duration;

use async_nats::HeaderMap;
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use thinwire::{Encoder, Encoding, Policy};
use thinwire_testkit::payload::{self, Kind};

use crate::nats_server::HANGS;

/// Every encoding that compresses.
pub(crate) fn encodings() -> impl Iterator<Item = Encoding> {
    Encoding::ALL.into_iter().filter(|it| *it != Encoding::Identity)
}

/// Each with whether it must be compressed: empty, below the least size, 4 KB, 512 KB, and 4 KB
/// of what no encoding makes smaller.
pub(crate) fn payloads() -> Vec<(Bytes, bool)> {
    vec![
        (Bytes::new(), false),
        (json(255, 1), false),
        (json(4000, 2), true),
        (json(512 << 10, 3), true),
        (payload::make(Kind::Random, 4000, 4).into(), false),
    ]
}

pub(crate) fn json(len: usize, seed: u64) -> Bytes {
    payload::make(Kind::JsonEvents, len, seed).into()
}

/// A payload in this encoding.
pub(crate) fn encoded(encoding: Encoding, payload: &[u8]) -> Bytes {
    let encoder = Encoder::new(encoding).unwrap().policy(Policy::always());
    let mut bytes = Vec::new();
    encoder.compress_into(payload, &mut bytes).unwrap();
    bytes.into()
}

/// Headers with this label alone.
pub(crate) fn labelled(value: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("Content-Encoding", value);
    headers
}

pub(crate) fn label(headers: Option<&HeaderMap>) -> Option<&str> {
    headers?.get("Content-Encoding").map(async_nats::HeaderValue::as_str)
}

/// The next item, which must come.
pub(crate) async fn next<S: Stream + Unpin>(stream: &mut S) -> S::Item {
    in_time(stream.next()).await.expect("the stream ended")
}

pub(crate) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(HANGS, future).await.expect("it hangs")
}

/// Nothing comes in so long that it would have come.
pub(crate) async fn nothing_more<S: Stream + Unpin>(stream: &mut S)
where
    S::Item: std::fmt::Debug,
{
    let more = tokio::time::timeout(Duration::from_millis(300), stream.next()).await;
    assert!(more.is_err(), "{more:?}");
}
