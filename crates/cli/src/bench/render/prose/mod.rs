//! The sentences of a report, the same for all forms that people read.

mod answer;
mod verdict;

pub use self::answer::headline;
pub use self::verdict::verdicts;
use crate::bench::report::{EncodingResult, Messages, Report, Settings, Transport};
use crate::render::prose::counted;
use crate::unit;

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
            "{source}: {}, {} distinct; {} of each are a header",
            lengths(messages),
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

/// How long messages are.
#[must_use]
pub fn lengths(messages: &Messages) -> String {
    let Messages { min_bytes, median_bytes, max_bytes, .. } = *messages;
    let [min, median, max] = [min_bytes, median_bytes, max_bytes].map(unit::bytes);
    if min == max { format!("{min} each") } else { format!("{min} to {max}, median {median}") }
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
    let mut lines = verified(report, sum(&|it| it.messages), sum(&|it| it.payload_bytes));
    let counts = [
        ("lost", sum(&|it| it.lost), true),
        ("corrupt", sum(&|it| it.corrupt), true),
        ("came twice", sum(&|it| it.duplicates), false),
        ("left by other runs", sum(&|it| it.strangers), false),
    ];
    let told = counts.into_iter().filter(|(_, count, is_always)| *is_always || *count > 0);
    let told: Vec<String> = told.map(|(what, count, _)| format!("{what} {count}")).collect();
    if let Some(line) = lines.first_mut() {
        line.push_str(&format!("; {}", told.join(", ")));
    }
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

/// By whom messages were verified, and where they were not.
fn verified(report: &Report, messages: u64, payload_bytes: u64) -> Vec<String> {
    let by = || report.encodings.iter().flat_map(|it| &it.runs).map(|run| run.verified.by.as_str());
    let unverified = by().filter(|by| *by == NOBODY).count() as u64;
    let Some(by) = by().find(|by| *by != NOBODY) else {
        return vec![match unverified {
            0 => "not verified: there were no runs".to_owned(),
            _ => NOT_VERIFIED.to_owned(),
        }];
    };
    let by = match by {
        "server" => "by the server",
        "afterwards" => "by reading back what is kept",
        "consumers" => "by their receivers",
        _ => "in another way",
    };
    let (messages, bytes) = (counted(messages, "message"), unit::bytes(payload_bytes));
    let mut lines = vec![format!("verified {by}: {messages}, {bytes}")];
    if unverified > 0 {
        lines.push(format!("{}: {NOT_VERIFIED}", counted(unverified, "run")));
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

/// `a, b and c`.
fn listed(names: &[&str], word: &str) -> String {
    match names.split_last() {
        Some((last, names)) if !names.is_empty() => format!("{} {word} {last}", names.join(", ")),
        _ => names.concat(),
    }
}

/// Who verified what nobody could.
pub const NOBODY: &str = "nobody";

/// What that means.
pub const NOT_VERIFIED: &str = "not verified: the run ended before";
