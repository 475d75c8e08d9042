//! What was found besides numbers: checked messages, payloads kept raw, errors, how runs ended.

use maud::{Markup, html};

use crate::bench::render::prose;
use crate::bench::report::{EncodingResult, Report, Verified};
use crate::render::html::columns;
use crate::render::prose::counted;
use crate::unit;

/// Each run that did not end as planned, with the encoding that it was of.
pub(super) fn early_ends(report: &Report) -> Vec<String> {
    let runs = report.encodings.iter().flat_map(|it| it.runs.iter().map(move |run| (it, run)));
    let early = runs.filter(|(_, run)| !run.ended.is_as_planned());
    let mut lines: Vec<String> = early
        .map(|(it, run)| format!("{}, run {}: {}.", it.level, run.repeat + 1, run.ended))
        .collect();
    if lines.is_empty() && !report.ended.is_as_planned() {
        lines.push(format!("{}.", report.ended));
    }
    lines
}

/// The section of the page.
pub(super) fn render(report: &Report) -> Markup {
    html! {
        section {
            h2 { "Messages that were checked" }
            (verified(report))
        }
        section {
            h2 { "Sent raw, and why" }
            (kept_raw(report))
        }
        section {
            h2 { "Errors, and how the runs ended" }
            (errors(report))
        }
    }
}

fn verified(report: &Report) -> Markup {
    let columns: [(&str, &str); 9] = [
        ("", "encoding"),
        ("", "right"),
        ("", "payload"),
        ("", "lost"),
        ("", "twice"),
        ("", "corrupt"),
        ("", "not kept"),
        ("", "of other runs"),
        ("", "checked by"),
    ];
    html! {
        div class="scroll" role="region" aria-label="checked messages" tabindex="0" {
            table {
                (columns::head(&columns))
                tbody {
                    @for result in &report.encodings {
                        @let sum = |of: fn(&Verified) -> u64| {
                            result.runs.iter().map(|run| of(&run.verified)).sum::<u64>()
                        };
                        tr {
                            (columns::name(&result.encoding, &result.level))
                            td { (sum(|it| it.messages)) }
                            td { (unit::bytes(sum(|it| it.payload_bytes))) }
                            @for count in [
                                sum(|it| it.lost),
                                sum(|it| it.duplicates),
                                sum(|it| it.corrupt),
                            ] {
                                td class=[(count > 0).then_some("bad")] { (count) }
                            }
                            td { (sum(|it| it.not_kept)) }
                            td { (sum(|it| it.strangers)) }
                            td { (by(result)) }
                        }
                    }
                }
            }
        }
        p class="small" { (LEGEND) }
    }
}

fn by(result: &EncodingResult) -> String {
    let mut by: Vec<&str> = result.runs.iter().map(|run| run.verified.by.as_str()).collect();
    by.dedup();
    let by = by.into_iter().map(|by| if by == prose::NOBODY { prose::NOT_VERIFIED } else { by });
    by.collect::<Vec<_>>().join(", ")
}

/// A column for each reason that occurred. Of raw all is kept raw, which is no news.
fn kept_raw(report: &Report) -> Markup {
    let compressing = || report.encodings.iter().filter(|result| result.level != "raw");
    let kept = || compressing().flat_map(|it| &it.runs).flat_map(|run| &run.kept_raw);
    let mut reasons: Vec<&str> = kept().map(|kept| kept.reason.as_str()).collect();
    reasons.sort_unstable();
    reasons.dedup();
    if reasons.is_empty() {
        return html! { p { "Nothing: every payload was compressed, but for those of raw." } };
    }
    let names: Vec<String> = reasons.iter().map(|reason| reason.replace('_', " ")).collect();
    let mut columns = vec![("", "encoding")];
    columns.extend(names.iter().map(|name| ("", name.as_str())));
    html! {
        div class="scroll" role="region" aria-label="payloads sent raw" tabindex="0" {
            table class="short" {
                (columns::head(&columns))
                tbody {
                    @for result in compressing() {
                        tr {
                            (columns::name(&result.encoding, &result.level))
                            @for reason in &reasons { td { (messages(result, reason)) } }
                        }
                    }
                }
            }
        }
        p class="small" { "Messages of all runs."
            @if reasons.contains(&"identity") {
                " identity: the transport's own requests to its server, such as for a stream, which are \
                 not compressed."
            } }
    }
}

fn messages(result: &EncodingResult, reason: &str) -> u64 {
    let kept = result.runs.iter().flat_map(|run| &run.kept_raw);
    kept.filter(|kept| kept.reason == reason).map(|kept| kept.messages).sum()
}

fn errors(report: &Report) -> Markup {
    let runs = || report.encodings.iter().flat_map(|it| it.runs.iter().map(move |run| (it, run)));
    let count = runs().count() as u64;
    let early = runs().filter(|(_, run)| !run.ended.is_as_planned()).count();
    html! {
        @if early == 0 {
            p { (counted(count, "run")) " ended as planned." }
        } @else {
            p { (early) " of " (counted(count, "run")) " ended early:" }
            ul {
                @for line in early_ends(report) { li { (line) } }
            }
        }
        @if runs().all(|(_, run)| run.errors.is_empty()) {
            p { "No errors." }
        } @else {
            div class="scroll" role="region" aria-label="errors" tabindex="0" {
                table class="words" {
                    thead {
                        tr {
                            @for name in ["encoding", "run", "kind", "count", "first"] {
                                th scope="col" { (name) }
                            }
                        }
                    }
                    tbody {
                        @for (result, run) in runs() {
                            @for error in &run.errors {
                                tr {
                                    (columns::name(&result.encoding, &result.level))
                                    td { (run.repeat + 1) }
                                    td { (error.kind.replace('_', " ")) }
                                    td { (error.count) }
                                    td class="long" { (error.first.as_deref().unwrap_or("–")) }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

const LEGEND: &str = "right: what arrived is what was sent, by its hash. not kept: acknowledged, but the \
    transport keeps only so much, so that they could not be checked. of other runs: passed over.";
