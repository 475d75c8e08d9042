//! The comparison for issues and documents.

use super::{cells, prose};
use crate::bench::compare::{Comparison, Verdict};
use crate::render::markdown::{push_item, push_row};

/// Renders a comparison as GitHub-flavoured Markdown.
#[must_use]
pub fn render(comparison: &Comparison) -> String {
    let mut text = format!("**{}**\n\n", prose::headline(comparison));
    push_row(&mut text, cells::COLUMNS.map(str::to_owned));
    let last = cells::COLUMNS.len() - 1;
    let alignment: [String; cells::COLUMNS.len()] = std::array::from_fn(|at| {
        if at < cells::NAMES || at == last { ":--" } else { "--:" }.to_owned()
    });
    push_row(&mut text, alignment);
    for cells::Line { verdict, cells } in cells::lines(comparison) {
        let is_told = matches!(verdict, Verdict::Better | Verdict::Worse);
        let mut cells = cells;
        if let Some(words) = cells.last_mut().filter(|_| is_told) {
            *words = format!("**{words}**");
        }
        push_row(&mut text, cells);
    }
    text.push_str(&format!("\n{}\n\n", prose::LEGEND));
    for warning in prose::warnings(comparison) {
        push_item(&mut text, &format!("Warning: {warning}"));
    }
    for line in prose::sides(comparison) {
        push_item(&mut text, &line);
    }
    text
}
