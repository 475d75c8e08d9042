//! What is said besides numbers: the answer, bottlenecks, where compression would pay.

use thinwire_cli::bench::bottleneck;
use thinwire_cli::bench::breakeven::{Reign, reigns};
use thinwire_cli::bench::render::prose::{findings, headline, setting, verdicts};
use thinwire_cli::bench::render::{cells, html, markdown, table};
use thinwire_cli::bench::report::{Bottleneck, Limit, Report};
use thinwire_cli::bench::warning::Warning;

use super::canned::{self, Actors, BOTH, Spec, USUAL, judge, report};

const SENDING: Actors = Actors { producers: 4, consumers: 0, pairs: 0 };

const QUIET: [f64; 3] = [1.0, 1.01, 0.99];

/// Without a link, as on two cores that both ends share.
const LOOPBACK: [Spec; 6] = [
    ("raw", 1452.0, 1.0, 0.9),
    ("lz4:1", 818.0, 2.04, 1.8),
    ("snappy", 891.0, 2.08, 1.7),
    ("snappy-block", 919.0, 2.10, 1.7),
    ("zstd:1", 421.0, 3.17, 3.6),
    ("gzip:1", 316.0, 2.99, 4.6),
];

fn loopback() -> Report {
    report(&LOOPBACK, SENDING, &QUIET)
}

#[test]
fn a_headline_does_not_exceed_the_noise() {
    let said = |specs: &[Spec], runs: &[f64]| headline(&report(specs, SENDING, runs));
    let near = [("raw", 100.0, 1.0, 1.0), ("lz4:1", 105.0, 2.0, 1.0)];
    let expected = "lz4:1 moves the most: 105 MB/s of payload, 1.05 times raw.";
    assert_eq!(said(&near, &QUIET), expected, "the slowest run above raw's fastest");
    let loud = [1.0, 1.4, 0.8];
    let expected = "lz4:1 moves 105 MB/s of payload: no clear difference from raw.";
    assert_eq!(said(&near, &loud), expected);
    let behind = [("raw", 105.0, 1.0, 1.0), ("lz4:1", 100.0, 2.0, 1.0)];
    let expected = "raw moves the most: 105 MB/s of payload; no clear difference from lz4:1.";
    assert_eq!(said(&behind, &loud), expected);
    let more = [("raw", 10.0, 1.0, 1.0), ("lz4:1", 100.0, 2.0, 1.0), ("zstd:1", 101.0, 2.0, 1.0)];
    let expected = "zstd:1 moves the most: 101 MB/s of payload, 10.1 times raw; no clear difference \
                    from lz4:1.";
    assert_eq!(said(&more, &loud), expected);
    assert_eq!(said(&near[1..], &loud), "lz4:1 moves 105 MB/s of payload.");
}

#[test]
fn at_a_rate_those_that_kept_to_it_are_compared() {
    let said = |rate: f64| {
        let mut report = report(&USUAL[..4], SENDING, &QUIET);
        report.settings.rate_bytes_per_second = Some(rate);
        headline(&report)
    };
    assert_eq!(said(118e6 * 3.5), "No encoding kept to the rate that was asked for.");
    assert_eq!(said(340e6), "Only zstd:1 kept to the rate that was asked for.");
    assert_eq!(
        said(190e6),
        "At the rate that was asked for, which gzip:1 and deflate:1 kept to, compare their \
         latencies."
    );
    let mut alike = report(&[("raw", 20.0, 1.0, 1.0), ("lz4", 20.0, 2.0, 1.0)], SENDING, &QUIET);
    alike.settings.rate_bytes_per_second = Some(20e6);
    assert_eq!(headline(&alike), "At the rate that was asked for, compare the latencies.");
}

#[test]
fn without_raw_there_is_a_word_on_how_to_add_it() {
    let lone = report(&USUAL[3..5], SENDING, &QUIET);
    let said = verdicts(&lone);
    let expected = "raw was not measured, with which to compare: -e raw,zstd:1,lz4:1";
    assert!(said.iter().any(|it| it == expected), "{said:?}");
    assert!(verdicts(&loopback()).iter().all(|it| !it.contains("not measured")));
}

