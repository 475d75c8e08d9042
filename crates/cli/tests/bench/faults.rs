//! What actors do when a transport loses, repeats or damages messages, fails, hangs or panics.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::wildcard_enum_match_arm,
    reason = "a test may stop where it fails"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use thinwire_cli::bench::ending::Ended;
use thinwire_cli::bench::report;
use thinwire_cli::bench::transport::{
    BoxFuture, Consume, Exchange, Fault, Memory, Produce, ServerFacts, Session, Setup, Transport,
};

use crate::support::run;

/// What happens to the hundredth message that is received, or with the tenth batch.
#[derive(Clone, Copy, PartialEq)]
enum Mishap {
    None,
    Loses,
    Repeats,
    Damages,
    OldData,
    ProducerFails,
    ProducerHangs,
    ProducerPanics,
    ConsumerFails,
    ConsumerHangs,
    ConsumerPanics,
}

/// The memory transport with a mishap.
struct Faulty(Mishap);

struct FaultySession {
    inner: Box<dyn Session>,
    mishap: Mishap,
    count: Arc<AtomicU64>,
}

struct FaultyEnd<T> {
    inner: T,
    mishap: Mishap,
    count: Arc<AtomicU64>,
}

impl Transport for Faulty {
    fn describe(&self) -> report::Transport {
        Memory.describe()
    }

    fn open(&self, setup: Setup) -> BoxFuture<'_, Result<Box<dyn Session>, Fault>> {
        Box::pin(async move {
            let inner = Memory.open(setup).await?;
            let count = Arc::default();
            let session: Box<dyn Session> =
                Box::new(FaultySession { inner, mishap: self.0, count });
            Ok(session)
        })
    }
}

impl Session for FaultySession {
    fn begin(&self, run_id: u64) -> BoxFuture<'_, Result<(), Fault>> {
        self.inner.begin(run_id)
    }

    fn producer(&self, destination: u32) -> BoxFuture<'_, Result<Box<dyn Produce>, Fault>> {
        Box::pin(async move {
            let inner = self.inner.producer(destination).await?;
            let count = self.count.clone();
            let end: Box<dyn Produce> = Box::new(FaultyEnd { inner, mishap: self.mishap, count });
            Ok(end)
        })
    }

    fn consumer(&self, destination: u32) -> BoxFuture<'_, Result<Box<dyn Consume>, Fault>> {
        Box::pin(async move {
            let inner = self.inner.consumer(destination).await?;
            let count = Arc::default();
            let end: Box<dyn Consume> = Box::new(FaultyEnd { inner, mishap: self.mishap, count });
            Ok(end)
        })
    }

    fn pair(&self, destination: u32) -> BoxFuture<'_, Result<Box<dyn Exchange>, Fault>> {
        self.inner.pair(destination)
    }

    fn counts(&self) -> thinwire_cli::bench::counts::Counts {
        self.inner.counts()
    }

    fn server(&self) -> BoxFuture<'_, ServerFacts> {
        self.inner.server()
    }

    fn end(&self) -> BoxFuture<'_, ()> {
        self.inner.end()
    }
}

impl Produce for FaultyEnd<Box<dyn Produce>> {
    fn send(&mut self, batch: Vec<Bytes>) -> BoxFuture<'_, Result<(), Fault>> {
        let is_time = self.count.fetch_add(1, Ordering::Relaxed) == 10;
        match self.mishap {
            Mishap::ProducerFails if is_time => {
                Box::pin(std::future::ready(Err(Fault::new("send", "the line is cut"))))
            }
            Mishap::ProducerHangs if is_time => Box::pin(std::future::pending()),
            Mishap::ProducerPanics if is_time => panic!("on purpose"),
            _ => self.inner.send(batch),
        }
    }
}

impl Consume for FaultyEnd<Box<dyn Consume>> {
    fn receive(&mut self, most: usize, wait: Duration) -> BoxFuture<'_, Result<Vec<Bytes>, Fault>> {
        Box::pin(async move {
            let mut batch = self.inner.receive(most, wait).await?;
            let before = self.count.fetch_add(batch.len() as u64, Ordering::Relaxed);
            let Some(at) = 100_u64.checked_sub(before).filter(|at| *at < batch.len() as u64) else {
                return Ok(batch);
            };
            let at = at as usize;
            match self.mishap {
                Mishap::Loses => drop(batch.remove(at)),
                Mishap::Repeats => batch.push(batch[at].clone()),
                Mishap::Damages => {
                    let mut damaged = batch[at].to_vec();
                    *damaged.last_mut().unwrap() ^= 0x20;
                    batch[at] = damaged.into();
                }
                Mishap::OldData => {
                    use thinwire_cli::bench::header;
                    let old = header::Header { run_id: 1, sent_ns: 0, producer: 0, sequence: 0 };
                    batch.push(old.to_bytes(header::content_hash(&[])).to_vec().into());
                }
                Mishap::ConsumerFails => return Err(Fault::new("receive", "the line is cut")),
                Mishap::ConsumerHangs => std::future::pending().await,
                Mishap::ConsumerPanics => panic!("on purpose"),
                _ => {}
            }
            Ok(batch)
        })
    }
}

