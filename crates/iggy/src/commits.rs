//! Commits of messages that were restored and handled.

use std::collections::VecDeque;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use iggy::prelude::{IggyConsumerState, IggyError};
use tokio::task::JoinHandle;
use tokio::time::{Sleep, sleep, timeout};

use crate::pause::pause_after;

/// Stores offsets while the stream goes on: one at a time, of each partition the latest, each until
/// it is stored.
pub(crate) struct Commits<S = IggyConsumerState> {
    store: S,
    /// Given to the application, which may be at it still.
    given: Option<Offset>,
    /// To be stored, one for each partition, the one that waits longest in front.
    waiting: VecDeque<Offset>,
    storing: Option<(Offset, JoinHandle<Result<(), IggyError>>)>,
    /// How many failed in a row, and the wait before the next.
    failures: u32,
    pause: Option<Pin<Box<Sleep>>>,
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
        let waiting = VecDeque::new();
        Self { store, given: None, waiting, storing: None, failures: 0, pause: None }
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

    /// Stores what waits; ready when all of it is. An error is told when it is the first of a row:
    /// the offset, or a later one of its partition, is tried again after a while.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), IggyError>> {
        loop {
            if let Some(pause) = &mut self.pause {
                ready!(pause.as_mut().poll(cx));
                self.pause = None;
            }
            if let Some((offset, job)) = &mut self.storing {
                let joined = ready!(Pin::new(job).poll(cx));
                let offset = *offset;
                self.storing = None;
                // A runtime that shuts down stores no more.
                let Err(error) = joined.unwrap_or(Err(IggyError::ClientShutdown)) else {
                    self.failures = 0;
                    continue;
                };
                if is_anothers(&error) {
                    self.failures = 0;
                    return Poll::Ready(Err(error)); // given up
                }
                if !self.waiting.iter().any(|it| it.partition == offset.partition) {
                    self.waiting.push_back(offset);
                }
                self.pause = Some(Box::pin(sleep(pause_after(self.failures))));
                self.failures = self.failures.saturating_add(1);
                if self.failures == 1 {
                    return Poll::Ready(Err(error));
                }
                tracing::warn!("offset {} is not stored yet: {error}", offset.offset);
                continue; // to be woken
            }
            let Some(offset) = self.waiting.pop_front() else { return Poll::Ready(Ok(())) };
            // On its own, so that it gets on while the application is busy.
            let job = tokio::spawn(self.store.clone().store(offset));
            self.storing = Some((offset, job));
        }
    }

    /// Waits until all is stored that the application is done with, not longer than this. What
    /// could not be stays to be stored.
    pub(crate) async fn flush(&mut self, longest: Duration) -> Result<(), IggyError> {
        let (mut told, mut lost) = (None, None);
        let stored = poll_fn(|cx| {
            loop {
                match ready!(self.poll(cx)) {
                    Ok(()) => return Poll::Ready(()),
                    Err(error) if is_anothers(&error) => lost = Some(error),
                    Err(error) => told = Some(error),
                }
            }
        });
        match timeout(longest, stored).await {
            Ok(()) => lost.map_or(Ok(()), Err),
            Err(_) => Err(told.or(lost).unwrap_or(IggyError::TaskTimeout)),
        }
    }

    /// Says whether one failed and is still to be stored.
    pub(crate) const fn is_failing(&self) -> bool {
        self.failures > 0
    }

    /// Stores nothing more, as for a successor.
    pub(crate) fn abort(&mut self) {
        self.waiting.clear();
        if let Some((_, job)) = self.storing.take() {
            job.abort();
        }
    }
}

/// Whether another member of the group has the partition now: what it stores counts.
const fn is_anothers(error: &IggyError) -> bool {
    matches!(
        error,
        IggyError::ConsumerGroupPartitionNotOwned(..) | IggyError::ConsumerGroupMemberNotFound(..)
    )
}

