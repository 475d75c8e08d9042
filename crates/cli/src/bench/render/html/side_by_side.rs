//! Picture 1: every encoding in a row, every measure in a panel.

use maud::{Markup, html};

use super::panel::Frame;
use super::pick::Side;
use super::{bars, ranges};
use crate::bench::report::Report;
use crate::render::html::svg::{self, Caption, Width};
use crate::unit;

/// The picture in both widths; `None` when nothing moved.
pub(super) fn render(report: &Report) -> Option<Markup> {
    let has_moved = report.encodings.iter().flat_map(|result| &result.runs).any(|run| {
        Side::ALL.iter().filter_map(|side| side.role(run)).any(|role| role.messages > 0)
    });
    if !has_moved {
        return None;
    }
    let description = description(report);
    let caption = Caption {
        id: "side-by-side",
        title: "Throughput, ratio, CPU time and latency of every encoding",
        description: &description,
    };
    Some(html! {
        @for width in Width::ALL { (draw(report, caption, width)) }
    })
}

/// What one panel shows.
type Panel = Box<dyn Fn(Frame<'_>) -> Option<Markup>>;

fn panels(report: &Report) -> Vec<Panel> {
    let sides: Vec<Side> = Side::ALL.into_iter().filter(|side| side.is_in(report)).collect();
    let rates = sides
        .iter()
        .map(|&side| -> Panel { Box::new(move |frame| Some(bars::throughput(frame, side))) });
    let latencies =
        sides.iter().map(|&side| -> Panel { Box::new(move |frame| ranges::latency(frame, side)) });
    let rest: [Panel; 2] = [Box::new(|frame| Some(bars::ratio(frame))), Box::new(bars::cpu)];
    rates.chain(latencies).chain(rest).collect()
}

fn draw(report: &Report, caption: Caption<'_>, width: Width) -> Markup {
    let columns = width.pick(2, 1);
    let room = (width.pixels() - GAP * f64::from(columns - 1)) / f64::from(columns);
    let height = Frame::height(report.encodings.len());
    let mut drawn = Vec::new();
    let (mut column, mut top) = (0, 0.0);
    for panel in panels(report) {
        let left = f64::from(column) * (room + GAP);
        let Some(markup) = panel(Frame::new(report, width, left, room, top)) else { continue };
        drawn.push(markup);
        column = (column + 1) % columns;
        if column == 0 {
            top += height;
        }
    }
    let bottom = if column == 0 { top } else { top + height };
    let content = html! { @for panel in &drawn { (panel) } };
    svg::picture(caption, width, bottom, &content)
}

/// The picture in sentences.
fn description(report: &Report) -> String {
    let rows = report.encodings.iter().map(|result| {
        let rates: Vec<String> = Side::ALL
            .into_iter()
            .filter_map(|side| {
                let rate = side.summary(&result.summary)?.mb_per_second?;
                Some(format!("{} {} MB/s", side.actors(report), unit::three_digits(rate)))
            })
            .collect();
        let ratio = result.summary.ratio.map(|ratio| format!(", ratio {ratio:.2}"));
        format!("{}: {}{}", result.level, rates.join(", "), ratio.unwrap_or_default())
    });
    format!("{}. All numbers are in the tables.", rows.collect::<Vec<_>>().join("; "))
}

/// Between columns.
const GAP: f64 = 24.0;
