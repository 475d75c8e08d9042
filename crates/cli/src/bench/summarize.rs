//! From what runs came to, to the report. Pure.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts and nanoseconds below 2^53 become exact floats, larger ones near enough"
)]

use hdrhistogram::Histogram;
use thinwire::{Encoding, Level};

use super::outcome::Outcome;
use super::record::{Record, Slots, histogram};
use super::report::{
    Actor, Codec, Cost, CurvePoint, EncodingResult, ErrorCount, KeptRaw, Latency, LatencyOf, Role,
    RoleName, RoleSummary, Run, Series, Summary, Verified, Wire,
};
use super::sums::{self, Rates};

/// One run of one encoding, and when it was.
#[derive(Debug, Clone)]
pub struct Played {
    /// Which repeat, from 0.
    pub repeat: u32,
    /// When it began, since the first run did.
    pub begin_ns: u64,
    /// What it came to.
    pub outcome: Outcome,
}

/// Summarises all encodings, in the order in which they were asked for.
#[must_use]
pub fn encodings(played: &[(Level, Vec<Played>)]) -> Vec<EncodingResult> {
    let mut results: Vec<_> = played.iter().map(|(level, runs)| encoding(*level, runs)).collect();
    let Some(raw) = sums::raw(&results).cloned() else { return results };
    for Summary { sending, receiving, .. } in results.iter_mut().map(|it| &mut it.summary) {
        for (role, raw) in [(sending, &raw.sending), (receiving, &raw.receiving)] {
            if let Some(role) = role {
                role.times_raw = sums::times_raw(role, raw.as_ref());
            }
        }
    }
    results
}

/// Encoding and level as people write them.
#[must_use]
pub fn name(level: Level) -> String {
    let is_raw = level.encoding() == Encoding::Identity;
    if is_raw { "raw".to_owned() } else { level.to_string() }
}

fn encoding(level: Level, played: &[Played]) -> EncodingResult {
    let runs: Vec<Run> = played.iter().map(run).collect();
    let summary = Summary {
        sending: role_summary(played, &runs, true),
        receiving: role_summary(played, &runs, false),
        ratio: sums::ratio(&runs),
        client_cpu_seconds_per_gb: sums::median(&runs, |run| run.cost.client_cpu_seconds_per_gb),
        server_cpu_seconds_per_gb: sums::median(&runs, |run| run.cost.server_cpu_seconds_per_gb),
        codec_share: sums::median(&runs, |run| run.codec.share),
    };
    let encoding = level.encoding().name().to_owned();
    EncodingResult { level: name(level), encoding, summary, runs }
}

fn role_summary(played: &[Played], runs: &[Run], is_sending: bool) -> Option<RoleSummary> {
    let role: fn(&Run) -> Option<&Role> =
        if is_sending { |run| run.sending.as_ref() } else { |run| run.receiving.as_ref() };
    let roles: Vec<&Role> = runs.iter().filter_map(role).collect();
    let of = roles.first()?.latency.of;
    let mut merged = histogram();
    for record in played.iter().flat_map(|played| &played.outcome.records) {
        if is_sender(record) == is_sending {
            add(&mut merged, &record.histogram);
        }
    }
    let rates = Rates::of(&roles);
    Some(RoleSummary {
        mb_per_second: rates.mb_per_second,
        messages_per_second: rates.messages_per_second,
        times_raw: None,
        min_mb_per_second: rates.min_mb_per_second,
        max_mb_per_second: rates.max_mb_per_second,
        spread_percent: rates.spread_percent,
        latency: latency(of, &merged),
        curve: curve(&merged),
    })
}

