//! Picture 2: how much payload gets through, from slow links to fast ones.
//!
//! Twice over the same axis: in MB/s, and as a multiple of what the bare link moves. The first is
//! what one expects; the second shows the differences that powers of ten hide.

use maud::{Markup, html};

use super::label::spread;
use super::links::{self, Stretch};
use super::panel::{Measure, Panel, uncompressed};
use super::ribbon;
use super::scale::Scale;
use super::series::Look;
use super::svg::{self, Area, Caption, Width, polyline, px};
use crate::report::{Candidate, Report};
use crate::unit;

/// A candidate whose speeds are known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) candidate: &'a Candidate,
    /// MB/s of payload that the slower of the two cores manages.
    pub(super) most: f64,
    /// Link speed above which sending uncompressed is faster.
    pub(super) pays_below: Option<f64>,
    /// Whether the advice names it for some link.
    pub(super) is_best: bool,
}

/// The link speeds that are shown: the usual ones, and the one that was asked for.
pub(super) fn speeds(report: &Report) -> (f64, f64) {
    let asked = report.settings.link_bits_per_second;
    (SLOWEST_LINK.min(asked / 3.0), FASTEST_LINK.max(asked * 3.0))
}

/// The picture in both widths; `None` when no candidate's speeds are known.
pub(super) fn render(report: &Report, stretches: &[Stretch]) -> Option<Markup> {
    let lines = lines(report, stretches);
    if lines.is_empty() {
        return None;
    }
    let description = format!(
        "One line per encoding and level: while the link is the limit, payload moves as many \
         times faster as the ratio says; then one core is, and the line is flat. Where \
         a line meets the one of sending uncompressed, compression stops paying. {}",
        links::sentence(stretches)
    );
    let caption = Caption {
        id: "throughput",
        title: "Payload throughput against link speed",
        description: &description,
    };
    Some(html! {
        @for width in Width::ALL { (draw(report, &lines, stretches, caption, width)) }
    })
}

fn lines<'a>(report: &'a Report, stretches: &[Stretch]) -> Vec<Line<'a>> {
    let pairs = report.candidates.iter().zip(&report.advice.options).skip(1);
    let known = pairs.filter_map(|(candidate, option)| {
        let row = &candidate.total;
        let most = row.encode.mb_per_second?.min(row.decode.mb_per_second?);
        let level = Some(&candidate.level);
        let is_best = report.advice.fastest.as_ref() == level
            || stretches.iter().any(|stretch| stretch.level.as_ref() == level);
        let pays_below = option.pays_below_bits_per_second;
        (most.is_finite() && most > 0.0).then_some(Line { candidate, most, pays_below, is_best })
    });
    known.collect()
}

