//! A summary is what its runs come to.

use super::{Impossible, order};
use crate::bench::bottleneck;
use crate::bench::report::{
    Bottleneck, EncodingResult, Limit, Report, Role, RoleSummary, Run, Summary,
};
use crate::bench::sums::{self, Rates};

pub(super) fn check(
    name: &str,
    result: &EncodingResult,
    report: &Report,
) -> Result<(), Impossible> {
    let EncodingResult { summary, runs, .. } = result;
    let raw = sums::raw(&report.encodings);
    let of_raw = |of: fn(&Summary) -> Option<&RoleSummary>| raw.and_then(of);
    let sending: Vec<&Role> = runs.iter().filter_map(|run| run.sending.as_ref()).collect();
    let raw_sending = of_raw(|it| it.sending.as_ref());
    role(&format!("{name}.sending"), summary.sending.as_ref(), &sending, raw_sending)?;
    let receiving: Vec<&Role> = runs.iter().filter_map(|run| run.receiving.as_ref()).collect();
    let raw_receiving = of_raw(|it| it.receiving.as_ref());
    role(&format!("{name}.receiving"), summary.receiving.as_ref(), &receiving, raw_receiving)?;
    let median = |of: fn(&Run) -> Option<f64>| sums::median(runs, of);
    let client = median(|run| run.cost.client_cpu_seconds_per_gb);
    let server = median(|run| run.cost.server_cpu_seconds_per_gb);
    agree(name, "ratio", summary.ratio, sums::ratio(runs))?;
    agree(name, "client_cpu_seconds_per_gb", summary.client_cpu_seconds_per_gb, client)?;
    agree(name, "server_cpu_seconds_per_gb", summary.server_cpu_seconds_per_gb, server)?;
    agree(name, "codec_share", summary.codec_share, median(|run| run.codec.share))?;
    bottleneck(&format!("{name}.bottleneck"), result, report)
}

/// Older reports have none.
fn bottleneck(name: &str, result: &EncodingResult, report: &Report) -> Result<(), Impossible> {
    let Some(says) = result.summary.bottleneck else { return Ok(()) };
    let Some(is) = bottleneck::of(&result.runs, &report.transport, report.environment.cores) else {
        return Err(Impossible::new(name, "there", "nothing moved"));
    };
    agree(name, "wire_mb_per_second", says.wire_mb_per_second, is.wire_mb_per_second)?;
    agree(name, "cores_used", says.cores_used, is.cores_used)?;
    let limit = |it: Bottleneck| match it.limit {
        None => "null",
        Some(Limit::Link) => "\"link\"",
        Some(Limit::Processors) => "\"processors\"",
    };
    if says.limit == is.limit {
        return Ok(());
    }
    let why = format!("its runs give {}", limit(is));
    Err(Impossible::new(format!("{name}.limit"), limit(says), why))
}

fn role(
    name: &str,
    summary: Option<&RoleSummary>,
    roles: &[&Role],
    raw: Option<&RoleSummary>,
) -> Result<(), Impossible> {
    let Some(summary) = summary else {
        let why = "a run has it";
        return if roles.is_empty() { Ok(()) } else { Err(Impossible::new(name, "null", why)) };
    };
    if roles.is_empty() {
        return Err(Impossible::new(name, "there", "no run has it"));
    }
    order::latency(&format!("{name}.latency"), &summary.latency)?;
    order::curve(&format!("{name}.curve"), &summary.curve)?;
    let rates = Rates::of(roles);
    agree(name, "mb_per_second", summary.mb_per_second, rates.mb_per_second)?;
    agree(name, "messages_per_second", summary.messages_per_second, rates.messages_per_second)?;
    agree(name, "min_mb_per_second", summary.min_mb_per_second, rates.min_mb_per_second)?;
    agree(name, "max_mb_per_second", summary.max_mb_per_second, rates.max_mb_per_second)?;
    agree(name, "spread_percent", summary.spread_percent, rates.spread_percent)?;
    agree(name, "times_raw", summary.times_raw, sums::times_raw(summary, raw))
}

/// To three digits, as many as are shown; not to the last one, since sums may be added up in
/// another order by another version.
fn agree(name: &str, field: &str, says: Option<f64>, is: Option<f64>) -> Result<(), Impossible> {
    let agrees = match (says, is) {
        (None, None) => true,
        (Some(says), Some(is)) => (says - is).abs() <= 1e-3 * is.abs() + 1e-9,
        _ => false,
    };
    if agrees {
        return Ok(());
    }
    let shown = |value: Option<f64>| value.map_or("null".to_owned(), |value| value.to_string());
    let why = format!("its runs give {}", shown(is));
    Err(Impossible::new(format!("{name}.{field}"), shown(says), why))
}
