//! What is sent: lengths, ratios, and that no two are the same.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::collections::HashSet;

use thinwire_cli::bench::header::{Corrupt, Header};
use thinwire_cli::bench::ledger::{Came, Ledger};
use thinwire_cli::bench::pool::{Batches, Pool};

use crate::support::{bench, typed};

fn filled(arguments: &str) -> (Pool, thinwire_cli::bench::report::Messages) {
    let filled = Pool::fill(&typed(arguments).options).unwrap();
    (filled.pool, filled.messages)
}

#[test]
fn every_message_differs_also_when_the_pool_begins_again() {
    let (pool, _) = filled("--payload json -m 100..200 memory");
    let mut batches = Batches::new(&pool, 7, 3);
    let mut seen = HashSet::new();
    for _ in 0..30 {
        let (count, bytes) = batches.make(1000, u64::MAX);
        let messages = batches.take(5);
        assert_eq!(messages.len() as u64, count);
        assert_eq!(messages.iter().map(|it| it.len() as u64).sum::<u64>(), bytes);
        for message in messages {
            assert!((100..=200).contains(&message.len()));
            let header = Header::check(&message, 7).unwrap().unwrap();
            assert_eq!((header.producer, header.sent_ns), (3, 5));
            assert!(seen.insert(message));
        }
    }
    assert_eq!(seen.len(), 30_000);
}

#[test]
fn the_same_seed_gives_the_same_messages() {
    let first = |arguments: &str| {
        let (pool, _) = filled(arguments);
        pool.message(11, Header { run_id: 1, sent_ns: 2, producer: 3, sequence: 4 })
    };
    for payload in ["json", "log", "remote-write", "random"] {
        let one = first(&format!("--payload {payload} -m 900 --seed 5 memory"));
        assert_eq!(one, first(&format!("--payload {payload} -m 900 --seed 5 memory")));
        assert_ne!(one, first(&format!("--payload {payload} -m 900 --seed 6 memory")));
        assert_eq!(one.len(), 900);
    }
}

#[test]
fn a_ratio_that_is_asked_for_is_reached() {
    for ratio in [1.5, 4.0, 8.0] {
        let (report, _, said) = bench(&format!(
            "-e zstd:1 --compressibility {ratio} -m 2000 --message-count 2000 --repeat 1 -w 0 memory"
        ));
        let report = report.unwrap_or_else(|| panic!("{said}"));
        let reached = report.encodings[0].summary.ratio.unwrap();
        assert!((reached / ratio - 1.0).abs() < 0.1, "{ratio}: {reached}");
    }
}

#[test]
fn own_messages_and_lengths_of_them_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("events.jsonl");
    let lines: Vec<_> = (0..300).map(|at| format!("{{\"number\":{at}}}")).collect();
    std::fs::write(&path, lines.join("\n")).unwrap();
    let path = path.display();
    let (_, own) = filled(&format!("--messages {path} memory"));
    assert_eq!((own.distinct, own.min_bytes, own.max_bytes), (300, 12 + 32, 14 + 32));
    let (_, like) = filled(&format!("-m @{path} memory"));
    assert!(like.distinct > 1000 || like.max_bytes <= 32, "{like:?}");
    let (report, code, said) =
        bench(&format!("-e raw --messages {path} --message-count 700 --repeat 1 -w 0 ppc memory"));
    let report = report.unwrap_or_else(|| panic!("{said}"));
    assert_eq!((code, report.messages.source.as_str()), (0, "files"));
    assert_eq!(report.encodings[0].runs[0].verified.messages, 700);
}

#[test]
fn own_messages_may_come_from_standard_input() {
    use std::io::Write;
    let mut command = crate::support::command(
        "--format json -e raw --messages - --split lines --message-count 50 --repeat 1 -w 0 memory",
    );
    let mut child = command.stdin(std::process::Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"{\"a\":1}\n{\"a\":22}\n").unwrap();
    let (report, code, said) = crate::support::outcome(&child.wait_with_output().unwrap());
    let messages = report.unwrap_or_else(|| panic!("{said}")).messages;
    assert_eq!((code, messages.distinct, messages.max_bytes), (0, 2, 8 + 32));
    assert_eq!(messages.paths, ["-"]);
}

#[test]
fn an_account_finds_what_is_lost_twice_strange_or_damaged() {
    let (pool, _) = filled("-m 100 memory");
    let ledger = Ledger::new(1, 2);
    let mut batches = Batches::new(&pool, 1, 1);
    batches.make(10, u64::MAX);
    let messages = batches.take(0);
    ledger.acknowledged(1, 10, 1000);
    for message in &messages[..8] {
        assert!(matches!(ledger.came(message), Ok(Came::New(_))));
    }
    assert_eq!(ledger.came(&messages[3]), Ok(Came::Again));
    let mut damaged = messages[8].to_vec();
    damaged[70] ^= 1;
    assert!(matches!(ledger.came(&damaged), Err(Corrupt::Changed { .. })));
    let mut others = Batches::new(&pool, 2, 1);
    others.make(1, u64::MAX);
    assert_eq!(ledger.came(&others.take(0)[0]), Ok(Came::Stranger));
    assert_eq!(ledger.missing(), 2);
    let found = ledger.found();
    assert_eq!((found.messages, found.payload_bytes), (8, 800));
    assert_eq!((found.duplicates, found.corrupt, found.strangers), (1, 1, 1));
}
