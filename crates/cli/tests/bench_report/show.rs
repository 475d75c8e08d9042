//! `thinwire report`, the command.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;
use thinwire_cli::bench::report::{ErrorCount, KeptRaw, Report};
use thinwire_cli::bench::warning::Warning;

use super::canned::{self, BOTH, USUAL, report};
use super::command::{run, stderr};

struct Files(TempDir);

impl Files {
    fn new() -> Self {
        let files = Self(TempDir::new().unwrap());
        files.write("a.json", &canned::usual());
        let faster = USUAL.map(|(level, mb, ratio, p50)| (level, 2.0 * mb, ratio, p50 / 2.0));
        files.write("b.json", &report(&faster, BOTH, &[1.0, 1.02, 0.99]));
        files
    }

    fn write(&self, name: &str, report: &Report) {
        fs::write(self.path(name), serde_json::to_vec(report).unwrap()).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Names of files are those of this folder.
    fn report(&self, arguments: &[&str]) -> Output {
        let words =
            arguments.iter().map(|word| match word.starts_with('-') || !word.contains('.') {
                true => (*word).to_owned(),
                false => self.path(word).to_str().unwrap().to_owned(),
            });
        let words: Vec<String> = std::iter::once("report".to_owned()).chain(words).collect();
        run(&words.iter().map(String::as_str).collect::<Vec<_>>(), b"")
    }
}

fn text(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", stderr(output));
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[test]
fn two_reports_are_compared_in_every_form() {
    let files = Files::new();
    let table = text(&files.report(&["a.json", "b.json"]));
    assert!(!table.contains('\u{1b}'), "no colours into a pipe");
    assert!(table.contains("B is better in "), "{table}");
    assert!(table.contains("× 2.00") && table.contains("better"), "{table}");
    let markdown = text(&files.report(&["a.json", "b.json", "--format", "markdown"]));
    let row = "| zstd:1 | producers | payload MB/s | 340 | 680 | × 2.00 |";
    assert!(markdown.contains(row), "{markdown}");
    let json: Value =
        serde_json::from_str(&text(&files.report(&["a.json", "b.json", "--format", "json"])))
            .unwrap();
    assert_eq!(json["schema"], "thinwire.bench.comparison");
    assert_eq!(json["rows"][0]["measure"], "mb_per_second");
    assert_eq!(json["rows"][0]["verdict"], "better");
    assert!(json["rows"].as_array().unwrap().iter().any(|row| row["measure"] == "p99_9_ns"));
}

#[test]
fn different_settings_are_listed_before_anything_is_believed() {
    let files = Files::new();
    let mut other = canned::usual();
    other.settings.messages_per_batch = 7;
    files.write("c.json", &other);
    let said = text(&files.report(&["a.json", "c.json"]));
    let said = said.split_whitespace().collect::<Vec<_>>().join(" "); // lines are broken
    assert!(said.contains("settings.messages_per_batch 100 against 7"), "{said}");
}

#[test]
fn too_few_repeats_are_said_to_be_too_few() {
    let files = Files::new();
    files.write("c.json", &report(&USUAL, BOTH, &[1.0]));
    let said = text(&files.report(&["a.json", "c.json"]));
    assert!(said.contains("too few repeats to tell"), "{said}");
    assert!(said.contains("--repeat"), "{said}");
}

#[test]
fn one_report_is_shown_again_and_becomes_a_page() {
    let files = Files::new();
    assert!(text(&files.report(&["a.json"])).contains("zstd:1 moves the most: 340 MB/s"));
    let again = text(&files.report(&["a.json", "--format", "json"]));
    assert_eq!(again.trim_end(), fs::read_to_string(files.path("a.json")).unwrap());
    let output = files.report(&["a.json", "--html", "page.html"]);
    assert!(text(&output).is_empty());
    let page = fs::read_to_string(files.path("page.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    let both = files.report(&["a.json", "b.json", "--html", "page.html"]);
    assert_eq!(both.status.code(), Some(2), "{}", stderr(&both));
}

#[test]
fn what_cannot_be_compared_ends_with_1_and_a_reason() {
    let files = Files::new();
    fs::write(files.path("empty.json"), "").unwrap();
    fs::write(files.path("advise.json"), r#"{"schema":"thinwire.advise","schema_version":1}"#)
        .unwrap();
    fs::write(files.path("later.json"), r#"{"schema":"thinwire.bench","schema_version":2}"#)
        .unwrap();
    files.write("other.json", &report(&[("brotli:4", 1.0, 1.0, 1.0)], BOTH, &[1.0]));
    for (name, reason) in [
        ("missing.json", "No such file"),
        ("empty.json", "no JSON"),
        ("advise.json", "thinwire.advise"),
        ("later.json", "version 2"),
        ("other.json", "no encoding was measured in both"),
    ] {
        let output = files.report(&["a.json", name]);
        assert_eq!(output.status.code(), Some(1), "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains(reason), "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains(name), "{name}: {}", stderr(&output));
        assert!(output.stdout.is_empty(), "{name}");
    }
}

#[test]
fn one_of_the_reports_may_come_from_standard_input() {
    let files = Files::new();
    let [a, b] = ["a.json", "b.json"].map(|name| fs::read(files.path(name)).unwrap());
    let path = |name| files.path(name).to_str().unwrap().to_owned();
    let from_file = text(&files.report(&["a.json"]));
    assert_eq!(text(&run(&["report", "-"], &a)), from_file);
    let from_files = text(&files.report(&["a.json", "b.json"]));
    assert_eq!(text(&run(&["report", "-", &path("b.json")], &a)), from_files);
    assert_eq!(text(&run(&["report", &path("a.json"), "-"], &b)), from_files);
    let both = run(&["report", "-", "-"], &a);
    assert_eq!(both.status.code(), Some(2), "{}", stderr(&both));
    let none = run(&["report", "-"], b"");
    assert_eq!(none.status.code(), Some(1));
    assert!(stderr(&none).contains("standard input: not a report"), "{}", stderr(&none));
}

#[test]
#[cfg(unix)]
fn what_is_no_file_of_a_report_is_refused_soon() {
    for (name, reason) in [("/dev/zero", "does not begin with {"), ("/", "a folder, not a report")]
    {
        let output = run(&["report", name], b"");
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(stderr(&output).contains(reason), "{}", stderr(&output));
    }
}

#[test]
fn text_from_a_report_stays_text_in_every_form() {
    let hostile = "<b>|*`x`\n# [a](b)\u{1b}[2J";
    let mut odd = canned::usual();
    odd.environment.command = hostile.to_owned();
    odd.environment.cpu = Some(hostile.to_owned());
    odd.settings.kind = hostile.to_owned();
    odd.messages.source = hostile.to_owned();
    odd.transport.name = hostile.to_owned();
    odd.transport.server = Some(hostile.to_owned());
    odd.warnings = vec![Warning::Corpus { text: hostile.to_owned() }];
    for result in &mut odd.encodings {
        result.level = format!("{}{hostile}", result.level);
        for run in &mut result.runs {
            run.kept_raw = vec![KeptRaw { reason: hostile.to_owned(), messages: 1 }];
            let (kind, first) = (hostile.to_owned(), Some(hostile.to_owned()));
            run.errors = vec![ErrorCount { kind, count: 1, first }];
        }
    }
    let files = Files::new();
    files.write("odd.json", &odd);
    let mut other = odd.clone();
    other.settings.kind.push('!');
    files.write("other.json", &other);
    for names in [["odd.json"].as_slice(), &["odd.json", "other.json"]] {
        let form = |form| text(&files.report(&[names, &["--format", form]].concat()));
        let markdown = form("markdown");
        let rows = markdown.lines().filter(|line| line.starts_with('|'));
        for row in rows {
            let cells = row.replace(r"\|", "").matches('|').count() - 1;
            assert!(cells == 12 || cells == 8, "{row}");
        }
        let escaped = markdown.replace(r"\<b>\|\*\`x\`\\n# \[a\](b)", "");
        assert!(escaped.len() < markdown.len());
        for sign in ["<b>", "`x", "](b)"] {
            assert!(!escaped.contains(sign), "{sign} in {escaped}");
        }
        let table = form("table");
        for said in [&markdown, &table] {
            assert!(said.lines().all(|line| !line.starts_with('#')), "{said}");
            assert!(!said.contains('\u{1b}'), "{said}");
        }
        assert!(table.contains(r"raw<b>|*`x`\n# [a](b)\u{1b}[2J"), "{table}");
    }
}

#[test]
fn what_bench_writes_is_read() {
    for kind in [["pp", "-p", "2"], ["ppc", "-p", "2"], ["pc", "-c", "2"], ["e2e", "-p", "2"]] {
        let few = ["bench", "-e", "raw,zstd:1", "-b", "4", "--warmup", "0", "--format", "json"];
        let written = run(&[&few, kind.as_slice(), &["memory"]].concat(), b"");
        assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
        let again = run(&["report", "-", "--format", "json"], &written.stdout);
        assert!(again.stdout == written.stdout, "{kind:?}: {}", stderr(&again));
    }
}
