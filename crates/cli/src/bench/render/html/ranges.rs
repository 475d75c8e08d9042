//! Latency side by side: from the shortest to the longest, with what most samples take.

use maud::{Markup, html};

use super::panel::Frame;
use super::pick::Side;
use crate::bench::render::cells;
use crate::bench::report::{Latency, LatencyOf};
use crate::render::html::scale::Scale;
use crate::render::html::svg::{polyline, px};
use crate::unit;

/// `None` where nothing was timed.
pub(super) fn latency(frame: Frame<'_>, side: Side) -> Option<Markup> {
    let summaries = frame.report.encodings.iter().filter_map(|it| side.summary(&it.summary));
    let latencies: Vec<&Latency> = summaries.map(|role| &role.latency).collect();
    let least = latencies.iter().filter_map(|latency| latency.min_ns).min()?;
    let most = latencies.iter().filter_map(|latency| latency.max_ns).max()?;
    let of = latencies.first()?.of;
    let mut frame = frame.without_values();
    frame.title = format!("{}: {} latency", side.actors(frame.report), cells::what(of));
    frame.unit = "ms (log scale)";
    let x = scale((least, most), (frame.area.left, frame.area.right));
    Some(frame.draw(&x, |result, y| {
        let latency = &side.summary(&result.summary)?.latency;
        let place = |ns: Option<u64>| Some(x.at(ms(ns?)));
        let (min, half, max) =
            (place(latency.min_ns)?, place(latency.p50_ns)?, place(latency.max_ns)?);
        let upper = place(latency.p99_ns.or(latency.p95_ns).or(latency.p90_ns)).unwrap_or(half);
        Some(html! {
            title { (in_words(&result.level, latency)) }
            path class="whisker" d=(polyline(&[(min, y), (max, y)])) {}
            path class="most" d=(polyline(&[(half, y), (upper, y)])) {}
            @for tick in [min, max].into_iter().chain(place(latency.p90_ns)) {
                path class="whisker" d=(polyline(&[(tick, y - 4.0), (tick, y + 4.0)])) {}
            }
            circle class="hollow" cx=(px(half)) cy=(px(y)) r="5" {}
            rect class="reach" x=(px(min)) y=(px(y - 9.0)) width=(px(max - min)) height="18" {}
        })
    }))
}

/// A scale of ms for times from one to another; at least a factor apart, so that it has ticks.
pub(super) fn scale((least, most): (u64, u64), range: (f64, f64)) -> Scale {
    let (low, high) = (ms(least.max(1)), ms(most.max(1)));
    let spare = (MIN_FACTOR / (high / low)).max(1.0).sqrt() * 1.06;
    Scale::log((low / spare, high * spare), range)
}

pub(super) fn ms(ns: u64) -> f64 {
    ns as f64 / 1e6
}

/// What a latency is the time of, as a noun.
pub(super) const fn whole_name(of: LatencyOf) -> &'static str {
    match of {
        LatencyOf::Send => "a batch, until it is acknowledged",
        LatencyOf::Fetch => "a batch, until it is decoded",
        LatencyOf::Delivery => "a message, until it is decoded",
        LatencyOf::RoundTrip => "a batch, until it is back",
    }
}

/// All percentiles, for hovering.
pub(super) fn in_words(name: &str, latency: &Latency) -> String {
    let parts = [
        ("min", latency.min_ns),
        ("p50", latency.p50_ns),
        ("p90", latency.p90_ns),
        ("p95", latency.p95_ns),
        ("p99", latency.p99_ns),
        ("p99.9", latency.p99_9_ns),
        ("p99.99", latency.p99_99_ns),
        ("max", latency.max_ns),
    ];
    let known = parts.iter().filter_map(|(name, ns)| Some((name, (*ns)?)));
    let parts: Vec<String> =
        known.map(|(name, ns)| format!("{name} {}", unit::three_digits(ms(ns)))).collect();
    format!("{name}, {}: {} ms", cells::what(latency.of), parts.join(", "))
}

/// Less than this between the ends of a log scale shows noise as if it were much.
const MIN_FACTOR: f64 = 8.0;
