//! The report for issues and documents.

use super::gfm::{Side, push_head, push_headline, push_item, push_note, push_row};
use super::{cells, prose};
use crate::report::Report;

/// Renders a report as GitHub-flavoured Markdown.
#[must_use]
pub fn render(report: &Report) -> String {
    let mut text = String::new();
    push_headline(&mut text, &prose::headline(report));
    for line in prose::advice(report) {
        push_item(&mut text, &line);
    }
    let classes = prose::classes(report);
    if !classes.is_empty() {
        text.push('\n');
        let names = ["size", "messages", "payload", "use", ""].map(str::to_owned);
        let sides = [Side::Left, Side::Right, Side::Right, Side::Left, Side::Left];
        push_head(&mut text, &names, sides);
        for row in classes {
            push_row(&mut text, &row, [false; 5]);
        }
    }
    text.push('\n');
    let names = cells::COLUMNS.map(|(group, name)| format!("{group} {name}"));
    let sides = std::array::from_fn(|at| if at == 0 { Side::Left } else { Side::Right });
    push_head(&mut text, &names, sides);
    for line in cells::lines(report) {
        push_row(&mut text, &line.cells, [line.is_advised; cells::COLUMNS.len()]);
    }
    push_note(&mut text, cells::LEGEND);
    for line in prose::corpus(report) {
        push_item(&mut text, &line);
    }
    for warning in &report.warnings {
        push_item(&mut text, &format!("Warning: {warning}"));
    }
    text.push_str("\nWhat this cannot know:\n\n");
    for sentence in &report.advice.cannot_know {
        push_item(&mut text, sentence);
    }
    text.push_str("\nMeasured with:\n\n");
    for line in prose::environment(report) {
        push_item(&mut text, &line);
    }
    text
}
