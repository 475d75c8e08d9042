//! What makes the numbers of a report doubtful. Pure.

#![expect(clippy::cast_precision_loss, reason = "shares and rates that are shown")]

use super::report::{EncodingResult, Messages, RoleSummary, Settings, Transport};
use super::warning::Warning;

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
    let spread = |it: &EncodingResult| {
        let of = |role: &Option<RoleSummary>| role.as_ref().and_then(|role| role.spread_percent);
        let widest = of(&it.summary.sending).into_iter().chain(of(&it.summary.receiving));
        (it.level.clone(), widest.fold(0.0, f64::max))
    };
    let noisiest = encodings.iter().map(spread).max_by(|a, b| a.1.total_cmp(&b.1));
    if let Some((level, spread_percent)) = noisiest.filter(|(_, spread)| *spread > NOISY_PERCENT) {
        warnings.push(Warning::Noisy { level, spread_percent });
    }
    let elapsed = runs().filter(|run| run.ended.is_as_planned()).flat_map(|run| {
        [&run.sending, &run.receiving].into_iter().flatten().map(|role| role.elapsed_ns)
    });
    if let Some(elapsed_ns) = elapsed.min().filter(|&ns| ns < SHORT_NS && ns > 0) {
        warnings.push(Warning::Short { elapsed_ns });
    }
    warnings.extend(rate_missed(settings, messages, encodings));
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

fn rate_missed(
    settings: &Settings,
    messages: &Messages,
    encodings: &[EncodingResult],
) -> Option<Warning> {
    let asked = settings
        .rate_bytes_per_second
        .or_else(|| Some(settings.rate_messages_per_second? * messages.mean_bytes))?;
    let slowest = encodings
        .iter()
        .filter_map(|it| Some((&it.level, it.summary.sending.as_ref()?.mb_per_second? * 1e6)))
        .min_by(|a, b| a.1.total_cmp(&b.1))?;
    let (level, reached_bytes_per_second) = slowest;
    (reached_bytes_per_second < asked * RATE_REACHED)
        .then(|| Warning::RateMissed { level: level.clone(), reached_bytes_per_second })
}

/// What services send compresses between these ratios.
const LIFELIKE: std::ops::RangeInclusive<f64> = 1.2..=30.0;

const MUCH_HEADER: f64 = 0.1;

/// A loop over fewer is soon learnt by heart.
const FEW_DISTINCT: u64 = 64;

/// Above this, differences between neighbours in the table mean little.
const NOISY_PERCENT: f64 = 10.0;

const SHORT_NS: u64 = 100_000_000;

/// Batches at the end of a run are under way when it ends.
const RATE_REACHED: f64 = 0.95;
