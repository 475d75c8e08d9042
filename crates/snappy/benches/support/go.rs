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
    /// Has it compare what each block holds.
    pub(crate) fn read(blocks: &[(Vec<u8>, &Vec<u8>)]) -> Result<(), String> {
        let pairs = blocks.iter().flat_map(|(block, message)| [block.clone(), message.to_vec()]);
        let mut go = Self::run(CHECK, &[pairs.collect()])?;
        assert_eq!(go.ask(0)[1], blocks.len() as u64, "Go reads otherwise");
        Ok(())
    }

    /// Gives it what it will be asked for.
    pub(crate) fn start(decode: bool, inputs: &[Vec<Vec<u8>>]) -> Result<Self, String> {
        Self::run(u8::from(decode), inputs)
    }

    /// Builds the program with Debian's packages and starts it; or returns why not.
    fn run(mode: u8, inputs: &[Vec<Vec<u8>>]) -> Result<Self, String> {
        if !Path::new(PACKAGES).join("src").join(SNAPPY).exists() {
            return Err(format!("Go: {PACKAGES} has no {SNAPPY} (Debian: {PACKAGE})"));
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
        match built {
            Ok(status) if status.success() => {}
            Ok(status) => return Err(format!("Go: building benches/go: {status}")),
            Err(error) => return Err(format!("Go: go does not run (Debian: golang-go): {error}")),
        }
        let mut command = Command::new(program);
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        let mut go = Self { process, input: Some(input), output };
        go.send(mode, inputs);
        Ok(go)
    }

    fn send(&mut self, mode: u8, inputs: &[Vec<Vec<u8>>]) {
        let mut input = BufWriter::new(self.input.as_mut().unwrap());
        input.write_all(&[mode]).unwrap();
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

    fn ask(&mut self, row: usize) -> [u64; 2] {
        self.input.as_mut().unwrap().write_all(&number(row)).unwrap();
        let mut answer = [[0; 8]; 2];
        self.output.read_exact(answer.as_flattened_mut()).unwrap();
        answer.map(u64::from_le_bytes)
    }
}

impl Contestant for Go {
    fn name(&self) -> &'static str {
        "Go"
    }

    fn pass(&mut self, _decode: bool, row: usize, _messages: &[Vec<u8>]) -> Cell {
        let [nanoseconds, len] = self.ask(row);
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

/// The mode in which a set is pairs of a block and what it holds.
const CHECK: u8 = 2;

const PACKAGES: &str = "/usr/share/gocode";

const SNAPPY: &str = "github.com/golang/snappy";

const PACKAGE: &str = "golang-github-golang-snappy-dev";
