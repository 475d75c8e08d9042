//! What asks a benchmark to end from outside.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::ending::Ended;
use super::stop::Stop;

/// From now on Ctrl-C and, where there are such, the signals to terminate and to hang up stop the
/// benchmark, so that it prints what there is. A second one, or one while it prints, ends the
/// process at once.
///
/// # Errors
///
/// [`io::Error`] of the system.
pub(super) fn listen(interrupt: Arc<Stop>, is_printing: Arc<AtomicBool>) -> io::Result<()> {
    // A thread and a runtime of their own: the benchmark's may be busy compressing, or gone.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut signals = {
        let _is_there = runtime.enter();
        Signals::new()?
    };
    let listen = move || {
        runtime.block_on(signals.next());
        if !is_printing.load(Ordering::Relaxed) {
            interrupt.stop(Ended::Interrupted);
            runtime.block_on(signals.next());
        }
        #[expect(clippy::exit, reason = "asked for twice; nothing is worth waiting for")]
        std::process::exit(Ended::Interrupted.exit_code().into());
    };
    thread::Builder::new().name("signals".to_owned()).spawn(listen).map(drop)
}

#[derive(Debug)]
struct Signals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    /// None where it is ignored, as `nohup` wants it.
    #[cfg(unix)]
    hang_up: Option<tokio::signal::unix::Signal>,
    #[cfg(not(unix))]
    ctrl_c: tokio::signal::windows::CtrlC,
}

impl Signals {
    #[cfg(unix)]
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        let hang_up = (!is_hang_up_ignored()).then(|| signal(SignalKind::hangup()));
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: hang_up.transpose()?,
        })
    }

    #[cfg(not(unix))]
    fn new() -> io::Result<Self> {
        Ok(Self { ctrl_c: tokio::signal::windows::ctrl_c()? })
    }

    /// Waits for the next.
    async fn next(&mut self) {
        #[cfg(unix)]
        {
            let hang_up = async {
                match &mut self.hang_up {
                    Some(hang_up) => hang_up.recv().await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                _ = self.interrupt.recv() => {}
                _ = self.terminate.recv() => {}
                _ = hang_up => {}
            }
        }
        #[cfg(not(unix))]
        self.ctrl_c.recv().await;
    }
}

/// Linux tells it; elsewhere it is not.
#[cfg(unix)]
fn is_hang_up_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
    ignored.is_some_and(|ignored| ignored & 1 == 1) // the bit of signal 1
}
