//! All runs of a benchmark: each encoding in turn, as often as was asked for.

use std::sync::Arc;
use std::time::Instant;

use fastrand::Rng;
use thinwire::Level;

use super::cast::Cast;
use super::ending::Ended;
use super::outcome::Outcome;
use super::patience::{Cut, Patience, Pulse, silence};
use super::phase::Run;
use super::plan::{Limits, Plan};
use super::pool::Pool;
use super::progress::Progress;
use super::stop::Stop;
use super::summarize::{self, Played};
use super::transport::{Session, Setup, Transport};
use crate::measure::nanos;

/// What all runs need.
pub struct Series<'a> {
    /// What is done.
    pub plan: &'a Plan,
    /// What is sent.
    pub pool: &'a Arc<Pool>,
    /// Mean length of a message.
    pub mean_len: f64,
    /// Length of the longest.
    pub max_len: usize,
    /// What carries it.
    pub transport: &'a dyn Transport,
    /// Stops when the user wants it.
    pub interrupt: &'a Stop,
}

impl std::fmt::Debug for Series<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Series").field("plan", self.plan).finish_non_exhaustive()
    }
}

/// Runs all; ends with the first run that does not end as planned.
pub async fn run_all(series: &Series<'_>) -> (Vec<(Level, Vec<Played>)>, Ended) {
    let plan = series.plan;
    let mut played: Vec<_> = plan.levels.iter().map(|&level| (level, Vec::new())).collect();
    let runs = u64::from(plan.repeats) * plan.levels.len() as u64;
    let mut progress = Progress::new(runs, plan.expected_time(series.mean_len));
    let mut ids = Rng::new();
    let begin = Instant::now();
    let count = plan.levels.len();
    for repeat in 0..plan.repeats {
        for step in 0..count {
            // Who begins changes from repeat to repeat.
            let at = (step + repeat as usize) % count;
            let Some((level, runs)) = played.get_mut(at) else { continue };
            progress.next(format!("{}, run {}", summarize::name(*level), repeat + 1));
            let begin_ns = nanos(begin.elapsed());
            let outcome = series.one(*level, &mut ids, &mut progress).await;
            progress.done();
            let ended = outcome.ended.clone();
            runs.push(Played { repeat, begin_ns, outcome });
            if !ended.is_as_planned() {
                return (played, ended);
            }
        }
    }
    (played, Ended::AsPlanned)
}

impl Series<'_> {
    async fn one(&self, level: Level, ids: &mut Rng, progress: &mut Progress) -> Outcome {
        let plan = self.plan;
        let pulse = Pulse::default();
        let setup = Setup {
            level,
            min_size: plan.min_size,
            max_len: self.max_len,
            purpose: plan.kind.purpose(),
            destinations: plan.destinations(),
            senders: plan.senders(),
            receivers: plan.consumers,
            id: ids.u64(..),
            pulse: pulse.clone(),
        };
        let patience = Patience { idle: plan.idle, interrupt: self.interrupt };
        let session = match patience.answer(&pulse, self.transport.open(setup)).await {
            Ok(session) => session,
            Err(cut) => return not_connected(cut),
        };
        let connected = match patience.answer(&pulse, session.prepare()).await {
            Ok(()) => Cast::connect(plan, &*session, patience).await,
            Err(cut) => Err(cut),
        };
        let outcome = match connected {
            Ok(mut cast) => self.warm_and_play(&*session, &mut cast, ids, progress, &pulse).await,
            Err(cut) => not_connected(cut),
        };
        tokio::select! {
            () = session.end() => {}
            _ = self.transport.gone() => {} // and with it all that was to be removed
            () = silence(&pulse, plan.idle) => {}
        }
        outcome
    }

    /// The warm-up is a run as well, whose outcome only counts if it is a bad one.
    async fn warm_and_play(
        &self,
        session: &dyn Session,
        cast: &mut Cast,
        ids: &mut Rng,
        progress: &mut Progress,
        pulse: &Pulse,
    ) -> Outcome {
        let Self { plan, pool, mean_len, transport, interrupt, .. } = *self;
        let run = Run { plan, pool, mean_len, transport, session, interrupt, pulse };
        let mut tell = |elapsed, ledger: &_| progress.tell(elapsed, ledger);
        if !plan.warmup.is_zero() {
            let limits = warm_up(plan);
            let outcome = run.play(cast, limits, ids.u64(..), &mut tell).await;
            if !outcome.ended.is_as_planned() {
                return outcome;
            }
        }
        run.play(cast, plan.limits, ids.u64(..), &mut tell).await
    }
}

fn not_connected(cut: Cut) -> Outcome {
    let fault = match cut {
        Cut::Fault(fault) => fault,
        Cut::Interrupted => return Outcome::nothing(Ended::Interrupted),
    };
    let ended = Ended::Failed { actor: "connecting".to_owned(), why: fault.why.clone() };
    Outcome { faults: vec![(fault.kind, fault.why)], ..Outcome::nothing(ended) }
}

/// As the run, but as long as the warm-up, and with at most a tenth of what is counted.
fn warm_up(plan: &Plan) -> Limits {
    let tenth = |limit: u64| (limit / 10).max(1);
    let Limits { messages, payload_bytes, .. } = plan.limits;
    Limits {
        messages: messages.map(tenth),
        payload_bytes: payload_bytes.map(tenth),
        time: Some(plan.warmup),
    }
}
