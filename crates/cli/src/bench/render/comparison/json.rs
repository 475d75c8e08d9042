//! The comparison as it is, for programs.

use crate::bench::compare::Comparison;

/// Renders a comparison as one line of JSON.
#[must_use]
pub fn render(comparison: &Comparison) -> String {
    // Only maps with keys that are no strings could fail, and there are none.
    let mut text = serde_json::to_string(comparison).unwrap_or_default();
    text.push('\n');
    text
}
