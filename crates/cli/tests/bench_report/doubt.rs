//! What makes numbers doubtful is said of all encodings that it concerns.

use thinwire_cli::bench::doubt::warnings;
use thinwire_cli::bench::report::Report;
use thinwire_cli::bench::warning::{Reached, Spread, Warning};

use super::canned::{self, USUAL, report};

fn doubts(report: &Report) -> Vec<Warning> {
    warnings(&report.settings, &report.messages, &report.transport, &report.encodings)
}

fn with_rate(bytes_per_second: f64) -> Report {
    let producers = canned::Actors { producers: 4, consumers: 0, pairs: 0 };
    let mut report = report(&USUAL[..4], producers, &[1.0, 1.01, 0.99]);
    report.settings.rate_bytes_per_second = Some(bytes_per_second);
    report
}

#[test]
fn all_encodings_that_miss_a_rate_are_named_and_those_that_exceed_it() {
    // 118, 190, 192 and 340 MB/s.
    let doubts = doubts(&with_rate(195e6));
    let reached = |level: &str, mb: f64| Reached {
        level: level.to_owned(),
        reached_bytes_per_second: mb * 1e6,
    };
    let missed = Warning::RateMissed { encodings: vec![reached("raw", 118.0)] };
    let exceeded = Warning::RateExceeded { encodings: vec![reached("zstd:1", 340.0)] };
    assert!(doubts.ends_with(&[missed, exceeded, Warning::SharedProcessors]), "{doubts:?}");
    let text = doubts[doubts.len() - 2].to_string();
    assert!(text.starts_with("--rate was exceeded: zstd:1 sent 340 MB/s; "), "{text}");
    let all = warnings_of_rate(&with_rate(20.0));
    assert!(all[0].contains("raw sent 118 MB/s, gzip:1 sent 190 MB/s, "), "{all:?}");
    let none = warnings_of_rate(&with_rate(1e9));
    assert!(none.len() == 1 && none[0].contains("zstd:1 sent 340 MB/s; such latency"), "{none:?}");
}

fn warnings_of_rate(report: &Report) -> Vec<String> {
    let texts = doubts(report).into_iter().map(|it| it.to_string());
    texts.filter(|it| it.starts_with("--rate")).collect()
}

#[test]
fn a_rate_in_messages_is_judged_by_their_mean_length() {
    let mut report = with_rate(1.0);
    report.settings.rate_bytes_per_second = None;
    report.settings.rate_messages_per_second = Some(118e6 / 4000.0);
    let said = warnings_of_rate(&report);
    assert!(said.len() == 1 && !said[0].contains("raw"), "{said:?}");
}

#[test]
fn all_encodings_whose_repeats_spread_are_named() {
    let mut report = canned::usual();
    for (at, percent) in [(1, 47.0), (3, 12.0), (4, 9.0)] {
        let sending = report.encodings[at].summary.sending.as_mut().unwrap();
        sending.spread_percent = Some(percent);
    }
    let spread = |level: &str, spread_percent| Spread { level: level.to_owned(), spread_percent };
    let expected =
        Warning::Noisy { encodings: vec![spread("gzip:1", 47.0), spread("zstd:1", 12.0)] };
    assert!(doubts(&report).contains(&expected));
    let text = expected.to_string();
    assert!(text.contains("those of gzip:1 by 47 %, zstd:1 by 12 %; close"), "{text}");
}

#[test]
fn a_machine_that_others_use_is_busy() {
    let mut report = canned::usual();
    let is_busy =
        |report: &Report| doubts(report).iter().any(|it| matches!(it, Warning::Busy { .. }));
    assert!(!is_busy(&report), "3 % of it");
    report.encodings[2].runs[1].cost.others_share = Some(0.34);
    assert!(doubts(&report).contains(&Warning::Busy { others_share: 0.34 }));
    for run in report.encodings.iter_mut().flat_map(|it| &mut it.runs) {
        run.cost.others_share = None;
    }
    assert!(!is_busy(&report), "what is not known is no doubt");
}

#[test]
fn a_header_of_three_percent_lowers_ratios() {
    let mut report = canned::usual();
    report.messages.mean_bytes = 1100.0;
    assert!(!doubts(&report).iter().any(|it| matches!(it, Warning::MostlyHeader { .. })));
    report.messages.mean_bytes = 600.0;
    let doubts = doubts(&report);
    let text = doubts.iter().find(|it| matches!(it, Warning::MostlyHeader { .. })).unwrap();
    let text = text.to_string();
    assert!(text.starts_with("5.3 % of") && text.contains("lower than `advise` gives"), "{text}");
}
