//! How long a transport is waited for.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::sleep;

use super::stop::Stop;
use super::transport::Fault;

/// Waits for answers: each may take as long as the idle limit, and none longer than the user waits.
#[derive(Debug, Clone, Copy)]
pub struct Patience<'a> {
    /// The idle limit.
    pub idle: Duration,
    /// Stops when the user wants it.
    pub interrupt: &'a Stop,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Cut {
    /// The transport failed, or did not answer.
    Fault(Fault),
    /// The user does not wait for it.
    Interrupted,
}

/// Beats with each step of an answer that takes many, so that whoever waits knows that it comes.
#[derive(Debug, Clone, Default)]
pub struct Pulse(Arc<AtomicU64>);

impl Pulse {
    /// One step is done.
    pub fn beat(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Patience<'_> {
    /// Waits for an answer of many steps, as long as one step follows the other.
    pub(super) async fn answer<T>(
        &self,
        pulse: &Pulse,
        answer: impl Future<Output = Result<T, Fault>>,
    ) -> Result<T, Cut> {
        tokio::select! {
            answer = answer => answer.map_err(Cut::Fault),
            () = silence(pulse, self.idle) => {
                Err(Cut::Fault(Fault::new("connect", "it does not answer")))
            }
            () = self.interrupt.stopped() => Err(Cut::Interrupted),
        }
    }
}

/// Waits until nothing was heard for so long, or up to twice as long.
pub(super) async fn silence(pulse: &Pulse, idle: Duration) {
    let mut before = pulse.count();
    loop {
        sleep(idle).await;
        let now = pulse.count();
        if now == before {
            return;
        }
        before = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_takes_many_steps_is_waited_for_and_what_is_silent_is_not() {
        let interrupt = Stop::new();
        let patience = Patience { idle: Duration::from_secs(1), interrupt: &interrupt };
        let pulse = Pulse::default();
        let steps = async {
            for _ in 0..100 {
                sleep(Duration::from_millis(900)).await;
                pulse.beat();
            }
            Ok(())
        };
        assert!(patience.answer(&pulse, steps).await.is_ok());
        let never = std::future::pending::<Result<(), Fault>>();
        assert!(matches!(patience.answer(&pulse, never).await, Err(Cut::Fault(_))));
        interrupt.stop(crate::bench::ending::Ended::Interrupted);
        let never = std::future::pending::<Result<(), Fault>>();
        assert!(matches!(patience.answer(&pulse, never).await, Err(Cut::Interrupted)));
    }
}
