//! Picture 1: ratio against speed, with the candidates that no other one beats in both.

use maud::{Markup, html};

use super::label::{Place, Places, Rect, segments};
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

/// The levels of one encoding.
#[derive(Debug)]
struct Family {
    look: Look,
    points: Vec<(f64, f64)>,
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
    let mut obstacles = segments(&stairs);
    obstacles.extend(families.iter().flat_map(|family| segments(&family.points)));
    let uncompressed = y.at(1.0);
    let name = width.pick("identity: uncompressed, ratio 1", "identity: ratio 1");
    let mut taken = vec![Rect {
        left: area.right - width.text_width(name),
        right: area.right,
        top: uncompressed - 5.0 - width.line(),
        bottom: uncompressed,
    }];
    let reach = |point: &Point<'_>| if point.is_advised { 12.0 } else { 7.0 };
    taken.extend(points.iter().map(|point| Rect::around(point.at, reach(point))));
    let places = Places::new(Area { bottom: area.bottom - 2.0, ..area }, width, taken, obstacles);
    let labels = labels(&points, places);
    let floor = format!("{}L{},{}Z", polyline(&stairs), px(area.left), px(area.bottom));
    let content = html! {
        path class="front-area" d=(floor) {}
        (svg::x_axis(area, &x, &svg::plain_ticks(&x, width.pick(9, 5)), width.pick(
            "encode speed, MB/s of payload on one core (log scale) →",
            "encode MB/s on one core (log scale) →",
        )))
        (svg::y_axis(area, &y, &svg::plain_ticks(&y, 7), "↑ ratio, payload bytes / bytes sent"))
        path class="front" d=(polyline(&stairs)) {}
        path class="floor" d=(polyline(&[(area.left, uncompressed), (area.right, uncompressed)])) {}
        text class="raw-name" x=(px(area.right - 4.0)) y=(px(uncompressed - 5.0)) text-anchor="end" {
            (name)
        }
        @for Family { look, points } in &families {
            path class=(format!("levels {}", look.class)) d=(polyline(points)) {}
        }
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
        let densest = densest.max(1.5);
        let spare = 0.09 * (densest - 1.0);
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
fn families(points: &[Point<'_>]) -> Vec<Family> {
    let mut families: Vec<Family> = Vec::new();
    for point in points {
        let look = Look::of(&point.candidate.encoding);
        match families.iter_mut().find(|family| family.look == look) {
            Some(family) => family.points.push(point.at),
            None => families.push(Family { look, points: vec![point.at] }),
        }
    }
    families.retain(|family| family.points.len() > 1);
    for family in &mut families {
        family.points.sort_by(|a, b| b.0.total_cmp(&a.0));
    }
    families
}

/// The important ones choose their places first.
fn labels(points: &[Point<'_>], mut places: Places) -> Vec<Option<Place>> {
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
