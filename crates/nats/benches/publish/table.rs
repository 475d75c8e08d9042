//! Results as Markdown.

use std::fmt::Write as _;

use crate::plan::Shape;
use crate::round::{Cell, Phase};

/// Both directions of a load; for one message at a time the first only.
pub(crate) fn of(shape: Shape, cells: &[Cell]) -> String {
    let mut text = format!(
        "{shape}, {} messages a round. Published, each acknowledged:\n\n\
         | | messages/s | MB/s | of raw | p50 µs | p99 µs | p99.9 µs | bytes on the wire | \
         in the store | client CPU-s/GB | server CPU-s/GB |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        shape.count
    );
    for cell in cells {
        let speed = speed(shape, &cell.published, &cells[0].published);
        let latency = |at| cell.latencies.value_at_quantile(at) as f64 / 1e3;
        writeln!(
            text,
            "| {} | {speed} | {:.0} | {:.0} | {:.0} | {:.0} | {:.0} | {} |",
            cell.kind,
            latency(0.5),
            latency(0.99),
            latency(0.999),
            per_message(cell.published.last(), shape),
            cell.stored as f64 / shape.count as f64,
            cpu(shape, &cell.published),
        )
        .unwrap();
    }
    if shape.in_flight == 1 {
        return text; // what is stored is the same
    }
    text.push_str(
        "\nRead by a pull consumer and compared:\n\n\
         | | messages/s | MB/s | of raw | bytes on the wire | client CPU-s/GB | \
         server CPU-s/GB |\n|---|--:|--:|--:|--:|--:|--:|\n",
    );
    for cell in cells {
        let speed = speed(shape, &cell.read, &cells[0].read);
        let wire = per_message(cell.read.last(), shape);
        let cpu = cpu(shape, &cell.read);
        writeln!(text, "| {} | {speed} | {wire:.0} | {cpu} |", cell.kind).unwrap();
    }
    text
}

/// Medians of the rounds: messages and MB a second, and the quotients with raw's of the same round.
fn speed(shape: Shape, phases: &[Phase], raw: &[Phase]) -> String {
    let per_second = shape.count as f64 / median(phases.iter().map(|it| it.seconds));
    let mb_per_second = per_second * shape.message_len as f64 / 1e6;
    let quotient = median(phases.iter().zip(raw).map(|(own, raw)| raw.seconds / own.seconds));
    format!("{per_second:.0} | {mb_per_second:.1} | {quotient:.2}")
}

fn per_message(phase: Option<&Phase>, shape: Shape) -> f64 {
    phase.map_or(f64::NAN, |it| it.wire as f64 / shape.count as f64)
}

/// CPU-seconds per GB of payload, of all rounds together: the server's come in ticks.
fn cpu(shape: Shape, phases: &[Phase]) -> String {
    let gb = (phases.len() * shape.count * shape.message_len) as f64 / 1e9;
    let sum = |of: fn(&Phase) -> f64| phases.iter().map(of).sum::<f64>() / gb;
    format!("{:.2} | {:.2}", sum(|it| it.client), sum(|it| it.server))
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