fn ends_with(mishap: Mishap) -> (Ended, report::Run) {
    // A busy machine takes its time to print where an actor panicked.
    let idle = match mishap {
        Mishap::Loses | Mishap::ProducerHangs | Mishap::ConsumerHangs => "1s",
        _ => "15s",
    };
    let (ended, mut result, time) = run(
        &format!(
            "-e lz4 -m 200 -P 10 --message-count 3000 --idle-limit {idle} --repeat 1 -w 0 \
             ppc -p 2 memory"
        ),
        &Faulty(mishap),
    );
    assert!(time < Duration::from_secs(12), "it took {time:?}");
    (ended, result.runs.swap_remove(0))
}

#[test]
fn without_a_mishap_all_is_well() {
    let (ended, run) = ends_with(Mishap::None);
    assert_eq!((ended, run.verified.messages), (Ended::AsPlanned, 3000));
}

#[test]
fn a_lost_message_ends_the_run_after_the_idle_limit() {
    let (ended, run) = ends_with(Mishap::Loses);
    assert!(matches!(ended, Ended::Idle { missing: 2, .. }), "{ended}");
    assert_eq!((run.verified.messages, run.verified.lost), (2998, 2)); // one of each consumer
}

#[test]
fn a_repeated_message_is_counted_once() {
    let (ended, run) = ends_with(Mishap::Repeats);
    assert_eq!(ended, Ended::AsPlanned);
    assert_eq!((run.verified.messages, run.verified.duplicates), (3000, 2));
}

#[test]
fn a_damaged_message_ends_the_run() {
    let (ended, run) = ends_with(Mishap::Damages);
    assert!(matches!(ended, Ended::Corrupt { .. }), "{ended}");
    assert!(run.verified.corrupt >= 1);
}

#[test]
fn old_messages_are_passed_over() {
    let (ended, run) = ends_with(Mishap::OldData);
    assert_eq!(ended, Ended::AsPlanned);
    assert_eq!((run.verified.messages, run.verified.strangers), (3000, 2));
}

#[test]
fn an_actor_that_fails_ends_the_run_at_once() {
    for (mishap, actor) in [
        (Mishap::ProducerFails, "producer"),
        (Mishap::ProducerPanics, "producer"),
        (Mishap::ConsumerFails, "consumer"),
        (Mishap::ConsumerPanics, "consumer"),
    ] {
        let (ended, run) = ends_with(mishap);
        let Ended::Failed { actor: failed, .. } = &ended else { panic!("{ended}") };
        assert!(failed.starts_with(actor), "{ended}");
        assert_eq!(run.ended.exit_code(), 1);
        assert!(!run.errors.is_empty());
    }
}

#[test]
fn an_actor_that_hangs_ends_the_run_after_the_idle_limit() {
    for mishap in [Mishap::ProducerHangs, Mishap::ConsumerHangs] {
        let (ended, run) = ends_with(mishap);
        assert!(matches!(ended, Ended::Idle { .. }), "{ended}");
        assert!(run.verified.messages > 0);
    }
}

#[test]
fn consumers_of_what_was_there_find_a_loss_also_when_their_time_ends_the_run() {
    let arguments = "-e lz4 -m 200 -P 10 --message-count 3000 -d 1s --repeat 1 -w 0";
    for kind in ["pc -c 2", "bcg -c 2"] {
        let (ended, result, _) = run(&format!("{arguments} {kind} memory"), &Faulty(Mishap::Loses));
        // Each consumer loses one, but one of a group may come too late for its hundredth.
        let Ended::Lost { messages } = ended else { panic!("{kind}: {ended}") };
        assert!(messages == 2 || messages == 1 && kind.starts_with("bcg"), "{kind}: {messages}");
        assert_eq!(result.runs[0].verified.lost, messages, "{kind}");
        let (ended, ..) = run(&format!("{arguments} {kind} memory"), &Faulty(Mishap::None));
        assert_eq!(ended, Ended::AsPlanned, "{kind}");
    }
}
