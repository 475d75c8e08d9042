//! golang/snappy, in a process of its own that is asked for one pass at a time.

use std::fs;
use std::io::{BufWriter, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::contestant::{Cell, Contestant};

pub(crate) struct Go {
    process: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
}

impl Go {
    /// Builds the program with Debian's packages, and gives it what it will be asked for.
    pub(crate) fn start(decode: bool, inputs: &[Vec<Vec<u8>>]) -> Option<Self> {
        if !Path::new(PACKAGES).join("src/github.com/golang/snappy").exists() {
            return skip("no golang/snappy among Debian's packages");
        }
        let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
        fs::create_dir_all(target).unwrap();
        let program = target.join("go-snappy");
        let built = Command::new("go")
            .args(["build", "-o"])
            .arg(&program)
            .arg(".")
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/go"))
            .env("GO111MODULE", "off")
            .env("GOPROXY", "off")
            .env("GOFLAGS", "")
            .env("GOPATH", format!("{}:{PACKAGES}", target.join("go").display()))
            .env("GOCACHE", target.join("go-cache"))
            .status();
        if !built.is_ok_and(|status| status.success()) {
            return skip("go did not build it");
        }
        let mut command = Command::new(program);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let mut go = Self { process, input: Some(input), output };
        go.send(decode, inputs);
        Some(go)
    }

    fn send(&mut self, decode: bool, inputs: &[Vec<Vec<u8>>]) {
        let mut input = BufWriter::new(self.input.as_mut().unwrap());
        input.write_all(&[u8::from(decode)]).unwrap();
        input.write_all(&number(inputs.len())).unwrap();
        for messages in inputs {
            input.write_all(&number(messages.len())).unwrap();
            for message in messages {
                input.write_all(&number(message.len())).unwrap();
                input.write_all(message).unwrap();
            }
        }
        input.flush().unwrap();
    }
}

impl Contestant for Go {
    fn name(&self) -> &'static str {
        "Go"
    }

    fn pass(&mut self, _decode: bool, row: usize, _messages: &[Vec<u8>]) -> Cell {
        self.input.as_mut().unwrap().write_all(&number(row)).unwrap();
        let mut answer = [[0; 8]; 2];
        self.output.read_exact(answer.as_flattened_mut()).unwrap();
        let [nanoseconds, len] = answer.map(u64::from_le_bytes);
        Cell { seconds: nanoseconds as f64 / 1e9, len: usize::try_from(len).unwrap() }
    }
}

impl Drop for Go {
    fn drop(&mut self) {
        drop(self.input.take()); // at its end it exits
        let _ = self.process.wait();
    }
}

fn number(value: usize) -> [u8; 8] {
    (value as u64).to_le_bytes()
}

fn skip<T>(why: &str) -> Option<T> {
    println!("{why}: Go is left out");
    None
}

const PACKAGES: &str = "/usr/share/gocode";