fn run(played: &Played) -> Run {
    let Played { repeat, begin_ns, outcome } = played;
    let interval_ns =
        outcome.records.iter().map(|record| record.series.interval_ns).max().unwrap_or_default();
    let (sending, receiving) = (role(outcome, true), role(outcome, false));
    let moved = |role: &Option<Role>| role.as_ref().map_or(0, |role| role.payload_bytes);
    let payload_bytes = moved(&sending).max(moved(&receiving));
    let per_gb = |cpu_ns: Option<u64>| {
        cpu_ns.filter(|_| payload_bytes > 0).map(|ns| ns as f64 / payload_bytes as f64)
    };
    let (client, server, found) = (&outcome.client, &outcome.server, outcome.found);
    let encode_ns = client.encode_ns + server.encode_ns;
    let decode_ns = client.decode_ns + server.decode_ns;
    let cpu_ns = outcome.client_cpu_ns.map(|ns| ns + outcome.server_cpu_ns.unwrap_or_default());
    let payload = client.sent_payload_bytes + client.received_payload_bytes;
    Run {
        repeat: (*repeat).into(),
        begin_ns: *begin_ns,
        ended: outcome.ended.clone(),
        actors: outcome.records.iter().map(|record| actor(record, interval_ns)).collect(),
        sending,
        receiving,
        wire: Wire {
            sent_payload_bytes: client.sent_payload_bytes,
            sent_wire_bytes: client.sent_wire_bytes,
            received_payload_bytes: client.received_payload_bytes,
            received_wire_bytes: client.received_wire_bytes,
            ratio: over(payload, client.sent_wire_bytes + client.received_wire_bytes),
        },
        kept_raw: (client.kept_raw.iter())
            .map(|(reason, messages)| KeptRaw { reason: reason.clone(), messages: *messages })
            .collect(),
        errors: errors(outcome),
        cost: Cost {
            client_cpu_ns: outcome.client_cpu_ns,
            server_cpu_ns: outcome.server_cpu_ns,
            client_cpu_seconds_per_gb: per_gb(outcome.client_cpu_ns),
            server_cpu_seconds_per_gb: per_gb(outcome.server_cpu_ns),
            client_peak_memory_bytes: outcome.client_peak_memory_bytes,
            server_peak_memory_bytes: outcome.server_peak_memory_bytes,
        },
        codec: Codec {
            encode_ns,
            decode_ns,
            share: cpu_ns
                .and_then(|cpu_ns| over(encode_ns + decode_ns, cpu_ns))
                .filter(|it| *it <= 1.0),
        },
        verified: Verified {
            by: outcome.verified_by.name().to_owned(),
            messages: found.messages,
            payload_bytes: found.payload_bytes,
            not_kept: outcome.not_kept,
            lost: outcome.lost,
            duplicates: found.duplicates,
            corrupt: found.corrupt,
            strangers: found.strangers,
        },
    }
}

fn role(outcome: &Outcome, is_sending: bool) -> Option<Role> {
    let records = || outcome.records.iter().filter(|record| is_sender(record) == is_sending);
    let of = records().next()?.of;
    let mut merged = histogram();
    for record in records() {
        add(&mut merged, &record.histogram);
    }
    let messages = records().map(|record| record.messages).sum();
    let payload_bytes = records().map(|record| record.payload_bytes).sum();
    let elapsed_ns = records().map(|record| record.last_ns).max().unwrap_or_default();
    Some(Role {
        messages,
        payload_bytes,
        elapsed_ns,
        mb_per_second: per_second(payload_bytes, elapsed_ns).map(|bytes| bytes / 1e6),
        messages_per_second: per_second(messages, elapsed_ns),
        latency: latency(of, &merged),
        curve: curve(&merged),
    })
}

fn actor(record: &Record, interval_ns: u64) -> Actor {
    let Record { role, index, of, messages, payload_bytes, last_ns, .. } = *record;
    Actor {
        role,
        index: index.into(),
        messages,
        payload_bytes,
        elapsed_ns: last_ns,
        mb_per_second: per_second(payload_bytes, last_ns).map(|bytes| bytes / 1e6),
        messages_per_second: per_second(messages, last_ns),
        latency: latency(of, &record.histogram),
        series: series(&record.series, interval_ns),
    }
}

