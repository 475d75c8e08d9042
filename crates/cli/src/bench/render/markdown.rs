//! The report for issues and documents.

use super::{cells, prose};
use crate::bench::report::Report;
use crate::render::markdown::{push_item, push_row};

/// Renders a report as GitHub-flavoured Markdown.
#[must_use]
pub fn render(report: &Report) -> String {
    let mut text = format!("**{}**\n\n", prose::headline(report));
    push_row(&mut text, cells::THROUGHPUT.map(|(group, name)| format!("{group} {name}")));
    push_row(&mut text, alignment::<{ cells::THROUGHPUT.len() }>());
    for row in cells::throughput(report) {
        push_row(&mut text, row);
    }
    text.push('\n');
    push_row(&mut text, cells::LATENCY.map(str::to_owned));
    push_row(&mut text, alignment::<{ cells::LATENCY.len() }>());
    for row in cells::latency(report) {
        push_row(&mut text, row);
    }
    text.push_str(&format!("\n{}\n\n", cells::LEGEND));
    for line in prose::setting(report).iter().chain(&prose::findings(report)) {
        push_item(&mut text, line);
    }
    for warning in &report.warnings {
        push_item(&mut text, &format!("Warning: {warning}"));
    }
    text.push_str("\nMeasured with:\n\n");
    for line in crate::render::prose::machine(&report.environment) {
        push_item(&mut text, &line);
    }
    text
}

/// Names stand to the left, numbers to the right.
fn alignment<const N: usize>() -> [String; N] {
    std::array::from_fn(|at| if at < 2 { ":--" } else { "--:" }.to_owned())
}
