//! The answer of a report in one sentence.

use super::listed;
use crate::bench::doubt::{Kept, asked_bytes_per_second, kept};
use crate::bench::report::{EncodingResult, Report, RoleSummary};
use crate::unit;

/// The answer in one sentence.
#[must_use]
pub fn headline(report: &Report) -> String {
    if !report.ended.is_as_planned() {
        return format!("The run ended early: {}.", report.ended);
    }
    if report.encodings.is_empty() {
        return "Nothing was measured.".to_owned();
    }
    let mut moving: Vec<Moving<'_>> = report.encodings.iter().filter_map(Moving::of).collect();
    moving.sort_by(|a, b| b.rate.total_cmp(&a.rate));
    let Some((best, others)) = moving.split_first() else {
        return "No messages, so there is no throughput.".to_owned();
    };
    if let Some(asked) = asked_bytes_per_second(&report.settings, &report.messages) {
        return at_rate(report, asked);
    }
    let speed = unit::three_digits(best.rate);
    let level = best.level;
    if report.encodings.len() == 1 {
        return format!("{level} moves {speed} MB/s of payload.");
    }
    let raw = others.iter().find(|it| it.level == RAW);
    if raw.is_some_and(|raw| raw.overlaps(best)) {
        return format!("{level} moves {speed} MB/s of payload: no clear difference from raw.");
    }
    let times = best.role.times_raw.filter(|_| level != RAW);
    let times = times.map(|times| format!(", {} times raw", unit::three_digits(times)));
    let alike: Vec<&str> =
        others.iter().filter(|it| it.overlaps(best)).map(|it| it.level).collect();
    let alike = match alike.as_slice() {
        [] => String::new(),
        alike => format!("; no clear difference from {}", listed(alike, "and")),
    };
    format!("{level} moves the most: {speed} MB/s of payload{}{alike}.", times.unwrap_or_default())
}

/// An encoding that moved anything: what was received, if anybody received.
struct Moving<'a> {
    level: &'a str,
    role: &'a RoleSummary,
    rate: f64,
}

impl<'a> Moving<'a> {
    fn of(result: &'a EncodingResult) -> Option<Self> {
        let role = result.summary.receiving.as_ref().or(result.summary.sending.as_ref())?;
        let rate = role.mb_per_second.filter(|&rate| rate > 0.0)?;
        Some(Self { level: &result.level, role, rate })
    }

    /// Whether the slowest run of one is no faster than the fastest of the other.
    fn overlaps(&self, other: &Self) -> bool {
        let range = |it: &Self| Some((it.role.min_mb_per_second?, it.role.max_mb_per_second?));
        let (Some(this), Some(that)) = (range(self), range(other)) else { return false };
        this.0 <= that.1 && that.0 <= this.1
    }
}

/// In the open loop no encoding moves more than another, unless one can't keep up.
fn at_rate(report: &Report, asked: f64) -> String {
    let all = || report.encodings.iter().filter_map(|it| Some((&*it.level, kept(it, asked)?)));
    let reached: Vec<&str> =
        all().filter(|(_, kept)| *kept == Kept::Reached).map(|(level, _)| level).collect();
    let (reached, others) = (reached.as_slice(), all().count() - reached.len());
    match (reached, others) {
        ([], _) => "No encoding kept to the rate that was asked for.".to_owned(),
        ([one], 0) => format!("{one} kept to the rate that was asked for."),
        (_, 0) => "At the rate that was asked for, compare the latencies.".to_owned(),
        ([one], _) => format!("Only {one} kept to the rate that was asked for."),
        (several, _) => format!(
            "At the rate that was asked for, which {} kept to, compare their latencies.",
            listed(several, "and")
        ),
    }
}

const RAW: &str = "raw";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_sentences() {
        assert_eq!(listed(&["a"], "and"), "a");
        assert_eq!(listed(&["a", "b"], "and"), "a and b");
        assert_eq!(listed(&["a", "b", "c"], "and"), "a, b and c");
    }
}
