//! The first reason to stop ends a run, for all its actors.

use std::sync::{Mutex, PoisonError};

use tokio::sync::watch;

use super::ending::Ended;

/// Tells all actors of a run to stop.
#[derive(Debug)]
pub struct Stop {
    cause: Mutex<Option<Ended>>,
    told: watch::Sender<bool>,
}

impl Stop {
    /// Nothing has happened yet.
    #[must_use]
    pub fn new() -> Self {
        Self { cause: Mutex::new(None), told: watch::Sender::new(false) }
    }

    /// Stops the run, unless it was stopped before.
    pub fn stop(&self, cause: Ended) {
        self.cause.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(cause);
        self.told.send_replace(true);
    }

    /// Says whether the run is stopped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        *self.told.borrow()
    }

    /// Waits until it is.
    pub async fn stopped(&self) {
        let mut told = self.told.subscribe();
        let _ = told.wait_for(|told| *told).await; // its sender is here
    }

    /// Returns why it was.
    #[must_use]
    pub fn cause(&self) -> Option<Ended> {
        self.cause.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Default for Stop {
    fn default() -> Self {
        Self::new()
    }
}
