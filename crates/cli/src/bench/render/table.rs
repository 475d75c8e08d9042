//! The report for people at a terminal. Colours are always in it; printing takes them out.

use anstyle::Style;

use super::{cells, prose};
use crate::bench::report::Report;
use crate::render::table::{
    BAD, BOLD, DIM, GOOD, WARN, add_row, align, bare_table, push, push_item, wrap,
};

/// Renders a report as text, with ANSI colours.
#[must_use]
pub fn render(report: &Report) -> String {
    let mut text = String::new();
    for line in prose::setting(report) {
        push_item(&mut text, Style::new(), &line);
    }
    text.push('\n');
    let headers = cells::THROUGHPUT.map(|(group, name)| format!("{group}\n{name}"));
    push_table(&mut text, headers.to_vec(), cells::throughput(report).iter().map(|it| it.to_vec()));
    text.push('\n');
    let headers = cells::LATENCY.map(str::to_owned);
    push_table(&mut text, headers.to_vec(), cells::latency(report).iter().map(|it| it.to_vec()));
    text.push('\n');
    for line in wrap(&cells::legend(report)) {
        push(&mut text, DIM, &line);
    }
    text.push('\n');
    let style = if report.ended.is_as_planned() { GOOD } else { BAD };
    push(&mut text, style.bold(), &prose::headline(report));
    for line in prose::verdicts(report).iter().chain(&prose::findings(report)) {
        push_item(&mut text, Style::new(), line);
    }
    for warning in &report.warnings {
        push_item(&mut text, WARN, &format!("warning: {warning}"));
    }
    text.push('\n');
    for line in crate::render::prose::machine(&report.environment) {
        push(&mut text, DIM, &line);
    }
    text
}

fn push_table(text: &mut String, headers: Vec<String>, rows: impl Iterator<Item = Vec<String>>) {
    let mut table = bare_table();
    let height = if headers.iter().any(|it| it.contains('\n')) { 2 } else { 1 };
    table.set_header(headers);
    for row in rows {
        add_row(&mut table, row);
    }
    align(&mut table, 2);
    let styles = std::iter::repeat_n(BOLD, height).chain(std::iter::repeat(Style::new()));
    for (line, style) in table.lines().zip(styles) {
        push(text, style, line.trim_end());
    }
}
