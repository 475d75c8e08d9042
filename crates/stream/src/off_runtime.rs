//! Work on tokio's threads for blocking work.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// Work that another thread does. Dropped before it was begun, it never is.
#[derive(Debug)]
pub(crate) struct Job<T>(JoinHandle<T>);

/// Why a job has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gone {
    /// It was not begun: the runtime is shutting down.
    NotBegun,
    /// It panicked.
    Panicked,
}

impl<T: Send + 'static> Job<T> {
    /// Hands work over; where there is no runtime, it comes back.
    pub(crate) fn start<F>(work: F) -> Result<Self, F>
    where
        F: FnOnce() -> T + Send + 'static,
    {
        match Handle::try_current() {
            Ok(runtime) => Ok(Self(runtime.spawn_blocking(work))),
            Err(_) => Err(work),
        }
    }
}

impl<T> Future for Job<T> {
    type Output = Result<T, Gone>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let joined = ready!(Pin::new(&mut self.0).poll(cx));
        Poll::Ready(
            joined.map_err(
                |error| {
                    if error.is_cancelled() { Gone::NotBegun } else { Gone::Panicked }
                },
            ),
        )
    }
}

impl<T> Drop for Job<T> {
    fn drop(&mut self) {
        self.0.abort(); // which work that was begun does not notice
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;

    use tokio::runtime::Builder;

    use super::*;

    #[tokio::test]
    async fn a_job_gives_its_result() {
        assert_eq!(Job::start(|| 7).ok().unwrap().await, Ok(7));
    }

    #[tokio::test]
    async fn a_job_that_panics_says_so() {
        let job = Job::start(|| panic!("as a test wants it")).ok().unwrap();
        assert_eq!(job.await, Err::<(), _>(Gone::Panicked));
    }

    #[test]
    fn a_job_of_a_runtime_that_is_gone_was_not_begun() {
        let gone = Builder::new_current_thread().build().unwrap();
        let handle = gone.handle().clone();
        gone.shutdown_background();
        let job = {
            let _entered = handle.enter();
            Job::start(|| 7).ok().unwrap()
        };
        let runtime = Builder::new_current_thread().build().unwrap();
        assert_eq!(runtime.block_on(job), Err(Gone::NotBegun));
    }

    #[test]
    fn without_a_runtime_the_work_comes_back() {
        assert_eq!(Job::start(|| 7).err().unwrap()(), 7);
    }

    #[test]
    fn a_job_that_is_dropped_while_it_waits_is_never_begun() {
        let runtime = Builder::new_current_thread().max_blocking_threads(1).build().unwrap();
        let (free, until_free) = mpsc::channel::<()>();
        let was_begun = Arc::new(AtomicBool::new(false));
        let begin = was_begun.clone();
        runtime.block_on(async {
            let busy = tokio::task::spawn_blocking(move || until_free.recv());
            drop(Job::start(move || begin.store(true, Ordering::SeqCst)).ok().unwrap());
            free.send(()).unwrap();
            busy.await.unwrap().unwrap();
            // The one thread takes its work in order.
            Job::start(|| ()).ok().unwrap().await.unwrap();
        });
        assert!(!was_begun.load(Ordering::SeqCst));
    }
}
