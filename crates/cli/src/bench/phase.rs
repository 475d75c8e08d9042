//! One run: actors on a stage, somebody who watches them, and what it all came to.

use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use super::cast::{Cast, Part};
use super::ending::Ended;
use super::ledger::Ledger;
use super::outcome::{Outcome, Verifier};
use super::pace::{self, Times};
use super::patience::{Cut, Patience, Pulse, silence};
use super::plan::{Limits, Plan, Purpose};
use super::pool::Pool;
use super::record::Record;
use super::stage::Stage;
use super::stop::Stop;
use super::transport::{Consume, Fault, ServerFacts, Session, Transport};
use super::usage;
use crate::measure::nanos;

/// All that a run is made of.
pub struct Run<'a> {
    /// What is done.
    pub plan: &'a Plan,
    /// What is sent.
    pub pool: &'a Arc<Pool>,
    /// Mean length of a message.
    pub mean_len: f64,
    /// What carries it.
    pub transport: &'a dyn Transport,
    /// Over which connections.
    pub session: &'a dyn Session,
    /// Stops when the user wants it.
    pub interrupt: &'a Stop,
    /// Beats while the session is at work on something long.
    pub pulse: &'a Pulse,
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("plan", self.plan).finish_non_exhaustive()
    }
}

/// Tells somebody who waits what is going on: the time since the run began, and the account.
pub type Watch<'a> = &'a mut (dyn FnMut(Duration, &Ledger) + Send);

