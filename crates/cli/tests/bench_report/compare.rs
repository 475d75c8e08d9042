//! What two reports differ in, and by how much more than noise.

use thinwire_cli::bench::compare::{Comparison, Measure, Row, Verdict, compare};
use thinwire_cli::bench::ending::Ended;
use thinwire_cli::bench::render;
use thinwire_cli::bench::report::Report;
use thinwire_cli::bench::warning::Warning;

use super::canned::{self, BOTH, USUAL, report};

/// Runs as they differ on a quiet machine.
const QUIET: [f64; 5] = [1.0, 1.01, 0.99, 1.005, 0.995];

fn scaled(times: f64, runs: &[f64]) -> Report {
    report(
        &USUAL.map(|(level, mb, ratio, p50)| (level, mb * times, ratio, p50 / times)),
        BOTH,
        runs,
    )
}

fn find<'a>(comparison: &'a Comparison, level: &str, role: &str, measure: Measure) -> &'a Row {
    let is_meant = |row: &&Row| {
        row.level == level && row.role.unwrap_or("all") == role && row.measure == measure
    };
    comparison.rows.iter().find(is_meant).unwrap_or_else(|| panic!("{level} {role} {measure:?}"))
}

#[test]
fn a_report_does_not_differ_from_itself() {
    for (name, report) in canned::all() {
        let comparison = compare(&report, &report);
        assert!(comparison.settings.is_empty() && comparison.environment.is_empty(), "{name}");
        for row in &comparison.rows {
            let is_alike = matches!(row.verdict, Verdict::WithinNoise | Verdict::TooFewRepeats);
            assert!(is_alike, "{name}: {row:?}");
            assert!(row.difference_percent.is_none_or(|it| it == 0.0), "{name}: {row:?}");
        }
    }
}

#[test]
fn what_exceeds_the_noise_is_better_or_worse_by_what_is_measured() {
    let comparison = compare(&scaled(1.0, &QUIET), &scaled(1.2, &QUIET));
    for role in ["producers", "consumers"] {
        let rate = find(&comparison, "lz4:1", role, Measure::MbPerSecond);
        assert_eq!(rate.verdict, Verdict::Better);
        assert!((rate.difference_percent.unwrap() - 20.0).abs() < 1e-9, "{rate:?}");
        let noise = rate.noise_percent.unwrap();
        assert!(noise > 1.0 && noise < 3.0, "{rate:?}");
        assert_eq!(rate.a.runs.len(), 5);
        let p99 = find(&comparison, "lz4:1", role, Measure::P99Ns);
        assert_eq!(p99.verdict, Verdict::Better, "less is better: {p99:?}");
        assert!(p99.difference_percent.unwrap() < -16.0 && p99.noise_percent.unwrap() < 0.0);
    }
    let back = compare(&scaled(1.2, &QUIET), &scaled(1.0, &QUIET));
    for measure in [Measure::MbPerSecond, Measure::P50Ns, Measure::P99Point9Ns] {
        assert_eq!(find(&back, "raw", "producers", measure).verdict, Verdict::Worse);
    }
    let ratio = find(&back, "zstd:1", "all", Measure::Ratio);
    assert_eq!((ratio.verdict, ratio.difference_percent), (Verdict::WithinNoise, Some(0.0)));
}

#[test]
fn the_same_difference_is_noise_where_runs_differ_as_much() {
    let loud = [1.0, 1.2, 0.8, 1.1, 0.9];
    let comparison = compare(&scaled(1.0, &loud), &scaled(1.2, &loud));
    let rate = find(&comparison, "lz4:1", "producers", Measure::MbPerSecond);
    assert_eq!(rate.verdict, Verdict::WithinNoise);
    assert!(rate.difference_percent.unwrap() < rate.noise_percent.unwrap(), "{rate:?}");
}

