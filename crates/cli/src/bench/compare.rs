//! Two reports side by side: what differs, and by more than runs differ among themselves. Pure.
//!
//! The noise of a difference is the half-width of Welch's 99 % confidence interval for the ratio of
//! the two, from the runs of each report: runs that are alike show a larger difference less than
//! once in a hundred times. It is taken on logarithms, since noise is a share of what is measured.

#![expect(clippy::cast_precision_loss, reason = "ns and bytes of which three digits are shown")]

use serde::Serialize;

use super::report::{EncodingResult, Latency, Report, Role, RoleSummary, Run, Summary};
use super::{disagree, student};
use crate::report::Environment;

/// The value of [`Comparison::schema`].
pub const SCHEMA: &str = "thinwire.bench.comparison";

/// Raised when a field changes its meaning or goes away; new fields do not raise it.
pub const SCHEMA_VERSION: u32 = 1;

/// Two reports side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// Always [`SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Where and with what A was measured.
    pub a: Environment,
    /// The same of B.
    pub b: Environment,
    /// Settings, messages and transport in which they differ: what weighs in on every row.
    pub settings: Vec<Disagreement>,
    /// Machine and versions in which they differ.
    pub environment: Vec<Disagreement>,
    /// Why rows may mean less than they seem to.
    pub doubts: Vec<String>,
    /// Encodings that only A has.
    pub only_in_a: Vec<String>,
    /// Encodings that only B has.
    pub only_in_b: Vec<String>,
    /// Every measure that at least one has, of the encodings that both have.
    pub rows: Vec<Row>,
}

/// Something that is not the same in both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Disagreement {
    /// The field of the report, such as `settings.messages_per_batch`.
    pub field: String,
    /// In A.
    pub a: String,
    /// In B.
    pub b: String,
}

/// One measure of one encoding.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// `zstd:3`, `raw`.
    pub level: String,
    /// `producers`, `pairs`, `consumers`; `None` for what is measured of all together.
    pub role: Option<&'static str>,
    /// What was measured.
    pub measure: Measure,
    /// In A.
    pub a: Value,
    /// In B.
    pub b: Value,
    /// B less A, as percent of A.
    pub difference_percent: Option<f64>,
    /// A difference in this direction up to this, as percent of A, is noise; `None` below three
    /// repeats on a side.
    pub noise_percent: Option<f64>,
    /// What follows.
    pub verdict: Verdict,
}

/// A measure of one report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Value {
    /// As the report sums it up; `None` if it was not measured.
    pub value: Option<f64>,
    /// Of each run that has it.
    pub runs: Vec<f64>,
}

/// What is compared; the unit is in the name. Memory is not: it is that of a process with what
/// earlier runs left in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Measure {
    /// Payload throughput.
    MbPerSecond,
    /// Half of the latency samples are at most this long.
    P50Ns,
    /// 90 in 100.
    P90Ns,
    /// 99 in 100.
    P99Ns,
    /// 999 in 1000.
    #[serde(rename = "p99_9_ns")]
    P99Point9Ns,
    /// Payload bytes / wire bytes.
    Ratio,
    /// CPU of the clients.
    ClientCpuSecondsPerGb,
    /// CPU of the server.
    ServerCpuSecondsPerGb,
}

/// What a row says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// B is better, by more than the noise.
    Better,
    /// B is worse, by more than the noise.
    Worse,
    /// They differ by no more than runs among themselves.
    WithinNoise,
    /// One side has fewer than three repeats, so nothing is known about noise.
    TooFewRepeats,
    /// One side did not measure it.
    NotMeasured,
}

impl Measure {
    /// Whether more is better.
    #[must_use]
    pub const fn is_better_larger(self) -> bool {
        matches!(self, Self::MbPerSecond | Self::Ratio)
    }
}

/// Compares two reports.
#[must_use]
pub fn compare(a: &Report, b: &Report) -> Comparison {
    let find = |report: &'_ Report, level: &str| {
        report.encodings.iter().position(|result| result.level == level)
    };
    let only = |one: &Report, other: &Report| -> Vec<String> {
        let levels = one.encodings.iter().map(|result| result.level.clone());
        levels.filter(|level| find(other, level).is_none()).collect()
    };
    let pairs = a.encodings.iter().filter_map(|result| {
        let other = b.encodings.iter().find(|other| other.level == result.level)?;
        Some((result, other))
    });
    let sending = if a.settings.pairs > 0 { "pairs" } else { "producers" };
    Comparison {
        schema: SCHEMA,
        schema_version: SCHEMA_VERSION,
        a: a.environment.clone(),
        b: b.environment.clone(),
        settings: disagree::settings(a, b),
        environment: disagree::environment(a, b),
        doubts: disagree::doubts(a, b),
        only_in_a: only(a, b),
        only_in_b: only(b, a),
        rows: pairs.flat_map(|(a, b)| rows(a, b, sending)).collect(),
    }
}

