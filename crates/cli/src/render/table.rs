//! The report for people at a terminal. Colours are always in it; printing takes them out.

use anstyle::{AnsiColor, Style};
use comfy_table::{CellAlignment, Table};

use super::{cells, prose};
use crate::printable::printable;
use crate::report::Report;

/// Renders a report as text of at most 110 columns, with ANSI colours.
#[must_use]
pub fn render(report: &Report) -> String {
    let mut text = String::new();
    for line in prose::corpus(report) {
        push(&mut text, Style::new(), &line);
    }
    text.push('\n');
    push_table(&mut text, report);
    text.push('\n');
    for line in wrap(cells::LEGEND) {
        push(&mut text, DIM, &line);
    }
    text.push('\n');
    let answer = if report.advice.fastest.is_some() { GOOD } else { BAD };
    push(&mut text, answer.bold(), &prose::headline(report));
    for line in prose::advice(report) {
        push_item(&mut text, Style::new(), &line);
    }
    push_classes(&mut text, report);
    if !report.warnings.is_empty() {
        text.push('\n');
    }
    for warning in &report.warnings {
        push_item(&mut text, WARN, &format!("warning: {warning}"));
    }
    text.push('\n');
    push(&mut text, BOLD, "What this cannot know");
    for sentence in &report.advice.cannot_know {
        push_item(&mut text, Style::new(), sentence);
    }
    text.push('\n');
    for line in prose::environment(report) {
        push(&mut text, DIM, &line);
    }
    text
}

fn push_table(text: &mut String, report: &Report) {
    let mut table = bare_table();
    table.set_header(
        std::iter::once(String::new())
            .chain(cells::COLUMNS.map(|(group, name)| format!("{group}\n{name}"))),
    );
    let lines = cells::lines(report);
    for line in &lines {
        let mark = if line.is_advised { "▸" } else { "" };
        add_row(&mut table, std::iter::once(mark.to_owned()).chain(line.cells.iter().cloned()));
    }
    align(&mut table, 2);
    let headers = [BOLD, BOLD].into_iter();
    let rows = lines.iter().map(|line| if line.is_advised { GOOD } else { Style::new() });
    for (line, style) in table.lines().zip(headers.chain(rows)) {
        push(text, style, line.trim_end());
    }
}

fn push_classes(text: &mut String, report: &Report) {
    let mut table = bare_table();
    for row in prose::classes(report) {
        add_row(&mut table, std::iter::once(String::new()).chain(row));
    }
    for line in table.lines() {
        push(text, Style::new(), &format!("  {}", line.trim_end()));
    }
}

/// A table without lines: alignment does their work.
pub(crate) fn bare_table() -> Table {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table
}

/// A line of the table: whatever is in a cell, it stays one.
pub(crate) fn add_row(table: &mut Table, cells: impl IntoIterator<Item = String>) {
    table.add_row(cells.into_iter().map(|cell| printable(&cell)));
}

/// Numbers stand to the right, names to the left.
pub(crate) fn align(table: &mut Table, names: usize) {
    for column in table.column_iter_mut().skip(names) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

pub(crate) fn push(text: &mut String, style: Style, line: &str) {
    text.push_str(&format!("{style}{}{style:#}\n", printable(line)));
}

pub(crate) fn push_item(text: &mut String, style: Style, sentence: &str) {
    for (index, line) in wrap(sentence).iter().enumerate() {
        let indent = if index == 0 { "• " } else { "  " };
        push(text, style, &format!("{indent}{line}"));
    }
}

/// Breaks a sentence into lines at its spaces.
pub(crate) fn wrap(sentence: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in sentence.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

const WIDTH: usize = 106;

pub(crate) const BOLD: Style = Style::new().bold();

pub(crate) const DIM: Style = Style::new().dimmed();

pub(crate) const GOOD: Style = AnsiColor::Green.on_default();

pub(crate) const BAD: Style = AnsiColor::Red.on_default();

pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
