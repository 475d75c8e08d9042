//! The cells of the table, the same for all forms that have one.

use crate::advise::LinkOption;
use crate::report::{Candidate, Report, Timing};
use crate::unit;

/// Group and name of each column, the first one apart.
pub const COLUMNS: [(&str, &str); 12] = [
    ("", "encoding"),
    ("", "ratio"),
    ("", "pays"),
    ("", "encoded"),
    ("encode", "MB/s"),
    ("", "p50 µs"),
    ("", "p99 µs"),
    ("decode", "MB/s"),
    ("", "p50 µs"),
    ("", "p99 µs"),
    ("CPU", "s/GB"),
    ("pays below", "link speed"),
];

/// What the columns mean.
pub const LEGEND: &str = "ratio: payload / encoded bytes. pays: messages made smaller. encoded: \
    bytes sent, each message the smaller way. MB/s: payload per second of one core. µs: per message. CPU: \
    encode and decode, per GB of payload. ~0: less than a clock reading tells. decode: \
    of what was sent, so a message sent raw counts as a copy. pays below: on a faster link sending uncompressed wins. –: not measured, or \
    does not apply.";

/// One line of the table.
#[derive(Debug)]
pub struct Line {
    /// Whether it is the one that the advice names.
    pub is_advised: bool,
    /// One text per column.
    pub cells: [String; COLUMNS.len()],
}

/// All lines, in the order of the report.
#[must_use]
pub fn lines(report: &Report) -> Vec<Line> {
    let options = &report.advice.options;
    report.candidates.iter().zip(options).map(|pair| line(pair, report)).collect()
}

fn line((candidate, option): (&Candidate, &LinkOption), report: &Report) -> Line {
    let row = &candidate.total;
    let is_baseline = report.candidates.first().is_some_and(|first| first == candidate);
    let pays_below = option.pays_below_bits_per_second.map_or("never".to_owned(), unit::bit_rate);
    let [encode_rate, encode_p50, encode_p99] = timing(&row.encode);
    let [decode_rate, decode_p50, decode_p99] = timing(&row.decode);
    Line {
        is_advised: report.advice.fastest.as_ref() == Some(&candidate.level),
        cells: [
            candidate.level.clone(),
            format!("{:.2}", row.ratio),
            if is_baseline { NOTHING.to_owned() } else { unit::percent(row.paying_share) },
            unit::bytes(row.encoded_bytes),
            encode_rate,
            encode_p50,
            encode_p99,
            decode_rate,
            decode_p50,
            decode_p99,
            row.cpu_seconds_per_gb.map_or(NOTHING.to_owned(), unit::three_digits),
            if is_baseline { NOTHING.to_owned() } else { pays_below },
        ],
    }
}

fn timing(timing: &Timing) -> [String; 3] {
    [
        timing.mb_per_second.map_or(NOTHING.to_owned(), unit::three_digits),
        micros(timing.p50_ns),
        timing.p99_ns.map_or(NOTHING.to_owned(), micros),
    ]
}

/// Quicker than a clock reading is not no time at all.
fn micros(ns: u64) -> String {
    if ns == 0 { "~0".to_owned() } else { unit::micros(ns) }
}

/// Stands for what was not measured, or does not apply.
const NOTHING: &str = "–";
