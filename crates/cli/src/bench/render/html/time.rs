//! Pictures 3: throughput and latency of each actor over time, one for each encoding.

use maud::{Markup, html};

use super::pick::{Side, middle_run};
use super::ranges::in_words;
use super::timeline::{Grain, Point};
use crate::bench::report::{Actor, EncodingResult, Report, RoleName, Run};
use crate::render::html::scale::Scale;
use crate::render::html::series::Look;
use crate::render::html::svg::{self, Area, Caption, Width, polyline, px};
use crate::unit;

/// One encoding's picture.
struct Course<'a> {
    result: &'a EncodingResult,
    run: &'a Run,
    grain: Grain,
    lines: Vec<Line<'a>>,
}

/// One actor's line.
struct Line<'a> {
    actor: &'a Actor,
    points: Vec<Point>,
}

/// What all pictures have in common, so that they can be compared.
#[derive(Debug, Clone, Copy)]
struct Bounds {
    seconds: f64,
    mb_per_second: f64,
    least_ms: f64,
    most_ms: f64,
}

/// A picture in both widths for each encoding that moved something.
pub(super) fn render(report: &Report) -> Vec<Markup> {
    let [wide, narrow] = Width::ALL.map(|width| courses(report, width));
    let [wide_bounds, narrow_bounds] = [&wide, &narrow].map(|courses| Bounds::of(courses));
    let pairs = wide.iter().zip(&narrow).enumerate();
    pairs
        .map(|(index, (wide, narrow))| {
            html! {
                (wide.draw(report, index, wide_bounds, Width::Wide))
                (narrow.draw(report, index, narrow_bounds, Width::Narrow))
            }
        })
        .collect()
}

fn courses(report: &Report, width: Width) -> Vec<Course<'_>> {
    let per_batch = report.settings.messages_per_batch;
    let results = report.encodings.iter();
    results
        .filter_map(|result| {
            let run = middle_run(result)?;
            let grain = Grain::of(run, per_batch, width.pick(80, 50));
            let chosen = Side::ALL.into_iter().flat_map(|side| chosen(run, side));
            let lines = chosen.map(|actor| Line { actor, points: grain.points(actor) });
            let lines: Vec<_> = lines.filter(|line| !line.points.is_empty()).collect();
            (!lines.is_empty()).then_some(Course { result, run, grain, lines })
        })
        .collect()
}

/// Of many actors some, from the slowest to the fastest.
fn chosen(run: &Run, side: Side) -> Vec<&Actor> {
    let mut actors: Vec<&Actor> = run.actors.iter().filter(|actor| side.has(actor)).collect();
    if actors.len() <= MOST_LINES {
        return actors;
    }
    actors.sort_by_key(|actor| actor.payload_bytes);
    let last = actors.len() - 1;
    let at = |line: usize| line * last / (MOST_LINES - 1);
    (0..MOST_LINES).filter_map(|line| actors.get(at(line)).copied()).collect()
}

impl Bounds {
    fn of(courses: &[Course<'_>]) -> Self {
        let points = || courses.iter().flat_map(|it| &it.lines).flat_map(|line| &line.points);
        let seconds = courses.iter().map(|it| it.grain.end_ns).max().unwrap_or(0) as f64 / 1e9;
        let means = || points().filter_map(|point| point.mean_ms).filter(|ms| *ms > 0.0);
        Self {
            seconds: seconds.max(1e-6),
            mb_per_second: points().map(|point| point.mb_per_second).fold(1e-3, f64::max),
            least_ms: means().reduce(f64::min).unwrap_or(1.0),
            most_ms: means().reduce(f64::max).unwrap_or(1.0),
        }
    }
}

impl Course<'_> {
    fn draw(&self, report: &Report, index: usize, bounds: Bounds, width: Width) -> Markup {
        let title = format!("{} over time", self.result.level);
        let description = self.description(report);
        let id = format!("time-{index}");
        let caption = Caption { id: &id, title: &title, description: &description };
        let left = width.pick(58.0, 52.0);
        let top = 66.0;
        let height = 108.0;
        let half = width.pixels() / 2.0 - 12.0;
        let rates = Area {
            left,
            right: width.pick(half, width.pixels() - 10.0),
            top,
            bottom: top + height,
        };
        let below = width.pick(0.0, height + 76.0);
        let times = Area {
            left: width.pick(half + 24.0 + left, left),
            right: width.pixels() - 10.0,
            top: top + below,
            bottom: rates.bottom + below,
        };
        let look = Look::of(&self.result.encoding);
        let content = html! {
            g class=(look.class) {
                (look.mark(7.0, 10.0))
                text x="20" y="15" {
                    tspan class="label name-of" { (self.result.level) }
                    tspan class="aside" dx="9" { (self.aside(report, width)) }
                }
                (self.panel(rates, bounds, Measure::Rate, width))
                (self.panel(times, bounds, Measure::Latency, width))
            }
        };
        svg::picture(caption, width, times.bottom + 44.0, &content)
    }

