//! Bars from zero: throughput, ratio, CPU time.

use maud::{Markup, html};

use super::panel::Frame;
use super::pick::Side;
use crate::bench::report::{EncodingResult, Report};
use crate::render::html::scale::Scale;
use crate::render::html::svg::{polyline, px};
use crate::unit;

/// Payload throughput of one side: the median, and each run.
pub(super) fn throughput(mut frame: Frame<'_>, side: Side) -> Markup {
    let report = frame.report;
    frame.title = match side {
        Side::Sending => format!("{}: sent", side.actors(report)),
        Side::Receiving => format!("{}: received", side.actors(report)),
    };
    frame.unit = "MB/s of payload";
    let x = from_zero(&frame, runs_of(report, side));
    let raw = report.encodings.iter().find(|result| result.level == "raw");
    let raw = raw.and_then(|raw| side.summary(&raw.summary)?.mb_per_second);
    html! {
        @if let Some(raw) = raw { (reference(&frame, x.at(raw))) }
        (frame.draw(&x, |result, y| {
            let role = side.summary(&result.summary)?;
            let median = role.mb_per_second?;
            let runs = rates(result, side);
            let (low, high) = extent(runs.iter().copied().chain([median]));
            Some(html! {
                title { (throughput_in_words(result, side)) }
                (bar("bar", &frame, &x, y, (0.0, median)))
                path class="whisker" d=(polyline(&[(x.at(low), y), (x.at(high), y)])) {}
                @for rate in &runs {
                    circle class="dot" cx=(px(x.at(*rate))) cy=(px(y)) r="2.5" {}
                }
                @let times = role.times_raw.filter(|_| result.level != "raw");
                (value(&frame, (x.at(high), y), median, times))
            })
        }))
    }
}

/// Payload bytes / wire bytes.
pub(super) fn ratio(mut frame: Frame<'_>) -> Markup {
    "ratio".clone_into(&mut frame.title);
    frame.unit = "payload bytes / wire bytes";
    let ratios = frame.report.encodings.iter().filter_map(|result| result.summary.ratio);
    let x = from_zero(&frame, ratios);
    html! {
        (reference(&frame, x.at(1.0)))
        (frame.draw(&x, |result, y| {
            let ratio = result.summary.ratio?;
            Some(html! {
                title { (result.level) ": ratio " (format!("{ratio:.2}")) }
                (bar("bar", &frame, &x, y, (0.0, ratio)))
                (value(&frame, (x.at(ratio), y), ratio, None))
            })
        }))
    }
}

/// CPU seconds per GB of payload, of clients and, where it is ours, of the server.
pub(super) fn cpu(mut frame: Frame<'_>) -> Option<Markup> {
    let sums = frame.report.encodings.iter().filter_map(|result| Some(cpu_parts(result)?.1));
    let highest = sums.clone().reduce(f64::max)?;
    let has_server =
        frame.report.encodings.iter().any(|it| it.summary.server_cpu_seconds_per_gb.is_some());
    let title = if has_server { "CPU: clients, then server, paler" } else { "CPU: clients" };
    title.clone_into(&mut frame.title);
    frame.unit = "CPU seconds per GB of payload";
    let x = from_zero(&frame, [highest].into_iter());
    Some(frame.draw(&x, |result, y| {
        let (client, sum) = cpu_parts(result)?;
        let server = if sum > client {
            format!(", server {}", unit::three_digits(sum - client))
        } else {
            String::new()
        };
        Some(html! {
            title {
                (result.level) ": clients " (unit::three_digits(client)) (server) " CPU s/GB"
            }
            (bar("bar", &frame, &x, y, (0.0, client)))
            (bar("bar server", &frame, &x, y, (client, sum)))
            (value(&frame, (x.at(sum), y), sum, None))
        })
    }))
}

/// That of the clients, and with that of the server.
fn cpu_parts(result: &EncodingResult) -> Option<(f64, f64)> {
    let client = result.summary.client_cpu_seconds_per_gb?;
    Some((client, client + result.summary.server_cpu_seconds_per_gb.unwrap_or_default()))
}

fn from_zero(frame: &Frame<'_>, values: impl Iterator<Item = f64>) -> Scale {
    let highest = values.filter(|value| value.is_finite()).fold(f64::MIN_POSITIVE, f64::max);
    let highest = if highest > f64::MIN_POSITIVE { highest * 1.02 } else { 1.0 };
    Scale::linear((0.0, highest), (frame.area.left, frame.area.right))
}

fn rates(result: &EncodingResult, side: Side) -> Vec<f64> {
    result.runs.iter().filter_map(|run| side.role(run)?.mb_per_second).collect()
}

fn runs_of(report: &Report, side: Side) -> impl Iterator<Item = f64> {
    report.encodings.iter().flat_map(move |result| rates(result, side))
}

fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

fn bar(class: &str, frame: &Frame<'_>, x: &Scale, y: f64, (from, to): (f64, f64)) -> Markup {
    let (left, right) = (x.at(from).max(frame.area.left), x.at(to));
    html! {
        rect class=(class) x=(px(left)) y=(px(y - 8.0)) width=(px((right - left).max(0.0)))
            height="16" {}
    }
}

/// An upright line to compare bars with.
fn reference(frame: &Frame<'_>, x: f64) -> Markup {
    let ends = [(x, frame.area.top), (x, frame.area.bottom)];
    html! { path class="reference" d=(polyline(&ends)) {} }
}

/// The number beside a bar, and where there is one, how many times that of raw it is.
fn value(frame: &Frame<'_>, (right, y): (f64, f64), value: f64, times_raw: Option<f64>) -> Markup {
    let value = unit::three_digits(value);
    let times = times_raw.map(|times| format!(" ×{}", times_in_digits(times)));
    let width = frame.width.text_width(&value)
        + times.as_ref().map_or(0.0, |times| frame.width.text_width(times));
    let left = right + 7.0;
    html! {
        // The line of raw does not go through numbers.
        rect class="plate" x=(px(left - 2.0)) y=(px(y - 9.0)) width=(px(width + 4.0)) height="18" {}
        text class="value" x=(px(left)) y=(px(y + 4.5)) {
            (value)
            @if let Some(times) = times { tspan class="times" { (times) } }
        }
    }
}

/// What the room beside a bar is made for.
fn times_in_digits(times: f64) -> String {
    match times {
        t if t >= 999.5 => ">999".to_owned(),
        t if t >= 9.995 => unit::three_digits(t),
        t => format!("{t:.2}"),
    }
}

/// A row in words, for hovering.
fn throughput_in_words(result: &EncodingResult, side: Side) -> String {
    let runs: Vec<String> =
        rates(result, side).iter().map(|&rate| unit::three_digits(rate)).collect();
    let role = side.summary(&result.summary);
    let median = role.and_then(|role| role.mb_per_second).map(unit::three_digits);
    let times = role.and_then(|role| role.times_raw).map(unit::three_digits);
    let times = times.map(|times| format!(", {times} times raw")).unwrap_or_default();
    format!(
        "{}: {} MB/s{times}; runs: {}",
        result.level,
        median.unwrap_or_default(),
        runs.join(", ")
    )
}