#[test]
fn an_encoding_runs_into_the_link_or_the_processors_or_neither() {
    let mut linked = report(&USUAL[..5], SENDING, &QUIET);
    linked.transport.link_bits_per_second = Some(1e9);
    judge(&mut linked);
    let limits: Vec<Option<Limit>> =
        linked.encodings.iter().map(|it| it.summary.bottleneck.unwrap().limit).collect();
    // 118, 63.5, 64, 107 and 117 of 125 MB/s; zstd:1 by its CPU.
    assert_eq!(limits, [Some(Limit::Link), None, None, Some(Limit::Processors), Some(Limit::Link)]);
    let expected = "bottleneck: raw and lz4:1 fill the link (117 to 118 of 125 MB/s); gzip:1 and \
                    deflate:1 fill neither link nor processors (63.5 to 64.0 of 125 MB/s, 1.06 to \
                    1.08 of 2 cores): the server, or waiting; zstd:1 keeps the processors busy \
                    (1.90 of 2 cores)";
    assert_eq!(verdicts(&linked)[0], expected);
    let mut busy = linked.clone();
    busy.warnings.push(Warning::Busy { others_share: 0.5 });
    assert!(verdicts(&busy)[0].contains("): other programs, the server, or waiting;"));
    // At a rate that was asked for, what fills nothing needs no reason.
    linked.settings.rate_bytes_per_second = Some(118e6);
    let said = &verdicts(&linked)[0];
    assert!(said.contains("fill the link") && !said.contains("waiting"), "{said}");
}

#[test]
fn a_bottleneck_is_the_fuller_direction_and_the_median_of_the_runs() {
    let mut one = report(&USUAL[..1], SENDING, &[1.0, 3.0, 1.01]);
    one.transport.link_bits_per_second = Some(1e9);
    for run in &mut one.encodings[0].runs {
        run.wire.received_wire_bytes = 7;
    }
    let of = |report: &Report, cores| {
        let mut encodings = report.encodings.clone();
        bottleneck::judge(&mut encodings, &report.transport, cores);
        encodings[0].summary.bottleneck.unwrap()
    };
    let found = of(&one, Some(2));
    assert_eq!(found.limit, Some(Limit::Link));
    let wire_mb_per_second = found.wire_mb_per_second;
    assert!((wire_mb_per_second.unwrap() - 119.18).abs() < 1e-6, "{found:?}");
    one.transport.link_bits_per_second = None;
    assert_eq!(of(&one, Some(2)).limit, None);
    assert_eq!(of(&one, None).limit, None, "of how many is not known");
    for run in &mut one.encodings[0].runs {
        run.cost.client_cpu_ns = None;
    }
    let expected = Bottleneck { limit: None, wire_mb_per_second, cores_used: None };
    assert_eq!(of(&one, Some(2)), expected);
}

#[test]
fn the_server_may_use_processors_that_nobody_counts() {
    let mut report = report(&USUAL[..1], SENDING, &QUIET);
    for run in &mut report.encodings[0].runs {
        run.cost.server_cpu_ns = None;
    }
    judge(&mut report);
    let said = &verdicts(&report)[0];
    assert!(said.contains("0.543 of 2 cores, the server's not counted)"), "{said}");
}

#[test]
fn the_best_encoding_is_told_for_every_link() {
    let loopback = loopback();
    let reign = |level, below| Reign { level, below_bits_per_second: below };
    let expected = [
        reign("zstd:1", Some(421e6 / 2.10 * 8.0)),
        reign("snappy-block", Some(919e6 * 8.0)),
        reign("raw", None),
    ];
    let found = reigns(&loopback);
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(&expected) {
        assert_eq!(found.level, expected.level);
        let both = found.below_bits_per_second.zip(expected.below_bits_per_second);
        assert!(both.is_none_or(|(found, expected)| (found / expected - 1.0).abs() < 1e-9));
    }
    // By trying them all, on links from 1 Mbit/s to 100 Gbit/s.
    for step in 0..=500 {
        let link = 1e6 * 10_f64.powf(f64::from(step) / 100.0);
        let passes = |(_, mb, ratio, _): &Spec| (mb * 1e6_f64).min(link / 8.0 * ratio);
        let best = LOOPBACK.iter().max_by(|a, b| passes(a).total_cmp(&passes(b))).unwrap();
        let is_told = |it: &&Reign<'_>| it.below_bits_per_second.is_none_or(|below| link < below);
        let told = found.iter().find(is_told).unwrap();
        let told = LOOPBACK.iter().find(|it| it.0 == told.level).unwrap();
        assert!(passes(told) >= passes(best) * (1.0 - 1e-9), "{link}: {told:?}, not {best:?}");
    }
    let said = verdicts(&loopback);
    let expected = "by these rates and ratios, on a link slower than 7.35 Gbit/s snappy-block passes \
                    more than raw, on one slower than 1.60 Gbit/s zstd:1 passes most: --link shows it";
    assert_eq!(said.last().unwrap(), expected);
}