fn series(slots: &Slots, interval_ns: u64) -> Series {
    let mut slots = slots.clone();
    slots.widen(interval_ns);
    let slots = &slots.slots;
    let mean = |sum: u128, samples: u64| {
        u64::try_from(sum / u128::from(samples.max(1))).ok().filter(|_| samples > 0)
    };
    Series {
        interval_ns,
        payload_bytes: slots.iter().map(|slot| slot.payload_bytes).collect(),
        messages: slots.iter().map(|slot| slot.messages).collect(),
        samples: slots.iter().map(|slot| slot.samples).collect(),
        mean_ns: slots.iter().map(|slot| mean(slot.sum_ns, slot.samples)).collect(),
        max_ns: slots.iter().map(|slot| Some(slot.max_ns).filter(|_| slot.samples > 0)).collect(),
    }
}

fn errors(outcome: &Outcome) -> Vec<ErrorCount> {
    let mut errors: Vec<ErrorCount> = Vec::new();
    for (kind, count) in &outcome.client.errors {
        errors.push(ErrorCount { kind: kind.clone(), count: *count, first: None });
    }
    for (kind, count) in &outcome.server.errors {
        errors.push(ErrorCount { kind: format!("server_{kind}"), count: *count, first: None });
    }
    for (kind, why) in &outcome.faults {
        match errors.iter_mut().find(|error| error.kind == *kind) {
            Some(error) => error.count += 1,
            None => errors.push(ErrorCount {
                kind: (*kind).to_owned(),
                count: 1,
                first: Some(why.clone()),
            }),
        }
    }
    errors
}

/// A percentile that fewer samples than this would make up is left out.
fn latency(of: LatencyOf, histogram: &Histogram<u64>) -> Latency {
    let samples = histogram.len();
    let some = samples > 0;
    let at = |percentile: f64, needed: u64| {
        (samples >= needed).then(|| histogram.value_at_percentile(percentile))
    };
    Latency {
        of,
        samples,
        min_ns: some.then(|| histogram.min()),
        p50_ns: at(50.0, 1),
        p90_ns: at(90.0, 10),
        p95_ns: at(95.0, 20),
        p99_ns: at(99.0, 100),
        p99_9_ns: at(99.9, 1_000),
        p99_99_ns: at(99.99, 10_000),
        max_ns: some.then(|| histogram.max()),
        mean_ns: some.then(|| histogram.mean()),
        stdev_ns: (samples > 1).then(|| histogram.stdev()),
    }
}

/// Whole percents, then tenths of the last one, and so on, as far as there are samples.
fn curve(histogram: &Histogram<u64>) -> Vec<CurvePoint> {
    let samples = histogram.len();
    if samples == 0 {
        return Vec::new();
    }
    let mut points = Vec::new();
    let mut point = |percentile: f64| {
        let percentile = (percentile * 1e6).round() / 1e6; // what steps of a thousandth leave
        points.push(CurvePoint { percentile, ns: histogram.value_at_percentile(percentile) });
    };
    (0..100).for_each(|percent| point(f64::from(percent)));
    let mut step = 0.1;
    while 1.0 / samples as f64 <= step / 100.0 && step > 1e-4 {
        (1..10).for_each(|count| point(100.0 - 10.0 * step + f64::from(count) * step));
        step /= 10.0;
    }
    points.push(CurvePoint { percentile: 100.0, ns: histogram.max() });
    points
}

fn add(to: &mut Histogram<u64>, from: &Histogram<u64>) {
    let _ = to.add(from); // all have the same bounds
}

fn is_sender(record: &Record) -> bool {
    record.role != RoleName::Consumer
}

fn per_second(count: u64, elapsed_ns: u64) -> Option<f64> {
    (elapsed_ns > 0).then(|| count as f64 * 1e9 / elapsed_ns as f64)
}

fn over(numerator: u64, denominator: u64) -> Option<f64> {
    (denominator > 0).then(|| numerator as f64 / denominator as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_a_curve_are_decimal_fractions() {
        let mut samples = histogram();
        (1..=1_000_000).for_each(|ns| samples.saturating_record(ns));
        let curve = curve(&samples);
        assert!(curve.iter().any(|point| point.percentile == 99.91));
        assert!(curve.iter().any(|point| point.percentile == 99.999));
        assert!(curve.iter().all(|point| point.percentile.to_string().len() <= "99.999999".len()));
        assert!(curve.windows(2).all(|pair| pair[0].percentile < pair[1].percentile));
    }
}
