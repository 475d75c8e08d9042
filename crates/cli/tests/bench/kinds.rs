//! Each kind over each transport comes to its end with every message verified.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it fails"
)]

use thinwire_cli::bench::plan::Kind;
use thinwire_cli::bench::report::{Latency, LatencyOf, Report, RoleName, Run};

use crate::support::bench;

/// Messages of a run; the last batch of each sender is not full.
const COUNT: u64 = 150;

pub(crate) fn every_kind_over(transport: &str) {
    for kind in Kind::ALL {
        let kind = kind.name();
        let (report, code, said) = bench(&format!(
            "-e raw,lz4 -m 40..3000 -P 8 --message-count {COUNT} -w 20ms --repeat 2 \
             {kind} {} {transport}",
            if kind.contains("consumer-group") && !kind.contains("producer")
                || kind == "pinned-consumer"
            {
                "-c 3"
            } else {
                "-p 3"
            }
        ));
        let report = report.unwrap_or_else(|| panic!("{kind}: {said}"));
        assert_eq!((code, report.ended.to_string().as_str()), (0, "as planned"), "{kind}: {said}");
        assert_eq!(report.settings.kind, kind);
        assert_eq!(report.encodings.len(), 2, "{kind}");
        check(&report);
    }
}

/// Nothing is lost, counts agree everywhere, and lz4 made something of it.
fn check(report: &Report) {
    let kind = &report.settings.kind;
    for result in &report.encodings {
        let what = format!("{kind} {}", result.level);
        assert_eq!(result.runs.len(), 2, "{what}");
        for run in &result.runs {
            check_run(run, &what);
        }
        let ratio = result.summary.ratio.unwrap();
        assert!(if result.level == "raw" { ratio == 1.0 } else { ratio > 1.2 }, "{what}: {ratio}");
    }
    let times = |at: usize| {
        let summary = &report.encodings[at].summary;
        summary.receiving.as_ref().or(summary.sending.as_ref()).unwrap().times_raw.unwrap()
    };
    assert!(times(0) == 1.0 && times(1) > 0.0, "{kind}");
}

fn check_run(run: &Run, what: &str) {
    let verified = &run.verified;
    assert_eq!((verified.messages, verified.lost), (COUNT, 0), "{what}: {verified:?}");
    assert_eq!((verified.duplicates, verified.corrupt, verified.strangers), (0, 0, 0), "{what}");
    assert_eq!((&run.errors[..], verified.not_kept), (&[][..], 0), "{what}");
    for role in [&run.sending, &run.receiving].into_iter().flatten() {
        assert_eq!(role.messages, COUNT, "{what}");
        assert_eq!(role.payload_bytes, verified.payload_bytes, "{what}");
        assert!(role.mb_per_second.unwrap() > 0.0, "{what}");
        check_latency(&role.latency, what);
    }
    let by_actors = |role| {
        let actors = run.actors.iter().filter(move |actor| actor.role == role);
        actors.map(|actor| (actor.messages, actor.series.messages.iter().sum::<u64>()))
    };
    for role in [RoleName::Producer, RoleName::Consumer, RoleName::Pair] {
        let (messages, over_time) =
            by_actors(role).fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
        assert!(messages == 0 || messages == COUNT, "{what}: {role:?}");
        assert_eq!(messages, over_time, "{what}: {role:?}");
    }
    let wire = &run.wire;
    let (sends, receives) = (run.sending.is_some(), run.receiving.is_some());
    assert!(!sends || wire.sent_payload_bytes >= verified.payload_bytes, "{what}");
    assert!(!receives || wire.received_payload_bytes >= verified.payload_bytes, "{what}");
    assert!(run.cost.client_cpu_ns.unwrap() > 0, "{what}");
}

fn check_latency(latency: &Latency, what: &str) {
    let Latency { min_ns, p50_ns, p90_ns, max_ns, .. } = *latency;
    assert!(min_ns > Some(0) && min_ns <= p50_ns && p50_ns <= p90_ns && p90_ns <= max_ns, "{what}");
    let samples = if latency.of == LatencyOf::Delivery { COUNT } else { COUNT.div_ceil(8) };
    assert!(latency.samples >= samples, "{what}: {latency:?}");
    assert_eq!(latency.p99_9_ns, None, "{what}: too few samples");
}

#[test]
fn memory_carries_every_kind() {
    every_kind_over("memory");
}

#[cfg(feature = "grpc")]
#[test]
fn grpc_carries_every_kind() {
    every_kind_over("grpc");
}

#[cfg(feature = "grpc")]
#[test]
fn a_server_elsewhere_carries_every_kind() {
    let served = crate::support::Served::start();
    every_kind_over(&format!("grpc --server {}", served.url));
}

#[cfg(feature = "nats")]
#[test]
fn nats_carries_every_kind() {
    if !crate::support::has_nats() {
        return;
    }
    every_kind_over("nats");
    every_kind_over("nats --storage file");
}

#[test]
fn senders_and_receivers_need_not_be_as_many() {
    for actors in ["-p 1 -c 4", "-p 5 -c 2"] {
        for kind in ["ppc", "bpcg"] {
            let (report, code, said) = bench(&format!(
                "-e lz4 -m 300 --message-count 900 -P 7 --repeat 1 {kind} {actors} memory"
            ));
            assert_eq!(code, 0, "{kind} {actors}: {said}");
            assert_eq!(report.unwrap().encodings[0].runs[0].verified.messages, 900);
        }
    }
}

#[test]
fn one_message_and_none_are_runs_as_well() {
    for kind in Kind::ALL {
        for count in [0, 1] {
            let (report, code, said) = bench(&format!(
                "-e zstd -m 100 --message-count {count} --repeat 1 -w 0 {} memory",
                kind.name()
            ));
            let report = report.unwrap_or_else(|| panic!("{kind:?}: {said}"));
            assert_eq!((code, report.encodings[0].runs[0].verified.messages), (0, count));
            let text = thinwire_cli::bench::render::table::render(&report);
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }
}

#[cfg(feature = "grpc")]
#[test]
fn a_link_is_shaped_where_the_machine_allows_it() {
    let (report, code, said) =
        bench("-e raw -m 1000 -d 300ms -w 0 --repeat 1 --link 8Mbit ppc -p 1 grpc");
    let Some(report) = report else {
        assert!(code == 1 && said.contains("not possible here"), "{said}");
        eprintln!("skipped: {said}");
        return;
    };
    assert_eq!((code, report.transport.link_bits_per_second), (0, Some(8e6)));
    let sending = report.encodings[0].summary.sending.as_ref().unwrap();
    // 1 MB/s, and what the queues at both ends take at once.
    assert!(sending.mb_per_second.unwrap() < 4.0, "{sending:?}");
    assert_eq!(bench("-e raw --link 1Gbit memory").1, 2);
}
