//! What makes the numbers of a report doubtful. Pure.

#![expect(clippy::cast_precision_loss, reason = "shares and rates that are shown")]

use super::report::{EncodingResult, Messages, RoleSummary, Settings, Transport};
use super::warning::{Reached, Spread, Warning};

/// Says what makes the numbers doubtful.
#[must_use]
pub fn warnings(
    settings: &Settings,
    messages: &Messages,
    transport: &Transport,
    encodings: &[EncodingResult],
) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let ratios = encodings.iter().filter_map(|it| it.summary.ratio.filter(|_| it.level != "raw"));
    let best = ratios.reduce(f64::max);
    if let Some(ratio) = best.filter(|ratio| !LIFELIKE.contains(ratio)) {
        warnings.push(Warning::NotLifelike { ratio });
    }
    let share = messages.header_bytes as f64 / messages.mean_bytes.max(1.0);
    if share > MUCH_HEADER {
        warnings.push(Warning::MostlyHeader { share });
    }
    if messages.distinct < FEW_DISTINCT {
        warnings.push(Warning::FewDistinct { distinct: messages.distinct });
    }
    let runs = || encodings.iter().flat_map(|it| &it.runs);
    if settings.repeats < 2 {
        warnings.push(Warning::OneRun);
    }
    let noisy: Vec<Spread> =
        encodings.iter().map(spread).filter(|it| it.spread_percent > NOISY_PERCENT).collect();
    if !noisy.is_empty() {
        warnings.push(Warning::Noisy { encodings: noisy });
    }
    let others = runs().filter_map(|run| run.cost.others_share).reduce(f64::max);
    if let Some(others_share) = others.filter(|&share| share > BUSY_SHARE) {
        warnings.push(Warning::Busy { others_share });
    }
    let elapsed = runs().filter(|run| run.ended.is_as_planned()).flat_map(|run| {
        [&run.sending, &run.receiving].into_iter().flatten().map(|role| role.elapsed_ns)
    });
    if let Some(elapsed_ns) = elapsed.min().filter(|&ns| ns < SHORT_NS && ns > 0) {
        warnings.push(Warning::Short { elapsed_ns });
    }
    warnings.extend(rate(settings, messages, encodings));
    let not_kept: u64 = runs().map(|run| run.verified.not_kept).sum();
    if not_kept > 0 {
        warnings.push(Warning::NotAllVerified { messages: not_kept });
    }
    let is_linked = transport.link_bits_per_second.is_some() || transport.link_delay_ns.is_some();
    if transport.is_local && transport.name != "memory" && !is_linked {
        warnings.push(Warning::SharedProcessors);
    }
    warnings
}

fn spread(it: &EncodingResult) -> Spread {
    let of = |role: &Option<RoleSummary>| role.as_ref().and_then(|role| role.spread_percent);
    let widest = of(&it.summary.sending).into_iter().chain(of(&it.summary.receiving));
    Spread { level: it.level.clone(), spread_percent: widest.fold(0.0, f64::max) }
}

/// Who did not keep to the rate that was asked for.
fn rate(settings: &Settings, messages: &Messages, encodings: &[EncodingResult]) -> Vec<Warning> {
    let Some(asked) = asked_bytes_per_second(settings, messages) else { return Vec::new() };
    let of = |which: Kept| -> Vec<Reached> {
        let all = encodings.iter().filter_map(|it| Some((it, kept(it, asked)?)));
        let meant = all.filter(|(_, kept)| *kept == which).map(|(it, _)| it);
        let reached = meant.filter_map(|it| {
            let reached_bytes_per_second = sent_bytes_per_second(it)?;
            Some(Reached { level: it.level.clone(), reached_bytes_per_second })
        });
        reached.collect()
    };
    let (missed, exceeded) = (of(Kept::Missed), of(Kept::Exceeded));
    let missed = Some(missed).filter(|it| !it.is_empty());
    let exceeded = Some(exceeded).filter(|it| !it.is_empty());
    let missed = missed.map(|encodings| Warning::RateMissed { encodings });
    let exceeded = exceeded.map(|encodings| Warning::RateExceeded { encodings });
    missed.into_iter().chain(exceeded).collect()
}

/// How an encoding kept to the rate that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kept {
    Reached,
    Missed,
    Exceeded,
}

/// `None` where nothing was sent.
pub(super) fn kept(result: &EncodingResult, asked_bytes_per_second: f64) -> Option<Kept> {
    Some(match sent_bytes_per_second(result)? / asked_bytes_per_second {
        share if share < RATE_REACHED => Kept::Missed,
        share if share > RATE_EXCEEDED => Kept::Exceeded,
        _ => Kept::Reached,
    })
}

/// In the open loop, as payload bytes.
pub(super) fn asked_bytes_per_second(settings: &Settings, messages: &Messages) -> Option<f64> {
    let of_messages = || Some(settings.rate_messages_per_second? * messages.mean_bytes);
    settings.rate_bytes_per_second.or_else(of_messages)
}

fn sent_bytes_per_second(result: &EncodingResult) -> Option<f64> {
    Some(result.summary.sending.as_ref()?.mb_per_second? * 1e6)
}

/// What services send compresses between these ratios.
const LIFELIKE: std::ops::RangeInclusive<f64> = 1.2..=30.0;

/// By about so much a ratio is lower than that of the messages alone.
const MUCH_HEADER: f64 = 0.03;

/// A loop over fewer is soon learnt by heart.
const FEW_DISTINCT: u64 = 64;

/// Above this, differences between neighbours in the table mean little.
const NOISY_PERCENT: f64 = 10.0;

const SHORT_NS: u64 = 100_000_000;

/// Of all processors; what a system does by itself stays below.
const BUSY_SHARE: f64 = 0.1;

/// Batches at the end of a run are under way when it ends.
const RATE_REACHED: f64 = 0.95;

/// The first batch is sent at once, so that a run of few batches is shorter than they were to take.
const RATE_EXCEEDED: f64 = 1.2;
