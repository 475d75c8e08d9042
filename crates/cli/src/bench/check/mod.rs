//! Whether a report that was read can be one: what a run of `bench` cannot give is not shown.
//!
//! It has the right fields already. Here its numbers are looked at: each by itself, and those that
//! have to agree with each other. All that `bench` writes passes, however its runs ended.

mod numbers;
mod order;
mod summary;

use std::fmt::Display;

use thiserror::Error;

use self::numbers::Numbers;
use super::load::shortened;
use super::report::{EncodingResult, Report, Run, Series};

/// A field that says what no run can give.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{field} is {says}: {why}")]
pub struct Impossible {
    /// Where it is, such as `encodings[0].runs[2].codec.share`.
    pub field: String,
    /// What it says.
    pub says: String,
    /// Why that can't be.
    pub why: String,
}

impl Impossible {
    fn new(field: impl Into<String>, says: impl Display, why: impl Into<String>) -> Self {
        Self { field: field.into(), says: shortened(&says.to_string()), why: why.into() }
    }
}

/// Checks a report.
///
/// # Errors
///
/// The first field that says what it can't.
pub fn check(report: &Report) -> Result<(), Impossible> {
    Numbers::check(report)?;
    let messages = &report.messages;
    let lengths = [
        ("messages.min_bytes", messages.min_bytes),
        ("messages.median_bytes", messages.median_bytes),
        ("messages.max_bytes", messages.max_bytes),
    ];
    order::ascending(lengths.map(|(name, bytes)| (name, Some(bytes))))?;
    if report.encodings.is_empty() {
        return Err(Impossible::new("encodings", "empty", "at least one is measured"));
    }
    for (at, result) in report.encodings.iter().enumerate() {
        let name = format!("encodings[{at}]");
        let others = report.encodings.iter().take(at);
        if let Some(first) = others.into_iter().position(|other| other.level == result.level) {
            let why = format!("encodings[{first}] is so too");
            return Err(Impossible::new(format!("{name}.level"), quoted(&result.level), why));
        }
        repeats(&name, result, report)?;
        for (at, it) in result.runs.iter().enumerate() {
            run(&format!("{name}.runs[{at}]"), it)?;
        }
        summary::check(&format!("{name}.summary"), result, report)?;
    }
    Ok(())
}

/// As many as were asked for, or fewer where it ended early.
fn repeats(name: &str, result: &EncodingResult, report: &Report) -> Result<(), Impossible> {
    let (asked, runs) = (report.settings.repeats, &result.runs);
    let ended_early = !report.ended.is_as_planned();
    for (at, run) in runs.iter().enumerate() {
        let field = || format!("{name}.runs[{at}]");
        if run.repeat != at as u64 {
            let why = format!("it is number {at} from 0");
            return Err(Impossible::new(format!("{}.repeat", field()), run.repeat, why));
        }
        if !ended_early && !run.ended.is_as_planned() {
            let why = "the report says that all ended as planned";
            let ended = quoted(&run.ended.to_string());
            return Err(Impossible::new(format!("{}.ended", field()), ended, why));
        }
    }
    let count = runs.len() as u64;
    if count > asked || (count < asked && !ended_early) {
        let why = format!("settings.repeats is {asked}");
        return Err(Impossible::new(format!("{name}.runs"), format!("a list of {count}"), why));
    }
    Ok(())
}

fn run(name: &str, run: &Run) -> Result<(), Impossible> {
    for (role, part) in [("sending", &run.sending), ("receiving", &run.receiving)] {
        if let Some(part) = part {
            order::latency(&format!("{name}.{role}.latency"), &part.latency)?;
            order::curve(&format!("{name}.{role}.curve"), &part.curve)?;
        }
    }
    let interval_ns = run.actors.first().map(|actor| actor.series.interval_ns);
    for (at, actor) in run.actors.iter().enumerate() {
        order::latency(&format!("{name}.actors[{at}].latency"), &actor.latency)?;
        series(&format!("{name}.actors[{at}].series"), &actor.series, interval_ns)?;
    }
    let shares = [("codec.share", run.codec.share), ("cost.others_share", run.cost.others_share)];
    match shares.into_iter().find_map(|(field, share)| Some((field, share.filter(|&it| it > 1.0)?)))
    {
        Some((field, share)) => {
            Err(Impossible::new(format!("{name}.{field}"), share, "more than all, which is 1"))
        }
        None => Ok(()),
    }
}

/// All lists have an entry for each interval, which all actors have in common.
fn series(name: &str, series: &Series, of_all: Option<u64>) -> Result<(), Impossible> {
    let Series { interval_ns, payload_bytes, messages, samples, mean_ns, max_ns } = series;
    if *interval_ns == 0 || of_all.is_some_and(|of_all| of_all != *interval_ns) {
        let why = "above 0, and the same for all actors of a run, is what it has to be";
        return Err(Impossible::new(format!("{name}.interval_ns"), interval_ns, why));
    }
    let count = payload_bytes.len();
    let lists = [
        ("messages", messages.len()),
        ("samples", samples.len()),
        ("mean_ns", mean_ns.len()),
        ("max_ns", max_ns.len()),
    ];
    match lists.into_iter().find(|(_, len)| *len != count) {
        Some((list, len)) => {
            let why = format!("payload_bytes is one of {count}");
            Err(Impossible::new(format!("{name}.{list}"), format!("a list of {len}"), why))
        }
        None => Ok(()),
    }
}

fn quoted(text: &str) -> String {
    format!("{text:?}")
}
