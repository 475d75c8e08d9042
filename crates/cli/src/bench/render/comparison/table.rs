//! The comparison for people at a terminal. Colours are always in it; printing takes them out.

use anstyle::Style;

use super::{cells, prose};
use crate::bench::compare::{Comparison, Verdict};
use crate::render::table::{
    BAD, BOLD, DIM, GOOD, WARN, add_row, align, bare_table, push, push_item, wrap,
};

/// Renders a comparison as text, with ANSI colours.
#[must_use]
pub fn render(comparison: &Comparison) -> String {
    let mut text = String::new();
    let mut table = bare_table();
    table.set_header(cells::COLUMNS);
    let mut styles = vec![BOLD];
    let mut last = None;
    for cells::Line { verdict, cells } in cells::lines(comparison) {
        let mut cells = cells;
        // Said once, a name is easier to find.
        let key = (cells[0].clone(), cells[1].clone());
        match &last {
            Some((level, role)) if *level == key.0 => {
                cells[0].clear();
                if *role == key.1 {
                    cells[1].clear();
                }
            }
            _ => {}
        }
        last = Some(key);
        styles.push(style(verdict));
        add_row(&mut table, cells);
    }
    align(&mut table, cells::NAMES);
    if let Some(words) = table.column_mut(cells::COLUMNS.len() - 1) {
        words.set_cell_alignment(comfy_table::CellAlignment::Left);
    }
    for (line, style) in table.lines().zip(styles) {
        push(&mut text, style, line.trim_end());
    }
    text.push('\n');
    for line in wrap(prose::LEGEND) {
        push(&mut text, DIM, &line);
    }
    text.push('\n');
    push(&mut text, BOLD, &prose::headline(comparison));
    for warning in prose::warnings(comparison) {
        push_item(&mut text, WARN, &format!("warning: {warning}"));
    }
    text.push('\n');
    for line in prose::sides(comparison) {
        push(&mut text, DIM, &line);
    }
    text
}

fn style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Better => GOOD,
        Verdict::Worse => BAD,
        Verdict::WithinNoise | Verdict::TooFewRepeats | Verdict::NotMeasured => Style::new(),
    }
}
