//! A server in a process of the benchmark's own, gone with it.

use std::path::Path;
use std::process::{self, Command, ExitStatus, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A process that is killed when this goes out of scope, or when the benchmark is gone without
/// that: killed itself, or ended by a second signal.
#[derive(Debug)]
pub(super) struct Child {
    running: Mutex<Running>,
}

#[derive(Debug)]
struct Running {
    process: process::Child,
    /// Who ends it if the benchmark can't.
    guard: Option<process::Child>,
}

impl Child {
    /// Starts it. Ctrl-C does not reach it: the benchmark ends it when it has asked it for what it
    /// knows. `folder`, if there is one, is what the process keeps; it is the caller's to remove,
    /// and only removed here if the benchmark is gone.
    pub(super) fn start(command: &mut Command, folder: Option<&Path>) -> std::io::Result<Self> {
        command.stdin(Stdio::null());
        apart(command);
        let process = command.spawn()?;
        let guard = guard(process.id(), folder);
        Ok(Self { running: Mutex::new(Running { process, guard }) })
    }

    #[cfg(feature = "nats")]
    pub(super) fn pid(&self) -> u32 {
        self.running().process.id()
    }

    /// Its standard output, once, if it was piped.
    #[cfg(feature = "grpc")]
    pub(super) fn stdout(&self) -> Option<process::ChildStdout> {
        self.running().process.stdout.take()
    }

    /// How it ended, if it has.
    pub(super) fn end(&self) -> Option<ExitStatus> {
        let mut running = self.running();
        let status = running.process.try_wait().ok().flatten()?;
        running.dismiss_guard(); // the number may become another process's
        Some(status)
    }

    /// Waits until it has ended.
    pub(super) async fn gone(&self) -> ExitStatus {
        loop {
            if let Some(status) = self.end() {
                return status;
            }
            tokio::time::sleep(GLANCE).await;
        }
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    fn dismiss_guard(&mut self) {
        if let Some(mut guard) = self.guard.take() {
            let _ = guard.kill();
            let _ = guard.wait();
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let mut running = self.running();
        running.dismiss_guard();
        let _ = running.process.kill();
        let _ = running.process.wait();
    }
}

/// Out of reach of what a terminal sends to the benchmark.
fn apart(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

/// A shell whose input ends when this process does, however it does.
fn guard(pid: u32, folder: Option<&Path>) -> Option<process::Child> {
    if !cfg!(unix) {
        return None;
    }
    let mut command = Command::new("sh");
    command.args(["-c", LAST_DUTY, "sh", &pid.to_string()]).args(folder);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    apart(&mut command);
    command.spawn().ok() // where there is no shell, there is no guard
}

/// The process is given a moment to be gone before what it writes to is removed.
const LAST_DUTY: &str =
    r#"read -r _; kill -9 "$1"; if [ -n "$2" ]; then sleep 1; rm -rf -- "$2"; fi"#;

const GLANCE: Duration = Duration::from_millis(20);
