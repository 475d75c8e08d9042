//! Which payloads are long enough to be compressed on a link. Pure.

#![expect(
    clippy::cast_precision_loss,
    reason = "bytes and nanoseconds below 2^53 become exact floats, larger ones near enough"
)]

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::advise::{Bottleneck, CLEARLY};
use crate::report::{Candidate, Corpus, Sample, SizeClass};
use crate::stats;

/// The setting for `Policy::min_len`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MinLen {
    /// Compress payloads of at least this many bytes.
    pub min_len_bytes: u64,
    /// True when nothing shorter was in the sample, so that shorter ones may pay as well.
    pub shortest_measured: bool,
    /// Messages of the sample that are at least this long.
    pub messages: u64,
}

impl MinLen {
    /// Compresses every message of the sample.
    pub(crate) const fn all(sample: &Sample) -> Self {
        let (min_len_bytes, messages) = (sample.min_bytes, sample.messages);
        Self { min_len_bytes, shortest_measured: true, messages }
    }
}

/// A setting and what it does to the sample as a whole.
#[derive(Debug)]
pub(crate) struct Cut {
    pub(crate) min_len: MinLen,
    /// Payload per second through encoding, link and decoding side by side.
    pub(crate) mb_per_second: f64,
    pub(crate) limited_by: Bottleneck,
}

/// Finds the length from which on messages, one by one, get through sooner in sum.
///
/// A message gains what it takes uncompressed on the link, less the longest of its three stages;
/// gains of less than 5 % count as losses. The answer is the length at which the sum of gains from
/// there up is largest.
///
/// Only the messages of one class are looked at, if one is named.
pub(crate) fn cut(
    candidate: &Candidate,
    corpus: &Corpus,
    class: Option<&SizeClass>,
    mb_per_second: f64,
) -> Option<Cut> {
    let link_ns = |bytes: u64| bytes as f64 * 1e3 / mb_per_second;
    let mut messages = messages(candidate, corpus);
    messages.retain(|message| class.is_none_or(|class| stats::holds(class, message.len)));
    messages.sort_unstable_by_key(|message| Reverse(message.len));

    let (mut gained, mut most) = (0.0, 0.0);
    let (mut stages, mut chosen) = (Message::default(), None);
    let mut count = 0;
    for same in messages.chunk_by(|a, b| a.len == b.len) {
        for message in same {
            let longest = link_ns(message.sent).max(message.encode_ns.max(message.decode_ns));
            gained += link_ns(message.len) / CLEARLY - longest;
            stages.add(message);
        }
        count += same.len() as u64;
        if let (Some(message), true) = (same.first(), gained > most) {
            most = gained;
            chosen = Some((message.len, count, stages));
        }
    }
    let (min_len_bytes, messages, stages) = chosen?;
    let payload_bytes = class.map_or(corpus.sample.payload_bytes, |class| class.payload_bytes);
    let sent = stages.sent + payload_bytes.saturating_sub(stages.len);
    let (longest_ns, limited_by) = [
        (stages.encode_ns, Bottleneck::Encode),
        (stages.decode_ns, Bottleneck::Decode),
        (link_ns(sent), Bottleneck::Link),
    ]
    .into_iter()
    .max_by(|a, b| a.0.total_cmp(&b.0))?;
    let shortest_measured = min_len_bytes == corpus.sample.min_bytes;
    Some(Cut {
        min_len: MinLen { min_len_bytes, shortest_measured, messages },
        mb_per_second: payload_bytes as f64 * 1e3 / longest_ns,
        limited_by,
    })
}

/// One message, or the sum of several.
#[derive(Debug, Clone, Copy, Default)]
struct Message {
    len: u64,
    sent: u64,
    encode_ns: f64,
    decode_ns: f64,
}

impl Message {
    fn add(&mut self, other: &Self) {
        self.len += other.len;
        self.sent += other.sent;
        self.encode_ns += other.encode_ns;
        self.decode_ns += other.decode_ns;
    }
}

fn messages(candidate: &Candidate, corpus: &Corpus) -> Vec<Message> {
    let samples = &candidate.samples;
    let bytes = corpus.sample.message_bytes.iter().zip(&samples.encoded_bytes);
    let times = samples.encode_ns.iter().zip(&samples.decode_ns);
    bytes
        .zip(times)
        .map(|((&len, &sent), (&encode_ns, &decode_ns))| Message {
            len,
            sent,
            encode_ns: encode_ns as f64,
            decode_ns: decode_ns as f64,
        })
        .collect()
}