fn draw(
    report: &Report,
    lines: &[Line<'_>],
    stretches: &[Stretch],
    caption: Caption<'_>,
    width: Width,
) -> Markup {
    let left = width.pick(48.0, 36.0);
    let right = width.pixels() - width.pick(124.0, 108.0);
    let upper = Area { left, right, top: 96.0, bottom: width.pick(400.0, 360.0) };
    let top = upper.bottom + 48.0;
    let lower = Area { left, right, top, bottom: top + width.pick(210.0, 180.0) };
    let speeds = speeds(report);
    let x = Scale::log(speeds, (left, right));
    let panel = |area: Area, measure, range| {
        let y = Scale::log(range, (area.bottom, area.top));
        Panel { report, width, area, x, y, measure }
    };
    let rates = panel(upper, Measure::Rate, rates(report, lines, speeds));
    let times = panel(lower, Measure::Times, times(lines));
    let ticks = svg::plain_ticks(&x, 7);
    let (y_ticks, times_ticks) = (svg::plain_ticks(&rates.y, 6), svg::plain_ticks(&times.y, 5));
    // The name of the asked link stands between the axis's name and the panel.
    let above_link = Area { top: upper.top - 18.0, ..upper };
    let content = html! {
        (svg::x_grid(upper, &x, &ticks))
        (svg::x_axis(lower, &x, &ticks, "link speed, bit/s (log scale) →"))
        (svg::y_axis(above_link, &rates.y, &y_ticks, "↑ payload, MB/s (log scale)"))
        (svg::y_axis(lower, &times.y, &times_ticks, "↑ payload, times uncompressed (log scale)"))
        (ribbon::render(stretches, report, [upper, lower], &x, width))
        @for panel in [&rates, &times] {
            (panel.link())
            (panel.uncompressed())
            // The best ones last, on top.
            @for line in lines.iter().filter(|line| !line.is_best) { (panel.line(line)) }
            @for line in lines.iter().filter(|line| line.is_best) { (panel.line(line)) }
            (panel.crossings(lines))
            (panel.answer(lines))
        }
        (names(&rates, lines))
    };
    svg::picture(caption, width, lower.bottom + 46.0, &content)
}

/// From the slowest to the fastest that has to be seen.
fn rates(report: &Report, lines: &[Line<'_>], (slowest, _): (f64, f64)) -> (f64, f64) {
    let link = uncompressed(report.settings.link_bits_per_second);
    let low = lines.iter().map(|line| line.most).fold(uncompressed(slowest), f64::min);
    let high = lines.iter().map(|line| line.most).fold(link, f64::max);
    (low * 0.8, high * 1.8)
}

/// From what is clearly a loss to the highest ratio.
fn times(lines: &[Line<'_>]) -> (f64, f64) {
    let high = lines.iter().map(|line| line.candidate.total.ratio).fold(1.5, f64::max);
    (LEAST_TIMES, high * 1.15)
}

/// Names at the lines' right ends, moved apart.
fn names(panel: &Panel<'_>, lines: &[Line<'_>]) -> Markup {
    let Area { top, bottom, right, .. } = panel.area;
    let gap = panel.width.line();
    let has_room = lines.len() as f64 * gap <= bottom - top;
    let named: Vec<&Line<'_>> = lines.iter().filter(|line| has_room || line.is_best).collect();
    let heights: Vec<f64> = named.iter().map(|line| panel.y.at(line.most)).collect();
    let places = spread(&heights, gap, (top, bottom));
    html! {
        @for ((line, from), to) in named.iter().zip(&heights).zip(&places) {
            @let leader = [(right, *from), (right + 3.0, *from), (right + 12.0, *to)];
            g class=(line.class("line-name")) {
                path class="leader" d=(polyline(&leader)) {}
                text class="label" x=(px(right + 16.0)) y=(px(to + 4.0)) { (line.candidate.level) }
            }
        }
    }
}

impl Line<'_> {
    /// MB/s of payload on a link.
    pub(super) fn rate(&self, link: f64) -> f64 {
        (uncompressed(link) * self.candidate.total.ratio).min(self.most)
    }

    /// CSS classes: what it is, its colour, its weight.
    pub(super) fn class(&self, name: &str) -> String {
        let weight = if self.is_best { "best" } else { "other" };
        format!("{name} {} {weight}", Look::of(&self.candidate.encoding).class)
    }

    /// The line in words.
    pub(super) fn summary(&self) -> String {
        let pays = match self.pays_below {
            Some(link) => format!("pays below {}", unit::bit_rate(link)),
            None => "never pays".to_owned(),
        };
        let Candidate { level, total, .. } = self.candidate;
        let most = unit::three_digits(self.most);
        format!("{level}: ratio {:.2}, at most {most} MB/s per core, {pays}", total.ratio)
    }
}

/// 10 Mbit/s: slower ones ask for the best ratio, whatever it costs.
const SLOWEST_LINK: f64 = 1e7;

/// 100 Gbit/s: hardly a machine has more.
const FASTEST_LINK: f64 = 1e11;

/// Half as fast as without: further down nobody needs to look.
const LEAST_TIMES: f64 = 0.5;
