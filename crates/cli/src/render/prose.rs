//! The sentences of a report, the same for all forms that people read.

use crate::advise::{Advice, Bottleneck, Cheapest, LinkOption, PaysUpTo};
use crate::min_len::MinLen;
use crate::mixture::{Mixture, Part};
use crate::report::{Environment, Report, Sample};
use crate::unit;

/// The answer in one sentence.
#[must_use]
pub fn headline(report: &Report) -> String {
    let mut link = unit::bit_rate(report.settings.link_bits_per_second);
    if report.settings.link_is_default {
        link.push_str(", the default of --link");
    }
    let option = option(&report.advice, report.advice.fastest.as_deref());
    match option {
        None if report.candidates.len() < 2 => {
            "No advice: identity alone was measured, so there is nothing to compare.".to_owned()
        }
        None => format!("Do not compress: no encoding moves clearly more than the bare {link}."),
        Some(option) => {
            let times = option.times_uncompressed.map(unit::three_digits).unwrap_or_default();
            let level = &option.level;
            let min_len = option.min_len.as_ref().filter(|_| option.rests_on_min_len);
            let with = min_len.map(|min_len| format!(" with min_len {}", min_len.min_len_bytes));
            let with = with.unwrap_or_default();
            format!("Use {level}{with}: it moves {times} times the payload over {link}.")
        }
    }
}

/// What was read and measured.
#[must_use]
pub fn corpus(report: &Report) -> Vec<String> {
    let corpus = &report.corpus;
    let Sample { messages, payload_bytes, min_bytes, median_bytes, max_bytes, .. } = corpus.sample;
    let mut lines = vec![format!(
        "{} in {}: {}; lengths {} to {}, median {}",
        counted(corpus.messages, "message"),
        counted(corpus.files, "file"),
        unit::bytes(corpus.payload_bytes),
        unit::bytes(min_bytes),
        unit::bytes(max_bytes),
        unit::bytes(median_bytes),
    )];
    let mut left_out = Vec::new();
    for (count, what) in [
        (corpus.empty_messages, "empty message"),
        (corpus.too_long_messages, "too long message"),
        (corpus.files_skipped, "hidden, README, LICENSE or special file"),
    ] {
        if count > 0 {
            left_out.push(counted(count, what));
        }
    }
    if !left_out.is_empty() {
        lines.push(format!("left out: {}", left_out.join(", ")));
    }
    let rounds = report.candidates.first().map_or(0, |first| first.samples.rounds.len() as u64);
    let what = if messages < corpus.messages {
        format!("{messages} of them, chosen at random, {}", unit::bytes(payload_bytes))
    } else {
        "all of them".to_owned()
    };
    lines.push(format!("measured: {what}, in {}, one thread", counted(rounds, "round")));
    lines
}

/// The machine and the versions.
#[must_use]
pub fn environment(report: &Report) -> Vec<String> {
    machine(&report.environment)
}

/// The machine and the versions, of any report.
#[must_use]
pub fn machine(environment: &Environment) -> Vec<String> {
    let cpu = environment.cpu.as_deref().unwrap_or("unknown CPU");
    let cores = environment
        .cores
        .map_or(String::new(), |cores| format!(", {}", counted(cores as u64, "core")));
    let mut libraries: Vec<&str> =
        environment.libraries.iter().map(|library| library.library.as_str()).collect();
    libraries.dedup();
    vec![
        format!("{cpu}{cores}, {} {}", environment.os, environment.arch),
        format!("thinwire {} with {}", environment.thinwire, libraries.join(", ")),
        format!("command: {}", environment.command),
    ]
}

/// The advice beyond the headline.
#[must_use]
pub fn advice(report: &Report) -> Vec<String> {
    let advice = &report.advice;
    let fastest = option(advice, advice.fastest.as_deref());
    let mut lines = Vec::new();
    lines.extend(fastest.and_then(speed));
    lines.extend(advice.pays_up_to.as_ref().map(|pays| pays_up_to(pays, fastest)));
    lines.extend(fastest.zip(advice.min_len.as_ref()).map(|(level, len)| min_len(level, len)));
    lines.extend(advice.cheapest.as_ref().map(cost));
    lines.extend(advice.mixture.as_ref().map(mixture));
    if advice.classes_differ {
        lines.push("One setting does not suit all sizes:".to_owned());
    }
    lines
}

