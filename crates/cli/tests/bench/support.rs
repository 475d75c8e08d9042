//! Runs the command, and plans that tests make.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    clippy::print_stderr,
    reason = "a test may stop where it fails"
)]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Parser;
use thinwire_cli::args::{Cli, Command as Verb};
use thinwire_cli::bench::args::BenchArgs;
use thinwire_cli::bench::ending::Ended;
use thinwire_cli::bench::plan::Plan;
use thinwire_cli::bench::pool::Pool;
use thinwire_cli::bench::report::Report;
use thinwire_cli::bench::stop::Stop;
use thinwire_cli::bench::summarize;
use thinwire_cli::bench::transport::Transport;
use thinwire_cli::bench::{Series, run_all};
use thinwire_cli::failure::Failure;

/// The command with `bench` and these arguments, which stand in one text.
pub(crate) fn command(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_thinwire"));
    command.arg("bench").args(arguments.split_whitespace());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs it to its end; the report, if there is one, and the exit code.
pub(crate) fn bench(arguments: &str) -> (Option<Report>, i32, String) {
    outcome(&command(&format!("--format json {arguments}")).output().unwrap())
}

pub(crate) fn outcome(output: &Output) -> (Option<Report>, i32, String) {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (serde_json::from_slice(&output.stdout).ok(), output.status.code().unwrap(), said)
}

/// Starts it; gives it time to be in the middle of it.
pub(crate) fn started(arguments: &str) -> Child {
    let child = command(&format!("--format json {arguments}")).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(600));
    child
}

/// A server of `bench serve grpc`, killed when it goes out of scope.
pub(crate) struct Served {
    pub(crate) child: Child,
    pub(crate) url: String,
}

impl Served {
    pub(crate) fn start() -> Self {
        let mut child = command("serve grpc --listen 127.0.0.1:0").spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let url = line.split_whitespace().find_map(|word| word.strip_suffix(','));
        Self { url: url.unwrap().to_owned(), child }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// What was typed.
pub(crate) fn typed(arguments: &str) -> BenchArgs {
    let words = ["thinwire", "bench"].into_iter().chain(arguments.split_whitespace());
    match Cli::try_parse_from(words).unwrap_or_else(|error| panic!("{error}")).command {
        Verb::Bench(args) => *args,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn plan(arguments: &str) -> Result<Plan, Failure> {
    Plan::new(&typed(arguments))
}

/// Runs a plan over a transport of the test's; how it ended, its first encoding, and the time.
pub(crate) fn run(
    arguments: &str,
    transport: &dyn Transport,
) -> (Ended, thinwire_cli::bench::report::EncodingResult, Duration) {
    let args = typed(arguments);
    let plan = Plan::new(&args).unwrap();
    let filled = Pool::fill(&args.options).unwrap();
    let interrupt = Stop::new();
    let pool = Arc::new(filled.pool);
    let series = Series {
        plan: &plan,
        pool: &pool,
        mean_len: filled.messages.mean_bytes,
        max_len: 1 << 20,
        transport,
        interrupt: &interrupt,
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let begin = Instant::now();
    let (played, ended) = runtime.block_on(run_all(&series));
    let result = summarize::encodings(&played).swap_remove(0);
    (ended, result, begin.elapsed())
}

/// Sends a signal, such as `INT`.
#[cfg(unix)]
pub(crate) fn signal(pid: u32, name: &str) {
    let done = Command::new("kill").args(["-s", name, &pid.to_string()]).status();
    assert!(done.unwrap().success());
}

/// Where the Iggy server listens; says aloud where there is none.
#[cfg(feature = "iggy")]
pub(crate) fn iggy_address() -> Option<String> {
    let address = std::env::var("IGGY_ADDRESS").ok();
    if address.is_none() {
        eprintln!("skipped: IGGY_ADDRESS is not set: nothing is run over a real Iggy server");
    }
    address
}

/// Its root's name and password.
#[cfg(feature = "iggy")]
pub(crate) fn iggy_login() -> (String, String) {
    let login = |name| std::env::var(name).unwrap_or_else(|_| "iggy".to_owned());
    (login("IGGY_USERNAME"), login("IGGY_PASSWORD"))
}

/// Says aloud where there is no server; in CI nothing may be missing.
#[cfg(feature = "nats")]
pub(crate) fn has_nats() -> bool {
    let programs = ["nats-server", "/usr/sbin/nats-server"];
    let is_there = programs.iter().any(|it| Command::new(it).arg("--version").output().is_ok());
    assert!(is_there || std::env::var_os("CI").is_none(), "in CI nothing may be missing");
    if !is_there {
        eprintln!("skipped: nats-server is not installed");
    }
    is_there
}

/// A NATS server of the test's own with JetStream, gone with its files when this is.
#[cfg(feature = "nats")]
pub(crate) struct NatsServer {
    child: Child,
    /// `127.0.0.1` and its port.
    pub(crate) place: String,
    _folder: tempfile::TempDir,
}

#[cfg(feature = "nats")]
impl NatsServer {
    /// Starts one, where it is installed.
    pub(crate) fn start(options: &[&str]) -> Option<Self> {
        if !has_nats() {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let start = |program: &str| {
            let mut command = Command::new(program);
            command.args(["-a", "127.0.0.1", "-p", "-1", "-js", "-sd"]).arg(folder.path());
            command.arg("--ports_file_dir").arg(folder.path()).args(options);
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()
        };
        let child = start("nats-server").or_else(|_| start("/usr/sbin/nats-server")).unwrap();
        let ports = folder.path().join(format!("nats-server_{}.ports", child.id()));
        let begin = Instant::now();
        let place = loop {
            let text = std::fs::read_to_string(&ports).unwrap_or_default();
            if let Ok(ports) = serde_json::from_str::<serde_json::Value>(&text) {
                let url = ports.pointer("/nats/0").and_then(serde_json::Value::as_str).unwrap();
                break url.trim_start_matches("nats://").to_owned();
            }
            assert!(begin.elapsed() < Duration::from_secs(20), "nats-server does not start");
            std::thread::sleep(Duration::from_millis(20));
        };
        Some(Self { child, place, _folder: folder })
    }
}

#[cfg(feature = "nats")]
impl Drop for NatsServer {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
