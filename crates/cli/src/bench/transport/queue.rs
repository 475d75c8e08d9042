//! A queue in memory, of one destination.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::timeout;

use crate::bench::plan::Purpose;

/// A queue that many send to and receive from; senders wait where it is bounded.
#[derive(Debug)]
pub(crate) struct Queue<T> {
    state: Mutex<State<T>>,
    bound: Bound,
    has_messages: Notify,
    has_room: Notify,
}

#[derive(Debug)]
struct State<T> {
    messages: VecDeque<(T, usize)>,
    len: usize,
    not_kept: u64,
}

/// What happens when there is much in a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// Nothing.
    Unlimited,
    /// Senders wait.
    Wait(usize),
    /// The oldest are dropped.
    KeepLast(usize),
}

impl<T> Queue<T> {
    /// One of so many.
    pub(crate) fn new(purpose: Purpose, queues: u32) -> Self {
        let share = KEPT_LEN / usize::try_from(queues.max(1)).unwrap_or(usize::MAX);
        let bound = match purpose {
            Purpose::SendOnly => Bound::KeepLast(share),
            Purpose::FillFirst => Bound::Unlimited,
            Purpose::Relay | Purpose::RoundTrip => Bound::Wait(BOUND_LEN),
        };
        let state = State { messages: VecDeque::new(), len: 0, not_kept: 0 };
        let (has_messages, has_room) = (Notify::new(), Notify::new());
        Self { state: Mutex::new(state), bound, has_messages, has_room }
    }

    /// Appends messages with their lengths, all at once.
    pub(crate) async fn send(&self, messages: impl IntoIterator<Item = (T, usize)>) {
        loop {
            let has_room = self.has_room.notified();
            if !matches!(self.bound, Bound::Wait(most) if self.lock().len >= most) {
                break;
            }
            has_room.await;
        }
        let mut state = self.lock();
        for (message, len) in messages {
            state.len += len;
            state.messages.push_back((message, len));
        }
        if let Bound::KeepLast(most) = self.bound {
            while state.memory() > most && state.messages.len() > 1 {
                state.pop();
                state.not_kept += 1;
            }
        }
        let (has_more, has_room) = (!state.messages.is_empty(), self.has_room(&state));
        drop(state);
        self.wake(has_more, has_room);
    }

    /// Takes at most so many; none if there is none in this time.
    pub(crate) async fn receive(&self, most: usize, wait: Duration) -> Vec<T> {
        let received = timeout(wait, async {
            loop {
                let has_messages = self.has_messages.notified();
                let taken = self.take(most);
                if !taken.is_empty() {
                    return taken;
                }
                has_messages.await;
            }
        });
        received.await.unwrap_or_default()
    }

    /// Forgets all messages.
    pub(crate) fn clear(&self) {
        let mut state = self.lock();
        state.messages.clear();
        (state.len, state.not_kept) = (0, 0);
        drop(state);
        self.wake(false, true);
    }

    pub(crate) fn not_kept(&self) -> u64 {
        self.lock().not_kept
    }

    fn take(&self, most: usize) -> Vec<T> {
        let mut state = self.lock();
        let count = most.min(state.messages.len());
        let taken = (0..count).filter_map(|_| state.pop()).collect();
        let (has_more, has_room) = (!state.messages.is_empty(), self.has_room(&state));
        drop(state);
        self.wake(has_more, has_room);
        taken
    }

    /// Each that is woken wakes the next, if there is something for it.
    fn wake(&self, has_messages: bool, has_room: bool) {
        if has_messages {
            self.has_messages.notify_one();
        }
        if has_room {
            self.has_room.notify_one();
        }
    }

    fn has_room(&self, state: &State<T>) -> bool {
        !matches!(self.bound, Bound::Wait(most) if state.len >= most)
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> State<T> {
    /// Small messages take more than their length.
    fn memory(&self) -> usize {
        self.len + self.messages.len() * (size_of::<(T, usize)>() + ALLOCATION)
    }

    fn pop(&mut self) -> Option<T> {
        let (message, len) = self.messages.pop_front()?;
        self.len -= len;
        Some(message)
    }
}

/// Enough for receivers to be busy, little enough that latency is not all waiting in the queue.
const BOUND_LEN: usize = 4 << 20;

/// What is kept of what nobody receives, to be verified afterwards; in all queues together.
const KEPT_LEN: usize = 256 << 20;

/// What a message's own piece of memory takes beside its bytes, or nearly.
const ALLOCATION: usize = 48;

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn many_queues_keep_no_more_than_one() {
        for (queues, len) in [(1, 1 << 20), (64, 1 << 20), (64, 32), (10_000, 32)] {
            let queue = Queue::new(Purpose::SendOnly, queues);
            let share = KEPT_LEN / queues as usize;
            let count = 2 * share / (len + ALLOCATION);
            for _ in 0..count / 100 + 1 {
                queue.send((0..100).map(|at| (at, len))).await;
            }
            let kept = queue.lock().memory();
            assert!(kept <= share && kept > share - len - 200, "{queues} of {len}: {kept}");
            assert!(queue.not_kept() > 0);
        }
    }
}
