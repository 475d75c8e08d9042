//! What layers count is what is sent and received, and nothing else.
#![expect(clippy::panic, reason = "a test may stop where it fails")]

use thinwire_cli::bench::plan::{Kind, Purpose};
use thinwire_cli::bench::report::Run;

use crate::support::bench;

/// Consumers ask more often than there are messages, and for few at once.
fn counts_are_exact_over(transport: &str) {
    for kind in Kind::ALL {
        let (name, purpose) = (kind.name(), kind.purpose());
        for (levels, per_batch) in [("raw,lz4", 1), ("zstd", 7)] {
            let (report, code, said) = bench(&format!(
                "-e {levels} -m 100..1500 -P {per_batch} --message-count 60 -w 10ms --repeat 2 \
                 {name} {} {transport}",
                if purpose == Purpose::FillFirst { "-c 3" } else { "-p 3" }
            ));
            let report = report.unwrap_or_else(|| panic!("{name}: {said}"));
            assert_eq!(code, 0, "{name}: {said}");
            for result in &report.encodings {
                let what = format!("{name} {} {transport}", result.level);
                result.runs.iter().for_each(|run| check(run, purpose, &what));
            }
        }
    }
}

fn check(run: &Run, purpose: Purpose, what: &str) {
    let (wire, payload_bytes) = (&run.wire, run.verified.payload_bytes);
    assert_eq!(run.verified.messages, 60, "{what}");
    let sent = if purpose == Purpose::FillFirst { 0 } else { payload_bytes };
    let received = if purpose == Purpose::SendOnly { 0 } else { payload_bytes };
    assert_eq!((wire.sent_payload_bytes, wire.received_payload_bytes), (sent, received), "{what}");
    if what.contains(" raw ") {
        assert_eq!((wire.sent_wire_bytes, wire.received_wire_bytes), (sent, received), "{what}");
    }
    let kept_raw: u64 = run.kept_raw.iter().map(|raw| raw.messages).sum();
    assert!(kept_raw <= if sent > 0 { 60 } else { 0 }, "{what}: {:?}", run.kept_raw);
}

#[test]
fn memory_counts_exactly() {
    counts_are_exact_over("memory");
}

#[cfg(feature = "grpc")]
#[test]
fn grpc_counts_exactly() {
    counts_are_exact_over("grpc");
}

#[cfg(feature = "nats")]
#[test]
fn nats_counts_exactly() {
    if crate::support::has_nats() {
        counts_are_exact_over("nats");
    }
}

#[test]
fn the_ratio_does_not_depend_on_who_carries_it() {
    let ratio = |transport: &str| {
        let (report, code, said) = bench(&format!(
            "-e lz4 -m 1000 -P 1 --message-count 200 -w 0 --repeat 1 pc -c 2 {transport}"
        ));
        assert_eq!(code, 0, "{said}");
        report.unwrap().encodings.swap_remove(0).summary.ratio.unwrap()
    };
    let expected = ratio("memory");
    if cfg!(feature = "grpc") {
        let found = ratio("grpc");
        // Run ids and times in headers are not the same.
        assert!((found / expected - 1.0).abs() < 5e-3, "{found} and {expected}");
    }
}

#[cfg(feature = "grpc")]
#[test]
fn consumers_that_wait_are_not_counted() {
    let (report, code, said) =
        bench("-e lz4 --rate 20msg -m 1000 -P 1 -d 500ms -w 0 --repeat 1 bpcg -p 1 -c 20 grpc");
    let report = report.unwrap_or_else(|| panic!("{said}"));
    let run = report.encodings.first().unwrap().runs.first().unwrap();
    assert_eq!((code, run.wire.sent_payload_bytes), (0, run.verified.payload_bytes));
    assert_eq!(run.verified.payload_bytes, 10_000);
}