impl Run<'_> {
    /// Plays a run with this id.
    pub async fn play(
        &self,
        cast: &mut Cast,
        limits: Limits,
        run_id: u64,
        watch: Watch<'_>,
    ) -> Outcome {
        let purpose = self.plan.kind.purpose();
        let ledger = Ledger::new(run_id, self.plan.senders()).at_once(self.plan.per_batch);
        let mut fill = Stage::new(self.pool.clone(), ledger, self.plan.per_batch, None);
        fill.bounds_backlog = purpose == Purpose::Relay;
        self.answer(&fill, "the server", self.session.begin(run_id)).await;
        let mut stage = Arc::new(fill);
        if purpose == Purpose::FillFirst {
            self.act(&stage, cast, Part::Fill, limits, &mut |_, _| ()).await;
        }
        usage::forget_peak(None);
        let (client, server) = (self.session.counts(), self.ask().await);
        let (cpu_ns, machine) = (usage::own_cpu_ns(), usage::Machine::now());
        stage = Arc::new(stage.again(limits.time));
        let records = self.act(&stage, cast, Part::Play, limits, watch).await;
        let spent = usage::own_cpu_ns().zip(cpu_ns).map(|(now, before)| now - before);
        let machine = usage::Machine::now().zip(machine).map(|(now, was)| now.since(was));
        let client = self.session.counts().since(&client);
        let now = self.ask().await;
        let is_checked_there = server.as_ref().is_some_and(|server| server.found.is_some());
        let client_peak_memory_bytes = usage::peak_memory_bytes(None);
        let settled = self.settle(&stage, is_checked_there, now.as_ref()).await;
        let (server, now) = (server.unwrap_or_default(), now.unwrap_or_default());
        let server_cpu = now.cpu_ns.zip(server.cpu_ns).map(|(now, was)| now.saturating_sub(was));
        let in_process = server_cpu.filter(|_| now.is_in_process).unwrap_or_default();
        let faults = stage.faults.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Outcome {
            records,
            client,
            server: now.counts.since(&server.counts),
            client_cpu_ns: spent.map(|spent| spent.saturating_sub(in_process)),
            server_cpu_ns: server_cpu,
            machine: machine
                .filter(|_| usage::is_all_known(&self.transport.describe(), server_cpu)),
            client_peak_memory_bytes,
            server_peak_memory_bytes: now.peak_memory_bytes,
            not_kept: now.not_kept,
            faults,
            ..settled
        }
    }

    /// Finds out how a run ended and what became of its messages.
    async fn settle(
        &self,
        stage: &Stage,
        is_checked_there: bool,
        server: Option<&ServerFacts>,
    ) -> Outcome {
        let purpose = self.plan.kind.purpose();
        let not_kept = server.map_or(0, |server| server.not_kept);
        let found_there = server.and_then(|server| server.found);
        let verified_by = match (purpose, found_there) {
            (Purpose::SendOnly, Some(_)) => Verifier::Server,
            (Purpose::SendOnly, None) if is_checked_there || server.is_none() => Verifier::Nobody,
            (Purpose::SendOnly, None) if stage.stop.is_stopped() => Verifier::Nobody,
            (Purpose::SendOnly, None) => Verifier::Afterwards,
            _ => Verifier::Consumers,
        };
        if verified_by == Verifier::Nobody && !stage.stop.is_stopped() {
            let fault = Fault::new("receive", "it does not say what it has received");
            stage.fail("the server", &fault);
        }
        if verified_by == Verifier::Afterwards {
            self.read_back(stage, not_kept).await;
        }
        let found = found_there.unwrap_or_else(|| stage.ledger.found());
        let missing = match verified_by {
            Verifier::Server => stage.ledger.sent().0.saturating_sub(found.messages),
            Verifier::Afterwards => stage.ledger.missing().saturating_sub(not_kept),
            Verifier::Consumers => stage.ledger.missing(),
            Verifier::Nobody => 0,
        };
        // Consumers of what was there before may stop in the middle of it; not behind its end.
        let may_stop = purpose == Purpose::FillFirst && stage.time.is_some();
        let receivers = self.plan.consumers / self.plan.destinations();
        let gone =
            if may_stop { stage.ledger.missing_at_the_end(receivers.into()) } else { missing };
        let ended = stage.stop.cause().unwrap_or(match gone {
            0 => Ended::AsPlanned,
            messages => Ended::Lost { messages },
        });
        // What was under way when a run was cut short is not lost.
        let lost = match ended {
            Ended::Lost { messages } => messages,
            Ended::Idle { .. } => missing,
            Ended::AsPlanned
            | Ended::Interrupted
            | Ended::Failed { .. }
            | Ended::ServerGone { .. }
            | Ended::Corrupt { .. } => 0,
        };
        Outcome { verified_by, found, lost, ..Outcome::nothing(ended) }
    }

    /// What the server knows; one that does not answer is not waited for.
    async fn ask(&self) -> Option<ServerFacts> {
        tokio::select! {
            facts = self.session.server() => Some(facts),
            () = silence(self.pulse, ASK.min(self.plan.idle)) => None,
        }
    }

    /// Has the actors of one part act, and watches them.
    async fn act(
        &self,
        stage: &Arc<Stage>,
        cast: &mut Cast,
        part: Part,
        limits: Limits,
        watch: Watch<'_>,
    ) -> Vec<Record> {
        if stage.stop.is_stopped() {
            return Vec::new();
        }
        let times = if part == Part::Play { self.times(stage) } else { Vec::new() };
        let mut at_work = cast.set_out(stage, self.plan, part, limits, times);
        let mut gone = self.transport.gone();
        let mut tick = tokio::time::interval(TICK);
        let mut stopped_at = None;
        let mut records = Vec::new();
        loop {
            tokio::select! {
                done = at_work.set.join_next_with_id() => match done {
                    None => break,
                    Some(Ok((_, done))) => records.push(cast.take_back(done)),
                    Some(Err(error)) if error.is_cancelled() => {}
                    Some(Err(error)) => {
                        let fault = Fault::new("panic", "it came to a sudden end");
                        stage.fail(at_work.name(error.id()), &fault);
                    }
                },
                _ = tick.tick() => {
                    watch(stage.begin().elapsed(), &stage.ledger);
                    self.look(stage);
                    if stage.stop.is_stopped() {
                        let at = stopped_at.get_or_insert_with(Instant::now);
                        if at.elapsed() > GRACE {
                            at_work.set.abort_all();
                        }
                    }
                },
                why = &mut gone, if !stage.stop.is_stopped() => {
                    stage.stop.stop(Ended::ServerGone { why });
                },
                () = self.interrupt.stopped(), if !stage.stop.is_stopped() => {
                    stage.stop.stop(Ended::Interrupted);
                },
            }
        }
        watch(stage.begin().elapsed(), &stage.ledger);
        records.sort_by_key(|record| (record.role as u8, record.index));
        records
    }

    /// Ends a run in which something is to happen and nothing does. In the open loop there may be
    /// hours between two batches, in which nothing is to happen.
    fn look(&self, stage: &Stage) {
        let missing = stage.ledger.missing();
        let is_receiving = missing > 0 && self.plan.kind.purpose() != Purpose::SendOnly;
        if !is_receiving && !stage.is_under_way() {
            return stage.progress(stage.now_ns());
        }
        let idle = stage.idle();
        if idle <= self.plan.idle || stage.stop.is_stopped() {
            return;
        }
        let actor = if is_receiving { "every consumer" } else { "every producer" };
        let missing = if is_receiving { missing } else { 0 }; // nobody has looked for any
        let idle_ns = nanos(idle);
        stage.stop.stop(Ended::Idle { actor: actor.to_owned(), idle_ns, missing });
    }

    /// Reads what nobody received, after the run.
    async fn read_back(&self, stage: &Stage, not_kept: u64) {
        let mut consumers = Vec::new();
        for destination in 0..self.plan.destinations() {
            let consumer = self.session.consumer(destination);
            consumers.extend(self.answer(stage, READER, consumer).await);
        }
        let mut last = Instant::now();
        while stage.ledger.missing() > not_kept
            && last.elapsed() < QUIET
            && !stage.stop.is_stopped()
        {
            for consumer in &mut consumers {
                if self.drain(&mut **consumer, stage).await > 0 {
                    last = Instant::now();
                }
            }
        }
    }

    /// Checks what is there; returns how many messages there were.
    async fn drain(&self, consumer: &mut dyn Consume, stage: &Stage) -> usize {
        let mut count = 0;
        while !stage.stop.is_stopped() {
            let received = consumer.receive(READ_BACK, GLANCE);
            let messages = self.answer(stage, READER, received).await.unwrap_or_default();
            if messages.is_empty() {
                break;
            }
            count += messages.len();
            stage.check(&messages, READER, |_| ());
        }
        count
    }

    /// What the transport answers. Without an answer, and when the user does not wait for it, the
    /// run is stopped.
    async fn answer<T>(
        &self,
        stage: &Stage,
        actor: &str,
        answer: impl Future<Output = Result<T, Fault>>,
    ) -> Option<T> {
        let patience = Patience { idle: self.plan.idle, interrupt: self.interrupt };
        match patience.answer(self.pulse, answer).await {
            Ok(answer) => return Some(answer),
            Err(Cut::Fault(fault)) => stage.fail(actor, &fault),
            Err(Cut::Interrupted) => stage.stop.stop(Ended::Interrupted),
        }
        None
    }

    /// When each sender is to send, in the open loop.
    fn times(&self, stage: &Stage) -> Vec<Times> {
        let Some(rate) = self.plan.rate else { return Vec::new() };
        let batches = rate.messages_per_second(self.mean_len) / f64::from(self.plan.per_batch);
        pace::start(stage.begin(), batches, self.plan.senders(), stage.time)
    }
}

/// Whoever reads what nobody received.
const READER: &str = "reading back";

/// How often somebody looks.
const TICK: Duration = Duration::from_millis(50);

/// After a stop, actors that do not listen are cut off.
const GRACE: Duration = Duration::from_secs(5);

/// How long a server may take to say what it knows.
const ASK: Duration = Duration::from_secs(5);

/// Messages at once, when what is kept is read back.
const READ_BACK: usize = 500;

/// It has been stored when it was acknowledged.
const GLANCE: Duration = Duration::from_millis(10);

/// With nothing for so long, there is no more.
const QUIET: Duration = Duration::from_secs(1);
