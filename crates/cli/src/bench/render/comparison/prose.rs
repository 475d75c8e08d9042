//! The sentences of a comparison, the same for all forms that people read.

use crate::bench::compare::{Comparison, Disagreement, Verdict};
use crate::render::prose::counted;

/// The answer in one sentence.
#[must_use]
pub fn headline(comparison: &Comparison) -> String {
    let count =
        |verdict| comparison.rows.iter().filter(|row| row.verdict == verdict).count() as u64;
    let (better, worse) = (count(Verdict::Better), count(Verdict::Worse));
    let all = counted(comparison.rows.len() as u64, "measure");
    let untold = count(Verdict::TooFewRepeats);
    if better + worse > 0 {
        return format!(
            "Of {all}, B is better in {better} and worse in {worse} by more than the noise."
        );
    }
    if untold > 0 {
        return format!(
            "In {untold} of {all} there are too few repeats to tell noise from difference."
        );
    }
    format!("Of {all}, none differs by more than the noise.")
}

/// What to know before the rows are read: in what A and B differ besides them.
#[must_use]
pub fn warnings(comparison: &Comparison) -> Vec<String> {
    let mut lines = Vec::new();
    if !comparison.settings.is_empty() {
        lines.push(format!(
            "A and B were not asked the same, which weighs in on every row: {}",
            list(&comparison.settings)
        ));
    }
    for (name, levels) in [("A", &comparison.only_in_a), ("B", &comparison.only_in_b)] {
        if !levels.is_empty() {
            lines.push(format!("only {name} has: {}", levels.join(", ")));
        }
    }
    lines.extend(comparison.doubts.iter().cloned());
    let is_untold = comparison.rows.iter().any(|row| row.verdict == Verdict::TooFewRepeats);
    if is_untold {
        lines.push(
            "where a side has fewer than three repeats with the measure, nothing is known about \
             noise: run both with --repeat 5, or longer where percentiles need more samples"
                .to_owned(),
        );
    }
    lines
}

/// The two machines and commands.
#[must_use]
pub fn sides(comparison: &Comparison) -> Vec<String> {
    let mut lines = Vec::new();
    if comparison.environment.is_empty() {
        lines.push("measured on alike machines with the same versions".to_owned());
    } else {
        lines.push(format!("measured with: {}", list(&comparison.environment)));
    }
    for (name, side) in [("A", &comparison.a), ("B", &comparison.b)] {
        lines.push(format!("{name}: {}", side.command));
    }
    lines
}

fn list(found: &[Disagreement]) -> String {
    let parts = found.iter().map(|it| format!("{} {} against {}", it.field, it.a, it.b));
    parts.collect::<Vec<_>>().join("; ")
}

/// How to read the columns.
pub const LEGEND: &str = "B to A: what B has more or less than A, of the values of all repeats. noise \
    to: up to here a difference in that direction comes from the runs' own spread (99 % confidence, \
    from the repeats on both sides; in a hundred comparisons of alike runs one exceeds it by \
    chance). What changed on the machine between A and B is not in it. ×: as multiple of A. –: not \
    known.";
