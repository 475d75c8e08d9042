//! One of the two panels of picture 2: its lines, the bare link, and where they meet.

use maud::{Markup, html};

use super::label::{Places, Rect, segments};
use super::scale::Scale;
use super::series::Look;
use super::svg::{Area, Width, polyline, px};
use super::throughput::Line;
use crate::report::Report;
use crate::unit;

/// What the panel shows upwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    /// MB/s of payload.
    Rate,
    /// The same divided by what the bare link moves.
    Times,
}

/// Where things lie.
#[derive(Debug)]
pub(super) struct Panel<'a> {
    pub(super) report: &'a Report,
    pub(super) width: Width,
    pub(super) area: Area,
    pub(super) x: Scale,
    pub(super) y: Scale,
    pub(super) measure: Measure,
}

/// The points of a candidate's line.
struct Course {
    /// While compression pays; empty if it never does here.
    pays: Vec<(f64, f64)>,
    /// Beyond.
    lost: Vec<(f64, f64)>,
}

impl Panel<'_> {
    /// The place of a rate on a link.
    fn place(&self, link: f64, rate: f64) -> (f64, f64) {
        let value = match self.measure {
            Measure::Rate => rate,
            Measure::Times => rate / uncompressed(link),
        };
        (self.x.at(link), self.y.at(value))
    }

    /// The link that was asked for.
    pub(super) fn link(&self) -> Markup {
        let link = self.report.settings.link_bits_per_second;
        let (x, top, bottom) = (self.x.at(link), self.area.top, self.area.bottom);
        let whose = if self.report.settings.link_is_default { "default" } else { "your" };
        let text = format!("{whose} link: {}", unit::bit_rate(link));
        let half = self.width.text_width(&text) / 2.0;
        let middle = x.clamp(half, (self.width.pixels() - half).max(half));
        html! {
            g class="link" {
                line x1=(px(x)) x2=(px(x)) y1=(px(top)) y2=(px(bottom)) {}
                @if self.measure == Measure::Rate {
                    text x=(px(middle)) y=(px(top - 6.0)) text-anchor="middle" { (text) }
                }
            }
        }
    }

    /// Sending uncompressed, as far as it lies inside.
    pub(super) fn uncompressed(&self) -> Markup {
        let (slow, fast) = self.x.domain();
        let end = match self.measure {
            Measure::Rate => fast.min(self.y.domain().1 * BITS_PER_MB),
            Measure::Times => fast,
        };
        let [from, to] = [slow, end].map(|link| self.place(link, uncompressed(link)));
        let slope = (to.1 - from.1).atan2(to.0 - from.0).to_degrees();
        let share = 0.04;
        let (x, y) = (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1) + 17.0);
        let turn = format!("rotate({} {} {})", px(slope), px(x), px(y));
        html! {
            path class="raw" d=(polyline(&[from, to])) {}
            text class="raw-name" x=(px(x)) y=(px(y)) transform=(turn) { "uncompressed" }
        }
    }

    /// A candidate: a full line while it pays, dashes beyond.
    pub(super) fn line(&self, line: &Line<'_>) -> Markup {
        let Course { pays, lost } = self.course(line);
        html! {
            g class=(line.class("line")) {
                title { (line.summary()) }
                @if !lost.is_empty() { path class="beyond" d=(polyline(&lost)) {} }
                @if !pays.is_empty() { path class="within" d=(polyline(&pays)) {} }
                path class="reach" d=(polyline(&[pays, lost].concat())) {}
            }
        }
    }

    fn course(&self, line: &Line<'_>) -> Course {
        let (slow, fast) = self.x.domain();
        let ratio = line.candidate.total.ratio.max(1.0);
        let end = match self.measure {
            Measure::Rate => fast,
            // Where it falls through the floor.
            Measure::Times => fast.min(line.most * BITS_PER_MB / self.y.domain().0).max(slow),
        };
        let knee = (line.most * BITS_PER_MB / ratio).clamp(slow, end);
        let crossing = line.pays_below.unwrap_or(slow).clamp(slow, end);
        let points = |links: &[f64]| -> Vec<(f64, f64)> {
            links.iter().map(|&link| self.place(link, line.rate(link))).collect()
        };
        let pays: &[f64] =
            if crossing > slow { &[slow, knee.min(crossing), crossing] } else { &[] };
        let lost: &[f64] = if end > crossing { &[crossing, knee.max(crossing), end] } else { &[] };
        Course { pays: points(pays), lost: points(lost) }
    }

    /// Where compression stops paying; with their speeds where the lines lie apart.
    pub(super) fn crossings(&self, lines: &[Line<'_>]) -> Markup {
        let (slow, fast) = self.x.domain();
        let mut shown: Vec<(&Line<'_>, f64)> = lines
            .iter()
            .filter(|line| line.is_best)
            .filter_map(|line| Some((line, line.pays_below?)))
            .filter(|(_, link)| *link > slow && *link < fast)
            .collect();
        shown.sort_by(|a, b| b.1.total_cmp(&a.1));
        let dots = shown.iter().map(|(_, link)| self.place(*link, uncompressed(*link)));
        let mut places = self.places(dots.map(|dot| Rect::around(dot, 6.0)).collect(), lines);
        let last = self.report.advice.pays_up_to.as_ref().map(|pays| pays.level.as_str());
        html! {
            @for (line, link) in shown {
                @let dot = self.place(link, uncompressed(link));
                @let is_last = last == Some(line.candidate.level.as_str());
                @let speed = unit::bit_rate(link);
                @let (is_named, text) = match self.measure {
                    Measure::Rate => (is_last, format!("pays up to {speed}")),
                    Measure::Times => (true, speed),
                };
                @let label = if is_named { places.place(dot, &text) } else { None };
                g class=(line.class("crossing")) {
                    title { (line.candidate.level) " pays below " (unit::bit_rate(link)) }
                    @if let Some(leader) = label.and_then(|label| label.leader) {
                        path class="leader" d=(polyline(&leader)) {}
                    }
                    circle cx=(px(dot.0)) cy=(px(dot.1)) r="4.5" {}
                    @if let Some(label) = label {
                        text class="label" x=(px(label.text.0)) y=(px(label.text.1)) { (text) }
                    }
                }
            }
        }
    }

    /// Room for labels: not on the marks or the other texts, better not on the lines.
    fn places(&self, mut taken: Vec<Rect>, lines: &[Line<'_>]) -> Places {
        let (slow, fast) = self.x.domain();
        let link = self.report.settings.link_bits_per_second;
        let raw = [slow, fast].map(|link| self.place(link, uncompressed(link)));
        let asked = [(self.x.at(link), self.area.top), (self.x.at(link), self.area.bottom)];
        let name = self.width.text_width("uncompressed") + 20.0;
        let (left, top) = self.place(slow, uncompressed(slow));
        taken.push(Rect { left, right: left + name, top, bottom: top + 24.0 });
        let best = lines.iter().filter(|line| line.is_best);
        let courses = best.flat_map(|line| segments(&self.course(line).pays));
        let avoided = courses.chain([raw, asked]).collect();
        Places::new(self.area, self.width, taken, avoided)
    }

    /// The advised one on the link that was asked for.
    pub(super) fn answer(&self, lines: &[Line<'_>]) -> Markup {
        let link = self.report.settings.link_bits_per_second;
        let advised = self.report.advice.fastest.as_ref();
        let line = lines.iter().find(|line| Some(&line.candidate.level) == advised);
        html! {
            @if let Some(line) = line {
                @let (x, y) = self.place(link, line.rate(link));
                g class=(line.class("mark")) {
                    title {
                        (line.candidate.level) " on your link: "
                        (unit::three_digits(line.rate(link))) " MB/s of payload"
                    }
                    circle class="ring" cx=(px(x)) cy=(px(y)) r="11" {}
                    (Look::of(&line.candidate.encoding).mark(x, y))
                }
            }
        }
    }
}

/// MB/s that a link moves.
pub(super) fn uncompressed(link_bits_per_second: f64) -> f64 {
    link_bits_per_second / BITS_PER_MB
}

const BITS_PER_MB: f64 = 8e6;
