//! What follows from the numbers besides the answer: bottlenecks, and where compression would pay.

use super::listed;
use crate::bench::bottleneck::link_mb_per_second;
use crate::bench::breakeven::{self, Reign};
use crate::bench::report::{Bottleneck, EncodingResult, Limit, Report};
use crate::bench::warning::Warning;
use crate::unit;

/// A sentence each, where there is one.
#[must_use]
pub fn verdicts(report: &Report) -> Vec<String> {
    let sentences = [bottlenecks(report), breakeven(report), missing_raw(report)];
    sentences.into_iter().flatten().collect()
}

/// A level, and what it ran into.
type Judged<'a> = (&'a str, Bottleneck);

/// Encodings by what they ran into, in the order in which they were asked for.
fn bottlenecks(report: &Report) -> Option<String> {
    let settings = &report.settings;
    let is_open =
        settings.rate_bytes_per_second.is_some() || settings.rate_messages_per_second.is_some();
    let mut groups: Vec<(Option<Limit>, Vec<Judged<'_>>)> = Vec::new();
    for EncodingResult { level, summary, .. } in &report.encodings {
        let Some(bottleneck) = summary.bottleneck else { continue };
        let limit = bottleneck.limit;
        if is_open && limit.is_none() {
            continue; // it is the rate
        }
        let it = (level.as_str(), bottleneck);
        match groups.iter_mut().find(|(of, _)| *of == limit) {
            Some((_, group)) => group.push(it),
            None => groups.push((limit, vec![it])),
        }
    }
    let parts: Vec<String> =
        groups.iter().map(|(limit, group)| part(report, *limit, group)).collect();
    (!parts.is_empty()).then(|| format!("bottleneck: {}", parts.join("; ")))
}

fn part(report: &Report, limit: Option<Limit>, group: &[Judged<'_>]) -> String {
    let levels: Vec<&str> = group.iter().map(|(level, _)| *level).collect();
    let levels = listed(&levels, "and");
    let is_one = group.len() == 1;
    let there = link_mb_per_second(&report.transport).map(unit::three_digits);
    let wire = there.map(|there| {
        let used = range(group.iter().filter_map(|(_, it)| it.wire_mb_per_second));
        format!("{used} of {there} MB/s")
    });
    let cores = report.environment.cores.map(|cores| {
        let used = range(group.iter().filter_map(|(_, it)| it.cores_used));
        let plural = if cores == 1 { "" } else { "s" };
        let has_server = report.transport.server.is_some();
        let runs = || report.encodings.iter().flat_map(|it| &it.runs);
        let is_all = !has_server || runs().all(|run| run.cost.server_cpu_ns.is_some());
        let without = if is_all { "" } else { ", the server's not counted" };
        format!("{used} of {cores} core{plural}{without}")
    });
    match limit {
        Some(Limit::Link) => {
            let verb = if is_one { "fills" } else { "fill" };
            format!("{levels} {verb} the link ({})", wire.unwrap_or_default())
        }
        Some(Limit::Processors) => {
            let verb = if is_one { "keeps" } else { "keep" };
            format!("{levels} {verb} the processors busy ({})", cores.unwrap_or_default())
        }
        None => {
            let verb = match (wire.is_some(), is_one) {
                (true, true) => "fills neither link nor processors",
                (true, false) => "fill neither link nor processors",
                (false, true) => "does not fill the processors",
                (false, false) => "do not fill the processors",
            };
            let figures: Vec<String> = wire.into_iter().chain(cores).collect();
            let others = if has_others(report) { "other programs, " } else { "" };
            format!("{levels} {verb} ({}): {others}the server, or waiting", figures.join(", "))
        }
    }
}

/// Whether others took of the processors what runs may have needed.
fn has_others(report: &Report) -> bool {
    report.warnings.iter().any(|warning| matches!(warning, Warning::Busy { .. }))
}

/// From the smallest to the largest.
fn range(values: impl Iterator<Item = f64>) -> String {
    let ends = values.fold(None, |ends: Option<(f64, f64)>, value| {
        Some(ends.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
    });
    let Some((low, high)) = ends else { return "an unknown part".to_owned() };
    let (low, high) = (unit::three_digits(low), unit::three_digits(high));
    if low == high { low } else { format!("{low} to {high}") }
}

/// Who would pass more than raw on which link.
fn breakeven(report: &Report) -> Option<String> {
    let reigns = breakeven::reigns(report);
    let compressing: Vec<&Reign<'_>> = reigns.iter().filter(|it| it.level != "raw").collect();
    let (first, last) = (compressing.first()?, compressing.last()?);
    let below = |reign: &Reign<'_>| reign.below_bits_per_second.map(unit::bit_rate);
    let level = last.level;
    let more = match below(last) {
        Some(rate) => format!("on a link slower than {rate} {level} passes more than raw"),
        None => format!("{level} passes more than raw on any link"),
    };
    let most = below(first).filter(|_| compressing.len() > 1);
    let most = most.map(|rate| format!(", on one slower than {rate} {} passes most", first.level));
    Some(format!("by these rates and ratios, {more}{}: --link shows it", most.unwrap_or_default()))
}

/// Without it nothing is known about what compression gains.
fn missing_raw(report: &Report) -> Option<String> {
    let levels: Vec<&str> = report.encodings.iter().map(|it| it.level.as_str()).collect();
    let is_missing = !levels.is_empty() && !levels.contains(&"raw");
    is_missing.then(|| {
        format!("raw was not measured, with which to compare: -e raw,{}", levels.join(","))
    })
}
