//! The report for issues and documents.

use super::{cells, prose};
use crate::bench::report::Report;
use crate::render::gfm::{Side, push_head, push_headline, push_item, push_note, push_row};

/// Renders a report as GitHub-flavoured Markdown.
#[must_use]
pub fn render(report: &Report) -> String {
    let mut text = String::new();
    push_headline(&mut text, &prose::headline(report));
    let names = cells::THROUGHPUT.map(|(group, name)| format!("{group} {name}"));
    push_table(&mut text, &names, &cells::throughput(report));
    text.push('\n');
    push_table(&mut text, &cells::LATENCY.map(str::to_owned), &cells::latency(report));
    push_note(&mut text, &cells::legend(report));
    let (verdicts, findings) = (prose::verdicts(report), prose::findings(report));
    for line in verdicts.iter().chain(&prose::setting(report)).chain(&findings) {
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
fn push_table<const N: usize>(text: &mut String, names: &[String; N], rows: &[[String; N]]) {
    let sides = std::array::from_fn(|at| if at < 2 { Side::Left } else { Side::Right });
    push_head(text, names, sides);
    for row in rows {
        push_row(text, row, [false; N]);
    }
}
