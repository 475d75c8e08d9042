//! The cells of the table, the same for all forms that have one.

use crate::bench::compare::{Comparison, Measure, Row, Value, Verdict};
use crate::bench::render::cells::NOTHING;
use crate::unit;

/// Columns; names stand to the left, numbers to the right.
pub const COLUMNS: [&str; 8] = ["encoding", "", "measure", "A", "B", "B to A", "noise to", ""];

/// How many of the columns are names.
pub const NAMES: usize = 3;

/// One line of the table.
#[derive(Debug)]
pub struct Line {
    /// What it says.
    pub verdict: Verdict,
    /// One text per column.
    pub cells: [String; COLUMNS.len()],
}

/// All lines, in the order of the comparison.
#[must_use]
pub fn lines(comparison: &Comparison) -> Vec<Line> {
    comparison.rows.iter().map(line).collect()
}

fn line(row: &Row) -> Line {
    let (name, factor) = shown(row.measure);
    let number = |value: &Value| {
        value.value.map_or(NOTHING.to_owned(), |value| unit::three_digits(value / factor))
    };
    let share = |percent: Option<f64>| percent.map_or(NOTHING.to_owned(), signed);
    Line {
        verdict: row.verdict,
        cells: [
            row.level.clone(),
            row.role.unwrap_or("all").to_owned(),
            name.to_owned(),
            number(&row.a),
            number(&row.b),
            share(row.difference_percent),
            share(row.noise_percent),
            words(row.verdict).to_owned(),
        ],
    }
}

/// A measure's name with its unit, and by what its values are divided for that.
const fn shown(measure: Measure) -> (&'static str, f64) {
    match measure {
        Measure::MbPerSecond => ("payload MB/s", 1.0),
        Measure::P50Ns => ("p50 ms", 1e6),
        Measure::P90Ns => ("p90 ms", 1e6),
        Measure::P99Ns => ("p99 ms", 1e6),
        Measure::P99Point9Ns => ("p99.9 ms", 1e6),
        Measure::Ratio => ("ratio", 1.0),
        Measure::ClientCpuSecondsPerGb => ("client CPU s/GB", 1.0),
        Measure::ServerCpuSecondsPerGb => ("server CPU s/GB", 1.0),
    }
}

/// A verdict in words; what is better needs no arrow to be understood without colours.
#[must_use]
pub const fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Better => "better",
        Verdict::Worse => "worse",
        Verdict::WithinNoise => "within noise",
        Verdict::TooFewRepeats => "too few repeats to tell",
        Verdict::NotMeasured => "not measured in both",
    }
}

/// Above the double in times, since percents of that are hard to read.
fn signed(percent: f64) -> String {
    if percent >= 100_000.0 {
        "> × 1000".to_owned()
    } else if percent >= 100.0 {
        format!("× {}", unit::three_digits(1.0 + percent / 100.0))
    } else {
        format!("{percent:+.1} %")
    }
}
