//! The sessions of a server, and which of them somebody still wants.
//!
//! Clients close their sessions; one that was killed does not. Its session is over when the
//! connection of its calls about the session is closed and no call of any other has come for a
//! while.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tonic::Status;

use super::hall::Hall;
use super::socket::Line;

#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<BTreeMap<u64, Held>>);

#[derive(Debug)]
struct Held {
    hall: Arc<Hall>,
    /// Of the last call about the session.
    line: Line,
    last_call: Instant,
}

impl Sessions {
    /// Keeps a new session; where there are too many, instead of that whose client is gone for the
    /// longest time.
    pub(super) fn open(
        &self,
        session: u64,
        hall: Arc<Hall>,
        line: &Line,
        now: Instant,
    ) -> Result<(), Status> {
        let mut all = self.all();
        if all.contains_key(&session) {
            return Err(Status::already_exists("there is such a session already"));
        }
        drop_the_gone(&mut all, now);
        if all.len() >= MAX_SESSIONS {
            let gone = all.iter().filter(|(_, held)| !held.line.is_open());
            let oldest = gone.min_by_key(|(_, held)| held.last_call).map(|(&session, _)| session);
            let Some(oldest) = oldest else {
                return Err(Status::resource_exhausted(format!(
                    "{MAX_SESSIONS} benchmarks run on this server, the most at once"
                )));
            };
            all.remove(&oldest);
        }
        all.insert(session, Held { hall, line: line.clone(), last_call: now });
        Ok(())
    }

    /// The session that a batch belongs to.
    pub(super) fn of_batch(&self, session: u64, now: Instant) -> Result<Arc<Hall>, Status> {
        let mut all = self.all();
        let held = all.get_mut(&session).ok_or_else(unknown)?;
        held.last_call = now;
        Ok(held.hall.clone())
    }

    /// The session that a call is about.
    pub(super) fn of_call(
        &self,
        session: u64,
        line: &Line,
        now: Instant,
    ) -> Result<Arc<Hall>, Status> {
        let mut all = self.all();
        let held = all.get_mut(&session).ok_or_else(unknown)?;
        (held.line, held.last_call) = (line.clone(), now);
        Ok(held.hall.clone())
    }

    pub(super) fn close(&self, session: u64) {
        let closed = self.all().remove(&session);
        drop(closed); // not while others wait
    }

    /// Drops, now and then, the sessions of clients that are gone.
    pub(super) async fn sweep(&self) -> std::convert::Infallible {
        loop {
            tokio::time::sleep(SWEEP).await;
            drop_the_gone(&mut self.all(), Instant::now());
        }
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<u64, Held>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn drop_the_gone(all: &mut BTreeMap<u64, Held>, now: Instant) {
    let silence = |held: &Held| now.saturating_duration_since(held.last_call);
    all.retain(|_, held| held.line.is_open() || silence(held) < SILENCE);
}

fn unknown() -> Status {
    Status::failed_precondition("there is no such session (any more)")
}

const MAX_SESSIONS: usize = 64;

/// A client whose connection broke makes another with its next call.
const SILENCE: Duration = Duration::from_secs(10);

const SWEEP: Duration = Duration::from_secs(1);

#[cfg(test)]
mod tests {
    use thinwire::{Encoding, Level};

    use super::super::protocol::{Open, Purpose};
    use super::*;

    fn hall() -> Arc<Hall> {
        let open = Open {
            session: 0,
            level: Level::from(Encoding::Identity).to_string(),
            min_size: 0,
            max_len: 1000,
            purpose: Purpose::FillFirst,
            destinations: 1,
            senders: 1,
        };
        Arc::new(Hall::open(&open).unwrap())
    }

    #[test]
    fn the_session_of_a_killed_client_is_dropped_after_a_while() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let (alive, killed) = (Arc::default(), Arc::default());
        let (dropped, kept) = (hall(), hall());
        sessions.open(1, kept.clone(), &Line::of(&alive), now).unwrap();
        sessions.open(2, dropped.clone(), &Line::of(&killed), now).unwrap();
        drop(killed);
        sessions.of_batch(2, now + SILENCE / 2).unwrap(); // its actors are there
        drop_the_gone(&mut sessions.all(), now + SILENCE);
        assert_eq!(Arc::strong_count(&dropped), 2);
        drop_the_gone(&mut sessions.all(), now + SILENCE * 2);
        assert_eq!((Arc::strong_count(&dropped), Arc::strong_count(&kept)), (1, 2));
        sessions.of_batch(2, now).unwrap_err();
        let later = now + SILENCE * 1000; // nobody needs to call
        drop_the_gone(&mut sessions.all(), later);
        sessions.of_call(1, &Line::default(), later).unwrap();
        drop_the_gone(&mut sessions.all(), later + SILENCE);
        sessions.of_batch(1, later).unwrap_err();
    }

    #[test]
    fn where_all_is_full_the_longest_gone_makes_room_and_none_that_is_there() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let lines: Vec<Arc<()>> = (0..MAX_SESSIONS).map(|_| Arc::default()).collect();
        for (session, line) in (0..).zip(&lines) {
            let at = now + Duration::from_millis(session);
            sessions.open(session, hall(), &Line::of(line), at).unwrap();
        }
        let alive = Arc::default();
        let open = |session| sessions.open(session, hall(), &Line::of(&alive), now);
        let refused = open(1000).unwrap_err();
        assert!(refused.message().contains("the most at once"), "{refused}");
        assert!(open(5).unwrap_err().message().contains("already"));
        let there = |session| sessions.all().contains_key(&session);
        // Those at odd places are gone.
        let kept: Vec<_> = lines.into_iter().step_by(2).collect();
        open(1000).unwrap();
        assert!(there(0) && !there(1) && there(3));
        open(1001).unwrap();
        assert!(there(2) && !there(3) && there(5));
        for session in 1002..1000 + MAX_SESSIONS as u64 / 2 {
            open(session).unwrap();
        }
        open(2000).unwrap_err();
        assert!((0..64).step_by(2).all(there));
        drop(kept);
    }
}