#[test]
fn links_are_told_from_what_sending_without_one_gave_and_from_nothing_else() {
    let said = |report: &Report| verdicts(report).iter().any(|it| it.contains("slower than"));
    assert!(said(&loopback()));
    let changes: [fn(&mut Report); 6] = [
        |it| it.transport.link_bits_per_second = Some(1e9),
        |it| it.transport.link_delay_ns = Some(1_000_000),
        |it| it.transport.is_local = false,
        |it| it.settings.rate_bytes_per_second = Some(1e6),
        |it| it.settings.consumers = 4,
        |it| drop(it.encodings.remove(0)),
    ];
    for (at, change) in changes.into_iter().enumerate() {
        let mut report = loopback();
        change(&mut report);
        assert!(!said(&report), "{at}");
    }
    let stubborn = [("raw", 500.0, 1.0, 1.0), ("lz4:1", 400.0, 1.01, 1.0)];
    assert!(!said(&report(&stubborn, SENDING, &QUIET)), "nothing is saved on any link");
    let always = report(&[("raw", 500.0, 1.0, 1.0), ("lz4:1", 900.0, 9.0, 1.0)], SENDING, &QUIET);
    let last = verdicts(&always).pop().unwrap();
    assert_eq!(
        last,
        "by these rates and ratios, lz4:1 passes more than raw on any link: --link shows it"
    );
}

#[test]
fn only_rows_that_there_are_are_explained() {
    let legend = |actors: Actors| cells::legend(&report(&USUAL[..2], actors, &QUIET));
    let sending = legend(SENDING);
    assert!(
        sending.contains(" send: a batch, from when it was to be sent until it is"),
        "{sending}"
    );
    assert!(!sending.contains("delivery:") && !sending.contains("round trip:"), "{sending}");
    assert!(
        sending.ends_with("each actor sends its next batch when the last one is acknowledged.")
    );
    let both = legend(BOTH);
    assert!(both.contains(" send: ") && both.contains(" delivery: a message, "), "{both}");
    let pairs = legend(Actors { producers: 0, consumers: 0, pairs: 2 });
    assert!(pairs.contains("round trip: ") && pairs.contains("when it has the last one back"));
    assert!(sending.contains("time in codec: of the actors' time, in codec calls."), "{sending}");
    let mut open = report(&USUAL[..2], SENDING, &QUIET);
    open.settings.rate_messages_per_second = Some(10.0);
    assert!(cells::legend(&open).contains(" Open loop: "), "{}", cells::legend(&open));
}

#[test]
fn every_form_says_the_same() {
    let mut report = loopback();
    report.encodings.remove(0);
    for text in [table::render(&report), markdown::render(&report), html::render(&report)] {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" "); // lines are broken
        assert!(text.contains("-e raw,lz4:1,snappy,snappy-block,"), "{text}");
        let is_told = text.contains("the processors (1.") && text.contains("Closed loop: ");
        assert!(is_told && text.contains("bottleneck: "), "{text}");
    }
}

#[test]
fn what_nobody_could_verify_is_said_not_to_be() {
    let mut report = canned::usual();
    let said = |report: &Report| findings(report).join("\n");
    assert!(said(&report).starts_with("verified by their receivers: "), "{}", said(&report));
    assert!(said(&report).contains("; lost 0, corrupt 0"), "{}", said(&report));
    assert!(!said(&report).contains("twice"), "{}", said(&report));
    report.encodings[0].runs[0].verified.duplicates = 2;
    report.encodings[0].runs[0].verified.strangers = 1;
    assert!(said(&report).contains(", came twice 2, left by other runs 1"), "{}", said(&report));
    report.encodings[0].runs[0].verified.by = "nobody".to_owned();
    assert!(said(&report).contains("\n1 run: not verified: the run ended before"));
    for run in report.encodings.iter_mut().flat_map(|it| &mut it.runs) {
        run.verified.by = "nobody".to_owned();
    }
    assert!(said(&report).starts_with("not verified: the run ended before"), "{}", said(&report));
    assert!(html::render(&report).contains("<td>not verified: the run ended before</td>"));
}

#[test]
fn lengths_that_are_equal_are_said_once() {
    let mut report = canned::usual();
    assert!(setting(&report)[1].contains(": 4.00 kB each, 8192 distinct"));
    report.messages.max_bytes = 9000;
    assert!(setting(&report)[1].contains(": 4.00 kB to 9.00 kB, median 4.00 kB, 8192 distinct"));
}
