//! Commits of messages that were restored and handled.

use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use iggy::prelude::{IggyConsumerState, IggyError};
use tokio::task::JoinHandle;

/// Stores offsets while the stream goes on: one at a time, of each partition the latest.
pub(crate) struct Commits<S = IggyConsumerState> {
    store: S,
    /// Given to the application, which may be at it still.
    given: Option<Offset>,
    /// To be stored, one for each partition, the one that waits longest in front.
    waiting: VecDeque<Offset>,
    storing: Option<JoinHandle<Result<(), IggyError>>>,
}

/// How far a partition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Offset {
    pub(crate) partition: u32,
    pub(crate) offset: u64,
}

/// Where offsets are stored.
pub(crate) trait Store: Clone + Send + 'static {
    fn store(self, at: Offset) -> impl Future<Output = Result<(), IggyError>> + Send;
}

impl Store for IggyConsumerState {
    async fn store(self, at: Offset) -> Result<(), IggyError> {
        self.store_offset(at.offset, Some(at.partition)).await
    }
}

impl<S: Store> Commits<S> {
    pub(crate) const fn new(store: S) -> Self {
        Self { store, given: None, waiting: VecDeque::new(), storing: None }
    }

    /// Says what the application has now.
    pub(crate) const fn gave(&mut self, offset: Offset) {
        self.given = Some(offset);
    }

    /// Says that the application is done with what it has.
    pub(crate) fn done(&mut self) {
        let Some(done) = self.given.take() else { return };
        match self.waiting.iter_mut().find(|it| it.partition == done.partition) {
            Some(waiting) => *waiting = done,
            None => self.waiting.push_back(done),
        }
    }

    /// Stores what waits; ready when all of it is, or when one can't be, which is given up then.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), IggyError>> {
        loop {
            if let Some(storing) = &mut self.storing {
                let joined = ready!(Pin::new(storing).poll(cx));
                self.storing = None;
                // A runtime that shuts down stores no more.
                if let Err(error) = joined.unwrap_or(Err(IggyError::ClientShutdown)) {
                    return Poll::Ready(Err(error));
                }
            }
            let Some(offset) = self.waiting.pop_front() else { return Poll::Ready(Ok(())) };
            // On its own, so that it gets on while the application is busy.
            self.storing = Some(tokio::spawn(self.store.clone().store(offset)));
        }
    }

    /// Waits until all is stored that the application is done with.
    pub(crate) async fn flush(&mut self) -> Result<(), IggyError> {
        poll_fn(|cx| self.poll(cx)).await
    }
}

impl<S> fmt::Debug for Commits<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Commits")
            .field("given", &self.given)
            .field("waiting", &self.waiting)
            .field("storing", &self.storing.is_some())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tokio::sync::Semaphore;

    use super::*;

    /// Stores as many as it has permits for.
    #[derive(Clone)]
    struct Slow {
        permits: Arc<Semaphore>,
        stored: Arc<Mutex<Vec<Offset>>>,
    }

    impl Slow {
        fn new(permits: usize) -> Self {
            Self { permits: Arc::new(Semaphore::new(permits)), stored: Arc::default() }
        }

        fn stored(&self) -> Vec<(u32, u64)> {
            self.stored.lock().unwrap().iter().map(|it| (it.partition, it.offset)).collect()
        }
    }

    impl Store for Slow {
        async fn store(self, at: Offset) -> Result<(), IggyError> {
            self.permits.acquire().await.unwrap().forget();
            if at.offset == 13 {
                return Err(IggyError::Disconnected);
            }
            self.stored.lock().unwrap().push(at);
            Ok(())
        }
    }

    fn handle<S: Store>(commits: &mut Commits<S>, partition: u32, offset: u64) {
        commits.gave(Offset { partition, offset });
        commits.done();
    }

    async fn poll_once<S: Store>(commits: &mut Commits<S>) -> Poll<Result<(), IggyError>> {
        poll_fn(|cx| Poll::Ready(commits.poll(cx))).await
    }

    #[tokio::test]
    async fn what_the_application_still_has_is_not_stored() {
        let store = Slow::new(9);
        let mut commits = Commits::new(store.clone());
        commits.gave(Offset { partition: 0, offset: 1 });
        commits.flush().await.unwrap();
        assert_eq!(store.stored(), []);
        commits.done();
        commits.flush().await.unwrap();
        commits.done();
        commits.flush().await.unwrap();
        assert_eq!(store.stored(), [(0, 1)]);
    }

    #[tokio::test]
    async fn while_one_is_stored_the_latest_of_each_partition_waits_and_none_starves() {
        let store = Slow::new(0);
        let mut commits = Commits::new(store.clone());
        handle(&mut commits, 0, 1);
        assert!(poll_once(&mut commits).await.is_pending());
        for offset in 2..100 {
            handle(&mut commits, 0, offset);
            assert!(poll_once(&mut commits).await.is_pending());
            handle(&mut commits, 7, offset * 10);
        }
        store.permits.add_permits(9);
        commits.flush().await.unwrap();
        assert_eq!(store.stored(), [(0, 1), (0, 99), (7, 990)]);
    }

    #[tokio::test]
    async fn one_that_fails_is_told_once_and_the_next_is_stored() {
        let store = Slow::new(9);
        let mut commits = Commits::new(store.clone());
        handle(&mut commits, 0, 13);
        assert!(matches!(commits.flush().await, Err(IggyError::Disconnected)));
        commits.flush().await.unwrap();
        handle(&mut commits, 0, 14);
        commits.flush().await.unwrap();
        assert_eq!(store.stored(), [(0, 14)]);
    }
}
