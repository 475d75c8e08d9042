//! Measurements made up by rule, so that the right advice can be worked out by hand.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use thinwire_cli::measure::Measured;
use thinwire_cli::report::{Candidate, Corpus, Round, Sample, Settings, Turn};
use thinwire_cli::stats;

/// A link of 1 Gbit/s moves 125 bytes per microsecond: 8 ns a byte.
pub(crate) fn settings() -> Settings {
    Settings {
        link_bits_per_second: 1e9,
        link_is_default: true,
        cpu_price_per_core_hour: None,
        network_price_per_gb: None,
        label_bytes: 0,
        split: "auto".to_owned(),
        sample_limit_bytes: 16 << 20,
        sample_limit_messages: 10_000,
        time_limit_ns: 0,
    }
}

/// A corpus with one message for each length and group.
pub(crate) fn corpus(messages: &[(u64, &str)]) -> Corpus {
    let lens: Vec<u64> = messages.iter().map(|&(len, _)| len).collect();
    let mut groups: Vec<String> = messages.iter().map(|&(_, group)| group.to_owned()).collect();
    groups.sort();
    groups.dedup();
    let index = |group: &str| groups.iter().position(|known| known == group).unwrap();
    Corpus {
        paths: vec!["canned".to_owned()],
        files: 1,
        files_skipped: 0,
        messages: lens.len() as u64,
        payload_bytes: lens.iter().sum(),
        empty_messages: 0,
        too_long_messages: 0,
        size_classes: stats::size_classes(&lens),
        sample: Sample {
            messages: lens.len() as u64,
            payload_bytes: lens.iter().sum(),
            distinct_messages: lens.len() as u64,
            min_bytes: *lens.iter().min().unwrap(),
            median_bytes: stats::percentile(lens.clone(), 50).unwrap(),
            max_bytes: *lens.iter().max().unwrap(),
            message_group: messages.iter().map(|(_, group)| index(group)).collect(),
            message_bytes: lens,
            groups,
        },
    }
}

/// A level that sends and takes what `rule` says about a message's index and length:
/// bytes sent, nanoseconds to encode, nanoseconds to decode.
pub(crate) fn candidate(
    level: &str,
    corpus: &Corpus,
    rule: impl Fn(usize, u64) -> (u64, u32, u32),
) -> Candidate {
    stats::candidate(&measured(level, corpus, rule), corpus)
}

/// The same before it is summed up.
pub(crate) fn measured(
    level: &str,
    corpus: &Corpus,
    rule: impl Fn(usize, u64) -> (u64, u32, u32),
) -> Measured {
    let lens = &corpus.sample.message_bytes;
    let by_rule: Vec<_> = lens.iter().enumerate().map(|(index, &len)| rule(index, len)).collect();
    let encode_ns: Vec<u32> = by_rule.iter().map(|&(_, ns, _)| ns).collect();
    let decode_ns: Vec<u32> = by_rule.iter().map(|&(_, _, ns)| ns).collect();
    let turn = |message_ns: &[u32]| {
        let wall_ns = message_ns.iter().copied().map(u64::from).sum();
        Turn { passes: 1, wall_ns, cpu_ns: Some(wall_ns) }
    };
    let round = Round { encode: turn(&encode_ns), decode: turn(&decode_ns) };
    let sent: Vec<u64> = by_rule.iter().map(|&(sent, _, _)| sent).collect();
    Measured {
        level: level.parse().unwrap(),
        pays: sent.iter().zip(lens).map(|(sent, len)| sent < len).collect(),
        sent,
        rounds: vec![round; 5],
        encode_ns: encode_ns.repeat(5),
        decode_ns: decode_ns.repeat(5),
    }
}

/// The baseline: sends all bytes, at 10 GB/s.
pub(crate) fn identity(corpus: &Corpus) -> Candidate {
    candidate("identity", corpus, |_, len| (len, ns(len, 0.1), ns(len, 0.1)))
}

/// A level that divides every message by `ratio` and takes so long for each byte.
pub(crate) fn uniform(
    level: &str,
    corpus: &Corpus,
    ratio: u64,
    encode: f64,
    decode: f64,
) -> Candidate {
    candidate(level, corpus, |_, len| (len / ratio, ns(len, encode), ns(len, decode)))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "small round numbers"
)]
pub(crate) fn ns(len: u64, ns_per_byte: f64) -> u32 {
    (len as f64 * ns_per_byte) as u32
}
