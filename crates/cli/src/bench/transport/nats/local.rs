//! A NATS server of the benchmark's own, gone with it.

use std::fs;
use std::net::Ipv4Addr;
use std::process::Command;
use std::time::{Duration, Instant};

use serde::Deserialize;

use crate::bench::transport::child::Child;
use crate::bench::transport::link::Link;
use crate::failure::Failure;

/// A server, gone when this is.
#[derive(Debug)]
pub(super) struct Local {
    child: Child,
    pub(super) pid: u32,
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
        let child = Child::prepare(&command(link.as_ref())?).map_err(fail)?;
        let host = link.as_ref().map_or(Ipv4Addr::LOCALHOST, Link::far);
        let config = format!(
            "listen: {host}:-1\nports_file_dir: \".\"\nmax_payload: {MAX_PAYLOAD}\n\
             max_pending: {MAX_PENDING}\njetstream {{ store_dir: \"store\" }}\n"
        );
        fs::write(child.folder().join(CONFIG), config).map_err(fail)?;
        let pid = child.start().map_err(fail)?;
        let mut local = Self { child, pid, url: String::new(), link };
        let ports = local.child.folder().join(format!("nats-server_{pid}.ports"));
        let begin = Instant::now();
        loop {
            // The file is there before all of it is.
            let ports = fs::read_to_string(&ports).ok();
            let ports = ports.and_then(|text| serde_json::from_str::<Ports>(&text).ok());
            if let Some(url) = ports.and_then(|ports| ports.nats.into_iter().next()) {
                local.url = url;
                return Ok(local);
            }
            if let Some(why) = local.child.end() {
                return Err(Failure::Input(format!("nats-server: {}", local.with_last_words(why))));
            }
            if begin.elapsed() > PATIENCE {
                let why = format!("it did not start within {} s", PATIENCE.as_secs());
                return Err(Failure::Input(format!("nats-server: {}", local.with_last_words(why))));
            }
            tokio::time::sleep(GLANCE).await;
        }
    }

    /// Waits until it is gone; says what is known of its end.
    pub(super) async fn gone(&self) -> String {
        let why = self.child.gone().await;
        // What a killed server wrote last is not why it ended.
        if why.contains("signal") { why } else { self.with_last_words(why) }
    }

    fn with_last_words(&self, why: String) -> String {
        match self.child.said().lines().last() {
            Some(line) => format!("{why}: {line}"),
            None => why,
        }
    }
}

/// The first of the programs that is there.
fn command(link: Option<&Link>) -> Result<Command, Failure> {
    let runs = |program: &&&str| Command::new(program).arg("--version").output().is_ok();
    let Some(program) = PROGRAMS.iter().find(runs) else {
        return Err(Failure::Input(
            "nats-server is not installed (it was looked for in PATH and /usr/sbin): install it, \
             or name a server that is running with --url"
                .to_owned(),
        ));
    };
    let mut command = link.map_or_else(|| Command::new(program), |link| link.command(program));
    command.args(["--config", CONFIG]);
    Ok(command)
}

/// In its folder.
const CONFIG: &str = "nats.conf";

/// Debian puts it where not every user's path leads.
const PROGRAMS: [&str; 2] = ["nats-server", "/usr/sbin/nats-server"];

/// The most that the server allows.
const MAX_PAYLOAD: usize = 64 << 20;

/// Has to be above the longest payload.
const MAX_PENDING: usize = 256 << 20;

const GLANCE: Duration = Duration::from_millis(20);

const PATIENCE: Duration = Duration::from_secs(10);
