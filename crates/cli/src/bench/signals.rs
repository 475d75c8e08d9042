//! What asks a benchmark to end from outside.

use std::io;

/// Ctrl-C and, where there are such, the signals to terminate and to hang up. From the moment this
/// is made on they no longer end the process by themselves, which would leave servers behind that
/// it had started.
#[derive(Debug)]
pub(super) struct Signals {
    #[cfg(unix)]
    all: [tokio::signal::unix::Signal; 3],
    #[cfg(not(unix))]
    ctrl_c: tokio::signal::windows::CtrlC,
}

impl Signals {
    #[cfg(unix)]
    pub(super) fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};

        let interrupt = signal(SignalKind::interrupt())?;
        let terminate = signal(SignalKind::terminate())?;
        Ok(Self { all: [interrupt, terminate, signal(SignalKind::hangup())?] })
    }

    #[cfg(not(unix))]
    pub(super) fn new() -> io::Result<Self> {
        Ok(Self { ctrl_c: tokio::signal::windows::ctrl_c()? })
    }

    /// Waits for the next.
    pub(super) async fn next(&mut self) {
        #[cfg(unix)]
        {
            let [interrupt, terminate, hang_up] = &mut self.all;
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hang_up.recv() => {}
            }
        }
        #[cfg(not(unix))]
        self.ctrl_c.recv().await;
    }
}
