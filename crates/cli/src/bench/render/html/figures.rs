//! The numbers of the encoding that moves the most, large.

use maud::{Markup, html};

use super::pick::judged;
use crate::bench::render::cells;
use crate::bench::report::{EncodingResult, Report};
use crate::render::html::page;
use crate::unit;

/// Nothing at a set rate, where no encoding moves more than another.
pub(super) fn render(report: &Report) -> Markup {
    let settings = &report.settings;
    let is_open =
        settings.rate_bytes_per_second.is_some() || settings.rate_messages_per_second.is_some();
    let rate = |result: &&EncodingResult| {
        judged(&result.summary).and_then(|role| role.mb_per_second).unwrap_or_default()
    };
    let best = report.encodings.iter().max_by(|a, b| rate(a).total_cmp(&rate(b)));
    let Some(best) = best.filter(|best| !is_open && rate(best) > 0.0) else { return html! {} };
    let Some(role) = judged(&best.summary) else { return html! {} };
    let number = |value: Option<f64>, unit| value.map(|value| (unit::three_digits(value), unit));
    let ms = |ns: Option<u64>| ns.map(|ns| (unit::three_digits(ns as f64 / 1e6), "ms"));
    let of_others = |value: Option<f64>| value.filter(|_| best.level != "raw");
    let cpu = best.summary.client_cpu_seconds_per_gb;
    let what = cells::what(role.latency.of);
    let [half, most] = ["p50", "p99"].map(|percentile| format!("{what} {percentile}"));
    html! {
        (page::figures([
            (&*format!("{}: payload", best.level), number(role.mb_per_second, "MB/s")),
            ("times raw", number(of_others(role.times_raw), "")),
            ("ratio", number(of_others(best.summary.ratio), "")),
            (&*half, ms(role.latency.p50_ns)),
            (&*most, ms(role.latency.p99_ns)),
            ("client CPU", number(cpu, "s/GB")),
        ]))
    }
}
