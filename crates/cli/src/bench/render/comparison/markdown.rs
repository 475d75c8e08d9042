//! The comparison for issues and documents.

use super::{cells, prose};
use crate::bench::compare::{Comparison, Verdict};
use crate::render::gfm::{Side, push_head, push_headline, push_item, push_note, push_row};

/// Renders a comparison as GitHub-flavoured Markdown.
#[must_use]
pub fn render(comparison: &Comparison) -> String {
    let mut text = String::new();
    push_headline(&mut text, &prose::headline(comparison));
    let last = cells::COLUMNS.len() - 1;
    let is_name = |at| at < cells::NAMES || at == last;
    let sides = std::array::from_fn(|at| if is_name(at) { Side::Left } else { Side::Right });
    push_head(&mut text, &cells::COLUMNS.map(str::to_owned), sides);
    for cells::Line { verdict, cells } in cells::lines(comparison) {
        let is_told = matches!(verdict, Verdict::Better | Verdict::Worse);
        push_row(&mut text, &cells, std::array::from_fn(|at| at == last && is_told));
    }
    push_note(&mut text, prose::LEGEND);
    for warning in prose::warnings(comparison) {
        push_item(&mut text, &format!("Warning: {warning}"));
    }
    for line in prose::sides(comparison) {
        push_item(&mut text, &line);
    }
    text
}
