//! The sentences of a report, the same for all forms that people read.

use crate::bench::report::{EncodingResult, Report, Settings, Transport};
use crate::render::prose::counted;
use crate::unit;

/// The answer in one sentence.
#[must_use]
pub fn headline(report: &Report) -> String {
    if !report.ended.is_as_planned() {
        return format!("The run ended early: {}.", report.ended);
    }
    let rate = |result: &&EncodingResult| rate(result);
    let Some(best) = report.encodings.iter().max_by(|a, b| rate(a).total_cmp(&rate(b))) else {
        return "Nothing was measured.".to_owned();
    };
    if rate(&best) <= 0.0 {
        return "No messages, so there is no throughput.".to_owned();
    }
    let speed = unit::three_digits(rate(&best));
    let times = times_raw(best).filter(|_| best.level != "raw");
    let times = times.map(|times| format!(", {} times raw", unit::three_digits(times)));
    let times = times.unwrap_or_default();
    if report.settings.rate_bytes_per_second.is_some()
        || report.settings.rate_messages_per_second.is_some()
    {
        return "At the rate that was asked for, compare the latencies.".to_owned();
    }
    if report.encodings.len() == 1 {
        return format!("{} moves {speed} MB/s of payload.", best.level);
    }
    format!("{} moves the most: {speed} MB/s of payload{times}.", best.level)
}

/// What was done.
#[must_use]
pub fn setting(report: &Report) -> Vec<String> {
    let Settings { producers, consumers, pairs, messages_per_batch, repeats, .. } = report.settings;
    let settings = &report.settings;
    let actors: Vec<_> = [(producers, "producer"), (consumers, "consumer"), (pairs, "pair")]
        .into_iter()
        .filter(|&(count, _)| count > 0)
        .map(|(count, what)| counted(count, what))
        .collect();
    let transport = &report.transport;
    let server = transport.server.as_ref().map(|server| format!(" ({server})")).unwrap_or_default();
    let link = link(transport);
    let mut ends = Vec::new();
    ends.extend(settings.limit_messages.map(|count| counted(count, "message")));
    ends.extend(settings.limit_payload_bytes.map(unit::bytes));
    #[expect(clippy::cast_precision_loss, reason = "shown in a few digits")]
    let seconds = |ns: u64| format!("{} s", unit::three_digits(ns as f64 / 1e9));
    ends.extend(settings.limit_ns.map(seconds));
    let load = match (settings.rate_bytes_per_second, settings.rate_messages_per_second) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "shown")]
        (Some(bytes), _) => format!("{} per second are begun", unit::bytes(bytes as u64)),
        (_, Some(messages)) => format!("{messages:.0} messages per second are begun"),
        _ => "as fast as it goes".to_owned(),
    };
    let messages = &report.messages;
    let source = match messages.source.as_str() {
        "files" => format!("messages of {}", messages.paths.join(", ")),
        other => format!("{other} messages made from seed {}", settings.seed),
    };
    vec![
        format!(
            "{} over {}{server}{link}: {}, {} a batch, {load}",
            settings.kind,
            transport.name,
            actors.join(" and "),
            counted(messages_per_batch, "message"),
        ),
        format!(
            "{source}: {} to {}, median {}, {} distinct; {} of each are a header",
            unit::bytes(messages.min_bytes),
            unit::bytes(messages.max_bytes),
            unit::bytes(messages.median_bytes),
            messages.distinct,
            unit::bytes(messages.header_bytes),
        ),
        format!(
            "each run ends after {}; {} an encoding, in turn, each after a warm-up of at most {}; payloads \
             below {} are sent raw",
            if ends.is_empty() { "nothing".to_owned() } else { ends.join(", or ") },
            counted(repeats, "run"),
            seconds(settings.warmup_ns),
            unit::bytes(settings.min_size_bytes),
        ),
    ]
}

/// How the link is shaped, if it is.
fn link(transport: &Transport) -> String {
    let rate = transport.link_bits_per_second.map(unit::bit_rate);
    #[expect(clippy::cast_precision_loss, reason = "shown in a few digits")]
    let millis = |ns: u64| format!("{} ms one way", unit::three_digits(ns as f64 / 1e6));
    let parts: Vec<_> = rate.into_iter().chain(transport.link_delay_ns.map(millis)).collect();
    if parts.is_empty() { String::new() } else { format!(" by a link of {}", parts.join(", ")) }
}

/// What was found when messages were checked, what was kept raw, and what went wrong.
#[must_use]
pub fn findings(report: &Report) -> Vec<String> {
    let runs = || report.encodings.iter().flat_map(|result| &result.runs);
    let sum = |of: &dyn Fn(&crate::bench::report::Verified) -> u64| {
        runs().map(|run| of(&run.verified)).sum::<u64>()
    };
    let mut by: Vec<&str> = runs().map(|run| run.verified.by.as_str()).collect();
    by.dedup();
    let by = by.first().copied().unwrap_or("nobody");
    let by = match by {
        "server" => "by the server",
        "afterwards" => "by reading back what is kept",
        "consumers" => "by their receivers",
        _ => "by nobody",
    };
    let mut lines = vec![format!(
        "verified {by}: {}, {}; lost {}, twice {}, corrupt {}, of other runs {}",
        counted(sum(&|it| it.messages), "message"),
        unit::bytes(sum(&|it| it.payload_bytes)),
        sum(&|it| it.lost),
        sum(&|it| it.duplicates),
        sum(&|it| it.corrupt),
        sum(&|it| it.strangers),
    )];
    for result in &report.encodings {
        if let Some(line) = kept_raw(result) {
            lines.push(line);
        }
        for error in result.runs.iter().flat_map(|run| &run.errors) {
            let first = error.first.as_ref().map(|first| format!(": {first}")).unwrap_or_default();
            lines.push(format!("{}: error {} × {}{first}", result.level, error.kind, error.count));
        }
    }
    lines
}

/// Of raw all is kept raw, which is no news.
fn kept_raw(result: &EncodingResult) -> Option<String> {
    let mut reasons: Vec<(String, u64)> = Vec::new();
    for kept in result.runs.iter().flat_map(|run| &run.kept_raw) {
        if kept.reason == "identity" {
            continue; // what a transport asks of its server
        }
        match reasons.iter_mut().find(|(reason, _)| *reason == kept.reason) {
            Some((_, messages)) => *messages += kept.messages,
            None => reasons.push((kept.reason.clone(), kept.messages)),
        }
    }
    if result.level == "raw" || reasons.is_empty() {
        return None;
    }
    let parts: Vec<_> = reasons
        .iter()
        .map(|(reason, messages)| format!("{messages} {}", reason.replace('_', " ")))
        .collect();
    Some(format!("{}: sent raw: {}", result.level, parts.join(", ")))
}

fn rate(result: &EncodingResult) -> f64 {
    let role = result.summary.receiving.as_ref().or(result.summary.sending.as_ref());
    role.and_then(|role| role.mb_per_second).unwrap_or_default()
}

fn times_raw(result: &EncodingResult) -> Option<f64> {
    let role = result.summary.receiving.as_ref().or(result.summary.sending.as_ref());
    role?.times_raw
}
