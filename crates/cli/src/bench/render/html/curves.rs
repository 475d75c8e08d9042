//! Pictures 2: latency by the number of nines, one picture for each role.

use maud::{Markup, html};

use super::pick::Side;
use super::ranges::{in_words, ms, scale, whole_name};
use crate::bench::render::cells;
use crate::bench::report::{EncodingResult, Latency, Report, RoleSummary};
use crate::render::html::label::spread;
use crate::render::html::scale::Scale;
use crate::render::html::series::Look;
use crate::render::html::svg::{self, Area, Caption, Width, polyline, px};
use crate::unit;

/// A curve: nines against ns.
struct Curve<'a> {
    result: &'a EncodingResult,
    latency: &'a Latency,
    points: Vec<(f64, u64)>,
}

/// A picture in both widths for each role that was timed.
pub(super) fn render(report: &Report) -> Vec<Markup> {
    Side::ALL.into_iter().filter_map(|side| picture(report, side)).collect()
}

fn picture(report: &Report, side: Side) -> Option<Markup> {
    let curves: Vec<Curve<'_>> = report
        .encodings
        .iter()
        .filter_map(|result| Curve::of(result, side.summary(&result.summary)?))
        .collect();
    let of = curves.first()?.latency.of;
    let actors = side.actors(report);
    let title = format!("{actors}: latency of {}", whole_name(of));
    let short = format!("{actors}: {} latency", cells::what(of));
    let description = description(&curves);
    let id = match side {
        Side::Sending => "curves-sending",
        Side::Receiving => "curves-receiving",
    };
    let caption = Caption { id, title: &title, description: &description };
    Some(
        html! { @for width in Width::ALL { (draw(&curves, caption, width.pick(&title, &short), width)) } },
    )
}

impl<'a> Curve<'a> {
    /// `None` where there are too few samples for a curve.
    fn of(result: &'a EncodingResult, role: &'a RoleSummary) -> Option<Self> {
        let latency = &role.latency;
        if latency.samples < LEAST_SAMPLES {
            return None;
        }
        // The longest of a thousand samples stands at three nines: nothing is known beyond.
        let end = (latency.samples as f64).log10();
        let inside = role.curve.iter().map(|point| (nines(point.percentile), point.ns));
        let mut points: Vec<(f64, u64)> = inside.filter(|(nines, _)| *nines < end).collect();
        points.push((end, latency.max_ns?));
        Some(Self { result, latency, points })
    }

    fn end(&self) -> (f64, u64) {
        self.points.last().copied().unwrap_or_default()
    }
}

