//! What an encoding runs into: the link, the processors, or neither. Pure.

use super::report::{Bottleneck, EncodingResult, Limit, Run, Transport};
use super::sums;
use crate::stats;

/// Enters into each summary what the encoding runs into.
pub fn judge(encodings: &mut [EncodingResult], transport: &Transport, cores: Option<usize>) {
    for result in encodings {
        result.summary.bottleneck = of(&result.runs, transport, cores);
    }
}

/// What so many runs ran into; `None` where nothing moved.
pub(super) fn of(runs: &[Run], transport: &Transport, cores: Option<usize>) -> Option<Bottleneck> {
    let per_second: Vec<(f64, Option<f64>)> = runs.iter().filter_map(sums::per_second).collect();
    let wire: Vec<f64> = per_second.iter().map(|(wire, _)| *wire).collect();
    let used: Vec<f64> = per_second.iter().filter_map(|(_, cores)| *cores).collect();
    let (wire_mb_per_second, cores_used) = (stats::median(&wire)?, stats::median(&used));
    let is_full = |used: f64, there: f64| used >= FULL * there;
    let link = link_mb_per_second(transport);
    #[expect(clippy::cast_precision_loss, reason = "a number of cores")]
    let cores = cores.map(|cores| cores as f64);
    let limit = if link.is_some_and(|link| is_full(wire_mb_per_second, link)) {
        Some(Limit::Link)
    } else if cores_used.zip(cores).is_some_and(|(used, cores)| is_full(used, cores)) {
        Some(Limit::Processors)
    } else {
        None
    };
    Some(Bottleneck { limit, wire_mb_per_second: Some(wire_mb_per_second), cores_used })
}

/// What the shaped link carries each way.
#[must_use]
pub fn link_mb_per_second(transport: &Transport) -> Option<f64> {
    transport.link_bits_per_second.map(|bits| bits / 8e6)
}

/// What is used of the link as payload is less than its rate, by the framing of the transport.
const FULL: f64 = 0.9;
