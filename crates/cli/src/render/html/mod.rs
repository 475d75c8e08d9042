//! One self-contained page with pictures: no scripts, nothing from elsewhere, light and dark.

mod label;
mod links;
mod panel;
mod ribbon;
mod scale;
mod series;
mod sizes;
mod svg;
mod tables;
mod throughput;
mod tradeoff;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{cells, prose};
use crate::min_len::MinLen;
use crate::report::Report;
use crate::unit;

/// Renders a report as one HTML page that needs nothing else.
#[must_use]
pub fn render(report: &Report) -> String {
    let headline = prose::headline(report);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "thinwire advise: " (headline) }
                // An empty picture: without it browsers ask the server for one.
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                (header(report, &headline))
                main {
                    (pictures(report))
                    (numbers(report))
                }
                (footer(report))
            }
        }
    };
    let mut text = page.into_string();
    text.push('\n');
    text
}

fn header(report: &Report, headline: &str) -> Markup {
    html! {
        header {
            p class="eyebrow" { "thinwire advise" }
            h1 { (headline) }
            (key_figures(report))
            ul class="advice" { @for sentence in prose::advice(report) { li { (sentence) } } }
            (tables::classes(report))
            @for warning in &report.warnings {
                p class="warning" role="note" { strong { "Warning: " } (warning) }
            }
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
    html! {
        dl class="figures" {
            @for (name, figure) in figures {
                @if let Some((number, unit)) = figure {
                    div { dt { (name) } dd { (number) " " small { (unit) } } }
                }
            }
        }
    }
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

const STYLE: &str = include_str!("style.css");

const TRADEOFF: &str = "Up is smaller on the wire, right is less work. The shaded edge joins the \
    encodings that no other beats in both; a thin line joins the levels of one encoding.";

const THROUGHPUT: &str = "While the link is the limit, the ratio multiplies it; then one core is, \
    and the line goes flat. Where it meets the line of sending uncompressed, compression stops \
    paying, and dashes begin. Between equals, the best choice is the one with less work.";

const HOW: &str = "Every message of the sample goes through every encoding, encoded and decoded, \
    one by one on one thread, with state that is kept and warm, as a service would keep it. The \
    encodings take turns in rounds, so that a noisy moment hits all alike; a number is the median \
    of its rounds. The raw measurements are in the report of --format json.";
