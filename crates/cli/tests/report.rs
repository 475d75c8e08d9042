//! Whole runs of `thinwire advise`: the shape of the JSON, the forms for people, bad input.
//! Nothing here depends on how long anything takes.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::fs::{self, File};
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use tempfile::TempDir;
use thinwire_cli::report::Report;

mod command;
use command::{run, stderr, thinwire};

const QUICK: [&str; 3] = ["advise", "--time", "20ms"];

/// Names and contents.
type Files<'a> = &'a [(&'a str, &'a [u8])];

fn folder(messages: Files<'_>) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, content) in messages {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

fn advise(path: &Path, more: &[&str]) -> std::process::Output {
    let path = path.to_str().unwrap();
    run(&[&QUICK[..], more, &[path]].concat(), b"")
}

fn report(path: &Path, more: &[&str]) -> Report {
    let output = advise(path, &[&["--format", "json"], more].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn text(path: &Path, more: &[&str]) -> String {
    let output = advise(path, more);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn json_lines() -> Vec<u8> {
    let item = |i| format!("{{\"id\":{i},\"name\":\"customer {i}\",\"tags\":[\"a\",\"b\"]}}");
    let line = |i| format!("[{},{},{},{}]\n", item(i), item(i + 7), item(i + 70), item(i + 700));
    (0..500).map(line).collect::<String>().into_bytes()
}

fn noise(len: u32) -> Vec<u8> {
    let mut state = 1u32;
    (0..len)
        .map(|_| {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            (state >> 24) as u8
        })
        .collect()
}

/// Every field with its type, sorted; lists by their first entry. A change here is a change of
/// the schema: docs/REPORT.md, and perhaps the version, change with it.
#[test]
fn the_json_has_the_documented_shape() {
    let folder = folder(&[("a.ndjson", &json_lines()), ("b.bin", &noise(90_000))]);
    let link = ["--link", "1Mbit", "-e", "zstd:3"]; // so slow that compression pays anywhere
    let options = [&link[..], &["--cpu-price", "1", "--network-price", "1"]].concat();
    let report = serde_json::to_value(report(folder.path(), &options)).unwrap();
    let mut lines = Vec::new();
    shape("", &report, &mut lines);
    let expected = include_str!("report.shape");
    assert_eq!(lines.join("\n"), expected.trim_end());
    let documented = include_str!("../../../docs/REPORT.md");
    for line in expected.lines() {
        let path = line.split_once(": ").unwrap().0;
        let name = path.rsplit('.').next().unwrap().trim_end_matches("[]");
        let found =
            ["`", "{", " "].iter().any(|before| documented.contains(&format!("{before}{name}")));
        assert!(found, "{name} is not in docs/REPORT.md");
    }
}

fn shape(path: &str, value: &Value, lines: &mut Vec<String>) {
    let kind = match value {
        Value::Object(fields) => {
            let mut names: Vec<_> = fields.keys().collect();
            names.sort();
            for name in names {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                if name != "warnings" {
                    shape(&path, &fields[name], lines);
                }
            }
            return;
        }
        Value::Array(values) => {
            let path = format!("{path}[]");
            return values.last().map_or((), |last| shape(&path, last, lines));
        }
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
    };
    // What a machine or a quick run may not know, and what the advice may be.
    let varies = ["cpu", "cores", "classes[].fastest", "cheapest.level", "spread_percent"];
    let kind = if varies.iter().any(|end| path.ends_with(end)) { "?" } else { kind };
    lines.push(format!("{path}: {kind}"));
}

#[test]
fn the_numbers_hang_together() {
    let folder = folder(&[("a.ndjson", &json_lines()), ("LICENSE", b"not a message")]);
    let report = report(folder.path(), &["--label-len", "5"]);
    assert_eq!((report.schema.as_str(), report.schema_version), ("thinwire.advise", 1));
    assert_eq!((report.corpus.messages, report.corpus.files_skipped), (500, 1));
    assert_eq!(report.candidates[0].level, "identity");
    assert!(report.candidates.len() >= 12, "every encoding at several levels");
    assert!(report.environment.libraries.iter().any(|l| l.library.starts_with("zstd 1.")));
    for candidate in &report.candidates {
        let (total, samples) = (&candidate.total, &candidate.samples);
        assert_eq!(samples.encoded_bytes.iter().sum::<u64>(), total.encoded_bytes);
        assert_eq!(samples.encoded_bytes.len(), 500);
        assert!((3..=31).contains(&samples.rounds.len()));
        assert!(total.encoded_bytes <= total.payload_bytes, "never bigger");
        assert_eq!(candidate.classes.iter().map(|row| row.messages).sum::<u64>(), 500);
        assert_eq!(candidate.classes.len(), report.corpus.size_classes.len());
    }
}

#[test]
fn people_get_a_table_without_colours_outside_a_terminal() {
    let folder = folder(&[("a.ndjson", &json_lines())]);
    let table = text(folder.path(), &[]);
    assert!(!table.contains('\x1b'));
    for part in ["500 messages in 1 file", "zstd:3", "ratio", "What this cannot know", "libdeflate"]
    {
        assert!(table.contains(part), "{part} in {table}");
    }
    assert!(table.lines().all(|line| line.chars().count() <= 120), "{table}");

    let markdown = text(folder.path(), &["--format", "markdown"]);
    let rows: Vec<_> = markdown.lines().filter(|line| line.starts_with('|')).collect();
    assert!(rows.len() >= 14, "{markdown}");
    assert!(rows.iter().all(|row| row.ends_with('|')));
}

#[test]
fn no_color_wins_over_a_wish_for_colours() {
    let folder = folder(&[("a.ndjson", &json_lines())]);
    let colours = |name: &str, value: &str| {
        let mut command = thinwire();
        command.args(QUICK).args(["-e", "lz4"]).arg(folder.path());
        command.env_remove("NO_COLOR").env("CLICOLOR_FORCE", "1").env(name, value);
        command.output().unwrap().stdout.contains(&0x1b)
    };
    assert!(colours("ANYTHING", "1"), "the wish for colours is heard");
    assert!(!colours("NO_COLOR", "1"));
}

#[test]
fn a_page_is_written_beside_the_table() {
    let folder = folder(&[("a.ndjson", &json_lines())]);
    let page = folder.path().join(".page.html");
    let table = text(folder.path(), &["--html", page.to_str().unwrap()]);
    assert!(table.contains("zstd:3"));
    assert!(fs::read_to_string(page).unwrap().to_ascii_lowercase().contains("<!doctype html>"));
}

#[test]
fn random_payloads_get_the_advice_not_to_compress() {
    let folder = folder(&[("a", &noise(50_000)), ("b", &noise(40_000)[1..])]);
    let table = text(folder.path(), &[]);
    assert!(table.contains("Do not compress"), "{table}");
    assert!(table.contains("never") && !table.contains("pays up to"), "{table}");
}

#[test]
fn the_baseline_alone_gives_no_advice() {
    let folder = folder(&[("a.ndjson", &json_lines())]);
    let table =
        text(folder.path(), &["-e", "identity", "--cpu-price", "1", "--network-price", "1"]);
    assert!(table.contains("nothing to compare"), "{table}");
    assert!(!table.contains("Do not compress") && !table.contains("cheapest"), "{table}");
}

#[test]
fn what_costs_nothing_makes_no_encoding_cheapest() {
    let folder = folder(&[("a.ndjson", &json_lines())]);
    let table = text(folder.path(), &["--cpu-price", "0", "--network-price", "0"]);
    assert!(table.contains("uncompressed is cheapest"), "{table}");
}

#[cfg(unix)]
#[test]
fn names_cannot_command_the_terminal() {
    let good = json_lines();
    let folder = folder(&[("\x1b[2J.\x1b[31m", &noise(90_000)), ("a.ndjson", &good)]);
    std::os::unix::fs::symlink("nowhere", folder.path().join("\x1b[2Jlink")).unwrap();
    for form in ["table", "markdown", "json"] {
        let all = text(folder.path(), &["-e", "zstd:1", "--format", form]);
        assert!(!all.contains('\x1b'), "{form}");
        // What Markdown would take for a sign is marked by a backslash.
        let name = if form == "markdown" { r"\\u{1b}\[2Jlink" } else { r"\u{1b}[2Jlink" };
        assert!(form == "json" || all.contains(name), "{all}");
    }
    let missing = advise(&folder.path().join("\x1b[2Jmissing"), &[]);
    assert!(stderr(&missing).contains(r"\u{1b}[2Jmissing"), "{}", stderr(&missing));
}

#[test]
fn one_message_and_many_equal_ones_are_answered_with_a_warning() {
    let one = folder(&[("a", b"just one message")]);
    assert!(text(one.path(), &[]).contains("warning: one message only"));
    let equal = folder(&[("a.log", "the same again\n".repeat(10_000).as_bytes())]);
    assert!(text(equal.path(), &[]).contains("warning: all messages are identical"));
}

#[test]
fn a_mixture_is_told() {
    let folder = folder(&[("a.ndjson", &json_lines()), ("b.jpg", &noise(60_000))]);
    let table = text(folder.path(), &["-e", "zstd:1"]);
    assert!(table.contains("A mixture: ") && table.contains(".jpg"), "{table}");
}

#[test]
fn bad_input_is_a_clear_error() {
    let cases: [(Files<'_>, &str); 3] = [
        (&[], "no messages to measure: 0 file(s)"),
        (&[("a", b""), ("b.log", b"\n\n")], "3 empty message(s)"),
        (&[(".a", b"x"), ("README.txt", b"x")], "2 file(s) skipped"),
    ];
    for (files, expected) in cases {
        let output = advise(folder(files).path(), &[]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
        assert!(stderr(&output).contains(expected), "{}", stderr(&output));
    }
    let folder = folder(&[("a.ndjson", &json_lines())]);
    let output = advise(folder.path(), &["no/such/file"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(stderr(&output).contains("thinwire: no/such/file: "), "{}", stderr(&output));
    let output = advise(folder.path(), &["--html", "no/such/page.html"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(stderr(&output).contains("thinwire: no/such/page.html: "), "{}", stderr(&output));
    assert!(!stderr(&output).contains(".tmp"), "{}", stderr(&output));
}

/// A shell takes the memory away, so that holding what is too long would fail.
#[cfg(target_os = "linux")]
#[test]
fn a_line_of_600_mib_needs_little_memory() {
    let folder = folder(&[("small.log", b"one\ntwo\n")]);
    File::create(folder.path().join("large.log")).unwrap().set_len(600 << 20).unwrap();
    let output = std::process::Command::new("sh")
        .args(["-c", "ulimit -v 400000; exec \"$0\" advise --time 20ms -e lz4 \"$1\""])
        .args([env!("CARGO_BIN_EXE_thinwire")])
        .arg(folder.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let table = String::from_utf8(output.stdout).unwrap();
    assert!(table.contains("2 messages in 2 files"), "{table}");
    assert!(table.contains("1 message(s) longer than 16777216 bytes"), "{table}");
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let folder = folder(&[("a.ndjson", &json_lines())]);
    let mut child = thinwire()
        .args(QUICK)
        .args(["-e", "lz4", "--format", "json"])
        .arg(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
}
