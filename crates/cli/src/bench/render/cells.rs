//! The cells of the tables, the same for all forms that have some.

use crate::bench::report::{
    Actor, EncodingResult, Latency, LatencyOf, Report, RoleName, RoleSummary, Summary,
};
use crate::unit;

/// Columns of the table of throughput.
pub const THROUGHPUT: [(&str, &str); 12] = [
    ("", "encoding"),
    ("", ""),
    ("", "ratio"),
    ("", "MB/s"),
    ("", "±"),
    ("", "× raw"),
    ("", "messages/s"),
    ("each actor", "MB/s"),
    ("CPU s/GB", "client"),
    ("", "server"),
    ("time in", "codec"),
    ("peak MB", "client"),
];

/// Columns of the table of latency.
pub const LATENCY: [&str; 12] =
    ["encoding", "", "min", "p50", "p90", "p95", "p99", "p99.9", "p99.99", "max", "mean", "σ"];

/// What the columns mean, and what is timed in those rows that there are.
#[must_use]
pub fn legend(report: &Report) -> String {
    let mut text = LEGEND.to_owned();
    let is_there = |of: LatencyOf| {
        let roles = |it: &EncodingResult| {
            let Summary { sending, receiving, .. } = &it.summary;
            [sending, receiving].into_iter().flatten().any(|role| role.latency.of == of)
        };
        report.encodings.iter().any(roles)
    };
    for of in [LatencyOf::Send, LatencyOf::Fetch, LatencyOf::Delivery, LatencyOf::RoundTrip] {
        if is_there(of) {
            text.push_str(&format!(" {}: {}.", what(of), span(of)));
        }
    }
    let settings = &report.settings;
    let is_open =
        settings.rate_bytes_per_second.is_some() || settings.rate_messages_per_second.is_some();
    text.push(' ');
    text.push_str(if is_open {
        "Open loop: batches have their times by the rate, whether or not earlier ones are \
         acknowledged."
    } else if is_there(LatencyOf::RoundTrip) {
        "Closed loop: each actor sends its next batch when it has the last one back."
    } else if is_there(LatencyOf::Send) {
        "Closed loop: each actor sends its next batch when the last one is acknowledged."
    } else {
        "Closed loop: each actor asks for its next batch when it has the last one."
    });
    text
}

/// What the columns of all reports mean.
const LEGEND: &str = "ratio: payload / wire bytes. MB/s: payload of all actors per second, median \
    of the runs; ±: width of their middle half. each actor: slowest to fastest. CPU s/GB: CPU \
    seconds per GB of payload. time in codec: of the actors' time, in codec calls. peak MB: of the \
    whole process, with all messages and what earlier runs left. –: not measured, or too few \
    samples. Latency in ms, of all actors and runs in one histogram.";

/// From when to when a latency is counted.
const fn span(of: LatencyOf) -> &'static str {
    match of {
        LatencyOf::Send => "a batch, from when it was to be sent until it is acknowledged",
        LatencyOf::Fetch => {
            "a batch, from when it is asked for, waiting for its first message included, until it \
             is decoded"
        }
        LatencyOf::Delivery => {
            "a message, from when its batch was to be sent until it is received and decoded"
        }
        LatencyOf::RoundTrip => "a batch, from when it was to be sent until all of it is back",
    }
}

/// Lines of the table of throughput.
#[must_use]
pub fn throughput(report: &Report) -> Vec<[String; THROUGHPUT.len()]> {
    rows(report, |result, role, name| {
        let summary = &result.summary;
        let or_nothing = |value: Option<f64>| value.map_or(NOTHING.to_owned(), unit::three_digits);
        let peak = result.runs.iter().filter_map(|run| run.cost.client_peak_memory_bytes).max();
        #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
        let peak = peak.map(|bytes| bytes as f64 / 1e6);
        [
            result.level.clone(),
            name.to_owned(),
            or_nothing(summary.ratio),
            or_nothing(role.mb_per_second),
            role.spread_percent.map_or(NOTHING.to_owned(), |percent| format!("{percent:.0} %")),
            or_nothing(role.times_raw),
            role.messages_per_second.map_or(NOTHING.to_owned(), |rate| format!("{rate:.0}")),
            each_actor(result, name),
            or_nothing(summary.client_cpu_seconds_per_gb),
            or_nothing(summary.server_cpu_seconds_per_gb),
            summary.codec_share.map_or(NOTHING.to_owned(), unit::percent),
            or_nothing(peak),
        ]
    })
}

/// Lines of the table of latency.
#[must_use]
pub fn latency(report: &Report) -> Vec<[String; LATENCY.len()]> {
    rows(report, |result, role, _| {
        let latency = &role.latency;
        let Latency { min_ns, p50_ns, p90_ns, p95_ns, p99_ns, p99_9_ns, p99_99_ns, .. } = *latency;
        let mean =
            |ns: Option<f64>| ns.map_or(NOTHING.to_owned(), |ns| unit::three_digits(ns / 1e6));
        [
            result.level.clone(),
            what(latency.of).to_owned(),
            millis(min_ns),
            millis(p50_ns),
            millis(p90_ns),
            millis(p95_ns),
            millis(p99_ns),
            millis(p99_9_ns),
            millis(p99_99_ns),
            millis(latency.max_ns),
            mean(latency.mean_ns),
            mean(latency.stdev_ns),
        ]
    })
}

/// What a latency is the time of, in a word or two.
#[must_use]
pub const fn what(of: LatencyOf) -> &'static str {
    match of {
        LatencyOf::Send => "send",
        LatencyOf::Fetch => "fetch",
        LatencyOf::Delivery => "delivery",
        LatencyOf::RoundTrip => "round trip",
    }
}

/// One row for each encoding and role.
fn rows<T>(report: &Report, row: impl Fn(&EncodingResult, &RoleSummary, &str) -> T) -> Vec<T> {
    let mut rows = Vec::new();
    let sending = if report.settings.pairs > 0 { "pairs" } else { "producers" };
    for result in &report.encodings {
        let roles = [(&result.summary.sending, sending), (&result.summary.receiving, "consumers")];
        for (role, name) in roles {
            if let Some(role) = role {
                rows.push(row(result, role, name));
            }
        }
    }
    rows
}

/// From the slowest to the fastest, over all runs.
fn each_actor(result: &EncodingResult, name: &str) -> String {
    let is_meant = |actor: &&Actor| (actor.role == RoleName::Consumer) == (name == "consumers");
    let rates = || {
        let actors = result.runs.iter().flat_map(|run| &run.actors).filter(is_meant);
        actors.filter_map(|actor| actor.mb_per_second)
    };
    match (rates().reduce(f64::min), rates().reduce(f64::max)) {
        (Some(min), Some(max)) => {
            let (min, max) = (unit::three_digits(min), unit::three_digits(max));
            if min == max { min } else { format!("{min}–{max}") }
        }
        _ => NOTHING.to_owned(),
    }
}

fn millis(ns: Option<u64>) -> String {
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    ns.map_or(NOTHING.to_owned(), |ns| unit::three_digits(ns as f64 / 1e6))
}

/// Stands for what was not measured.
pub const NOTHING: &str = "–";
