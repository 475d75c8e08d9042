//! `-o`: what was there keeps its mode, its owner, its names, and its right to be left alone.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

mod command;
use command::{run, stderr, thinwire};

fn encode_to(path: &Path) -> Output {
    run(&["encode", "-e", "identity", "-o", path.to_str().unwrap()], b"new")
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn is_root(folder: &TempDir) -> bool {
    fs::metadata(folder.path()).unwrap().uid() == 0
}

/// The command under somebody whom modes bind: root may do anything.
fn as_nobody(folder: &TempDir) -> Command {
    let mut command = thinwire();
    if is_root(folder) {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.args(["encode", "-e", "identity", "/dev/null", "-o"]);
    command
}

/// Says aloud when the command cannot be started under another user, as in a closed home folder.
#[expect(clippy::print_stderr, reason = "a skipped test has to say so")]
fn output(command: &mut Command) -> Option<Output> {
    let output = command.output();
    if let Err(error) = &output {
        eprintln!("skipped: cannot run as another user: {error}");
    }
    output.ok()
}

#[test]
fn an_old_file_keeps_its_mode_and_a_new_one_gets_the_usual() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("private");
    for old in [0o600, 0o644, 0o640, 0o755] {
        fs::write(&path, "older and longer").unwrap();
        chmod(&path, old);
        assert!(encode_to(&path).status.success());
        assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"new".to_vec(), old));
    }
    let (usual, new) = (folder.path().join("usual"), folder.path().join("new"));
    fs::write(&usual, "").unwrap();
    assert!(encode_to(&new).status.success());
    assert_eq!(mode(&new), mode(&usual), "0666 less the umask");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "nothing else stays");
}

#[test]
fn an_old_file_keeps_its_owner() {
    let folder = TempDir::new().unwrap();
    if !is_root(&folder) {
        return eprintln!("skipped: only root gives files away");
    }
    let path = folder.path().join("theirs");
    fs::write(&path, "old").unwrap();
    chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
    chmod(&path, 0o640);
    assert!(encode_to(&path).status.success());
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!((metadata.uid(), metadata.gid(), mode(&path)), (NOBODY, NOBODY, 0o640));
    assert_eq!(fs::read(&path).unwrap(), b"new");
}

#[test]
fn every_name_of_a_file_shows_the_new_bytes() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("elsewhere")).unwrap();
    fs::write(path("file"), "older and longer").unwrap();
    fs::hard_link(path("file"), path("hard")).unwrap();
    symlink("file", path("soft")).unwrap();
    symlink("soft", path("softer")).unwrap();
    symlink("elsewhere/later", path("dangling")).unwrap();
    for (written, read) in [("hard", "file"), ("softer", "hard"), ("dangling", "elsewhere/later")] {
        assert!(encode_to(&path(written)).status.success());
        assert_eq!(fs::read(path(read)).unwrap(), b"new");
        fs::write(path("file"), "older and longer").unwrap();
    }
    assert!(["soft", "softer", "dangling"].iter().all(|name| path(name).is_symlink()));
    assert_eq!(fs::metadata(path("file")).unwrap().nlink(), 2);

    symlink("around", path("around")).unwrap();
    let around = encode_to(&path("around"));
    assert_eq!(around.status.code(), Some(1), "{}", stderr(&around));
    assert!(stderr(&around).contains("around") && path("around").is_symlink());
}

#[test]
fn what_may_not_be_written_is_not_replaced() {
    let folder = TempDir::new().unwrap();
    chmod(folder.path(), 0o777);
    let path = folder.path().join("read-only");
    fs::write(&path, "old").unwrap();
    chmod(&path, 0o444);
    let Some(output) = output(as_nobody(&folder).arg(&path)) else { return };
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("read-only"), "{}", stderr(&output));
    assert_eq!(fs::read(&path).unwrap(), b"old");
}

#[test]
fn a_file_in_a_closed_folder_is_written_where_it_is() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("open");
    fs::write(&path, "old").unwrap();
    chmod(&path, 0o666);
    chmod(folder.path(), 0o555);
    let written = output(as_nobody(&folder).arg(&path));
    let refused = output(as_nobody(&folder).arg(folder.path().join("new")));
    chmod(folder.path(), 0o755);
    let (Some(written), Some(refused)) = (written, refused) else { return };
    assert_eq!(written.status.code(), Some(0), "{}", stderr(&written));
    assert_eq!(fs::read(&path).unwrap(), b"");
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn special_files_are_written_to() {
    let folder = TempDir::new().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read(pipe).unwrap()
    });
    assert!(encode_to(&pipe).status.success());
    assert_eq!(reader.join().unwrap(), b"new");
    assert!(!fs::metadata(&pipe).unwrap().is_file());

    let log = folder.path().join("log");
    fs::write(&log, "before, ").unwrap();
    for name in ["/dev/stdout", "/dev/fd/1"] {
        assert_eq!(encode_to(Path::new(name)).stdout, b"new", "{name}");
        let appended = fs::OpenOptions::new().append(true).open(&log).unwrap();
        let status = thinwire()
            .args(["encode", "-e", "identity", "-o", name])
            .arg("Cargo.toml")
            .stdout(appended)
            .status();
        assert!(status.unwrap().success());
    }
    assert!(fs::read_to_string(&log).unwrap().starts_with("before, [package]"));
    assert_eq!(encode_to(folder.path()).status.code(), Some(1), "a folder is no file");
}

/// The user without rights, and the group, on Linux and most others; any other would do.
const NOBODY: u32 = 65_534;
