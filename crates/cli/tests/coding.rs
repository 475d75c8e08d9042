//! `thinwire encode` and `thinwire decode`: exit codes, limits, and nothing written unless right.

use std::fs;
use std::process::Stdio;

use thinwire::Encoding;

mod command;
use command::{run, stderr, thinwire};

#[test]
fn decode_undoes_encode_for_every_encoding() {
    let long = "one line and another one, \u{fc}ber und \u{fc}ber\n".repeat(1000);
    for encoding in Encoding::ALL {
        for payload in [&b""[..], b"x", long.as_bytes()] {
            let encoded = run(&["encode", "-e", encoding.name()], payload);
            assert_eq!(encoded.status.code(), Some(0), "{}", stderr(&encoded));
            let decoded = run(&["decode", "-e", encoding.name()], &encoded.stdout);
            assert_eq!(decoded.status.code(), Some(0), "{}", stderr(&decoded));
            assert_eq!(decoded.stdout, payload, "{encoding}");
        }
    }
}

#[test]
fn encode_uses_the_format_asked_for_also_for_an_empty_payload() {
    for (encoding, magic) in [
        ("gzip", &b"\x1f\x8b"[..]),
        ("zstd:-5", b"\x28\xb5\x2f\xfd"),
        ("lz4:9", b"\x04\x22\x4d\x18"),
        ("snappy", b"\xff\x06\x00\x00sNaPpY"),
        ("snappy-block", b"\x00"),
    ] {
        let encoded = run(&["encode", "-e", encoding], b"");
        assert!(encoded.stdout.starts_with(magic), "{encoding}: {:?}", encoded.stdout);
    }
}

#[test]
fn a_payload_over_the_limit_is_bad_input_and_the_flag_is_named() {
    let encoded = run(&["encode", "-e", "gzip"], &[0; 2000]).stdout;
    let exact = run(&["decode", "-e", "gzip", "--max-size", "2000"], &encoded);
    assert_eq!((exact.status.code(), exact.stdout.len()), (Some(0), 2000));

    let over = run(&["decode", "-e", "gzip", "--max-size", "1999"], &encoded);
    assert_eq!((over.status.code(), over.stdout.len()), (Some(1), 0));
    for part in ["standard input", "1999 bytes", "--max-size", "gzip"] {
        assert!(stderr(&over).contains(part), "{part} in {}", stderr(&over));
    }

    let long = run(&["encode", "-e", "gzip", "--max-size", "1KiB"], &[0; 1025]);
    assert_eq!((long.status.code(), long.stdout.len()), (Some(1), 0));
    assert!(stderr(&long).contains("1024 bytes; --max-size"), "{}", stderr(&long));
}

#[test]
fn the_input_of_decode_is_read_no_further_than_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("endless");
    fs::File::create(&path).unwrap().set_len(2 << 30).unwrap();
    let output =
        run(&["decode", "-e", "identity", "--max-size", "1MiB", path.to_str().unwrap()], b"");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let most = ((1 << 20) + (1 << 18) + (1 << 20)).to_string(); // a quarter more and 1 MiB
    for part in ["endless", &most, "1048576", "--max-size"] {
        assert!(stderr(&output).contains(part), "{part} in {}", stderr(&output));
    }
    let help = String::from_utf8(run(&["decode", "--help"], b"").stdout).unwrap();
    let help: Vec<_> = help.split_whitespace().collect();
    assert!(help.join(" ").contains("a quarter more and 1 MiB"));
}

#[test]
fn what_no_encoding_can_shrink_is_read_at_the_limit() {
    let mut state = 1_u32;
    let payload: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    })
    .take(3_000_000)
    .collect();
    for encoding in Encoding::ALL {
        let encoded = run(&["encode", "-e", encoding.name()], &payload).stdout;
        let decoded = run(&["decode", "-e", encoding.name(), "--max-size", "3MB"], &encoded);
        assert!(decoded.stdout == payload, "{encoding}: {}", stderr(&decoded));
    }
}

#[test]
fn malformed_input_names_the_file_and_leaves_no_output() {
    let folder = tempfile::tempdir().unwrap();
    let (input, out) = (folder.path().join("cut.zst"), folder.path().join("out"));
    let encoded = run(&["encode", "-e", "zstd"], "again and again ".repeat(9).as_bytes()).stdout;
    fs::write(&input, &encoded[..encoded.len() - 1]).unwrap();
    fs::write(&out, "as it was").unwrap();

    let (input, out) = (input.to_str().unwrap(), out.to_str().unwrap());
    let output = run(&["decode", "-e", "zstd", input, "-o", out], b"");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(stderr(&output).contains("cut.zst: malformed zstd"), "{}", stderr(&output));
    assert!(!stderr(&output).contains("max_payload_len"), "{}", stderr(&output));
    assert_eq!(fs::read_to_string(out).unwrap(), "as it was");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "no temporary file stays");
}

#[test]
fn a_file_is_not_input_and_output_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("message");
    fs::write(&path, "to and fro").unwrap();
    let name = path.to_str().unwrap();
    let other = folder.path().join(".").join("message");
    for command in ["encode", "decode"] {
        for out in [name, other.to_str().unwrap()] {
            let output = run(&[command, "-e", "identity", name, "-o", out], b"");
            assert_eq!(output.status.code(), Some(2), "{command} to {out}");
            assert!(stderr(&output).contains("input and output"), "{}", stderr(&output));
        }
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "to and fro");
}

