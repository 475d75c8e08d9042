//! Files and folders become messages: all of them, none twice, none made up, in bounded memory.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use thinwire_cli::corpus::{CorpusError, Loaded, Source, load};
use thinwire_cli::detect::Split;
use thinwire_cli::reservoir::Reservoir;
use thinwire_cli::warning::Warning;

mod command;
use command::{run, stderr};

fn read(paths: &[&Path], split: Split) -> Result<Loaded, CorpusError> {
    let paths = paths.iter().map(PathBuf::from).collect();
    load(&Source { paths, split, max_bytes: 1 << 20, max_messages: 1000 }, &mut |_| {})
}

fn read_file(name: &str, content: &[u8], split: Split) -> Result<Loaded, CorpusError> {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join(name);
    fs::write(&path, content).unwrap();
    read(&[&path], split)
}

fn messages(loaded: &Loaded) -> Vec<&[u8]> {
    loaded.payloads.all()
}

#[test]
fn a_file_is_split_as_asked() {
    let varint = b"\x02\x08\x01\x00\x03\x08\x96\x01";
    let u32be = b"\0\0\0\x02hi\0\0\0\0\0\0\0\x01!";
    type Case<'a> = (&'a [u8], Split, &'a [&'a [u8]], u64);
    let cases: [Case<'_>; 8] = [
        (b"a\nb\n", Split::None, &[b"a\nb\n"], 0),
        (b"a\r\nb\n\nc", Split::Lines, &[b"a", b"b", b"c"], 1),
        (b"\xff\xfe\n\x80\n", Split::Lines, &[b"\xff\xfe", b"\x80"], 0),
        (varint, Split::Varint, &[b"\x08\x01", b"\x08\x96\x01"], 1),
        (varint, Split::LengthDelimited, &[b"\x08\x01", b"\x08\x96\x01"], 1),
        (u32be, Split::U32be, &[b"hi", b"!"], 1),
        (u32be, Split::LengthDelimited, &[b"hi", b"!"], 1),
        (&u32be[..10], Split::Auto, &[&u32be[..10]], 0), // two messages can be an accident
    ];
    for (content, split, expected, empty) in cases {
        let loaded = read_file("content", content, split).unwrap();
        assert_eq!(messages(&loaded), expected, "{split:?}");
        assert_eq!(loaded.corpus.empty_messages, empty, "{split:?}");
        assert!(loaded.warnings.is_empty());
    }
}

#[test]
fn auto_tells_files_apart() {
    let protobuf = b"\x08\x01\x12\x05hello".repeat(3);
    let mut varint = Vec::new();
    let mut u32be = Vec::new();
    for count in 1..20 {
        let message = &protobuf[..9 * (count % 3 + 1)];
        varint.push(u8::try_from(message.len()).unwrap());
        varint.extend_from_slice(message);
        u32be.extend_from_slice(&u32::try_from(message.len()).unwrap().to_be_bytes());
        u32be.extend_from_slice(message);
    }
    let pretty = b"{\n  \"a\": 1\n}\n";
    let json_lines = b"{\"a\":1}\n{\"a\":2}\n";
    let noise: Vec<u8> =
        (0..5000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let zeros = vec![0; 100_000];
    let cases: [(&str, &[u8], usize); 10] = [
        ("a.ndjson", b"1\n2\n", 2),
        ("a.JSONL", b"1\n2\n", 2),
        ("a.log", b"one\ntwo\nthree", 3),
        ("a.txt", b"one\ntwo\nthree", 1),
        ("a.json", pretty, 1),
        ("a", json_lines, 2),
        ("a.bin", &varint, 19),
        ("b.bin", &u32be, 19),
        ("c.bin", &noise, 1),
        ("d.bin", &zeros, 1),
    ];
    for (name, content, count) in cases {
        let loaded = read_file(name, content, Split::Auto).unwrap();
        assert_eq!(loaded.payloads.count(), count, "{name}");
    }
    // A byte more, and the lengths no longer lead to the end.
    varint.push(9);
    assert_eq!(read_file("a.bin", &varint, Split::Auto).unwrap().payloads.count(), 1);
    assert!(read_file("a.bin", &varint, Split::LengthDelimited).is_err());
    let loaded = read_file("a.bin", &varint, Split::Varint).unwrap();
    assert_eq!(loaded.payloads.count(), 19, "the messages before the fault are used");
    assert!(matches!(&loaded.warnings[..], [Warning::Unreadable { count: 1, .. }]));
}

#[test]
fn auto_finds_long_json_lines_and_the_last_one_without_its_end() {
    let line = |len: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(len));
    for (content, count) in [
        (format!("{}\n{}\n", line(1), line(2)), 2),
        (format!("{}\n{}", line(1), line(2)), 2),
        (format!("{}\n{}", line(500_000), line(1_000_000)), 2),
        (format!("{}\n", line(500_000)).repeat(5), 5),
        (format!("{}\n", line(500_000)), 1),
        (format!("{}\nand more", line(500_000)), 1),
    ] {
        let loaded = read_file("a.json", content.as_bytes(), Split::Auto).unwrap();
        assert_eq!(loaded.corpus.messages, count, "{}", content.len());
    }
}

