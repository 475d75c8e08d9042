//! The connected actors of a session, and those of them that are at work.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use tokio::task::{Id, JoinSet};

use super::actor;
use super::pace::Times;
use super::patience::{Cut, Patience, Pulse};
use super::plan::{Limits, Plan, Purpose};
use super::record::Record;
use super::report::LatencyOf;
use super::stage::{Share, Stage};
use super::transport::{Consume, Exchange, Produce, Session};

/// The connected actors of a session, by number.
#[derive(Default)]
pub struct Cast {
    /// Those who send, or fill.
    producers: BTreeMap<u32, Box<dyn Produce>>,
    /// Those who receive.
    consumers: BTreeMap<u32, Box<dyn Consume>>,
    /// Those who do both.
    pairs: BTreeMap<u32, Box<dyn Exchange>>,
}

/// Which part of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Before the clock starts.
    Fill,
    /// Under the clock.
    Play,
}

/// Actors at work, and their names.
#[derive(Default)]
pub(super) struct AtWork {
    pub(super) set: JoinSet<Done>,
    names: HashMap<Id, String>,
}

/// An actor that has come to its end.
pub(super) enum Done {
    Producer(Box<dyn Produce>, Record),
    Consumer(Box<dyn Consume>, Record),
    Pair(Box<dyn Exchange>, Record),
}

impl std::fmt::Debug for Cast {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cast").finish_non_exhaustive()
    }
}

impl Cast {
    /// Connects all actors of a plan.
    ///
    /// # Errors
    ///
    /// [`Cut`], of the first that can't be connected.
    pub(super) async fn connect(
        plan: &Plan,
        session: &dyn Session,
        patience: Patience<'_>,
    ) -> Result<Self, Cut> {
        let mut cast = Self::default();
        let pulse = Pulse::default(); // one step for each
        let destinations = plan.destinations();
        if plan.kind.purpose() != Purpose::RoundTrip {
            for index in 0..plan.senders() {
                let producer = session.producer(index % destinations);
                cast.producers.insert(index, patience.answer(&pulse, producer).await?);
            }
        }
        for index in 0..plan.consumers {
            let consumer = session.consumer(index % destinations);
            cast.consumers.insert(index, patience.answer(&pulse, consumer).await?);
        }
        for index in 0..plan.pairs {
            let pair = session.pair(index % destinations);
            cast.pairs.insert(index, patience.answer(&pulse, pair).await?);
        }
        Ok(cast)
    }

    /// Starts the actors of one part.
    pub(super) fn set_out(
        &mut self,
        stage: &Arc<Stage>,
        plan: &Plan,
        part: Part,
        limits: Limits,
        times: Vec<Times>,
    ) -> AtWork {
        let mut at_work = AtWork::default();
        let mut times = times.into_iter();
        let share = |index| Share::of(limits, index, plan.senders());
        let is_filled = plan.kind.purpose() == Purpose::FillFirst;
        if part == Part::Fill || !is_filled {
            for (index, mut producer) in std::mem::take(&mut self.producers) {
                let (stage, share, times) = (stage.clone(), share(index), times.next());
                at_work.start(format!("producer {index}"), async move {
                    let record = actor::produce(stage, &mut *producer, share, times).await;
                    Done::Producer(producer, record)
                });
            }
        }
        if part == Part::Fill {
            return at_work;
        }
        for (index, mut pair) in std::mem::take(&mut self.pairs) {
            let (stage, share, times) = (stage.clone(), share(index), times.next());
            at_work.start(format!("pair {index}"), async move {
                let record = actor::exchange(stage, &mut *pair, share, times).await;
                Done::Pair(pair, record)
            });
        }
        let of = if is_filled { LatencyOf::Fetch } else { LatencyOf::Delivery };
        for (index, mut consumer) in std::mem::take(&mut self.consumers) {
            let (stage, source) = (stage.clone(), index % plan.destinations());
            at_work.start(format!("consumer {index}"), async move {
                let record = actor::consume(stage, &mut *consumer, index, source, of).await;
                Done::Consumer(consumer, record)
            });
        }
        at_work
    }

    /// An actor is there again for the next part or run.
    pub(super) fn take_back(&mut self, done: Done) -> Record {
        match done {
            Done::Producer(producer, record) => {
                self.producers.insert(record.index, producer);
                record
            }
            Done::Consumer(consumer, record) => {
                self.consumers.insert(record.index, consumer);
                record
            }
            Done::Pair(pair, record) => {
                self.pairs.insert(record.index, pair);
                record
            }
        }
    }
}

impl AtWork {
    fn start(&mut self, name: String, actor: impl Future<Output = Done> + Send + 'static) {
        let handle = self.set.spawn(actor);
        self.names.insert(handle.id(), name);
    }

    pub(super) fn name(&self, id: Id) -> &str {
        self.names.get(&id).map_or("an actor", String::as_str)
    }
}
