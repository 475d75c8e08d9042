//! The report as it is, for programs.

use crate::bench::report::Report;

/// Renders a report as one line of JSON.
#[must_use]
pub fn render(report: &Report) -> String {
    // Only maps with keys that are no strings could fail, and there are none.
    let mut text = serde_json::to_string(report).unwrap_or_default();
    text.push('\n');
    text
}
