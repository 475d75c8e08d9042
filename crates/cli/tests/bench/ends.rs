//! Runs end by count, bytes and time, and in stated time when somebody dies.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::time::{Duration, Instant};

use thinwire_cli::bench::ending::Ended;

#[cfg(unix)]
use crate::support::signal;
use crate::support::{bench, outcome, plan, started};

#[test]
fn bytes_end_a_run_with_the_message_that_reaches_them() {
    let (report, code, _) = bench("-e raw -m 1000 -P 10 -T 100500 --repeat 1 -w 0 ppc -p 1 memory");
    let run = &report.unwrap().encodings[0].runs[0];
    assert_eq!((code, run.verified.messages, run.verified.payload_bytes), (0, 101, 101_000));
}

#[test]
fn batches_are_of_each_sender() {
    let (report, _, _) = bench("-e raw -m 50 -P 10 -b 3 --repeat 1 -w 0 ppc -p 4 memory");
    assert_eq!(report.unwrap().encodings[0].runs[0].verified.messages, 3 * 10 * 4);
}

#[test]
fn time_ends_a_run_and_what_is_under_way_arrives() {
    let begin = Instant::now();
    let (report, code, said) = bench("-e lz4 -d 300ms --repeat 1 -w 0 ppc -p 2 memory");
    assert!(begin.elapsed() < Duration::from_secs(20), "a busy machine apart");
    let report = report.unwrap();
    let run = &report.encodings[0].runs[0];
    assert_eq!((code, run.verified.lost), (0, 0), "{said}");
    assert_eq!(run.sending.as_ref().unwrap().messages, run.receiving.as_ref().unwrap().messages);
}

#[test]
fn the_open_loop_sends_what_it_was_asked_to() {
    let (report, code, said) =
        bench("-e raw -m 1000 -P 1 --rate 200msg -d 500ms --repeat 1 -w 0 e2e -p 2 memory");
    let report = report.unwrap();
    let run = &report.encodings[0].runs[0];
    assert_eq!((code, run.verified.messages), (0, 100), "{said}");
    assert_eq!(report.settings.rate_messages_per_second, Some(200.0));
}

#[test]
fn counts_beyond_all_machines_are_computed_and_refused_or_run() {
    let ok = plan("-m 64000000 -P 1 --message-count 1000000000000 pp memory").unwrap();
    assert_eq!(ok.limits.messages, Some(1_000_000_000_000));
    ok.check_memory(64e6, 64_000_000, GB).unwrap_err();
    ok.check_memory(64e6, 64_000_000, 2 * GB).unwrap(); // 4 senders, 256 MB at once, 4 copies
    let at_once = plan("-m 64000000 -P 1000 --message-count 1000000000000 pp -p 100 memory");
    at_once.unwrap().check_memory(64e6, 64_000_000, 1000 * GB).unwrap_err();
    let filled = plan("-m 64000000 -P 1 --message-count 1000000000000 pc memory").unwrap();
    filled.check_memory(64e6, 64_000_000, 1000 * GB).unwrap_err();
    let filled = plan("-m 1000 -P 1 -T 1GB pc memory").unwrap();
    filled.check_memory(1e3, 1000, 2 * GB).unwrap();
    filled.check_memory(1e3, 1000, 2 * GB - 2).unwrap_err();
    assert!(plan("-b 18446744073709551615 -P 4000000000 pp -p 9999 memory").is_err());
}

const GB: u64 = 1_000_000_000;

#[test]
fn how_long_it_takes_is_known_where_a_time_or_a_rate_says_so() {
    let expected = |arguments: &str| plan(arguments).unwrap().expected_time(1000.0);
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    assert_eq!(expected("-e raw,lz4 --repeat 5 -d 2s -w 1s memory"), seconds(2 * 5 * 3));
    assert_eq!(expected("-e raw --repeat 2 -m 1000 -T 1GB memory"), None, "as fast as it goes");
    let by_count = "-e raw --repeat 1 -w 0 --rate 10msg --message-count";
    assert_eq!(expected(&format!("{by_count} 36000 memory")), seconds(3600));
    assert_eq!(expected(&format!("{by_count} 36000 -T 1MB memory")), seconds(100));
    assert_eq!(expected(&format!("{by_count} 36000 -d 9s memory")), seconds(9));
    let ages = expected("-e raw --rate 0.001msg --message-count 1125899906842624 memory");
    assert!(ages > seconds(1 << 60), "{ages:?}");
}