#[test]
fn of_runs_without_anything_in_common_the_numbers_are_finite_still() {
    let wild = [1e-6, 1.0, 1e6, 1e3, 1e-3];
    let comparison = compare(&scaled(1.0, &wild), &scaled(1e6, &wild[..3]));
    for row in &comparison.rows {
        let percents = [row.difference_percent, row.noise_percent];
        assert!(percents.into_iter().flatten().all(f64::is_finite), "{row:?}");
    }
    let table = render::comparison::table::render(&comparison);
    assert!(table.contains("> × 1000") && table.lines().all(|line| line.len() < 250), "{table}");
}

#[test]
fn below_three_repeats_nothing_is_said_about_noise() {
    let comparison = compare(&scaled(1.0, &QUIET), &scaled(9.0, &[1.0, 1.0]));
    let rate = find(&comparison, "raw", "consumers", Measure::MbPerSecond);
    assert_eq!((rate.verdict, rate.noise_percent), (Verdict::TooFewRepeats, None));
    assert!(rate.difference_percent.unwrap() > 700.0);
}

#[test]
fn what_one_side_did_not_measure_is_not_compared() {
    let mut b = scaled(1.0, &QUIET);
    for result in &mut b.encodings {
        result.summary.server_cpu_seconds_per_gb = None;
        result.summary.receiving = None;
    }
    let comparison = compare(&scaled(1.0, &QUIET), &b);
    let cpu = find(&comparison, "raw", "all", Measure::ServerCpuSecondsPerGb);
    assert_eq!((cpu.verdict, cpu.difference_percent), (Verdict::NotMeasured, None));
    assert_eq!(cpu.b.value, None);
    let rate = find(&comparison, "raw", "consumers", Measure::MbPerSecond);
    assert_eq!(rate.verdict, Verdict::NotMeasured);
}

#[test]
fn settings_machines_encodings_and_bad_ends_that_differ_are_listed() {
    let a = scaled(1.0, &QUIET);
    let mut b = scaled(1.0, &QUIET[..3]);
    b.settings.messages_per_batch = 500;
    b.transport.name = "grpc".to_owned();
    b.messages.content_hash = Some("0123456789abcdef".to_owned());
    b.transport.link_delay_ns = Some(1_000_000);
    b.environment.libraries[0].library = "zstd 1.5.8".to_owned();
    b.environment.command = "another".to_owned();
    b.encodings.remove(1);
    b.encodings[0].level = "raw:new".to_owned();
    b.ended = Ended::Lost { messages: 3 };
    b.warnings = vec![Warning::OneRun];
    let comparison = compare(&a, &b);
    let fields: Vec<&str> = comparison.settings.iter().map(|it| it.field.as_str()).collect();
    let expected = [
        "settings.messages_per_batch",
        "messages.content_hash",
        "transport.link_delay_ns",
        "transport.name",
    ];
    assert_eq!(fields, expected, "not the repeats");
    assert_eq!((&*comparison.settings[0].a, &*comparison.settings[0].b), ("100", "500"));
    assert_eq!(&*comparison.settings[1].b, "0123456789abcdef");
    assert_eq!(&*comparison.settings[2].a, "none");
    assert_eq!(comparison.environment.len(), 1, "{:?}", comparison.environment);
    assert_eq!(comparison.environment[0].b, "zstd zstd 1.5.8");
    assert_eq!(comparison.only_in_a, ["raw", "gzip:1"]);
    assert_eq!(comparison.only_in_b, ["raw:new"]);
    assert_eq!(comparison.doubts.len(), 2, "{:?}", comparison.doubts);
    assert!(comparison.doubts[0].starts_with("B: ended early: 3 message(s)"));
    assert!(comparison.rows.iter().all(|row| row.level != "raw"));
}

#[test]
fn memory_is_that_of_a_process_and_not_compared() {
    let mut b = scaled(1.0, &QUIET);
    for run in b.encodings.iter_mut().flat_map(|it| &mut it.runs) {
        run.cost.client_peak_memory_bytes = Some(640_000_000);
    }
    let comparison = compare(&scaled(1.0, &QUIET), &b);
    assert!(comparison.rows.iter().all(|row| row.verdict == Verdict::WithinNoise));
}
