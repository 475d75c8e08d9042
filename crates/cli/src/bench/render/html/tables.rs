//! The numbers behind the pictures, and the settings.

use maud::{Markup, html};

use super::pick::Side;
use crate::bench::render::{cells, prose};
use crate::bench::report::{Messages, Report, Run, Settings, Transport};
use crate::render::html::columns;
use crate::unit;

/// Throughput and cost of every encoding and role.
pub(super) fn throughput(report: &Report) -> Markup {
    table(report, "throughput and cost", &cells::THROUGHPUT, &cells::throughput(report))
}

/// Latency of every encoding and role.
pub(super) fn latency(report: &Report) -> Markup {
    let columns = cells::LATENCY.map(|name| ("", name));
    table(report, "latency", &columns, &cells::latency(report))
}

fn table<const N: usize>(
    report: &Report,
    label: &str,
    columns: &[(&str, &str)],
    rows: &[[String; N]],
) -> Markup {
    html! {
        div class="scroll" role="region" aria-label=(label) tabindex="0" {
            table class="named" {
                (columns::head(columns))
                tbody {
                    @for row in rows {
                        tr {
                            @for (index, cell) in row.iter().enumerate() {
                                @if index == 0 { (name(report, cell)) } @else { td { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn name(report: &Report, level: &str) -> Markup {
    let result = report.encodings.iter().find(|result| result.level == level);
    columns::name(result.map_or("", |result| result.encoding.as_str()), level)
}

/// Every run by itself.
pub(super) fn runs(report: &Report) -> Markup {
    let sides: Vec<Side> = Side::ALL.into_iter().filter(|side| side.is_in(report)).collect();
    let names: Vec<String> =
        sides.iter().map(|side| format!("{} MB/s", side.actors(report))).collect();
    let mut columns = vec![("", "encoding"), ("", "run")];
    columns.extend(names.iter().map(|name| ("", name.as_str())));
    columns.extend(RUN_COLUMNS);
    html! {
        div class="scroll" role="region" aria-label="every run" tabindex="0" {
            table {
                (columns::head(&columns))
                tbody {
                    @for result in &report.encodings {
                        @for run in &result.runs {
                            tr {
                                (columns::name(&result.encoding, &result.level))
                                td { (run.repeat + 1) }
                                @for side in &sides { td { (rate(*side, run)) } }
                                @for cell in run_cells(run) { td { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

const RUN_COLUMNS: [(&str, &str); 7] = [
    ("", "began, s"),
    ("", "took, s"),
    ("", "ratio"),
    ("", "client CPU, s"),
    ("", "server CPU, s"),
    ("", "peak"),
    ("", "ended"),
];

fn run_cells(run: &Run) -> [String; RUN_COLUMNS.len()] {
    let seconds = |ns: u64| unit::three_digits(ns as f64 / 1e9);
    let or_nothing = |text: Option<String>| text.unwrap_or_else(|| cells::NOTHING.to_owned());
    let took = Side::ALL.iter().filter_map(|side| side.role(run)).map(|role| role.elapsed_ns);
    [
        seconds(run.begin_ns),
        or_nothing(took.max().map(seconds)),
        or_nothing(run.wire.ratio.map(|ratio| format!("{ratio:.2}"))),
        or_nothing(run.cost.client_cpu_ns.map(seconds)),
        or_nothing(run.cost.server_cpu_ns.map(seconds)),
        or_nothing(run.cost.client_peak_memory_bytes.map(unit::bytes)),
        if run.ended.is_as_planned() { "as planned".to_owned() } else { "early".to_owned() },
    ]
}

fn rate(side: Side, run: &Run) -> String {
    let rate = side.role(run).and_then(|role| role.mb_per_second);
    rate.map_or(cells::NOTHING.to_owned(), unit::three_digits)
}

/// What was asked for, all of it.
pub(super) fn settings(report: &Report) -> Markup {
    let rows = [
        settings_rows(&report.settings),
        messages_rows(&report.messages),
        transport_rows(&report.transport),
    ]
    .concat();
    html! {
        div class="scroll" role="region" aria-label="settings" tabindex="0" {
            table class="words settings" {
                tbody {
                    @for (name, value) in rows {
                        tr { th scope="row" { (name) } td { (value) } }
                    }
                }
            }
        }
    }
}

type Rows = Vec<(&'static str, String)>;

fn settings_rows(settings: &Settings) -> Rows {
    let unlimited = || "no limit".to_owned();
    let seconds = |ns: u64| format!("{} s", unit::three_digits(ns as f64 / 1e9));
    let rate = match (settings.rate_bytes_per_second, settings.rate_messages_per_second) {
        (Some(bytes), _) => format!("{} MB/s", unit::three_digits(bytes / 1e6)),
        (_, Some(messages)) => format!("{} messages/s", unit::three_digits(messages)),
        _ => "as fast as it goes".to_owned(),
    };
    vec![
        ("kind", settings.kind.clone()),
        ("producers", settings.producers.to_string()),
        ("consumers", settings.consumers.to_string()),
        ("pairs that send and receive", settings.pairs.to_string()),
        ("messages in a batch", settings.messages_per_batch.to_string()),
        ("sent raw below", unit::bytes(settings.min_size_bytes)),
        ("rate of all senders", rate),
        ("messages of a run", settings.limit_messages.map_or_else(unlimited, |it| it.to_string())),
        ("payload of a run", settings.limit_payload_bytes.map_or_else(unlimited, unit::bytes)),
        ("time of a run", settings.limit_ns.map_or_else(unlimited, seconds)),
        ("warm-up of a run", seconds(settings.warmup_ns)),
        ("runs of each encoding", settings.repeats.to_string()),
        ("idle limit", seconds(settings.idle_limit_ns)),
        ("seed", settings.seed.to_string()),
    ]
}

fn messages_rows(messages: &Messages) -> Rows {
    let mut rows = vec![("messages", messages.source.clone())];
    if !messages.paths.is_empty() {
        rows.push(("read from", messages.paths.join(", ")));
    }
    rows.extend([
        ("distinct messages", messages.distinct.to_string()),
        (
            "length of a message",
            if messages.min_bytes == messages.max_bytes {
                prose::lengths(messages)
            } else {
                format!("{}, mean {:.0} B", prose::lengths(messages), messages.mean_bytes)
            },
        ),
        ("of which header", unit::bytes(messages.header_bytes)),
    ]);
    rows.extend(messages.content_hash.clone().map(|hash| ("hash of their contents", hash)));
    rows.extend(messages.asked_ratio.map(|ratio| ("ratio asked for", format!("{ratio:.2}"))));
    rows
}

fn transport_rows(transport: &Transport) -> Rows {
    let place = if transport.is_local { "on this machine" } else { "elsewhere" };
    let mut rows = vec![("transport", transport.name.clone())];
    if let Some(server) = &transport.server {
        rows.push(("server", format!("{server}; {place}")));
    }
    rows.extend(transport.link_bits_per_second.map(|rate| ("link", unit::bit_rate(rate))));
    let delay = |ns: u64| {
        ("delay of the link, one way", format!("{} ms", unit::three_digits(ns as f64 / 1e6)))
    };
    rows.extend(transport.link_delay_ns.map(delay));
    rows
}