#[test]
fn what_takes_long_is_said_before_and_each_run_when_it_is_over() {
    let (_, code, said) = bench("-e raw,lz4 -d 100ms --repeat 2 -w 0 memory");
    let lines: Vec<_> = said.lines().collect();
    assert_eq!((code, lines.len()), (0, 4), "{said}");
    assert!(lines[0].starts_with("1/4 raw, run 1: "), "{said}");
    assert!(lines[3].starts_with("4/4 raw, run 2: ") && lines[3].contains("MB/s"), "{said}");
    let arguments = "-e raw --rate 1msg -P 1 --message-count 7200 --repeat 1 -w 0 memory";
    let mut child = crate::support::command(arguments).spawn().unwrap();
    let mut line = String::new();
    let mut said = std::io::BufReader::new(child.stderr.take().unwrap());
    std::io::BufRead::read_line(&mut said, &mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(line, "1 run(s), 2 hours in all\n");
}

#[test]
fn the_idle_limit_does_not_count_while_nothing_is_to_be_sent() {
    for kind in ["pp", "ppc -p 1", "e2e"] {
        let (report, code, said) = bench(&format!(
            "-e raw -m 500 -P 1 --rate 2msg --message-count 3 --idle-limit 100ms --repeat 1 -w 0 \
             {kind} memory"
        ));
        let report = report.unwrap_or_else(|| panic!("{kind}: {said}"));
        assert_eq!((code, &report.ended), (0, &Ended::AsPlanned), "{kind}: {}", report.ended);
        assert_eq!(report.encodings[0].runs[0].verified.messages, 3, "{kind}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let bad = [
        "-m 31 memory",
        "-P 0 memory",
        "--repeat 0 memory",
        "--rate 10MB pc memory",
        "--idle-limit 1ms memory",
        "pp -p 0 memory",
        "pp -p 10001 memory",
        "pp -c 2 memory",
        "pc -p 2 memory",
        "-e deflate:99 memory",
        "-m 9..8 memory",
        "--rate fast memory",
        "--messages /nowhere --payload log memory",
        "--link 1bit grpc",
        "--delay 11s grpc",
        "--link 1Gbit memory",
        "--html /dev/stdout memory",
        "--messages - -m 500 memory",
        "-e deflate iggy",
    ];
    for arguments in bad {
        let (report, code, said) = bench(arguments);
        assert_eq!((report, code), (None, 2), "{arguments}: {said}");
    }
    assert_eq!(bench("--messages /nowhere memory").1, 1);
}

#[cfg(not(feature = "iggy"))]
#[test]
fn a_transport_that_is_not_built_in_names_its_feature() {
    let (report, code, said) = bench("pp iggy --server 127.0.0.1:8090");
    assert_eq!((report, code), (None, 2), "{said}");
    assert!(said.contains("iggy is not built in") && said.contains("--features iggy"), "{said}");
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_prints_what_there_is() {
    for name in ["INT", "TERM", "HUP"] {
        let child = started("-e raw -m 500 -d 60s --repeat 1 -w 0 ppc memory");
        let begin = Instant::now();
        signal(child.id(), name);
        let (report, code, said) = outcome(&child.wait_with_output().unwrap());
        assert!(begin.elapsed() < Duration::from_secs(10), "{name}");
        let report = report.unwrap_or_else(|| panic!("{name}: {said}"));
        assert_eq!((code, &report.ended), (130, &Ended::Interrupted), "{name}");
        assert!(report.encodings[0].runs[0].verified.messages > 0, "{name}");
    }
}

#[cfg(all(unix, feature = "nats"))]
#[test]
fn a_server_that_was_started_for_a_run_ends_with_it_whenever_it_is_interrupted() {
    if !crate::support::has_nats() {
        return;
    }
    for millis in [50, 100, 150, 800] {
        let arguments = "--format json -e raw -m 500 -d 60s --repeat 1 -w 0 ppc nats";
        let mut child = crate::support::command(arguments).spawn().unwrap();
        let mut servers = Vec::new();
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_millis(millis) {
            servers.extend(descendants(child.id()));
            std::thread::sleep(Duration::from_millis(5));
        }
        signal(child.id(), "TERM");
        let begin = Instant::now();
        while child.try_wait().unwrap().is_none() {
            servers.extend(descendants(child.id()));
            assert!(begin.elapsed() < Duration::from_secs(20), "after {millis} ms");
            std::thread::sleep(Duration::from_millis(5));
        }
        let left: Vec<_> = servers.into_iter().filter(|pid| is_running(*pid)).collect();
        assert!(left.is_empty(), "after {millis} ms {left:?} are left");
    }
}

#[cfg(all(unix, feature = "nats"))]
#[test]
fn a_server_that_was_started_for_a_run_is_gone_also_if_the_run_is_killed() {
    if !crate::support::has_nats() {
        return;
    }
    for names in [&["KILL"][..], &["INT", "INT"]] {
        let folder = tempfile::tempdir().unwrap();
        let arguments = "--format json -e raw -m 500 -d 60s --repeat 1 -w 0 ppc nats";
        let mut child =
            crate::support::command(arguments).env("TMPDIR", folder.path()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(800));
        let servers = descendants(child.id());
        assert!(!servers.is_empty(), "{names:?}");
        let kept = || std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(kept(), 1, "{names:?}");
        for name in names {
            signal(child.id(), name);
        }
        child.wait().unwrap();
        let begin = Instant::now();
        while servers.iter().any(|pid| is_running(*pid)) || kept() > 0 {
            assert!(begin.elapsed() < Duration::from_secs(20), "{names:?}: {} left", kept());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// The processes that one has started, and those that they have.
#[cfg(all(unix, feature = "nats"))]
fn descendants(pid: u32) -> Vec<u32> {
    let found = std::process::Command::new("pgrep").args(["-P", &pid.to_string()]).output();
    let found = String::from_utf8_lossy(&found.unwrap().stdout).into_owned();
    let children = found.lines().map(|line| line.trim().parse().unwrap());
    children.flat_map(|child| [vec![child], descendants(child)].concat()).collect()
}

#[cfg(all(unix, feature = "nats"))]
fn is_running(pid: u32) -> bool {
    let asked = std::process::Command::new("kill").args(["-0", &pid.to_string()]).output();
    asked.unwrap().status.success()
}

#[cfg(all(unix, feature = "grpc"))]
#[test]
fn a_server_that_dies_ends_the_run() {
    for kind in ["pp", "ppc", "e2e"] {
        let served = crate::support::Served::start();
        let child = started(&format!(
            "-e lz4 -m 500 -d 60s --repeat 1 -w 0 {kind} grpc --server {}",
            served.url
        ));
        signal(served.child.id(), "KILL");
        let begin = Instant::now();
        let (report, code, said) = outcome(&child.wait_with_output().unwrap());
        assert!(begin.elapsed() < Duration::from_secs(15), "{kind}");
        let report = report.unwrap_or_else(|| panic!("{kind}: {said}"));
        assert!(matches!(report.ended, Ended::Failed { .. }), "{kind}: {}", report.ended);
        assert_eq!(code, 1, "{kind}");
        assert!(report.encodings[0].runs[0].sending.as_ref().unwrap().messages > 0, "{kind}");
        assert!(!report.encodings[0].runs[0].errors.is_empty(), "{kind}");
    }
}

#[cfg(all(unix, feature = "grpc"))]
#[test]
fn a_server_that_hangs_ends_the_run_after_the_idle_limit() {
    let served = crate::support::Served::start();
    let arguments = format!(
        "-e raw -m 500 -d 60s --idle-limit 1s --repeat 1 -w 0 ppc grpc --server {}",
        served.url
    );
    let child = started(&arguments);
    signal(served.child.id(), "STOP");
    let begin = Instant::now();
    let (report, code, said) = outcome(&child.wait_with_output().unwrap());
    assert!(begin.elapsed() < Duration::from_secs(15), "{said}");
    assert!(matches!(report.unwrap().ended, Ended::Idle { .. }));
    assert_eq!(code, 1);
}

#[cfg(all(unix, feature = "nats"))]
#[test]
fn a_nats_server_that_dies_ends_the_run() {
    if !crate::support::has_nats() {
        return;
    }
    for kind in ["pp", "ppc"] {
        let child = started(&format!("-e lz4 -m 500 -d 60s --repeat 1 -w 0 {kind} nats"));
        let server = nats_server(child.id());
        signal(server, "KILL");
        let begin = Instant::now();
        let (report, code, said) = outcome(&child.wait_with_output().unwrap());
        assert!(begin.elapsed() < Duration::from_secs(20), "{kind}: {said}");
        let ended = report.unwrap_or_else(|| panic!("{kind}: {said}")).ended;
        assert!(
            matches!(ended, Ended::ServerGone { .. } | Ended::Failed { .. }),
            "{kind}: {ended}"
        );
        if let Ended::ServerGone { why } = &ended {
            assert_eq!(why, "it was ended by signal 9", "no old line of its log");
        }
        assert_eq!(code, 1, "{kind}");
    }
}

#[cfg(all(unix, feature = "nats"))]
fn nats_server(parent: u32) -> u32 {
    let names = |pid: &u32| std::fs::read_to_string(format!("/proc/{pid}/comm"));
    let is_server = |pid: &u32| names(pid).is_ok_and(|name| name.trim() == "nats-server");
    descendants(parent).into_iter().find(is_server).unwrap()
}

#[test]
fn a_server_that_is_not_there_is_an_error() {
    let mut missing = Vec::new();
    if cfg!(feature = "grpc") {
        missing.extend(["grpc --server http://127.0.0.1:9", "grpc --server nowhere.invalid"]);
    }
    if cfg!(feature = "nats") {
        missing.extend(["nats --url nats://127.0.0.1:9", "nats --url nowhere.invalid"]);
    }
    for transport in missing {
        let (report, code, said) = bench(&format!("-e raw {transport}"));
        let address = transport.split_whitespace().last().unwrap();
        assert_eq!((report, code, said.lines().count()), (None, 1, 1), "{transport}: {said}");
        assert!(said.contains(address), "{transport}: {said}");
    }
}

#[cfg(feature = "grpc")]
#[test]
fn a_server_that_is_another_one_is_an_error() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        while let Ok((mut socket, _)) = listener.accept() {
            let _ = std::io::Write::write_all(&mut socket, b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let (report, code, said) = bench(&format!("-e raw grpc --server {address}"));
    assert_eq!((report, code), (None, 1), "{said}");
}
