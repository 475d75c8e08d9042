//! What is sent.

use std::collections::BTreeMap;
use std::path::Path;

use bytes::Bytes;
use iggy::prelude::*;
use thinwire::{Encoder, Encoding, Policy};
use thinwire_testkit::payload::{self, Kind};

/// A thousand lines as services write them: of the samples, several to a message, so that there are
/// short and long ones.
pub(crate) fn thousand() -> Vec<Bytes> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let mut lines = Vec::new();
    for file in ["events.ndjson", "packages.ndjson", "app.log"] {
        let text = std::fs::read_to_string(samples.join(file)).unwrap();
        lines.extend(text.lines().filter(|line| !line.is_empty()).map(str::to_owned));
    }
    let mut lines = lines.iter().cycle().enumerate();
    let mut take = |count| {
        let taken: Vec<_> =
            lines.by_ref().take(count).map(|(n, line)| format!("{n} {line}")).collect();
        Bytes::from(taken.join("\n"))
    };
    (0..1000).map(|number| take(1 + number % 17)).collect()
}

pub(crate) fn json(len: usize, seed: u64) -> Bytes {
    payload::make(Kind::JsonEvents, len, seed).into()
}

pub(crate) fn message(payload: Bytes) -> IggyMessage {
    IggyMessage::builder().payload(payload).build().unwrap()
}

pub(crate) fn labelled(payload: Bytes, label: impl TryInto<HeaderValue>) -> IggyMessage {
    let label = label.try_into().unwrap_or_else(|_| panic!("no value of a header"));
    let headers = BTreeMap::from([(HeaderKey::try_from("iggy-compression").unwrap(), label)]);
    IggyMessage::builder().payload(payload).user_headers(headers).build().unwrap()
}

/// A payload in this encoding.
pub(crate) fn encoded(encoding: Encoding, payload: &[u8]) -> Bytes {
    let encoder = Encoder::new(encoding).unwrap().policy(Policy::always());
    let mut bytes = Vec::new();
    encoder.compress_into(payload, &mut bytes).unwrap();
    bytes.into()
}
