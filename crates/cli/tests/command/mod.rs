//! Runs the built `thinwire` and gives back all that came out of it.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// The command, without arguments.
pub(crate) fn thinwire() -> Command {
    Command::new(env!("CARGO_BIN_EXE_thinwire"))
}

/// Runs it with these arguments and this standard input.
pub(crate) fn run(arguments: &[&str], stdin: &[u8]) -> Output {
    let mut command = thinwire();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let stdin = stdin.to_vec();
    let writer = std::thread::spawn(move || {
        let _ = pipe.write_all(&stdin); // it may stop reading early, at its limit
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// What it said on standard error.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
