//! Picture 1: ratio against speed, with the candidates that no other one beats in both.

use maud::{Markup, html};

use super::label::{Place, Places, Rect};
use super::scale::Scale;
use super::series::Look;
use super::svg::{self, Area, Caption, Width, polyline, px};
use crate::report::{Candidate, Report};
use crate::unit;

/// A candidate with a place in the picture.
#[derive(Debug, Clone, Copy)]
struct Point<'a> {
    candidate: &'a Candidate,
    encode: f64,
    at: (f64, f64),
    is_advised: bool,
    is_best: bool,
}

/// The picture in both widths; `None` when no candidate has both numbers.
pub(super) fn render(report: &Report) -> Option<Markup> {
    let best: Vec<&str> = front(report).iter().map(|best| best.level.as_str()).collect();
    if best.is_empty() {
        return None;
    }
    let description = format!(
        "One mark per encoding and level: to the right it encodes faster, further up it sends \
         fewer bytes. No other candidate is both faster and denser than: {}. All numbers are in \
         the table.",
        best.join(", ")
    );
    let caption =
        Caption { id: "tradeoff", title: "Ratio against encode speed", description: &description };
    Some(html! {
        @for width in Width::ALL { (draw(report, caption, width)) }
    })
}

/// The compressing candidates whose encode speed is known.
fn compressing(report: &Report) -> impl Iterator<Item = (&Candidate, f64)> {
    let known = report.candidates.iter().skip(1).filter_map(|candidate| {
        let rate = candidate.total.encode.mb_per_second?;
        Some((candidate, rate))
    });
    known.filter(|(candidate, rate)| rate.is_finite() && candidate.total.ratio.is_finite())
}

/// The Pareto front, fastest first: whoever comes later is slower and denser.
fn front(report: &Report) -> Vec<&Candidate> {
    let mut by_speed: Vec<(&Candidate, f64)> = compressing(report).collect();
    by_speed.sort_by(|(a, fast), (b, slow)| {
        slow.total_cmp(fast).then(b.total.ratio.total_cmp(&a.total.ratio))
    });
    let mut front: Vec<&Candidate> = Vec::new();
    for (candidate, _) in by_speed {
        if front.last().is_none_or(|last| candidate.total.ratio > last.total.ratio) {
            front.push(candidate);
        }
    }
    front
}

fn draw(report: &Report, caption: Caption<'_>, width: Width) -> Markup {
    let height = width.pick(440.0, 400.0);
    let area = Area {
        left: width.pick(44.0, 34.0),
        right: width.pixels() - 12.0,
        top: 34.0,
        bottom: height - 46.0,
    };
    let (x, y) = scales(report, area);
    let points = points(report, &x, &y);
    let by_speed = front(report);
    let stairs = stairs(&by_speed, &points, area);
    let families = families(&points);
    let obstacles = [segments(&stairs), families.iter().flat_map(|(_, family)| segments(family)).collect()].concat();
    let labels = labels(&points, obstacles, area, width);
    let uncompressed = y.at(1.0);
    let floor = format!("{}L{},{}Z", polyline(&stairs), px(area.left), px(area.bottom));
    let content = html! {
        path class="front-area" d=(floor) {}
        (svg::x_axis(area, &x, &svg::plain_ticks(&x, width.pick(9, 5)), width.pick("encode speed, MB/s of payload on one core (log scale) →", "encode MB/s on one core (log scale) →")))
        (svg::y_axis(area, &y, &svg::plain_ticks(&y, 7), "↑ ratio, payload bytes / bytes sent"))
        path class="front" d=(polyline(&stairs)) {}
        line class="raw" x1=(px(area.left)) x2=(px(area.right)) y1=(px(uncompressed)) y2=(px(uncompressed)) {}
        text class="raw-name" x=(px(area.right - 4.0)) y=(px(uncompressed - 5.0)) text-anchor="end" {
            (width.pick("identity: uncompressed, ratio 1", "identity: ratio 1"))
        }
        @for (class, family) in &families { path class=(format!("levels {class}")) d=(polyline(family)) {} }
        @for (point, label) in points.iter().zip(&labels) {
            (mark(point, *label))
        }
    };
    svg::picture(caption, width, height, &content)
}

fn scales(report: &Report, area: Area) -> (Scale, Scale) {
    let (slowest, fastest) = extent(compressing(report).map(|(_, rate)| rate));
    let (_, densest) = extent(compressing(report).map(|(candidate, _)| candidate.total.ratio));
    let x = Scale::log((slowest / 1.5, fastest * 1.5), (area.left, area.right));
    let range = (area.bottom, area.top);
    let y = if densest > RATIO_FOR_LOG {
        Scale::log((0.85, densest * 1.3), range)
    } else {
        let spare = 0.09 * (densest - 1.0).max(0.1);
        Scale::linear((1.0 - spare, densest + spare), range)
    };
    (x, y)
}

fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

/// In the order of the report.
fn points<'a>(report: &'a Report, x: &Scale, y: &Scale) -> Vec<Point<'a>> {
    let front = front(report);
    compressing(report)
        .map(|(candidate, encode)| Point {
            candidate,
            encode,
            at: (x.at(encode), y.at(candidate.total.ratio)),
            is_advised: report.advice.fastest.as_ref() == Some(&candidate.level),
            is_best: front.iter().any(|best| best.level == candidate.level),
        })
        .collect()
}

/// From the fastest to the densest: nothing lies above or to the right.
fn stairs(front: &[&Candidate], points: &[Point<'_>], area: Area) -> Vec<(f64, f64)> {
    let mut corners = Vec::new();
    let mut last_y = area.bottom;
    let places = front.iter().filter_map(|best| {
        points.iter().find(|point| point.candidate.level == best.level).map(|point| point.at)
    });
    for (x, y) in places {
        corners.extend([(x, last_y), (x, y)]);
        last_y = y;
    }
    corners.push((area.left, last_y));
    corners
}

/// The levels of one encoding as a line, fastest first.
fn families(points: &[Point<'_>]) -> Vec<(&'static str, Vec<(f64, f64)>)> {
    let mut families: Vec<(&str, &'static str, Vec<(f64, f64)>)> = Vec::new();
    for point in points {
        let encoding = point.candidate.encoding.as_str();
        match families.iter_mut().find(|(name, ..)| *name == encoding) {
            Some((.., family)) => family.push(point.at),
            None => families.push((encoding, Look::of(encoding).class, vec![point.at])),
        }
    }
    let mut lines: Vec<_> =
        families.into_iter().map(|(_, class, family)| (class, family)).collect();
    lines.retain(|(_, family)| family.len() > 1);
    for (_, family) in &mut lines {
        family.sort_by(|a, b| b.0.total_cmp(&a.0));
    }
    lines
}

/// The important ones choose their places first.
fn labels(
    points: &[Point<'_>],
    obstacles: Vec<[(f64, f64); 2]>,
    area: Area,
    width: Width,
) -> Vec<Option<Place>> {
    let reach = |point: &Point<'_>| if point.is_advised { 12.0 } else { 7.0 };
    let taken = points.iter().map(|point| Rect::around(point.at, reach(point))).collect();
    let inner = Area { bottom: area.bottom - 2.0, ..area };
    let mut places = Places::new(inner, width, taken, obstacles);
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|index| points.get(*index).map(|point| (!point.is_advised, !point.is_best)));
    let mut labels = vec![None; points.len()];
    for index in order {
        if let (Some(point), Some(label)) = (points.get(index), labels.get_mut(index)) {
            *label = places.place(point.at, &point.candidate.level);
        }
    }
    labels
}

fn segments(line: &[(f64, f64)]) -> Vec<[(f64, f64); 2]> {
    line.windows(2).filter_map(|pair| Some([*pair.first()?, *pair.last()?])).collect()
}

fn mark(point: &Point<'_>, label: Option<Place>) -> Markup {
    let Point { candidate, encode, at: (x, y), is_advised, is_best } = *point;
    let look = Look::of(&candidate.encoding);
    let row = &candidate.total;
    let decode = row
        .decode
        .mb_per_second
        .map_or("not measured".to_owned(), |rate| format!("{} MB/s", unit::three_digits(rate)));
    let weight = if is_advised || is_best { "best" } else { "other" };
    html! {
        g class=(format!("mark {} {weight}", look.class)) {
            title {
                (candidate.level) ": ratio " (format!("{:.2}", row.ratio)) ", encode "
                (unit::three_digits(encode)) " MB/s, decode " (decode) ", "
                (unit::percent(row.paying_share)) " of messages pay"
            }
            @if let Some(Place { leader: Some(leader), .. }) = label {
                path class="leader" d=(polyline(&leader)) {}
            }
            @if is_advised { circle class="ring" cx=(px(x)) cy=(px(y)) r="11" {} }
            (look.mark(x, y))
            circle class="reach" cx=(px(x)) cy=(px(y)) r="12" {}
            @if let Some(Place { text: (x, y), .. }) = label {
                text class="label" x=(px(x)) y=(px(y)) { (candidate.level) }
            }
        }
    }
}

/// A ratio beyond which a linear scale would press all others against its floor.
const RATIO_FOR_LOG: f64 = 12.0;