/// Where to find a measure: in the summary and in each run.
struct Probe {
    role: Option<&'static str>,
    measure: Measure,
    whole: Reading<EncodingResult>,
    of_run: Reading<Run>,
}

/// Takes a number out of a part of a report, if it is there.
type Reading<T> = Box<dyn Fn(&T) -> Option<f64>>;

fn rows(a: &EncodingResult, b: &EncodingResult, sending: &'static str) -> Vec<Row> {
    let mut probes = Vec::new();
    probes.extend(of_role(sending, |it| it.sending.as_ref(), |run| run.sending.as_ref()));
    probes.extend(of_role("consumers", |it| it.receiving.as_ref(), |run| run.receiving.as_ref()));
    probes.extend(of_all());
    let rows = probes.iter().map(|probe| row(probe, a, b));
    rows.filter(|row| row.a.value.is_some() || row.b.value.is_some()).collect()
}

/// What is measured of each role.
fn of_role(
    name: &'static str,
    summary: fn(&Summary) -> Option<&RoleSummary>,
    role: fn(&Run) -> Option<&Role>,
) -> Vec<Probe> {
    let latency = |measure, of: fn(&Latency) -> Option<u64>| Probe {
        role: Some(name),
        measure,
        whole: Box::new(move |it| Some(of(&summary(&it.summary)?.latency)? as f64)),
        of_run: Box::new(move |run| Some(of(&role(run)?.latency)? as f64)),
    };
    vec![
        Probe {
            role: Some(name),
            measure: Measure::MbPerSecond,
            whole: Box::new(move |it| summary(&it.summary)?.mb_per_second),
            of_run: Box::new(move |run| role(run)?.mb_per_second),
        },
        latency(Measure::P50Ns, |it| it.p50_ns),
        latency(Measure::P90Ns, |it| it.p90_ns),
        latency(Measure::P99Ns, |it| it.p99_ns),
        latency(Measure::P99Point9Ns, |it| it.p99_9_ns),
    ]
}

/// What is measured of all together.
fn of_all() -> Vec<Probe> {
    let probe = |measure, whole: fn(&Summary) -> Option<f64>, of_run: fn(&Run) -> Option<f64>| {
        let whole = Box::new(move |it: &EncodingResult| whole(&it.summary));
        Probe { role: None, measure, whole, of_run: Box::new(of_run) }
    };
    vec![
        probe(Measure::Ratio, |it| it.ratio, |run| run.wire.ratio),
        probe(
            Measure::ClientCpuSecondsPerGb,
            |it| it.client_cpu_seconds_per_gb,
            |run| run.cost.client_cpu_seconds_per_gb,
        ),
        probe(
            Measure::ServerCpuSecondsPerGb,
            |it| it.server_cpu_seconds_per_gb,
            |run| run.cost.server_cpu_seconds_per_gb,
        ),
    ]
}

fn row(probe: &Probe, a: &EncodingResult, b: &EncodingResult) -> Row {
    let value = |result: &EncodingResult| Value {
        value: (probe.whole)(result).filter(|value| value.is_finite()),
        runs: result.runs.iter().filter_map(|run| (probe.of_run)(run)).collect(),
    };
    let (a_value, b_value) = (value(a), value(b));
    let (difference_percent, noise_percent, verdict) = judge(probe.measure, &a_value, &b_value);
    Row {
        level: a.level.clone(),
        role: probe.role,
        measure: probe.measure,
        a: a_value,
        b: b_value,
        difference_percent,
        noise_percent,
        verdict,
    }
}

fn judge(measure: Measure, a: &Value, b: &Value) -> (Option<f64>, Option<f64>, Verdict) {
    let (Some(was), Some(is)) = (a.value, b.value) else {
        return (None, None, Verdict::NotMeasured);
    };
    if was <= 0.0 || is <= 0.0 {
        let verdict = if was == is { Verdict::WithinNoise } else { Verdict::TooFewRepeats };
        return (None, None, verdict); // a share of nothing is no number
    }
    let difference = (is / was).ln();
    let percent = |difference: f64| difference.exp_m1() * 100.0;
    let Some(noise) = student::noise(&a.runs, &b.runs) else {
        return (Some(percent(difference)), None, Verdict::TooFewRepeats);
    };
    // Histograms are exact to three digits: less than that is no difference.
    let noise = noise.max(RESOLUTION);
    let verdict = if difference.abs() <= noise {
        Verdict::WithinNoise
    } else if (difference > 0.0) == measure.is_better_larger() {
        Verdict::Better
    } else {
        Verdict::Worse
    };
    // Of runs that have nothing in common the interval has hardly an end.
    let shown = noise.min(MOST_NOISE).copysign(difference);
    (Some(percent(difference)), Some(percent(shown)), verdict)
}

const RESOLUTION: f64 = 0.001;

/// As a logarithm: 5 * 10^21 times as much, of which nobody asks for more.
const MOST_NOISE: f64 = 50.0;