#[test]
fn auto_finds_text_behind_varints_but_none_in_plain_text() {
    let framed = |bodies: &[&[u8]]| -> Vec<u8> {
        let mut framed = Vec::new();
        for body in bodies {
            let mut len = body.len();
            while len >= 0x80 {
                framed.push(u8::try_from(len & 0x7f).unwrap() | 0x80);
                len >>= 7;
            }
            framed.push(u8::try_from(len).unwrap());
            framed.extend_from_slice(body);
        }
        framed
    };
    let long = format!("{{\"name\":\"{}\"}}", "\u{fc}".repeat(70_000));
    let json: &[&[u8]] = &[b"{\"a\":1}", long.as_bytes(), b"{\"b\":[2,3]}"];
    assert_eq!(read_file("a", &framed(json), Split::Auto).unwrap().payloads.count(), 3);
    assert_eq!(read_file("a", &framed(&json[..2]), Split::Auto).unwrap().payloads.count(), 1);
    let binary: &[&[u8]] = &[b"\x0f\x01\xff", b"\x07\x02\xfe", b"\x17\x03"];
    assert_eq!(read_file("a", &framed(binary), Split::Auto).unwrap().payloads.count(), 1);
    // Spaces as lengths: what is plain text stays one message.
    let lines: &[&[u8]] = &[b"thirty-two characters, neither m\n"; 4].map(|l| &l[..32]);
    assert_eq!(read_file("a", &framed(lines), Split::Auto).unwrap().payloads.count(), 1);
    assert_eq!(read_file("a", &framed(lines), Split::LengthDelimited).unwrap().payloads.count(), 4);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_told_from_wrong_lengths_and_skipped_in_folders() {
    let folder = TempDir::new().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let Err(CorpusError::Unreadable { first, .. }) = read(&[&pipe], Split::LengthDelimited) else {
        panic!("it cannot be read twice");
    };
    assert!(first.contains("only once") && first.contains("--split varint"), "{first}");
    let error = read(&[folder.path()], Split::Auto).unwrap_err().to_string();
    assert!(error.contains("1 file(s) skipped (") && error.contains("pipes"), "{error}");
}

#[test]
fn what_claims_more_than_there_is_costs_nothing() {
    for content in [&b"\xff\xff\xff\xff\xff\xff\xff\xff\x7fhi"[..], b"\xff\xff\xff\xffhi"] {
        for split in [Split::Varint, Split::U32be, Split::LengthDelimited] {
            assert!(read_file("a", content, split).is_err());
        }
        assert_eq!(read_file("a", content, Split::Auto).unwrap().payloads.count(), 1);
    }
}

#[test]
fn folders_are_walked_in_order_without_what_is_about_them() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir_all(path("b/.git")).unwrap();
    for name in ["c", "a", "b/d", "README.md", "b/license-mit", ".hidden", "b/.git/x", "empty"] {
        fs::write(path(name), if name == "empty" { "" } else { name }).unwrap();
    }
    let loaded = read(&[folder.path()], Split::Auto).unwrap();
    assert_eq!(messages(&loaded), [&b"a"[..], b"b/d", b"c"]);
    assert_eq!(loaded.corpus.files, 4);
    assert_eq!(loaded.corpus.files_skipped, 4, "the hidden folder counts once");
    assert_eq!(loaded.corpus.empty_messages, 1);

    let named = read(&[&path("README.md"), &path(".hidden")], Split::Auto).unwrap();
    assert_eq!(messages(&named), [&b"README.md"[..], b".hidden"]);
}

#[cfg(unix)]
#[test]
fn loops_and_unreadable_files_are_passed_over_and_told() {
    use std::os::unix::fs::symlink;
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("inner")).unwrap();
    fs::write(path("inner/message"), "message").unwrap();
    symlink("..", path("inner/up")).unwrap();
    symlink(".", path("self")).unwrap();
    symlink("nowhere", path("dangling")).unwrap();
    let loaded = read(&[folder.path()], Split::Auto).unwrap();
    assert_eq!(messages(&loaded), [b"message"]);
    assert!(loaded.warnings.contains(&Warning::LinkLoop { count: 2 }), "{:?}", loaded.warnings);
    let unreadable = |w: &Warning| matches!(w, Warning::Unreadable { count: 1, first } if first.contains("dangling"));
    assert!(loaded.warnings.iter().any(unreadable), "{:?}", loaded.warnings);

    for named in ["dangling", "missing"] {
        let nothing = read(&[&path("inner"), &path(named)], Split::Auto);
        let Err(CorpusError::Named { why, .. }) = nothing else { panic!("{named} was named") };
        assert!(why.contains(named), "{why}");
    }
}

