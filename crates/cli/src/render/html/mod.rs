//! One self-contained page with pictures: no scripts, nothing from elsewhere, light and dark.

pub(crate) mod columns;
pub(crate) mod label;
mod links;
pub(crate) mod page;
mod panel;
mod ribbon;
pub(crate) mod scale;
pub(crate) mod series;
mod sizes;
pub(crate) mod svg;
mod tables;
mod throughput;
mod tradeoff;

use maud::{Markup, html};

use super::{cells, prose};
use crate::min_len::MinLen;
use crate::report::Report;
use crate::unit;

/// Renders a report as one HTML page that needs nothing else.
#[must_use]
pub fn render(report: &Report) -> String {
    let headline = prose::headline(report);
    let body = html! {
        (header(report, &headline))
        main {
            (pictures(report))
            (numbers(report))
        }
        (footer(report))
    };
    page::render(&format!("thinwire advise: {headline}"), "", &body)
}

fn header(report: &Report, headline: &str) -> Markup {
    html! {
        header {
            p class="eyebrow" { "thinwire advise" }
            h1 { (headline) }
            (key_figures(report))
            ul class="advice" { @for sentence in prose::advice(report) { li { (sentence) } } }
            (tables::classes(report))
            (page::warnings(&report.warnings))
            p class="corpus" { @for line in prose::corpus(report) { span { (line) } } }
        }
    }
}

/// The advised candidate's numbers, large.
fn key_figures(report: &Report) -> Markup {
    let advised = report.advice.fastest.as_ref();
    let candidate = report.candidates.iter().find(|candidate| Some(&candidate.level) == advised);
    let Some(row) = candidate.map(|candidate| &candidate.total) else { return html! {} };
    let rate = |rate: Option<f64>| rate.map(|rate| (unit::three_digits(rate), "MB/s"));
    let min_len = report.advice.min_len.as_ref();
    let figures = [
        ("ratio", Some((format!("{:.2}", row.ratio), ""))),
        ("encode", rate(row.encode.mb_per_second)),
        ("decode", rate(row.decode.mb_per_second)),
        ("min_len", min_len.map(min_len_figure)),
    ];
    page::figures(figures)
}

/// The shortest message of the sample is no setting.
fn min_len_figure(min_len: &MinLen) -> (String, &'static str) {
    if min_len.shortest_measured {
        ("–".to_owned(), "none found")
    } else {
        (min_len.min_len_bytes.to_string(), "bytes")
    }
}

fn pictures(report: &Report) -> Markup {
    let stretches = links::stretches(report, throughput::speeds(report));
    html! {
        @if let Some(picture) = tradeoff::render(report) {
            section {
                h2 { "What a smaller message costs" }
                p { (TRADEOFF) }
                figure { (picture) }
            }
        }
        @if let Some(picture) = throughput::render(report, &stretches) {
            section {
                h2 { "What gets through, from slow links to fast ones" }
                p { (THROUGHPUT) }
                figure { (picture) }
                details { summary { "The best choice as a table" } (tables::stretches(&stretches)) }
            }
        }
        @if let Some(picture) = sizes::render(report) {
            section {
                h2 { "Which messages pay" }
                p { (sizes_caption(report)) }
                figure { (picture) }
            }
        }
    }
}

fn sizes_caption(report: &Report) -> String {
    match sizes::under(report) {
        Some(under) => format!(
            "Each message under {}: it pays if it becomes shorter, the label counted. Below, the \
             bytes of the same messages.",
            under.level
        ),
        None => "Nothing was measured that compresses.".to_owned(),
    }
}

fn numbers(report: &Report) -> Markup {
    html! {
        section {
            h2 { "All numbers" }
            (tables::candidates(report))
            p class="small" { (cells::LEGEND) }
            @if !report.corpus.size_classes.is_empty() {
                details { summary { "By message size" } (tables::by_size(report)) }
            }
        }
    }
}

fn footer(report: &Report) -> Markup {
    html! {
        footer {
            section {
                h2 { "What this cannot know" }
                ul { @for sentence in &report.advice.cannot_know { li { (sentence) } } }
            }
            section {
                h2 { "How it was measured" }
                p { (HOW) }
                ul class="facts" {
                    @for line in prose::environment(report) { li { (line) } }
                    li { "read from: " (report.corpus.paths.join(", ")) }
                }
            }
        }
    }
}

const TRADEOFF: &str = "Up is smaller on the wire, right is less work. The shaded edge joins the \
    encodings that no other beats in both; a thin line joins the levels of one encoding.";

const THROUGHPUT: &str = "While the link is the limit, the ratio multiplies it; then one core is, \
    and the line goes flat. Where it meets the line of sending uncompressed, compression stops \
    paying, and dashes begin. Between equals, the best choice is the one with less work.";

const HOW: &str = "Every message of the sample goes through every encoding, encoded and decoded, \
    one by one on one thread, with state that is kept and warm, as a service would keep it. The \
    encodings take turns in rounds, so that a noisy moment hits all alike; a number is the median \
    of its rounds. The raw measurements are in the report of --format json.";
