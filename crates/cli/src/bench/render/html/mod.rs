//! One self-contained page with pictures, in the style of the one of `advise`.

mod bars;
mod curves;
mod figures;
mod findings;
mod panel;
mod pick;
mod ranges;
mod side_by_side;
mod tables;
mod time;
mod timeline;

use std::borrow::Cow;

use maud::{Markup, html};

use super::{cells, prose};
use crate::bench::report::Report;
use crate::render::html::page;
use crate::render::prose::machine;

/// Renders a report as one HTML page that needs nothing else.
#[must_use]
pub fn render(report: &Report) -> String {
    let headline = prose::headline(report);
    let body = html! {
        (header(report, &headline))
        main {
            (pictures(report))
            (numbers(report))
            (findings::render(report))
        }
        (footer(report))
    };
    page::render(&format!("thinwire bench: {headline}"), STYLE, &body)
}

fn header(report: &Report, headline: &str) -> Markup {
    html! {
        header {
            p class="eyebrow" { "thinwire bench" }
            h1 { (headline) }
            (figures::render(report))
            @for line in findings::early_ends(report) {
                p class="warning" role="alert" { strong { "Ended early: " } (line) }
            }
            ul class="advice" {
                @for sentence in prose::verdicts(report).iter().chain(&prose::setting(report)) {
                    li { (page::words(sentence)) }
                }
            }
            (page::warnings(&report.warnings))
        }
    }
}

fn pictures(report: &Report) -> Markup {
    let timelines = time::render(report);
    html! {
        @if let Some(picture) = side_by_side::render(report) {
            section {
                h2 { "Encodings side by side" }
                p { (SIDE_BY_SIDE) }
                figure { (picture) }
            }
        }
        @let curves = curves::render(report);
        @if !curves.is_empty() {
            section {
                h2 { "How long the slow ones take" }
                p { (CURVES) }
                @for picture in curves { figure { (picture) } }
            }
        }
        @if !timelines.is_empty() {
            section {
                h2 { "Over time, actor by actor" }
                p { (TIME) }
                @for picture in timelines { figure class="time" { (picture) } }
            }
        }
    }
}

fn numbers(report: &Report) -> Markup {
    html! {
        section {
            h2 { "All numbers" }
            h3 { "Throughput and cost" }
            (tables::throughput(report))
            h3 { "Latency, ms" }
            (tables::latency(report))
            p class="small" { (cells::legend(report)) }
            details { summary { "Every run" } (tables::runs(report)) }
        }
    }
}

fn footer(report: &Report) -> Markup {
    html! {
        footer {
            section {
                h2 { "Run it again" }
                pre { code { (again(&report.environment.command)) } }
            }
            section {
                h2 { "Settings" }
                (tables::settings(report))
            }
            section {
                h2 { "How it was measured" }
                p { (HOW) }
                ul class="facts" {
                    @for line in machine(&report.environment).iter().take(FACTS) { li { (line) } }
                }
            }
        }
    }
}

/// The command without the page that it wrote.
fn again(command: &str) -> Cow<'_, str> {
    let Some(words) = shlex::split(command) else { return command.into() };
    let mut is_page = false;
    let words = words.iter().filter(|word| {
        let is_told = *word == "--html";
        !std::mem::replace(&mut is_page, is_told) && !is_told && !word.starts_with("--html=")
    });
    shlex::try_join(words.map(String::as_str)).map_or(command.into(), Cow::Owned)
}

const STYLE: &str = include_str!("bench.css");

/// Of the machine's lines the last is the command, which stands by itself.
const FACTS: usize = 2;

const SIDE_BY_SIDE: &str = "Of throughput the bar is the median of the runs, and each dot a run; \
    the dashes stand where raw does, and × says how many times raw it is. Of latency the ring is what half of the samples take at most; \
    the thick line goes on to p99, the tick in it is p90, and the thin line goes from the shortest to the \
    longest.";

const CURVES: &str = "Each step to the right leaves ten times fewer samples above the line. A \
    curve ends where there are no more samples: its last point is the longest.";

const TIME: &str = "Of each encoding the run whose throughput is the median. A line is an actor; \
    all encodings have the same scales. Latency is the mean of what ended at the time.";

const HOW: &str = "Each message bears a header with its number and a hash, by which its receiver \
    checks that it is what was sent. The encodings take turns, so that a noisy moment hits all \
    alike; the warm-up of each run is not counted. Throughput is counted from the beginning of a run \
    to the last acknowledgement or receipt. Percentiles are those of the samples of all actors and \
    runs in one histogram. The raw numbers are in the report of --format json.";
