//! Numbers that have an order.

use super::Impossible;
use crate::bench::report::{CurvePoint, Latency};

/// Each that is there is at least as large as those before it.
pub(super) fn ascending<const N: usize>(
    values: [(impl Into<String>, Option<u64>); N],
) -> Result<(), Impossible> {
    let mut last = 0;
    for (field, value) in values {
        let Some(value) = value else { continue };
        if value < last {
            return Err(Impossible::new(field, value, format!("less than the {last} before it")));
        }
        last = value;
    }
    Ok(())
}

/// Percentiles grow, and each rests on as many samples as it takes.
pub(super) fn latency(name: &str, latency: &Latency) -> Result<(), Impossible> {
    let samples = latency.samples;
    let ns = [
        ("min_ns", latency.min_ns, 1),
        ("p50_ns", latency.p50_ns, 1),
        ("p90_ns", latency.p90_ns, 10),
        ("p95_ns", latency.p95_ns, 20),
        ("p99_ns", latency.p99_ns, 100),
        ("p99_9_ns", latency.p99_9_ns, 1_000),
        ("p99_99_ns", latency.p99_99_ns, 10_000),
        ("max_ns", latency.max_ns, 1),
    ];
    for (field, ns, needed) in ns {
        let why = match ns {
            Some(_) if samples < needed => format!("it takes {needed} samples"),
            None if samples >= needed => format!("{needed} samples give it"),
            _ => continue,
        };
        let says = ns.map_or_else(|| "null".to_owned(), |ns| ns.to_string());
        let why = format!("there are {samples} samples, and {why}");
        return Err(Impossible::new(format!("{name}.{field}"), says, why));
    }
    ascending(ns.map(|(field, ns, _)| (format!("{name}.{field}"), ns)))
}

/// Both percentiles and times grow.
pub(super) fn curve(name: &str, curve: &[CurvePoint]) -> Result<(), Impossible> {
    let mut last: Option<CurvePoint> = None;
    for (at, point) in curve.iter().enumerate() {
        let field = |field: &str| format!("{name}[{at}].{field}");
        let CurvePoint { percentile, ns } = *point;
        if percentile > 100.0 {
            return Err(Impossible::new(field("percentile"), percentile, "more than 100"));
        }
        if let Some(last) = last {
            if percentile <= last.percentile {
                let why = format!("not above the {} before it", last.percentile);
                return Err(Impossible::new(field("percentile"), percentile, why));
            }
            if ns < last.ns {
                let why = format!("less than the {} before it", last.ns);
                return Err(Impossible::new(field("ns"), ns, why));
            }
        }
        last = Some(*point);
    }
    Ok(())
}
