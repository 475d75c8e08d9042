//! Programs that serve, or call, on a gRPC that is not ours.

use std::env;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use bytes::Bytes;
use thinwire::Encoding;

/// A program of two commands: `serve`, which says its address and version and serves until its
/// input ends, and `call ADDRESS ENCODING`, which makes each of the calls and checks the answers.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    program: PathBuf,
    script: Option<PathBuf>,
    pub(crate) encodings: &'static [Encoding],
    /// Whether it compresses what does not get smaller.
    pub(crate) compresses_all: bool,
    /// Whether its server compresses.
    pub(crate) answers_compressed: bool,
}

pub(crate) fn go() -> Option<Peer> {
    for package in GO_IMPORTS {
        if !Path::new(GO_PACKAGES).join("src").join(package).exists() {
            return skip(&format!("no {package} among Debian's packages"));
        }
    }
    if Command::new("go").arg("version").output().is_err() {
        return skip("no go");
    }
    Some(Peer {
        program: build_go(),
        script: None,
        encodings: &Encoding::ALL,
        compresses_all: true,
        answers_compressed: true,
    })
}

/// One at a time, for each test may be a process: after the first it is there.
fn build_go() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let lock = File::create(target.join("go.lock")).unwrap();
    lock.lock().unwrap();
    let program = target.join("go-peer");
    let output = Command::new("go")
        .args(["build", "-o"])
        .arg(&program)
        .arg(".")
        .current_dir(folder().join("go"))
        .env("GO111MODULE", "off")
        .env("GOPROXY", "off")
        .env("GOFLAGS", "")
        .env("GOPATH", format!("{}:{GO_PACKAGES}", target.join("go").display()))
        .env("GOCACHE", target.join("go-cache"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    program
}

pub(crate) fn python() -> Option<Peer> {
    let python = env::var_os("THINWIRE_PYTHON").unwrap_or_else(|| "python3".into());
    let found = Command::new(&python).args(["-c", "import grpc"]).output();
    if !found.is_ok_and(|output| output.status.success()) {
        return skip("no Python with grpcio");
    }
    Some(Peer {
        program: python.into(),
        script: Some(folder().join("peer.py")),
        encodings: &OF_MOST,
        compresses_all: false,
        answers_compressed: true,
    })
}

pub(crate) fn node() -> Option<Peer> {
    let found = with_modules("node").args(["-e", "require('@grpc/grpc-js')"]).output();
    if !found.is_ok_and(|output| output.status.success()) {
        return skip("no Node.js with @grpc/grpc-js");
    }
    Some(Peer {
        program: "node".into(),
        script: Some(folder().join("peer.js")),
        encodings: &OF_MOST,
        compresses_all: true,
        answers_compressed: false,
    })
}

/// A program that finds the modules if it is Node.js; others do not look.
fn with_modules(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    if let Some(modules) = env::var_os("THINWIRE_NODE_MODULES") {
        command.env("NODE_PATH", modules);
    }
    command
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers")
}

fn skip(why: &str) -> Option<Peer> {
    assert!(env::var_os("CI").is_none(), "in CI nothing may be missing: {why}");
    println!("skipped: {why}");
    None
}

impl Peer {
    fn command(&self) -> Command {
        let mut command = with_modules(&self.program);
        command.args(&self.script).env("PYTHONDONTWRITEBYTECODE", "1");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command
    }

    pub(crate) fn serve(&self) -> Server {
        let mut process = Process(self.command().arg("serve").spawn().unwrap());
        let mut said = String::new();
        BufReader::new(process.0.stdout.take().unwrap()).read_line(&mut said).unwrap();
        let (address, version) = said.trim().split_once(' ').unwrap();
        Server { address: address.parse().unwrap(), version: version.to_owned(), process }
    }

    pub(crate) fn call(&self, address: SocketAddr, encoding: Encoding, messages: &[Bytes]) {
        let mut command = self.command();
        command.args(["call", &address.to_string(), encoding.name()]).stderr(Stdio::piped());
        let mut process = command.spawn().unwrap();
        let mut input = process.stdin.take().unwrap();
        for message in messages {
            let len = u32::try_from(message.len()).unwrap().to_be_bytes();
            if input.write_all(&len).and_then(|()| input.write_all(message)).is_err() {
                break; // it says why
            }
        }
        drop(input);
        let output = process.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{encoding}: {}: {said}", output.status);
    }
}

/// A peer that serves.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) version: String,
    #[expect(dead_code, reason = "held for its end")]
    process: Process,
}

/// Ends with this value, and by itself with this process, for then its input ends.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// What gRPC's own libraries have.
const OF_MOST: [Encoding; 3] = [Encoding::Identity, Encoding::Gzip, Encoding::Deflate];

/// Where Debian puts the sources of Go's libraries.
const GO_PACKAGES: &str = "/usr/share/gocode";

const GO_IMPORTS: [&str; 4] = [
    "github.com/golang/snappy",
    "github.com/klauspost/compress",
    "github.com/pierrec/lz4",
    "google.golang.org/grpc",
];
