//! Results as Markdown, and as JSON.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::measure::Cell;
use crate::plan::{Kind, Shape};
use crate::target::{Target, cpu};

/// A row for each kind, a column for each shape.
pub(crate) fn matrix(title: &str, cells: &[Cell], show: impl Fn(&Cell) -> String) -> String {
    let (mut kinds, mut shapes): (Vec<Kind>, Vec<Shape>) = (Vec::new(), Vec::new());
    for cell in cells {
        if !kinds.contains(&cell.kind) {
            kinds.push(cell.kind);
        }
        if !shapes.contains(&cell.shape) {
            shapes.push(cell.shape);
        }
    }
    let mut text = format!("{title}\n\n| |");
    for shape in &shapes {
        write!(text, " {shape} |").unwrap();
    }
    write!(text, "\n|---|{}", "--:|".repeat(shapes.len())).unwrap();
    for kind in kinds {
        write!(text, "\n| {kind} |").unwrap();
        for shape in &shapes {
            let cell = cells.iter().find(|it| it.kind == kind && it.shape == *shape);
            write!(text, " {} |", cell.map_or_else(String::new, &show)).unwrap();
        }
    }
    text.push('\n');
    text
}

/// All that was measured.
pub(crate) fn matrices(cells: &[Cell]) -> String {
    let allocations = |cell: &Cell| {
        cell.allocations
            .map_or_else(|| "–".to_owned(), |(client, server)| format!("{client:.1} / {server:.1}"))
    };
    [
        matrix("CPU-seconds per GB of payload, client and server together:", cells, |cell| {
            format!("{:.2} ±{:.0} %", cell.median(cpu), cell.spread(cpu) * 100.0)
        }),
        matrix("CPU-seconds per GB of payload, client / server:", cells, |cell| {
            format!("{:.2} / {:.2}", cell.median(|it| it.client), cell.median(|it| it.server))
        }),
        matrix("MB/s of payload:", cells, |cell| {
            format!("{:.0}", cell.median(|it| it.mb_per_second))
        }),
        matrix("Bytes on the wire per byte of payload:", cells, |cell| {
            format!("{:.3}", cell.wire())
        }),
        matrix("Allocations per message, client / server:", cells, allocations),
    ]
    .join("\n")
}

/// Quotients beside what they are to be.
pub(crate) fn targets(targets: &[Target]) -> String {
    let mut text = "CPU-seconds as a part of another's, median of the rounds' quotients:\n\n\
                    | ours | beside | shape | quotient | middle half | at most | | bytes on the wire |\n\
                    |---|---|---|--:|--:|--:|---|--:|\n"
        .to_owned();
    for target in targets {
        let Target { ours, theirs, shape, quotient, low, high, at_most, wire, .. } = target;
        let word = if target.is_met() { "met" } else { "missed" };
        writeln!(
            text,
            "| {} | {theirs} | {shape} | {quotient:.3} | {low:.3}–{high:.3} | {at_most} | {word} | {wire:.2} |",
            ours.encoding
        )
        .unwrap();
    }
    text
}

/// One object for each cell.
pub(crate) fn json(cell: &Cell) -> Value {
    json!({
        "kind": cell.kind.to_string(),
        "shape": cell.shape.to_string(),
        "cpu_seconds_per_gb": cell.median(cpu),
        "client_cpu_seconds_per_gb": cell.median(|it| it.client),
        "server_cpu_seconds_per_gb": cell.median(|it| it.server),
        "mb_per_second": cell.median(|it| it.mb_per_second),
        "wire_bytes_per_payload_byte": cell.wire(),
        "allocations_per_message": cell.allocations.map(|(client, server)| [client, server]),
        "rounds": cell.samples.iter().map(cpu).collect::<Vec<_>>(),
    })
}