    fn panel(&self, area: Area, bounds: Bounds, measure: Measure, width: Width) -> Markup {
        let x = Scale::linear((0.0, bounds.seconds), (area.left, area.right));
        let range = (area.bottom, area.top);
        let (y, name) = match measure {
            Measure::Rate => {
                (Scale::linear((0.0, bounds.mb_per_second * 1.05), range), "↑ each actor, MB/s")
            }
            Measure::Latency => {
                let (low, high) = (bounds.least_ms / 1.5, bounds.most_ms * 1.5);
                (Scale::log((low, high), range), "↑ mean latency, ms (log scale)")
            }
        };
        let ticks = svg::plain_ticks(&x, width.pick(6, 5));
        html! {
            (svg::x_axis(area, &x, &ticks, "seconds →"))
            (svg::y_axis(area, &y, &svg::plain_ticks(&y, 5), ""))
            text class="name" x=(px(area.left)) y=(px(area.top - 12.0)) { (name) }
            @for line in &self.lines {
                @let path = line.path(&x, &y, measure);
                @if !path.is_empty() {
                    g class=(line.class()) {
                        title { (line.in_words()) }
                        path class="actor" d=(path) {}
                        path class="reach" d=(path) {}
                    }
                }
            }
        }
    }

    /// Which run it is, and what a line is.
    fn aside(&self, report: &Report, width: Width) -> String {
        let mut text = format!("run {} of {}", self.run.repeat + 1, self.result.runs.len());
        let points =
            format!(", a point is {} ms", unit::three_digits(self.grain.ns() as f64 / 1e6));
        text.push_str(width.pick(&points, ""));
        let has = |side: Side| self.lines.iter().any(|line| side.has(line.actor));
        if has(Side::Sending) && has(Side::Receiving) {
            text.push_str(width.pick("; dashed: consumers", "; - - consumers"));
        }
        let hidden = self.run.actors.len() - self.lines.len().min(self.run.actors.len());
        if hidden > 0
            && report.settings.producers.max(report.settings.consumers) > MOST_LINES as u64
        {
            text.push_str(width.pick("; some of the actors", "; some"));
        }
        text
    }

    fn description(&self, report: &Report) -> String {
        let sides = Side::ALL.into_iter().filter_map(|side| {
            let role = side.role(self.run)?;
            let rates = || {
                let actors = self.run.actors.iter().filter(move |actor| side.has(actor));
                actors.filter_map(|actor| actor.mb_per_second)
            };
            let [low, high] = [rates().reduce(f64::min)?, rates().reduce(f64::max)?];
            Some(format!(
                "{} moved {} MB/s together, each between {} and {}",
                side.actors(report),
                role.mb_per_second.map(unit::three_digits).unwrap_or_default(),
                unit::three_digits(low),
                unit::three_digits(high),
            ))
        });
        let sides: Vec<String> = sides.collect();
        format!("Run {}: {}. It ended {}.", self.run.repeat + 1, sides.join("; "), self.run.ended)
    }
}

/// What a panel shows upwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Rate,
    Latency,
}

impl Line<'_> {
    /// Broken where nothing ended.
    fn path(&self, x: &Scale, y: &Scale, measure: Measure) -> String {
        let value = |point: &Point| match measure {
            Measure::Rate => Some(point.mb_per_second),
            Measure::Latency => point.mean_ms,
        };
        let pieces = self.points.split(|point| value(point).is_none());
        let pieces = pieces.map(|piece| {
            let places =
                piece.iter().filter_map(|point| Some((x.at(point.at), y.at(value(point)?))));
            let places: Vec<(f64, f64)> = places.collect();
            match places[..] {
                // A line of no length, which the round ends of lines make a dot.
                [only] => polyline(&[only, only]),
                _ => polyline(&places),
            }
        });
        pieces.collect()
    }

    fn class(&self) -> &'static str {
        if self.actor.role == RoleName::Consumer { "course receiving" } else { "course" }
    }

    fn in_words(&self) -> String {
        let role = match self.actor.role {
            RoleName::Producer => "producer",
            RoleName::Consumer => "consumer",
            RoleName::Pair => "pair",
        };
        let name = format!("{role} {}", self.actor.index);
        let rate = self.actor.mb_per_second.map(unit::three_digits).unwrap_or_default();
        format!("{}; {rate} MB/s", in_words(&name, &self.actor.latency))
    }
}

/// More lines of a role than this are a carpet.
const MOST_LINES: usize = 8;
