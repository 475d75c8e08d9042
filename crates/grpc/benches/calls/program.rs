//! The programs that play the roles, and how they are asked.

use std::env;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::available_parallelism;

use serde_json::Value;

use crate::link::Link;
use crate::plan::{Kind, Stack};

/// A client and its server: processes of their own for each kind, so that none has another's heap.
pub(crate) struct Pair {
    pub(crate) kind: Kind,
    pub(crate) client: Role,
    pub(crate) server: Role,
    pub(crate) version: String,
}

impl Pair {
    /// Starts both, the server at the far end of the link if there is one.
    pub(crate) fn start(kind: Kind, go: Option<&Path>, link: Option<&Link>) -> Option<Self> {
        let program = if kind.stack == Stack::Go {
            go?.to_owned()
        } else {
            env::current_exe().unwrap() // this program, in another role
        };
        let command = |role, mut command: Command| {
            command.arg(role);
            command.env("GOMAXPROCS", available_parallelism().unwrap().to_string());
            command
        };
        let (near, far) = (Command::new(&program), link.map(|link| link.at_far_end(&program)));
        let mut server = command("serve", far.unwrap_or_else(|| Command::new(&program)));
        let mut client = command("call", near);
        if kind.stack != Stack::Go {
            server.args([kind.stack.name(), kind.encoding]);
            client.args([kind.stack.name(), kind.encoding]);
        }
        server.arg(link.map_or("127.0.0.1:0", |_| Link::FAR_ADDRESS));
        let mut server = Role::start(server, format!("the server of {kind}"));
        let started = server.hear();
        client.arg(started["address"].as_str().unwrap());
        if kind.stack == Stack::Go {
            client.arg(kind.encoding);
        }
        let mut client = Role::start(client, format!("the client of {kind}"));
        let version = client.hear()["version"].as_str().unwrap().to_owned();
        Some(Self { kind, client, server, version })
    }
}

/// A program that takes commands. It ends with this value, and by itself with this process, for
/// then its input ends.
pub(crate) struct Role {
    name: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Role {
    fn start(mut command: Command, name: String) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{name}: {error}"));
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self { name, child, input, output }
    }

    pub(crate) fn ask(&mut self, command: &str) -> Value {
        writeln!(self.input, "{command}").unwrap_or_else(|error| panic!("{}: {error}", self.name));
        self.hear()
    }

    pub(crate) fn cpu_seconds(&mut self) -> f64 {
        self.ask("cpu")["cpu_ns"].as_f64().unwrap() / 1e9
    }

    pub(crate) fn allocations(&mut self) -> Option<f64> {
        self.ask("allocations")["allocations"].as_f64()
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "{} ended", self.name);
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

impl Drop for Role {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Builds the program on grpc-go, or says why it cannot be.
///
/// `THINWIRE_GOPATH` has the packages; by default they are Debian's.
pub(crate) fn build_go() -> Result<PathBuf, String> {
    let packages = env::var("THINWIRE_GOPATH").unwrap_or_else(|_| "/usr/share/gocode".to_owned());
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = target.join("go-calls");
    fs::create_dir_all(&folder).unwrap();
    // One build at a time.
    let lock = File::create(target.join("go-calls.lock")).unwrap();
    lock.lock().unwrap();
    // Go builds one folder, and the encodings are those of the tests.
    let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
    for source in ["benches/calls/go/main.go", "tests/peers/go/encodings.go"] {
        let from = sources.join(source);
        fs::copy(&from, folder.join(from.file_name().unwrap())).unwrap();
    }
    let program = folder.join("peer");
    let output = Command::new("go")
        .args(["build", "-o", "peer", "."])
        .current_dir(&folder)
        .env("GO111MODULE", "off")
        .env("GOPROXY", "off")
        .env("GOFLAGS", "")
        .env("GOPATH", format!("{}:{packages}", target.join("go").display()))
        .env("GOCACHE", target.join("go-cache")) // the tests' too
        .output()
        .map_err(|error| format!("go: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(said.lines().take(2).collect::<Vec<_>>().join(" "));
    }
    Ok(program)
}
