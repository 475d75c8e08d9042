//! The numbers behind the pictures.

use maud::{Markup, html};

use super::columns;
use super::links::Stretch;
use crate::render::{cells, prose};
use crate::report::{Candidate, Report, Row};
use crate::unit;

/// Every candidate over the whole sample.
pub(super) fn candidates(report: &Report) -> Markup {
    let lines = report.candidates.iter().zip(cells::lines(report));
    html! {
        div class="scroll" role="region" aria-label="all encodings" tabindex="0" {
            table {
                (columns::head(&cells::COLUMNS))
                tbody {
                    @for (candidate, line) in lines {
                        tr class=[line.is_advised.then_some("advised")] {
                            @for (index, cell) in line.cells.iter().enumerate() {
                                @if index == 0 { (name(candidate)) } @else { td { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn name(candidate: &Candidate) -> Markup {
    columns::name(&candidate.encoding, &candidate.level)
}

/// The answer for every class of sizes.
pub(super) fn classes(report: &Report) -> Markup {
    let rows = prose::classes(report);
    html! {
        @if !rows.is_empty() {
            div class="scroll" role="region" aria-label="advice by message size" tabindex="0" {
                table class="words" {
                    thead {
                        tr {
                            @for name in ["size", "use", "", "messages", "payload"] {
                                th scope="col" { (name) }
                            }
                        }
                    }
                    tbody {
                        @for [size, messages, payload, level, ratio] in rows {
                            tr {
                                th scope="row" { (size) }
                                td { strong { (level) } }
                                @for cell in [ratio, messages, payload] { td { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The answer for every link speed.
pub(super) fn stretches(stretches: &[Stretch]) -> Markup {
    html! {
        table class="words" {
            thead { tr { th scope="col" { "link speed" } th scope="col" { "use" } } }
            tbody {
                @for stretch in stretches {
                    tr { th scope="row" { (stretch.range()) } td { (stretch.answer()) } }
                }
            }
        }
    }
}

/// A number of a row, as text.
struct Number {
    title: &'static str,
    cell: fn(&Row) -> String,
}

/// One table for each of the numbers that differ by size.
pub(super) fn by_size(report: &Report) -> Markup {
    let numbers = [
        Number { title: "Ratio", cell: |row| format!("{:.2}", row.ratio) },
        Number { title: "Messages that pay", cell: |row| unit::percent(row.paying_share) },
        Number { title: "Encode, MB/s", cell: |row| rate(row.encode.mb_per_second) },
        Number { title: "Decode, MB/s", cell: |row| rate(row.decode.mb_per_second) },
    ];
    let classes = &report.corpus.size_classes;
    html! {
        @for Number { title, cell } in numbers {
            h3 { (title) }
            div class="scroll" role="region" aria-label=(title) tabindex="0" {
                table {
                    thead {
                        tr {
                            th scope="col" { "encoding" }
                            @for class in classes {
                                th scope="col" { (unit::len_range(class.min_bytes, class.end_bytes)) }
                            }
                        }
                    }
                    tbody {
                        @for candidate in &report.candidates {
                            tr {
                                (name(candidate))
                                @for row in &candidate.classes { td { (cell(row)) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn rate(mb_per_second: Option<f64>) -> String {
    mb_per_second.map_or("–".to_owned(), unit::three_digits)
}
