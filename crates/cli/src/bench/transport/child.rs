//! A server in a process of the benchmark's own, gone with it.

use std::process::{self, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A process that is killed when this goes out of scope.
#[derive(Debug)]
pub(super) struct Child {
    process: Mutex<process::Child>,
}

impl Child {
    /// Starts it. Ctrl-C does not reach it: the benchmark ends it when it has asked it for what it
    /// knows.
    pub(super) fn start(command: &mut Command) -> std::io::Result<Self> {
        command.stdin(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        Ok(Self { process: Mutex::new(command.spawn()?) })
    }

    #[cfg(feature = "nats")]
    pub(super) fn pid(&self) -> u32 {
        self.process().id()
    }

    /// Its standard output, once, if it was piped.
    #[cfg(feature = "grpc")]
    pub(super) fn stdout(&self) -> Option<process::ChildStdout> {
        self.process().stdout.take()
    }

    /// How it ended, if it has.
    pub(super) fn end(&self) -> Option<String> {
        let status = self.process().try_wait().ok().flatten()?;
        Some(format!("it ended with {status}"))
    }

    /// Waits until it has ended.
    pub(super) async fn gone(&self) -> String {
        loop {
            if let Some(why) = self.end() {
                return why;
            }
            tokio::time::sleep(GLANCE).await;
        }
    }

    fn process(&self) -> MutexGuard<'_, process::Child> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let mut process = self.process();
        let _ = process.kill();
        let _ = process.wait();
    }
}

const GLANCE: Duration = Duration::from_millis(20);
