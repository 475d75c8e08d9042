//! A NATS server of the benchmark's own, gone with it.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::net::Ipv4Addr;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant};

use serde::Deserialize;
use tempfile::TempDir;

use crate::bench::transport::child::Child;
use crate::bench::transport::link::Link;
use crate::failure::Failure;

/// A server, killed when it goes out of scope.
#[derive(Debug)]
pub(super) struct Local {
    child: Child,
    /// Its configuration, log and store.
    folder: TempDir,
    pub(super) url: String,
    /// Between it and the clients.
    pub(super) link: Option<Link>,
}

#[derive(Debug, Deserialize)]
struct Ports {
    nats: Vec<String>,
}

impl Local {
    /// Starts one with JetStream, at a free port of loopback or of the link's far end.
    pub(super) async fn start(link: Option<Link>) -> Result<Self, Failure> {
        let fail = |error: std::io::Error| Failure::input("nats-server", error);
        let folder = tempfile::tempdir().map_err(fail)?;
        let path = folder.path().display();
        let host = link.as_ref().map_or(Ipv4Addr::LOCALHOST, Link::far);
        let config = format!(
            "listen: {host}:-1\nports_file_dir: \"{path}\"\nmax_payload: {MAX_PAYLOAD}\n\
             max_pending: {MAX_PENDING}\njetstream {{ store_dir: \"{path}/store\" }}\n"
        );
        let file = folder.path().join("nats.conf");
        fs::write(&file, config).map_err(fail)?;
        let child = spawn(&file, link.as_ref())?;
        let mut local = Self { child, folder, url: String::new(), link };
        let ports = format!("nats-server_{}.ports", local.pid());
        let begin = Instant::now();
        loop {
            // The file is there before all of it is.
            let ports = fs::read_to_string(local.folder.path().join(&ports)).ok();
            let ports = ports.and_then(|text| serde_json::from_str::<Ports>(&text).ok());
            if let Some(url) = ports.and_then(|ports| ports.nats.into_iter().next()) {
                local.url = url;
                return Ok(local);
            }
            if let Some(status) = local.child.end() {
                return Err(Failure::Input(format!("nats-server: {}", local.why(status))));
            }
            if begin.elapsed() > PATIENCE {
                return Err(Failure::Input(format!(
                    "nats-server: it did not start within {} s{}",
                    PATIENCE.as_secs(),
                    local.last_words()
                )));
            }
            tokio::time::sleep(GLANCE).await;
        }
    }

    pub(super) fn pid(&self) -> u32 {
        self.child.pid()
    }

    /// Waits until it is gone; says what is known of its end.
    pub(super) async fn gone(&self) -> String {
        let status = self.child.gone().await;
        self.why(status)
    }

    /// What a killed server wrote last is not why it ended.
    fn why(&self, status: ExitStatus) -> String {
        let last_words = status.code().map(|_| self.last_words()).unwrap_or_default();
        format!("it ended with {status}{last_words}")
    }

    /// The last line of its log.
    fn last_words(&self) -> String {
        let log = fs::read_to_string(self.folder.path().join("nats.log")).unwrap_or_default();
        log.lines().last().map(|line| format!(": {line}")).unwrap_or_default()
    }
}

fn spawn(config: &Path, link: Option<&Link>) -> Result<Child, Failure> {
    let fail = |error: std::io::Error| Failure::input("nats-server", error);
    for program in PROGRAMS {
        let log = File::create(config.with_file_name("nats.log")).map_err(fail)?;
        let also_log = log.try_clone().map_err(fail)?;
        // At the far end a program that is missing would only be missed later.
        if link.is_some() && Command::new(program).arg("--version").output().is_err() {
            continue;
        }
        let mut command = link.map_or_else(|| Command::new(program), |link| link.command(program));
        command.arg("--config").arg(config).stdout(also_log).stderr(log);
        match Child::start(&mut command, config.parent()) {
            Ok(child) => return Ok(child),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(Failure::input(program, error)),
        }
    }
    Err(Failure::Input(
        "nats-server is not installed (it was looked for in PATH and /usr/sbin): install it, or \
         name a server that is running with --url"
            .to_owned(),
    ))
}

/// Debian puts it where not every user's path leads.
const PROGRAMS: [&str; 2] = ["nats-server", "/usr/sbin/nats-server"];

/// The most that the server allows.
const MAX_PAYLOAD: usize = 64 << 20;

/// Has to be above the longest payload.
const MAX_PENDING: usize = 256 << 20;

const GLANCE: Duration = Duration::from_millis(20);

const PATIENCE: Duration = Duration::from_secs(10);
