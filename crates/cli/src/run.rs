//! `thinwire advise` from end to end: corpus, measurement, report, rendering.

use thinwire::{Encoding, Level};

use crate::args::{AdviseArgs, Format};
use crate::corpus::{self, Loaded, Source};
use crate::failure::Failure;
use crate::measure::{self, Plan};
use crate::progress::Progress;
use crate::report::{Candidate, Report, SCHEMA, SCHEMA_VERSION, Settings};
use crate::{advise, coding, environment, output, render, stats};

/// Measures, and prints what follows.
///
/// # Errors
///
/// * [`Failure::Input`] when there is nothing to measure, or a file cannot be written.
/// * [`Failure::Usage`] for an encoding that is not built in.
/// * [`Failure::Stdout`] when the report cannot be printed.
pub fn advise(args: AdviseArgs) -> Result<(), Failure> {
    let format = args.format;
    let html = args.html.clone();
    if let Some(path) = &html {
        output::check(path)?; // rather than after the measurement
    }
    let report = report(args)?;
    let printed = match format {
        Format::Table => output::print(&render::table::render(&report)),
        Format::Markdown => output::print(&render::markdown::render(&report)),
        Format::Json => output::print(&render::json::render(&report)),
    };
    if let Some(path) = html {
        output::write(render::html::render(&report).as_bytes(), Some(&path))?;
    }
    printed
}

fn report(args: AdviseArgs) -> Result<Report, Failure> {
    let settings = settings(&args);
    let levels = levels(&args.encoding)?;
    let source = Source {
        paths: args.paths,
        split: args.split,
        max_bytes: args.sample_size.0,
        max_messages: MAX_MESSAGES,
    };
    let mut progress = Progress::new();
    let Loaded { corpus, payloads, mut warnings } =
        corpus::load(&source, &mut |bytes| progress.read(bytes))
            .map_err(|error| Failure::Input(error.to_string()))?;

    let plan = Plan { levels, label_len: args.label_len.0, time: args.time.0 };
    let measured = measure::measure(&payloads.all(), &plan, &mut |share| progress.measured(share))
        .map_err(|fault| Failure::Input(fault.to_string()))?;
    drop(progress);

    let candidates: Vec<Candidate> =
        measured.results.iter().map(|measured| stats::candidate(measured, &corpus)).collect();
    warnings.extend(stats::warnings(&corpus, &candidates));
    let advice = advise::advise(&settings, &corpus, &candidates);
    Ok(Report {
        schema: SCHEMA.to_owned(),
        schema_version: SCHEMA_VERSION,
        environment: environment::current(measured.clock_read_ns),
        settings,
        corpus,
        candidates,
        warnings,
        advice,
    })
}

fn settings(args: &AdviseArgs) -> Settings {
    let split = clap::ValueEnum::to_possible_value(&args.split);
    Settings {
        link_bits_per_second: args.link.map_or(DEFAULT_LINK, |link| link.0),
        link_is_default: args.link.is_none(),
        cpu_price_per_core_hour: args.cpu_price,
        network_price_per_gb: args.network_price,
        label_bytes: args.label_len.0 as u64,
        split: split.map(|value| value.get_name().to_owned()).unwrap_or_default(),
        sample_limit_bytes: args.sample_size.0 as u64,
        sample_limit_messages: MAX_MESSAGES as u64,
        time_limit_ns: measure::nanos(args.time.0),
    }
}

/// The baseline, then what was asked for, or the usual choice of what is built in.
fn levels(asked: &[Level]) -> Result<Vec<Level>, Failure> {
    let usual: Vec<Level> = if asked.is_empty() {
        let available = USUAL.iter().filter(|(encoding, _)| encoding.is_available());
        available
            .map(|&(encoding, number)| match number {
                Some(number) => Level::new(encoding, number),
                None => Ok(Level::from(encoding)),
            })
            .collect::<Result<_, _>>()
            .map_err(|error| Failure::Usage(error.to_string()))?
    } else {
        asked.to_vec()
    };
    let mut levels = vec![Level::from(Encoding::Identity)];
    for level in usual {
        coding::require(level.encoding())?;
        if !levels.contains(&level) {
            levels.push(level);
        }
    }
    Ok(levels)
}

/// Each encoding from quick to dense, as far as somebody would use it for messages.
const USUAL: [(Encoding, Option<i32>); 11] = [
    (Encoding::SnappyBlock, None),
    (Encoding::SnappyFramed, None),
    (Encoding::Lz4, Some(1)),
    (Encoding::Lz4, Some(9)),
    (Encoding::Zstd, Some(-5)),
    (Encoding::Zstd, Some(1)),
    (Encoding::Zstd, Some(3)),
    (Encoding::Zstd, Some(9)),
    (Encoding::Deflate, Some(1)),
    (Encoding::Gzip, Some(1)),
    (Encoding::Gzip, Some(6)),
];

/// The link of a usual machine: 1 Gbit/s.
const DEFAULT_LINK: f64 = 1e9;

/// Enough for every percentile shown; more would only make the JSON longer.
const MAX_MESSAGES: usize = 10_000;
