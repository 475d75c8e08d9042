//! From what runs came to, to the report. Pure.

#![expect(
    clippy::cast_precision_loss,
    reason = "counts and nanoseconds below 2^53 become exact floats, larger ones near enough"
)]

use thinwire::{Encoding, Level};

use super::outcome::Outcome;
use super::percentile::{curve, latency};
use super::record::{Record, Slots};
use super::report::{
    Actor, Codec, Cost, EncodingResult, ErrorCount, KeptRaw, Role, RoleName, RoleSummary, Run,
    Series, Summary, Verified, Wire,
};
use super::samples::histogram;
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
        bottleneck: None,
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
            record.samples.add_to(&mut merged);
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
    let ours_ns = outcome.client_cpu_ns.map(|ns| ns + outcome.server_cpu_ns.unwrap_or_default());
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
            others_share: outcome.machine.zip(ours_ns).and_then(|(it, ours)| it.others_share(ours)),
        },
        codec: Codec { encode_ns, decode_ns, share: codec_share(outcome) },
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

/// Of the time that the actors had, what the clients spent in codecs: both by the wall clock, so
/// that a busy machine lengthens both.
fn codec_share(outcome: &Outcome) -> Option<f64> {
    let elapsed_ns = outcome.records.iter().map(|record| record.last_ns).max()?;
    let had_ns = elapsed_ns.saturating_mul(outcome.records.len() as u64);
    let spent_ns = outcome.client.encode_ns.saturating_add(outcome.client.decode_ns);
    over(spent_ns, had_ns).map(|share| share.min(1.0))
}

fn role(outcome: &Outcome, is_sending: bool) -> Option<Role> {
    let records = || outcome.records.iter().filter(|record| is_sender(record) == is_sending);
    let of = records().next()?.of;
    let mut merged = histogram();
    for record in records() {
        record.samples.add_to(&mut merged);
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
        latency: latency(of, &record.samples.histogram()),
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
    use crate::bench::report::LatencyOf;
    use crate::bench::usage::Machine;

    #[test]
    fn time_in_codecs_is_a_share_of_what_the_actors_had() {
        let mut outcome = Outcome::nothing(crate::bench::ending::Ended::AsPlanned);
        assert_eq!(codec_share(&outcome), None, "nobody had any time");
        for (index, last_ns) in [(0, 800), (1, 1000)] {
            let mut record = Record::new(RoleName::Producer, index, LatencyOf::Send);
            record.last_ns = last_ns;
            outcome.records.push(record);
        }
        (outcome.client.encode_ns, outcome.client.decode_ns) = (600, 400);
        // The server's time is none of theirs, and CPU time is another clock.
        (outcome.server.decode_ns, outcome.client_cpu_ns) = (5_000, Some(10));
        assert_eq!(codec_share(&outcome), Some(0.5));
        outcome.client.encode_ns = 5_000;
        assert_eq!(codec_share(&outcome), Some(1.0));
    }

    #[test]
    fn others_are_whoever_is_neither_client_nor_server() {
        let ended = crate::bench::ending::Ended::AsPlanned;
        let mut outcome = Outcome::nothing(ended);
        outcome.machine = Some(Machine { busy_ticks: 150, total_ticks: 200 });
        outcome.client_cpu_ns = Some(700_000_000);
        let share = |outcome: &Outcome| {
            let played = Played { repeat: 0, begin_ns: 0, outcome: outcome.clone() };
            run(&played).cost.others_share
        };
        assert_eq!(share(&outcome), Some(0.4));
        outcome.server_cpu_ns = Some(300_000_000);
        assert_eq!(share(&outcome), Some(0.25));
        outcome.client_cpu_ns = None;
        assert_eq!(share(&outcome), None);
    }
}