#[test]
fn output_that_cannot_be_written_is_named_as_it_was() {
    let output = run(&["encode", "-e", "lz4", "-o", "no/such/folder"], b"x");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("thinwire: no/such/folder: "), "{}", stderr(&output));
    assert!(!stderr(&output).contains(".tmp"), "a name of its own: {}", stderr(&output));
}

#[test]
fn a_dash_stands_for_the_standard_streams() {
    let encoded = run(&["encode", "-e", "zstd", "-", "-o", "-"], b"to and fro");
    assert_eq!(encoded.status.code(), Some(0), "{}", stderr(&encoded));
    let decoded = run(&["decode", "-e", "zstd", "-", "-o", "-"], &encoded.stdout);
    assert_eq!(decoded.stdout, b"to and fro", "{}", stderr(&decoded));
}

/// `script` makes the terminal.
#[cfg(target_os = "linux")]
#[test]
fn encoded_bytes_do_not_go_to_a_terminal_unasked() {
    let on_terminal = |more: &str| {
        let line = format!("{} encode -e gzip Cargo.toml{more}", env!("CARGO_BIN_EXE_thinwire"));
        let mut command = std::process::Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).stdin(Stdio::null());
        command.output().ok()
    };
    let (Some(unasked), Some(asked)) = (on_terminal(""), on_terminal(" -o -")) else {
        return eprintln!("skipped: no `script`");
    };
    let said = String::from_utf8_lossy(&unasked.stdout);
    assert_eq!(unasked.status.code(), Some(2), "{said}");
    assert!(said.contains("not for a terminal"), "{said}");
    assert_eq!(asked.status.code(), Some(0));
}

#[cfg(unix)]
#[test]
fn output_goes_through_links_and_into_devices() {
    let folder = tempfile::tempdir().unwrap();
    let (target, link) = (folder.path().join("target"), folder.path().join("link"));
    fs::write(&target, "old").unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    assert!(
        run(&["encode", "-e", "identity", "-o", link.to_str().unwrap()], b"new").status.success()
    );
    assert_eq!(fs::read_to_string(&target).unwrap(), "new");
    assert!(link.is_symlink());

    assert!(run(&["encode", "-e", "identity", "-o", "/dev/null"], b"new").status.success());
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}

#[test]
fn a_wrong_command_exits_with_2() {
    for arguments in [
        &["encode", "-e", "zstd:99"][..],
        &["encode", "-e", "snappy:1"],
        &["encode", "-e", "brotli"],
        &["encode"],
        &["decode", "-e", "zstd:3"],
        &["decode", "-e", "brotli:3"],
        &["advise", "--link", "100", "."],
        &["decode", "-e", "zstd", "--max-size", "4 parsecs"],
        &["advise"],
        &["advise", "-e", "nothing", "."],
        &["advise", "--link", "0bit", "."],
        &["advise", "--cpu-price", "1", "."],
        &["advise", "--cpu-price", "-1", "--network-price", "nan", "."],
        &["advise", "--cpu-price=-0", "--network-price=1", "."],
        &["advise", "--cpu-price=1", "--network-price=1e300", "."],
        &["advise", "--link", &format!("{}bit", "9".repeat(400)), "."],
        &["man", "nothing"],
        &["frobnicate"],
    ] {
        let output = run(arguments, b"");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
        assert!(!output.stderr.is_empty());
    }
    for (arguments, why) in [
        (["decode", "-e", "zstd:3"], "takes an encoding without a level: zstd"),
        (["advise", "--link=100", "."], "bit, kbit, Mbit, Gbit, Tbit"),
    ] {
        let output = run(&arguments, b"");
        assert!(stderr(&output).contains(why), "{}", stderr(&output));
    }
    for level in ["zstd:99", "zstd:99999999999", "zstd:-99999999999"] {
        let output = run(&["encode", "-e", level], b"");
        assert!(
            stderr(&output).contains("-131072 to 22"),
            "the range is named: {}",
            stderr(&output)
        );
    }
}

#[test]
fn what_cannot_be_read_exits_with_1() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().to_str().unwrap();
    for path in [folder, &format!("{folder}/missing")] {
        for command in ["encode", "decode"] {
            let output = run(&[command, "-e", "gzip", path], b"");
            assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
            assert!(stderr(&output).contains(path), "{}", stderr(&output));
        }
    }
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large");
    fs::write(&path, vec![7; 4 << 20]).unwrap(); // more than a pipe holds
    let mut child = thinwire()
        .args(["encode", "-e", "identity"])
        .arg(&path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
}

#[test]
fn help_has_examples_and_completions_and_manual_pages_are_there() {
    for command in ["encode", "decode", "advise", "completions", "man"] {
        let help = run(&[command, "--help"], b"");
        let text = String::from_utf8(help.stdout).unwrap();
        assert!(help.status.success() && text.contains("Examples:"), "{command}");
        assert!(!text.contains('\x1b'), "colours are for terminals");
        let page = String::from_utf8(run(&["man", command], b"").stdout).unwrap();
        let foot = format!("1 \"\" \"thinwire {}\"", env!("CARGO_PKG_VERSION"));
        assert!(page.contains(&format!("\n.TH thinwire-{command} {foot}\n")), "{page}");
        assert!(page.contains("\n.nf\nExamples:\n") && page.contains("\n.fi\n"), "{page}");
    }
    assert!(run(&["man"], b"").status.success());
    let page = run(&["man", "bench", "pinned-producer", "nats"], b"").stdout;
    assert!(String::from_utf8(page).unwrap().contains("\\-\\-storage"));
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = String::from_utf8(run(&["completions", shell], b"").stdout).unwrap();
        assert!(script.contains("advise"), "{shell}");
    }
}
