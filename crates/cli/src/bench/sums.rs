//! What an encoding's runs come to together: when a report is made, and when one is read and has
//! to agree with itself. Pure.

#![expect(clippy::cast_precision_loss, reason = "bytes and ns of which some digits are shown")]

use super::report::{EncodingResult, Role, RoleSummary, Run, Summary};
use crate::stats;

/// The rates of one role over all runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rates {
    pub(super) mb_per_second: Option<f64>,
    pub(super) messages_per_second: Option<f64>,
    pub(super) min_mb_per_second: Option<f64>,
    pub(super) max_mb_per_second: Option<f64>,
    pub(super) spread_percent: Option<f64>,
}

impl Rates {
    pub(super) fn of(roles: &[&Role]) -> Self {
        let rates: Vec<f64> = roles.iter().filter_map(|role| role.mb_per_second).collect();
        let messages: Vec<f64> = roles.iter().filter_map(|role| role.messages_per_second).collect();
        Self {
            mb_per_second: stats::median(&rates),
            messages_per_second: stats::median(&messages),
            min_mb_per_second: rates.iter().copied().reduce(f64::min),
            max_mb_per_second: rates.iter().copied().reduce(f64::max),
            spread_percent: stats::spread_percent(&rates),
        }
    }
}

/// Payload bytes / wire bytes of all runs, both directions.
pub(super) fn ratio(runs: &[Run]) -> Option<f64> {
    let bytes = |of: fn(&Run) -> [u64; 2]| runs.iter().flat_map(of).map(u128::from).sum::<u128>();
    let payload = bytes(|run| [run.wire.sent_payload_bytes, run.wire.received_payload_bytes]);
    let wire = bytes(|run| [run.wire.sent_wire_bytes, run.wire.received_wire_bytes]);
    (wire > 0).then(|| payload as f64 / wire as f64)
}

/// Median of those runs that have it.
pub(super) fn median(runs: &[Run], of: fn(&Run) -> Option<f64>) -> Option<f64> {
    stats::median(&runs.iter().filter_map(of).collect::<Vec<_>>())
}

/// What a run had to do per second, and with how much of the processors: wire MB in the direction
/// that carries more, and CPU seconds.
pub(super) fn per_second(run: &Run) -> Option<(f64, Option<f64>)> {
    let roles = [&run.sending, &run.receiving].into_iter().flatten();
    let elapsed_ns = roles.map(|role| role.elapsed_ns).max().filter(|&ns| ns > 0)?;
    let of = |count: u64| count as f64 / elapsed_ns as f64;
    let wire = run.wire.sent_wire_bytes.max(run.wire.received_wire_bytes);
    let server_ns = run.cost.server_cpu_ns.unwrap_or_default();
    Some((of(wire) * 1e3, run.cost.client_cpu_ns.map(|ns| of(ns) + of(server_ns))))
}

/// How many times as much as raw a role moves.
pub(super) fn times_raw(role: &RoleSummary, raw: Option<&RoleSummary>) -> Option<f64> {
    let raw = raw?.mb_per_second.filter(|&rate| rate > 0.0)?;
    role.mb_per_second.map(|rate| rate / raw)
}

/// The summary that all others are compared with.
pub(super) fn raw(encodings: &[EncodingResult]) -> Option<&Summary> {
    let raw = encodings.iter().find(|it| it.encoding == thinwire::Encoding::Identity.name());
    raw.map(|raw| &raw.summary)
}
