//! Iggy, on the server at `IGGY_ADDRESS`, as `127.0.0.1:8090`, with root's login in `IGGY_USERNAME`
//! and `IGGY_PASSWORD` if that is not `iggy`. Runs reach it through a relay, which knows what they
//! made there and can go away.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it fails")]

mod relay;

use std::net::TcpListener;
use std::process::Child;
use std::time::{Duration, Instant};

use thinwire_cli::bench::ending::Ended;
use thinwire_cli::bench::report::Report;

use crate::kinds::every_kind_over;
#[cfg(unix)]
use crate::support::signal;
use crate::support::{bench, command, iggy_login, outcome};
use relay::Relay;

/// What a run that was to end by itself may take on a busy machine.
const SOON: Duration = Duration::from_secs(20);

/// Starts it; returns when it is in the middle of it.
fn started(arguments: &str, relay: &Relay) -> Child {
    let arguments = format!("--format json -d 60s -m 500 -w 0 {arguments} {}", relay.transport());
    let child = command(&arguments).spawn().unwrap();
    relay.wait_for_messages();
    child
}

/// Waits for its end, which must come soon.
fn ends(child: Child, what: &str) -> (Report, i32) {
    let begin = Instant::now();
    let (report, code, said) = outcome(&child.wait_with_output().unwrap());
    assert!(begin.elapsed() < SOON, "{what}: {said}");
    (report.unwrap_or_else(|| panic!("{what}: {said}")), code)
}

#[test]
fn iggy_carries_every_kind() {
    let Some(relay) = Relay::start() else { return };
    every_kind_over(&relay.transport());
    relay.nothing_is_left();
}

#[test]
fn iggy_carries_every_encoding() {
    let Some(relay) = Relay::start() else { return };
    let (report, code, said) = bench(&format!(
        "-e raw,gzip,zstd,lz4,snappy,snappy-block \
         -m 40..5000 -P 16 --message-count 300 --repeat 1 -w 0 ppc -p 2 {}",
        relay.transport()
    ));
    let report = report.unwrap_or_else(|| panic!("{said}"));
    assert_eq!((code, report.encodings.len()), (0, 6));
    for result in &report.encodings {
        let verified = &result.runs[0].verified;
        assert_eq!((verified.messages, verified.lost), (300, 0), "{}", result.level);
        assert_eq!((verified.duplicates, verified.corrupt), (0, 0), "{}", result.level);
        assert!(result.level == "raw" || result.summary.ratio > Some(1.2), "{}", result.level);
    }
    relay.nothing_is_left();
}

#[test]
fn an_iggy_server_that_is_gone_ends_the_run() {
    for kind in ["pp", "ppc", "bpcg", "e2e"] {
        let Some(mut relay) = Relay::start() else { return };
        let child = started(&format!("-e lz4 --repeat 1 --idle-limit 4s {kind} -p 2"), &relay);
        relay.go_away();
        let (report, code) = ends(child, kind);
        assert!(matches!(report.ended, Ended::Failed { .. }), "{kind}: {}", report.ended);
        let run = &report.encodings[0].runs[0];
        assert_eq!((code, run.errors.is_empty()), (1, false), "{kind}");
        assert!(run.sending.as_ref().unwrap().messages > 0, "{kind}");
        relay.remove_what_is_left();
    }
}

#[test]
fn an_iggy_server_that_hangs_ends_the_run_after_the_idle_limit() {
    for kind in ["pp -p 2", "ppc -p 2", "bcg -c 2"] {
        let Some(relay) = Relay::start() else { return };
        let child = started(&format!("-e raw --repeat 1 --idle-limit 1s {kind}"), &relay);
        relay.hang();
        let (report, code) = ends(child, kind);
        assert_eq!(code, 1, "{kind}");
        assert!(matches!(report.ended, Ended::Idle { .. }), "{kind}: {}", report.ended);
        relay.remove_what_is_left();
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_leaves_nothing_on_the_iggy_server() {
    for kind in ["pp", "bpcg", "e2e"] {
        let Some(relay) = Relay::start() else { return };
        let child = started(&format!("-e raw,lz4 --repeat 2 {kind} -p 10"), &relay);
        signal(child.id(), "INT");
        let (report, code) = ends(child, kind);
        assert_eq!((code, &report.ended), (130, &Ended::Interrupted), "{kind}");
        assert!(report.encodings[0].runs[0].sending.as_ref().unwrap().messages > 0, "{kind}");
        relay.nothing_is_left();
    }
}

#[cfg(unix)]
#[test]
fn a_run_interrupted_while_it_connects_leaves_nothing_on_the_iggy_server() {
    for (kind, streams, millis) in [("pp", 1, 0), ("pp", 5, 0), ("bpcg", 1, 0), ("ppc", 10, 5)] {
        let Some(relay) = Relay::start() else { return };
        let arguments = format!("--format json -d 60s {kind} -p 10 {}", relay.transport());
        let child = command(&arguments).spawn().unwrap();
        relay.wait_for_streams(streams);
        std::thread::sleep(Duration::from_millis(millis));
        signal(child.id(), "INT");
        let (report, code) = ends(child, kind);
        assert_eq!((code, report.ended), (130, Ended::Interrupted), "{kind}");
        relay.nothing_is_left();
    }
}

#[test]
fn what_is_too_large_for_iggy_ends_the_run_and_says_so() {
    let Some(relay) = Relay::start() else { return };
    let begin = Instant::now();
    let (report, code, said) = bench(&format!(
        "-e raw --payload random -m 1MB -P 80 -b 1 --repeat 1 -w 0 pp -p 1 {}",
        relay.transport()
    ));
    assert!(begin.elapsed() < SOON, "{said}");
    let ended = report.unwrap_or_else(|| panic!("{said}")).ended;
    let Ended::Failed { why, .. } = &ended else { panic!("{ended}") };
    assert!(code == 1 && why.contains("80000000 bytes") && why.contains("64 MiB"), "{why}");
    relay.nothing_is_left();
}

#[test]
fn an_iggy_login_that_is_wrong_is_said_and_not_shown() {
    let Some(relay) = Relay::start() else { return };
    let (user, _) = iggy_login();
    for password in ["wrong-one", "w:r@o?n&g://one"] {
        let address = relay.address();
        let begin = Instant::now();
        let (report, code, said) = bench(&format!(
            "-e raw pp iggy --server {address} --user {user} --password {password}"
        ));
        assert!(begin.elapsed() < SOON, "{said}");
        assert_eq!((report, code), (None, 1), "{said}");
        assert!(said.contains(address) && said.to_lowercase().contains("credentials"), "{said}");
        assert!(!said.contains(password), "{said}");
    }
}

#[test]
fn an_iggy_server_that_is_not_there_is_an_error() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap(); // connects, and says nothing
    let silent = silent.local_addr().unwrap().to_string();
    for address in ["127.0.0.1:9", &silent, "nonsense", "[::1]:9"] {
        let begin = Instant::now();
        let (report, code, said) = bench(&format!("-e raw pp iggy --server {address}"));
        assert!(begin.elapsed() < SOON, "{address}: {said}");
        assert_eq!((report, code), (None, 1), "{address}: {said}");
        assert!(said.contains(address), "{address}: {said}");
    }
}
