//! The frame of a picture: its two sizes, its axes, and how numbers and texts get into SVG.
//!
//! Plotters was tried first. It would save the axes, but it writes colours, fonts and sizes into
//! every element and offers no classes, no hover texts and no label placement: light, dark and
//! print would hang on matching colour codes in CSS, and what makes these pictures readable would
//! still be ours to write.

use maud::{Markup, html};

use super::scale::Scale;

/// A picture is drawn twice, and the style sheet shows the one that fits: shrinking a wide picture
/// to a telephone would make its texts unreadable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    Wide,
    Narrow,
}

impl Width {
    pub(crate) const ALL: [Self; 2] = [Self::Wide, Self::Narrow];

    /// One of two values.
    pub(crate) fn pick<T>(self, wide: T, narrow: T) -> T {
        match self {
            Self::Wide => wide,
            Self::Narrow => narrow,
        }
    }

    /// Of the picture, in CSS pixels.
    pub(crate) fn pixels(self) -> f64 {
        self.pick(880.0, 344.0)
    }

    fn class(self) -> &'static str {
        self.pick("wide", "narrow")
    }

    /// Room that a text needs. Fonts differ: this is for a wide one, such as `DejaVu Sans`.
    pub(crate) fn text_width(self, text: &str) -> f64 {
        text.chars().count() as f64 * self.pick(7.9, 7.0)
    }

    /// Height of a line of text.
    pub(crate) fn line(self) -> f64 {
        self.pick(16.0, 14.0)
    }
}

/// The rectangle of the data.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) right: f64,
    pub(crate) top: f64,
    pub(crate) bottom: f64,
}

/// What a picture is called, for those who do not see it too.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Caption<'a> {
    /// Unique on the page.
    pub(crate) id: &'a str,
    pub(crate) title: &'a str,
    /// What there is to see, in sentences.
    pub(crate) description: &'a str,
}

/// An SVG element around what was drawn.
pub(crate) fn picture(caption: Caption<'_>, width: Width, height: f64, content: &Markup) -> Markup {
    let class = width.class();
    let id = |part: &str| format!("{}-{class}-{part}", caption.id);
    html! {
        svg xmlns="http://www.w3.org/2000/svg" class=(class) role="img"
            viewBox=(format!("0 0 {} {}", px(width.pixels()), px(height)))
            aria-labelledby=(format!("{} {}", id("title"), id("desc"))) {
            title id=(id("title")) { (caption.title) }
            desc id=(id("desc")) { (caption.description) }
            (content)
        }
    }
}

/// Upright grid lines.
pub(crate) fn x_grid(area: Area, scale: &Scale, ticks: &[(f64, String)]) -> Markup {
    html! {
        @for (value, _) in ticks {
            @let x = px(scale.at(*value));
            line class="grid" x1=(x) x2=(x) y1=(px(area.top)) y2=(px(area.bottom)) {}
        }
    }
}

/// The lower axis with its grid lines; `name` stands below it.
pub(crate) fn x_axis(area: Area, scale: &Scale, ticks: &[(f64, String)], name: &str) -> Markup {
    let middle = f64::midpoint(area.left, area.right);
    html! {
        (x_grid(area, scale, ticks))
        g class="axis" {
            @for (value, text) in ticks {
                text x=(px(scale.at(*value))) y=(px(area.bottom + 18.0)) text-anchor="middle" { (text) }
            }
            text class="name" x=(px(middle)) y=(px(area.bottom + 38.0)) text-anchor="middle" { (name) }
        }
    }
}

/// The left axis with its grid lines; `name` stands above it, where it can be read.
pub(crate) fn y_axis(area: Area, scale: &Scale, ticks: &[(f64, String)], name: &str) -> Markup {
    html! {
        g class="axis" {
            @for (value, text) in ticks {
                @let y = scale.at(*value);
                line class="grid" x1=(px(area.left)) x2=(px(area.right)) y1=(px(y)) y2=(px(y)) {}
                text x=(px(area.left - 8.0)) y=(px(y + 4.0)) text-anchor="end" { (text) }
            }
            @if !name.is_empty() {
                text class="name" x="0" y=(px(area.top - 14.0)) { (name) }
            }
        }
    }
}

/// Ticks with their values as text.
pub(crate) fn plain_ticks(scale: &Scale, most: usize) -> Vec<(f64, String)> {
    scale.ticks(most).into_iter().map(|tick| (tick, short(tick))).collect()
}

/// A number with its thousands, millions or billions as a letter: `500`, `2k`, `10G`.
pub(crate) fn short(value: f64) -> String {
    let units = [(1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")];
    match units.into_iter().find(|(factor, _)| value >= *factor) {
        Some((factor, letter)) => format!("{}{letter}", value / factor),
        None => value.to_string(),
    }
}

/// A straight line through points, as the data of a path.
pub(crate) fn polyline(points: &[(f64, f64)]) -> String {
    let steps = points.iter().enumerate().map(|(index, (x, y))| {
        format!("{}{},{}", if index == 0 { "M" } else { "L" }, px(*x), px(*y))
    });
    steps.collect::<Vec<_>>().join("")
}

/// A coordinate: a tenth of a pixel is finer than any screen.
pub(crate) fn px(value: f64) -> String {
    let rounded = (value * 10.0).round() / 10.0;
    // -0 and 0 are the same place.
    if rounded == 0.0 { "0".to_owned() } else { rounded.to_string() }
}