/// One line per size class: size, messages, bytes, answer. Empty where the classes agree.
#[must_use]
pub fn classes(report: &Report) -> Vec<[String; 5]> {
    if !report.advice.classes_differ {
        return Vec::new();
    }
    let pairs = report.corpus.size_classes.iter().zip(&report.advice.classes);
    pairs
        .map(|(class, advice)| {
            [
                unit::len_range(class.min_bytes, class.end_bytes),
                counted(class.messages, "message"),
                unit::bytes(class.payload_bytes),
                advice.fastest.clone().unwrap_or_else(|| "do not compress".to_owned()),
                advice
                    .fastest
                    .as_ref()
                    .map_or(String::new(), |_| format!("ratio {:.2}", advice.ratio)),
            ]
        })
        .collect()
}

fn option<'a>(advice: &'a Advice, level: Option<&str>) -> Option<&'a LinkOption> {
    advice.options.iter().find(|option| Some(option.level.as_str()) == level)
}

fn speed(fastest: &LinkOption) -> Option<String> {
    let rate = unit::three_digits(fastest.payload_mb_per_second?);
    let limit = match fastest.limited_by? {
        Bottleneck::Encode => "one core encoding is the limit",
        Bottleneck::Link => "the link is the limit",
        Bottleneck::Decode => "one core decoding is the limit",
    };
    Some(format!("Speed: {rate} MB/s of payload with one core on each side; {limit}."))
}

fn pays_up_to(pays: &PaysUpTo, fastest: Option<&LinkOption>) -> String {
    let most = unit::bit_rate(pays.bits_per_second);
    let own = fastest.filter(|fastest| fastest.level != pays.level);
    match own.and_then(|own| Some((own, own.pays_below_bits_per_second?))) {
        None => format!("Link speed: {} pays up to {most} per core, compressing all.", pays.level),
        Some((own, speed)) => format!(
            "Link speed: {} pays up to {} per core, compressing all; {} up to {most}.",
            own.level,
            unit::bit_rate(speed),
            pays.level
        ),
    }
}

fn min_len(fastest: &LinkOption, min_len: &MinLen) -> String {
    let level = &fastest.level;
    let MinLen { min_len_bytes, shortest_measured, messages } = min_len;
    if *shortest_measured {
        let shortest = unit::bytes(*min_len_bytes);
        return format!(
            "min_len: even the shortest message here ({shortest}) pays; no lower bound found."
        );
    }
    format!(
        "min_len: {min_len_bytes} bytes for {level}; from there on ({}) they get through sooner in \
         sum, message by message: the longest of encoding, sending and decoding against sending \
         uncompressed.",
        counted(*messages, "message")
    )
}

fn cost(cheapest: &Cheapest) -> String {
    let Cheapest { level, cost_per_gb, uncompressed_cost_per_gb } = cheapest;
    let raw = money(*uncompressed_cost_per_gb);
    match level {
        Some(level) => {
            let cost = money(*cost_per_gb);
            format!("Cost: {level} is cheapest, {cost} per GB of payload; uncompressed {raw}.")
        }
        None => format!("Cost: uncompressed is cheapest, {raw} per GB of payload."),
    }
}

fn mixture(mixture: &Mixture) -> String {
    let part = |part: &Part| {
        let names = if mixture.told_by_groups {
            let mostly = if part.only_groups { "" } else { "mostly " };
            format!(": {mostly}{}", part.groups.join(", "))
        } else {
            String::new()
        };
        let share = unit::percent(part.share_of_bytes);
        format!("{share} of the bytes ({}{names})", counted(part.messages, "message"))
    };
    let ending = if mixture.told_by_groups {
        "The files' names tell them apart: run `thinwire advise` on each kind."
    } else {
        "Take the numbers above as an average of unlike things."
    };
    format!(
        "A mixture: {} shrink by 20 % or more with {}, {} by less than 3 %. {ending}",
        part(&mixture.shrinks),
        mixture.level,
        part(&mixture.resists),
    )
}

pub(crate) fn counted(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

/// Four digits behind the point, or as many as a small price needs.
fn money(price: f64) -> String {
    if price > 0.0 && price < 0.001 { format!("{price:.2e}") } else { format!("{price:.4}") }
}
