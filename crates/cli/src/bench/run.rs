//! The command, from what was typed to what is printed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::args::{BenchArgs, Rate, ServeWhat, What};
use super::ending::Ended;
use super::plan::Plan;
use super::pool::{Filled, Pool};
use super::report::{Report, SCHEMA, SCHEMA_VERSION, Settings};
use super::series::{Series, run_all};
use super::stop::Stop;
use super::warning::Warning;
use super::{bottleneck, doubt, memory, render, signals, summarize, transport};
use crate::args::Format;
use crate::failure::Failure;
use crate::measure::nanos;
use crate::{environment, output};

/// Runs what was asked for and prints the report; returns how it ended.
///
/// # Errors
///
/// * [`Failure::Usage`] for options that do not make sense, or a transport that is not built in.
/// * [`Failure::Input`] when there are no messages, or a server can't be reached.
/// * [`Failure::Interrupted`] when that was while a server was being reached.
/// * [`Failure::Stdout`] when the report cannot be printed.
pub fn bench(args: &BenchArgs) -> Result<Ended, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::input("threads", error))?;
    if let Some(What::Serve(serve)) = &args.what {
        let ServeWhat::Grpc { listen } = serve.what;
        runtime.block_on(transport::serve_grpc(listen))?;
        return Ok(Ended::AsPlanned);
    }
    let format = args.options.format;
    if let Some(path) = &args.options.html {
        output::check(path)?; // rather than after the measurement
    }
    let is_printing = Arc::new(AtomicBool::new(false));
    let report = runtime.block_on(report(args, is_printing.clone()))?;
    is_printing.store(true, Ordering::Relaxed);
    runtime.shutdown_background();
    let printed = match format {
        Format::Table => output::print(&render::table::render(&report)),
        Format::Markdown => output::print(&render::markdown::render(&report)),
        Format::Json => output::print(&render::json::render(&report)),
    };
    if let Some(path) = &args.options.html {
        output::write(render::html::render(&report).as_bytes(), Some(path))?;
    }
    match printed {
        // Whoever has stopped reading still gets the exit code.
        Err(failure) if failure.exit_code() != 0 => Err(failure),
        _ => Ok(report.ended),
    }
}

async fn report(args: &BenchArgs, is_printing: Arc<AtomicBool>) -> Result<Report, Failure> {
    let plan = Plan::new(args)?;
    let Filled { pool, messages, doubts } = Pool::fill(&args.options)?;
    let memory = memory::free_bytes().unwrap_or(USUAL_MEMORY);
    plan.check_memory(messages.mean_bytes, messages.max_bytes, memory)?;
    let (pool, interrupt) = (Arc::new(pool), Arc::new(Stop::new()));
    signals::listen(interrupt.clone(), is_printing)
        .map_err(|error| Failure::input("signals", error))?;
    let transport = tokio::select! {
        transport = transport::reach(&plan.transport, &args.options) => transport?,
        () = interrupt.stopped() => return Err(Failure::Interrupted),
    };
    let series = Series {
        plan: &plan,
        pool: &pool,
        mean_len: messages.mean_bytes,
        max_len: usize::try_from(messages.max_bytes).unwrap_or(usize::MAX),
        transport: &*transport,
        interrupt: &interrupt,
    };
    let (played, ended) = run_all(&series).await;
    if let Ended::Failed { why, .. } = &ended
        && !played.iter().flat_map(|(_, runs)| runs).any(|it| it.outcome.has_begun())
    {
        return Err(Failure::Input(why.clone()));
    }
    let settings = settings(&plan);
    let described = transport.describe();
    let mut encodings = summarize::encodings(&played);
    let environment = environment::current(0);
    bottleneck::judge(&mut encodings, &described, environment.cores);
    let mut warnings: Vec<_> = doubts.into_iter().map(|text| Warning::Corpus { text }).collect();
    warnings.extend(doubt::warnings(&settings, &messages, &described, &encodings));
    Ok(Report {
        schema: SCHEMA.to_owned(),
        schema_version: SCHEMA_VERSION,
        environment,
        settings,
        messages,
        transport: described,
        encodings,
        warnings,
        ended,
    })
}

fn settings(plan: &Plan) -> Settings {
    let rate = |of: fn(Rate) -> Option<f64>| plan.rate.and_then(of);
    Settings {
        kind: plan.kind.name().to_owned(),
        producers: plan.producers.into(),
        consumers: plan.consumers.into(),
        pairs: plan.pairs.into(),
        messages_per_batch: plan.per_batch.into(),
        min_size_bytes: plan.min_size as u64,
        rate_bytes_per_second: rate(|rate| match rate {
            Rate::Bytes(bytes) => Some(bytes),
            Rate::Messages(_) => None,
        }),
        rate_messages_per_second: rate(|rate| match rate {
            Rate::Bytes(_) => None,
            Rate::Messages(messages) => Some(messages),
        }),
        limit_messages: plan.limits.messages,
        limit_payload_bytes: plan.limits.payload_bytes,
        limit_ns: plan.limits.time.map(nanos),
        warmup_ns: nanos(plan.warmup),
        repeats: plan.repeats.into(),
        idle_limit_ns: nanos(plan.idle),
        seed: plan.seed,
    }
}

/// Where it is not known how much memory is free.
const USUAL_MEMORY: u64 = 16_000_000_000;
