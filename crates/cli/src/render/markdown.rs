//! The report for issues and documents.

use super::{cells, prose};
use crate::printable::printable;
use crate::report::Report;

/// Renders a report as GitHub-flavoured Markdown.
#[must_use]
pub fn render(report: &Report) -> String {
    let mut text = format!("**{}**\n\n", prose::headline(report));
    for line in prose::advice(report) {
        push_item(&mut text, &line);
    }
    let classes = prose::classes(report);
    if !classes.is_empty() {
        text.push('\n');
        push_row(&mut text, ["size", "messages", "payload", "use", ""].map(str::to_owned));
        push_row(&mut text, [":--", "--:", "--:", ":--", ":--"].map(str::to_owned));
        for row in classes {
            push_row(&mut text, row);
        }
    }
    text.push('\n');
    push_row(&mut text, cells::COLUMNS.map(|(group, name)| format!("{group} {name}")));
    push_row(
        &mut text,
        cells::COLUMNS
            .map(|(_, name)| if name == cells::COLUMNS[0].1 { ":--" } else { "--:" }.to_owned()),
    );
    for line in cells::lines(report) {
        push_row(
            &mut text,
            line.cells.map(|cell| match line.is_advised {
                true => format!("**{cell}**"),
                false => cell,
            }),
        );
    }
    text.push_str(&format!("\n{}\n\n", cells::LEGEND));
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

pub(crate) fn push_item(text: &mut String, line: &str) {
    text.push_str(&format!("* {}\n", printable(line)));
}

pub(crate) fn push_row<const N: usize>(text: &mut String, cells: [String; N]) {
    let cells = cells.map(|cell| printable(cell.trim()).replace('|', "\\|"));
    text.push_str(&format!("| {} |\n", cells.join(" | ")));
}
