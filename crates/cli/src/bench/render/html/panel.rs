//! The frame of one measure side by side: a row for each encoding, a scale, a title.

use maud::{Markup, html};

use super::pick;
use crate::bench::report::{EncodingResult, Report};
use crate::render::html::scale::Scale;
use crate::render::html::series::Look;
use crate::render::html::svg::{self, Area, Width, polyline, px};

/// A place for one measure.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    pub(super) report: &'a Report,
    pub(super) width: Width,
    pub(super) area: Area,
    pub(super) title: String,
    /// Below the axis.
    pub(super) unit: &'static str,
}

impl<'a> Frame<'a> {
    /// Within a column that begins at `left`, with room for names on its left and for values on
    /// its right.
    pub(super) fn new(report: &'a Report, width: Width, left: f64, room: f64, top: f64) -> Self {
        let names = width.text_width(pick::longest_level(report)).min(MAX_NAMES) + NAME_GAP;
        let area = Area {
            left: left + names,
            right: left + room - width.text_width(WIDEST_VALUE),
            top: top + ABOVE,
            bottom: top + ABOVE + ROW * report.encodings.len() as f64,
        };
        Self { report, width, area, title: String::new(), unit: "" }
    }

    /// The same without room for values.
    pub(super) fn without_values(mut self) -> Self {
        self.area.right += self.width.text_width(WIDEST_VALUE) - MARGIN;
        self
    }

    /// Height of a frame with this many rows.
    pub(super) fn height(rows: usize) -> f64 {
        ABOVE + ROW * rows as f64 + BELOW
    }

    /// Middle of an encoding's row.
    pub(super) fn y(&self, index: usize) -> f64 {
        self.area.top + ROW * (index as f64 + 0.5)
    }

    /// Names, axis and title around what is drawn for each encoding.
    pub(super) fn draw(
        &self,
        x: &Scale,
        row: impl Fn(&EncodingResult, f64) -> Option<Markup>,
    ) -> Markup {
        let Area { left, top, bottom, .. } = self.area;
        let ticks = svg::plain_ticks(x, self.width.pick(5, 4));
        let name = format!("{} →", self.unit);
        html! {
            text class="title" x=(px(left)) y=(px(top - 12.0)) { (self.title) }
            (svg::x_axis(self.area, x, &ticks, &name))
            path class="base" d=(polyline(&[(left, top), (left, bottom)])) {}
            @for (index, result) in self.report.encodings.iter().enumerate() {
                @let y = self.y(index);
                @let look = Look::of(&result.encoding);
                g class=(format!("row {}", look.class)) {
                    (look.mark(left - 12.0, y))
                    text class="label" x=(px(left - 22.0)) y=(px(y + 4.5)) text-anchor="end" {
                        (result.level)
                    }
                    @match row(result, y) {
                        Some(drawn) => (drawn),
                        None => text class="none" x=(px(left + 8.0)) y=(px(y + 4.5)) { "not measured" }
                    }
                }
            }
        }
    }
}

/// Of a row.
const ROW: f64 = 26.0;

/// Room for the title.
const ABOVE: f64 = 38.0;

/// Room for the axis.
const BELOW: f64 = 62.0;

/// Between the names and the data, where the marks stand.
const NAME_GAP: f64 = 24.0;

/// Names that are longer lose their beginning.
const MAX_NAMES: f64 = 150.0;

/// A value beside its bar.
const WIDEST_VALUE: &str = " 12345 ×12.34";

/// For the half of a tick's text.
const MARGIN: f64 = 16.0;