impl<S> fmt::Debug for Commits<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Commits")
            .field("given", &self.given)
            .field("waiting", &self.waiting)
            .field("storing", &self.storing.as_ref().map(|(offset, _)| offset))
            .field("failures", &self.failures)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::{Arc, Mutex};

    use iggy::prelude::Identifier;
    use tokio::sync::Semaphore;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    /// Stores as many as it has permits for, after it failed so many times.
    #[derive(Clone)]
    struct Slow {
        permits: Arc<Semaphore>,
        failures: Arc<AtomicUsize>,
        stored: Arc<Mutex<Vec<Offset>>>,
    }

    impl Slow {
        fn new(permits: usize, failures: usize) -> Self {
            let permits = Arc::new(Semaphore::new(permits));
            Self { permits, failures: Arc::new(failures.into()), stored: Arc::default() }
        }

        fn stored(&self) -> Vec<(u32, u64)> {
            self.stored.lock().unwrap().iter().map(|it| (it.partition, it.offset)).collect()
        }
    }

    impl Store for Slow {
        async fn store(self, at: Offset) -> Result<(), IggyError> {
            self.permits.acquire().await.unwrap().forget();
            let fewer = |left: usize| left.checked_sub(1);
            if self.failures.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fewer).is_ok() {
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
        let store = Slow::new(9, 0);
        let mut commits = Commits::new(store.clone());
        commits.gave(Offset { partition: 0, offset: 1 });
        commits.flush(LONG).await.unwrap();
        assert_eq!(store.stored(), []);
        commits.done();
        commits.flush(LONG).await.unwrap();
        commits.done();
        commits.flush(LONG).await.unwrap();
        assert_eq!(store.stored(), [(0, 1)]);
    }

    #[tokio::test]
    async fn while_one_is_stored_the_latest_of_each_partition_waits_and_none_starves() {
        let store = Slow::new(0, 0);
        let mut commits = Commits::new(store.clone());
        handle(&mut commits, 0, 1);
        assert!(poll_once(&mut commits).await.is_pending());
        for offset in 2..100 {
            handle(&mut commits, 0, offset);
            assert!(poll_once(&mut commits).await.is_pending());
            handle(&mut commits, 7, offset * 10);
        }
        store.permits.add_permits(9);
        commits.flush(LONG).await.unwrap();
        assert_eq!(store.stored(), [(0, 1), (0, 99), (7, 990)]);
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_fails_is_told_once_and_tried_until_it_is_stored() {
        let store = Slow::new(99, 5);
        let mut commits = Commits::new(store.clone());
        handle(&mut commits, 3, 13);
        let told = poll_fn(|cx| commits.poll(cx)).await;
        assert!(matches!(told, Err(IggyError::Disconnected)));
        handle(&mut commits, 4, 1);
        poll_fn(|cx| commits.poll(cx)).await.unwrap(); // after four more failures
        assert_eq!(store.stored(), [(3, 13), (4, 1)]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_later_offset_takes_the_place_of_one_that_failed() {
        let store = Slow::new(1, 1);
        let mut commits = Commits::new(store.clone());
        handle(&mut commits, 3, 13);
        assert!(poll_fn(|cx| commits.poll(cx)).await.is_err());
        handle(&mut commits, 3, 14);
        store.permits.add_permits(9);
        commits.flush(LONG).await.unwrap();
        assert_eq!(store.stored(), [(3, 14)]);
    }

    #[tokio::test]
    async fn an_offset_of_a_partition_that_another_has_is_given_up_with_its_error() {
        #[derive(Clone)]
        struct Elsewhere;
        impl Store for Elsewhere {
            async fn store(self, _: Offset) -> Result<(), IggyError> {
                let id = Identifier::named("group").unwrap();
                Err(IggyError::ConsumerGroupMemberNotFound(7, id.clone(), id))
            }
        }
        let mut commits = Commits::new(Elsewhere);
        handle(&mut commits, 3, 13);
        let lost = commits.flush(LONG).await;
        assert!(matches!(lost, Err(IggyError::ConsumerGroupMemberNotFound(..))), "{lost:?}");
        assert!(!commits.is_failing());
        commits.flush(LONG).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_flush_ends_with_the_error_and_the_next_one_stores_what_was_left() {
        let store = Slow::new(99, 1000);
        let mut commits = Commits::new(store.clone());
        handle(&mut commits, 0, 1);
        handle(&mut commits, 1, 2);
        let short = Duration::from_secs(5);
        assert!(matches!(commits.flush(short).await, Err(IggyError::Disconnected)));
        assert!(commits.flush(short).await.is_err() && commits.is_failing());
        store.failures.store(0, Ordering::SeqCst);
        commits.flush(short).await.unwrap();
        let mut stored = store.stored();
        stored.sort_unstable();
        assert_eq!(stored, [(0, 1), (1, 2)]);
    }
}
