//! How an encoding looks: relatives share a colour and a shape, one of them hollow.

use maud::{Markup, html};

use super::svg::px;

/// Colour, by the name of its CSS class, and the mark's shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    /// CSS class; the style sheet gives it one colour for light and one for dark.
    pub(crate) class: &'static str,
    shape: Shape,
    is_hollow: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Circle,
    Square,
    Triangle,
    Diamond,
}

impl Look {
    /// The look of an encoding, by its token.
    pub(crate) fn of(encoding: &str) -> Self {
        let (class, shape, is_hollow) = match encoding {
            "zstd" => ("c1", Shape::Circle, false),
            "lz4" => ("c2", Shape::Diamond, false),
            "snappy-block" => ("c3", Shape::Square, false),
            "snappy" => ("c3", Shape::Square, true),
            "gzip" => ("c4", Shape::Triangle, false),
            "deflate" => ("c4", Shape::Triangle, true),
            _ => (NONE, Shape::Circle, true),
        };
        Self { class, shape, is_hollow }
    }

    /// Whether it is the second of two relatives, so that its lines have to be told from those of
    /// the first.
    pub(crate) fn is_second(self) -> bool {
        self.is_hollow && self.class != NONE
    }

    /// The mark, centred; all shapes look about equally large.
    pub(crate) fn mark(self, x: f64, y: f64) -> Markup {
        let fill = if self.is_hollow { "hollow" } else { "solid" };
        let points = |corners: &[(f64, f64)]| -> String {
            let corners = corners.iter().map(|(dx, dy)| format!("{},{}", px(x + dx), px(y + dy)));
            corners.collect::<Vec<_>>().join(" ")
        };
        html! {
            @match self.shape {
                Shape::Circle => circle class=(fill) cx=(px(x)) cy=(px(y)) r="5" {},
                Shape::Square => polygon class=(fill) points=(points(&SQUARE)) {},
                Shape::Triangle => polygon class=(fill) points=(points(&TRIANGLE)) {},
                Shape::Diamond => polygon class=(fill) points=(points(&DIAMOND)) {},
            }
        }
    }
}

/// The class of what does not compress.
const NONE: &str = "c0";

const SQUARE: [(f64, f64); 4] = [(-4.5, -4.5), (4.5, -4.5), (4.5, 4.5), (-4.5, 4.5)];

const TRIANGLE: [(f64, f64); 3] = [(0.0, -6.0), (5.6, 4.2), (-5.6, 4.2)];

const DIAMOND: [(f64, f64); 4] = [(0.0, -6.4), (6.4, 0.0), (0.0, 6.4), (-6.4, 0.0)];
