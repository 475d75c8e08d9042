//! Signals that reach a busy benchmark, and servers that say nothing at the wrong moment.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::io::Read;
use std::process::Child;
use std::time::{Duration, Instant};

use thinwire_cli::bench::ending::Ended;

use crate::support::{bench, command, outcome, signal, started};

/// Waits for its end; how long that took.
fn ended(child: &mut Child, within: Duration) -> (Option<i32>, Duration) {
    let begin = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), begin.elapsed());
        }
        assert!(begin.elapsed() < within, "it goes on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_run_that_keeps_all_threads_busy_ends_in_time_and_hears_signals() {
    let arguments = "-e zstd:19 -m 2MiB -P 8 -d 300ms -w 0 --repeat 1 pp -p 4 memory";
    let begin = Instant::now();
    let (report, _, said) = bench(&format!("{arguments} --idle-limit 500ms"));
    assert!(begin.elapsed() < Duration::from_secs(60), "a busy machine apart: {said}");
    assert!(report.is_some(), "{said}");

    let arguments = "--format json -e zstd:22 -P 20000 -d 60s -w 0 --repeat 1 pp -p 4 memory";
    let mut child = command(arguments).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(600));
    signal(child.id(), "INT");
    std::thread::sleep(Duration::from_millis(50));
    signal(child.id(), "INT");
    assert_eq!(ended(&mut child, Duration::from_secs(10)).0, Some(130));
}

#[test]
fn signals_are_heard_while_the_report_finds_no_reader() {
    // Far more than a pipe holds, which nobody empties.
    let arguments = "-e raw,lz4 -d 100ms -w 0 --repeat 1 ppc -p 64 memory --format json";
    let mut child = command(arguments).spawn().unwrap();
    let begin = Instant::now();
    let mut stdout = child.stdout.take().unwrap();
    let mut first = [0; 1];
    stdout.read_exact(&mut first).unwrap(); // it prints
    signal(child.id(), "TERM");
    assert_eq!(ended(&mut child, Duration::from_secs(10)).0, Some(130), "{:?}", begin.elapsed());
}

#[test]
fn nobody_who_reads_is_no_reason_to_end_well() {
    let mut child = command("-e raw -m 500 -d 60s --repeat 1 -w 0 ppc memory").spawn().unwrap();
    drop(child.stdout.take());
    std::thread::sleep(Duration::from_millis(600));
    signal(child.id(), "INT");
    assert_eq!(ended(&mut child, Duration::from_secs(20)).0, Some(130));
}

#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let mut nohup = std::process::Command::new("nohup");
    nohup.arg(env!("CARGO_BIN_EXE_thinwire"));
    nohup.args("bench --format json -e raw -d 1500ms --repeat 1 -w 0 ppc memory".split(' '));
    nohup.stdin(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
    let child = nohup.stdout(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(600));
    signal(child.id(), "HUP");
    let (report, code, said) = outcome(&child.wait_with_output().unwrap());
    assert_eq!((code, report.map(|it| it.ended)), (0, Some(Ended::AsPlanned)), "{said}");
}

#[cfg(feature = "grpc")]
#[test]
fn what_nobody_could_look_for_is_not_called_lost() {
    let served = crate::support::Served::start();
    let child = started(&format!(
        "-e raw -m 500 -d 60s --idle-limit 1s --repeat 1 -w 0 pp grpc --server {}",
        served.url
    ));
    signal(served.child.id(), "STOP");
    let (report, code, said) = outcome(&child.wait_with_output().unwrap());
    let report = report.unwrap_or_else(|| panic!("{said}"));
    let run = &report.encodings[0].runs[0];
    assert!(matches!(report.ended, Ended::Idle { missing: 0, .. }), "{}", report.ended);
    assert_eq!((code, run.verified.by.as_str(), run.verified.lost), (1, "nobody", 0));
    signal(served.child.id(), "CONT");
}

/// What was due while the server was away counts, also at the end of a run.
#[cfg(feature = "grpc")]
#[test]
fn a_server_that_is_away_when_the_run_ends_delays_all_that_was_due() {
    let served = crate::support::Served::start();
    let arguments = "--format json -e raw -m 500 -P 1 --rate 200msg -d 2s -w 0 --repeat 1 pp -p 1";
    let child = command(&format!("{arguments} grpc --server {}", served.url)).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1200));
    signal(served.child.id(), "STOP");
    std::thread::sleep(Duration::from_millis(1300));
    signal(served.child.id(), "CONT");
    let (report, code, said) = outcome(&child.wait_with_output().unwrap());
    let report = report.unwrap_or_else(|| panic!("{said}"));
    let run = &report.encodings[0].runs[0];
    assert_eq!((code, run.verified.messages), (0, 400), "{said}");
    let latency = &run.sending.as_ref().unwrap().latency;
    let p90 = latency.p90_ns.unwrap();
    assert!(p90 > 300_000_000, "{p90}"); // some 0.8 s of the 2 were due while it was away
}

#[cfg(feature = "nats")]
#[test]
fn streams_on_a_server_are_removed_however_the_run_ends() {
    let Some(server) = crate::support::NatsServer::start(&[]) else { return };
    let url = format!("nats://{}", server.place);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let streams = || {
        runtime.block_on(async {
            let client = async_nats::connect(&url).await.unwrap();
            let context = async_nats::jetstream::new(client);
            let names: Vec<String> =
                futures_util::TryStreamExt::try_collect(context.stream_names()).await.unwrap();
            names.len()
        })
    };
    // It takes a while to make so many, so that it is interrupted meanwhile; and longer than the
    // limit, which counts from stream to stream.
    for (arguments, name) in [("-d 60s", Some("INT")), ("-d 10ms --idle-limit 100ms", None)] {
        let child = command(&format!(
            "--format json -e raw -P 1 -m 100 {arguments} -w 0 --repeat 1 pp -p 400 nats --url {url}"
        ));
        let child = { child }.spawn().unwrap();
        if let Some(name) = name {
            let begin = Instant::now();
            while streams() == 0 && begin.elapsed() < Duration::from_secs(20) {}
            signal(child.id(), name);
        }
        let output = child.wait_with_output().unwrap();
        let (_, code, said) = outcome(&output);
        assert_eq!(code, if name.is_some() { 130 } else { 0 }, "{arguments}: {said}");
        assert_eq!(streams(), 0, "{arguments}");
    }
}

#[test]
fn a_rate_that_nothing_reaches_ends_after_twice_the_time() {
    let begin = Instant::now();
    let arguments = "-e raw -m 100 -P 1 -r 900000000000000msg -d 1s -w 0 --repeat 1 pp -p 1 memory";
    let (report, code, said) = bench(arguments);
    assert_eq!(code, 0, "{said}");
    let sending = report.unwrap().encodings[0].runs[0].sending.clone().unwrap();
    assert!(sending.messages > 0);
    assert!(begin.elapsed() < Duration::from_secs(20), "a busy machine apart");
}