fn draw(curves: &[Curve<'_>], caption: Caption<'_>, title: &str, width: Width) -> Markup {
    let names = curves.iter().map(|curve| width.text_width(&curve.result.level));
    let names = names.fold(0.0, f64::max).min(MOST_NAME) + 20.0;
    let area = Area {
        left: width.pick(58.0, 52.0),
        right: width.pixels() - names,
        top: 58.0,
        bottom: width.pick(370.0, 330.0),
    };
    let most_nines = curves.iter().map(|curve| curve.end().0).fold(1.0, f64::max);
    let all = || curves.iter().flat_map(|curve| &curve.points).map(|(_, ns)| *ns);
    let range = (all().min().unwrap_or(1), all().max().unwrap_or(1));
    let x = Scale::linear((0.0, most_nines), (area.left, area.right));
    let y = scale(range, (area.bottom, area.top));
    let content = html! {
        text class="title" x="0" y="14" { (title) }
        (svg::x_axis(area, &x, &ticks(&x, width), width.pick(
            "share of samples that take at most so long →",
            "share that takes at most so long →",
        )))
        (svg::y_axis(area, &y, &svg::plain_ticks(&y, 7), "↑ ms (log scale)"))
        @for curve in curves { (line(curve, &x, &y)) }
        (labels(curves, &x, &y, area, width))
    };
    svg::picture(caption, width, area.bottom + 46.0, &content)
}

fn line(curve: &Curve<'_>, x: &Scale, y: &Scale) -> Markup {
    let places: Vec<(f64, f64)> =
        curve.points.iter().map(|&(nines, ns)| (x.at(nines), y.at(ms(ns)))).collect();
    let look = Look::of(&curve.result.encoding);
    let dashes = if look.is_second() { " dashed" } else { "" };
    let (end_x, end_y) = places.last().copied().unwrap_or_default();
    html! {
        g class=(format!("curve {}{dashes}", look.class)) {
            title { (in_words(&curve.result.level, curve.latency)) }
            path class="course-line" d=(polyline(&places)) {}
            path class="reach" d=(polyline(&places)) {}
            (look.mark(end_x, end_y))
        }
    }
}

/// Names at the right, moved apart, each with a line to the end of its curve.
fn labels(curves: &[Curve<'_>], x: &Scale, y: &Scale, area: Area, width: Width) -> Markup {
    let ends: Vec<(f64, f64)> = curves
        .iter()
        .map(|curve| {
            let (nines, ns) = curve.end();
            (x.at(nines), y.at(ms(ns)))
        })
        .collect();
    let heights: Vec<f64> = ends.iter().map(|(_, y)| *y).collect();
    let gap = width.line();
    let places = spread(&heights, gap, (area.top, area.bottom));
    let named = curves.iter().zip(&ends).zip(&places);
    // More names than there is room for would reach out of the picture.
    let named = named.filter(|(_, y)| **y >= area.top - gap);
    html! {
        @for ((curve, end), y) in named {
            @let leader = [(end.0 + 6.0, end.1), (area.right + 3.0, *y), (area.right + 8.0, *y)];
            g class=(Look::of(&curve.result.encoding).class) {
                path class="leader" d=(polyline(&leader)) {}
                text class="label" x=(px(area.right + 12.0)) y=(px(y + 4.0)) { (curve.result.level) }
            }
        }
    }
}

/// 90 % is one nine, 99 % two.
fn nines(percentile: f64) -> f64 {
    -(1.0 - percentile / 100.0).log10()
}

/// As many as there are nines, and the half; those that there is room for.
fn ticks(x: &Scale, width: Width) -> Vec<(f64, String)> {
    let all = ["90 %", "99 %", "99.9 %", "99.99 %", "99.999 %", "99.9999 %", "99.99999 %"];
    let whole = all.iter().zip(1_u8..).map(|(name, nines)| (f64::from(nines), *name));
    let mut ticks: Vec<(f64, String)> = Vec::new();
    let mut end = f64::NEG_INFINITY;
    for (nines, name) in std::iter::once((nines(50.0), "50 %")).chain(whole) {
        let half = width.text_width(name) / 2.0 + 3.0;
        if nines <= x.domain().1 && x.at(nines) - half > end {
            end = x.at(nines) + half;
            ticks.push((nines, name.to_owned()));
        }
    }
    ticks
}

/// The picture in sentences.
fn description(curves: &[Curve<'_>]) -> String {
    let of_one = |curve: &Curve<'_>| {
        let parts = [("half", curve.latency.p50_ns), ("p99", curve.latency.p99_ns)];
        let parts = parts.iter().filter_map(|(name, ns)| Some((name, (*ns)?)));
        let parts = parts.map(|(name, ns)| format!("{name} {} ms", unit::three_digits(ms(ns))));
        let most = unit::three_digits(ms(curve.end().1));
        let parts: Vec<String> = parts.chain([format!("at most {most} ms")]).collect();
        format!("{}: {}", curve.result.level, parts.join(", "))
    };
    format!("{}.", curves.iter().map(of_one).collect::<Vec<_>>().join("; "))
}

/// One nine needs ten.
const LEAST_SAMPLES: u64 = 10;

/// Longer names are cut off by the picture's border.
const MOST_NAME: f64 = 150.0;