#[test]
fn nothing_to_measure_is_an_error() {
    let folder = TempDir::new().unwrap();
    assert!(matches!(
        read(&[folder.path()], Split::Auto),
        Err(CorpusError::Empty { files: 0, .. })
    ));
    let empty = read_file("a.log", b"\n\n", Split::Auto);
    assert!(matches!(empty, Err(CorpusError::Empty { files: 1, empty_messages: 2, .. })));
    let long = read_file("a", &vec![1; (1 << 20) + 1], Split::Auto);
    assert!(matches!(long, Err(CorpusError::TooLong { count: 1, .. })));
    assert_eq!(read_file("a", &vec![1; 1 << 20], Split::Auto).unwrap().payloads.count(), 1);
}

#[test]
fn long_lines_are_counted_and_their_neighbours_used() {
    let limit = 1 << 20;
    let mut content = b"first\n".to_vec();
    for over in [0, 1, 2, 3, 100_000_000 - limit] {
        content.resize(content.len() + limit + over, b'x');
        content.extend_from_slice(b"\r\nnext\n");
    }
    let loaded = read_file("a", &content, Split::Lines).unwrap();
    assert_eq!(loaded.corpus.too_long_messages, 4);
    assert_eq!(loaded.corpus.messages, 1 + 5 + 1);
    assert!(loaded.warnings.contains(&Warning::TooLong { count: 4, limit_bytes: limit as u64 }));
}

/// The file is sparse: two gigabytes of zeros that take no room.
#[test]
fn a_file_of_2_gb_is_refused_as_one_message_at_once() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("large");
    File::create(&path).unwrap().set_len(2 << 30).unwrap();
    let result = read(&[&path], Split::Auto);
    assert!(matches!(result, Err(CorpusError::TooLong { count: 1, .. })));
}

#[test]
fn a_large_file_leaves_a_sample_within_its_limits() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("large.log");
    let mut file = BufWriter::new(File::create(&path).unwrap());
    for number in 0..50_000 {
        writeln!(file, "{number} {}", "x".repeat(number % 3000)).unwrap();
    }
    drop(file);
    let loaded = read(&[&path], Split::Auto).unwrap();
    let (corpus, sample) = (&loaded.corpus, &loaded.corpus.sample);
    assert_eq!(corpus.messages, 50_000);
    assert!(sample.payload_bytes <= 1 << 20 && sample.payload_bytes > 1 << 19);
    assert!(sample.messages <= 1000 && sample.messages > 300);
    let again = read(&[&path], Split::Auto).unwrap();
    assert_eq!(messages(&loaded), messages(&again), "the choice is the same each time");
}

#[test]
fn every_message_has_the_same_chance() {
    // Long and short messages alternate; a sample of bytes must not favour the short ones.
    let mut reservoir = Reservoir::new(100_000, usize::MAX);
    for index in 0..20_000 {
        reservoir
            .offer(&vec![0; if index % 2 == 0 { 10 } else { 190 }], usize::from(index >= 10_000));
    }
    let payloads = reservoir.into_payloads();
    let count = payloads.count();
    let long = payloads.all().iter().filter(|payload| payload.len() > 10).count();
    let late = payloads.groups().iter().filter(|&&half| half == 1).count();
    assert!((800..1200).contains(&count), "{count}");
    assert!((count * 2 / 5..count * 3 / 5).contains(&long), "{long} of {count} are long");
    assert!((count * 2 / 5..count * 3 / 5).contains(&late), "{late} of {count} are late");
}

#[test]
fn what_a_long_message_leaves_free_is_not_filled_with_short_ones() {
    let mut reservoir = Reservoir::new(100_000, usize::MAX);
    for index in 0..2000 {
        reservoir.offer(&vec![0; if index < 1000 { 40_000 } else { 10 }], 0);
    }
    let payloads = reservoir.into_payloads();
    assert!((1..20).contains(&payloads.count()), "{}", payloads.count());
    assert!(payloads.total_len() <= 100_000);
}

#[test]
fn a_dash_is_standard_input() {
    let advise = |split: &str| {
        let arguments = ["advise", "-", "--split", split, "-e", "lz4", "--time", "50ms"];
        let lines = b"{\"a\":1}\n{\"a\":22}\n{\"a\":333}\n";
        run(&[&arguments[..], &["--format", "json"]].concat(), lines)
    };
    for (split, messages) in [("lines", 3), ("auto", 3), ("none", 1)] {
        let output = advise(split);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["corpus"]["messages"], messages, "{split}: {}", stderr(&output));
        assert_eq!(report["corpus"]["paths"][0], "-");
    }
    let output = advise("length-delimited");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("--split varint"), "{}", stderr(&output));
}
