//! Reports of `thinwire bench` with known numbers, from an ordinary one to those at the edge.

use thinwire_cli::bench::bottleneck;
use thinwire_cli::bench::ending::Ended;
use thinwire_cli::bench::report::{
    Actor, Codec, Cost, CurvePoint, EncodingResult, ErrorCount, KeptRaw, Latency, LatencyOf,
    Messages, Report, Role, RoleName, RoleSummary, Run, SCHEMA, SCHEMA_VERSION, Series, Settings,
    Summary, Transport, Verified, Wire,
};
use thinwire_cli::bench::warning::Warning;
use thinwire_cli::report::{Environment, Library};
use thinwire_cli::stats;

/// Level, MB/s, ratio, p50 in ms.
pub(crate) type Spec = (&'static str, f64, f64, f64);

/// What a run over a slow link may give.
pub(crate) const USUAL: [Spec; 7] = [
    ("raw", 118.0, 1.0, 14.0),
    ("gzip:1", 190.0, 2.99, 9.0),
    ("deflate:1", 192.0, 3.0, 8.9),
    ("zstd:1", 340.0, 3.18, 6.1),
    ("lz4:1", 239.0, 2.05, 7.5),
    ("snappy", 243.0, 2.09, 7.3),
    ("snappy-block", 246.0, 2.11, 7.2),
];

/// Who takes part.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Actors {
    pub(crate) producers: u64,
    pub(crate) consumers: u64,
    pub(crate) pairs: u64,
}

pub(crate) const BOTH: Actors = Actors { producers: 3, consumers: 3, pairs: 0 };

/// Every report with a name for messages of failed tests.
pub(crate) fn all() -> Vec<(&'static str, Report)> {
    let mut reports = edges();
    reports.push(("usual", usual()));
    reports
}

/// Producers and consumers, three repeats.
pub(crate) fn usual() -> Report {
    report(&USUAL, BOTH, &[1.0, 1.03, 0.98])
}

/// One report for everything that a picture could stumble over.
pub(crate) fn edges() -> Vec<(&'static str, Report)> {
    let pairs = Actors { producers: 0, consumers: 0, pairs: 2 };
    let many = Actors { producers: 1000, consumers: 0, pairs: 0 };
    let sending = Actors { producers: 1, consumers: 0, pairs: 0 };
    let receiving = Actors { producers: 0, consumers: 4, pairs: 0 };
    let mut open = report(&USUAL, pairs, &[1.0, 1.0]);
    open.settings.rate_bytes_per_second = Some(20e6);
    open.settings.limit_messages = Some(1_000_000_000_000);
    open.transport.link_bits_per_second = Some(1e9);
    open.transport.link_delay_ns = Some(1_000_000);
    judge(&mut open);
    vec![
        ("no encodings", report(&[], BOTH, &[1.0])),
        ("only raw", report(&USUAL[..1], sending, &[1.0])),
        ("pairs at a set rate", open),
        ("a thousand producers", report(&USUAL, many, &[1.0, 1.1, 0.9, 1.0, 1.0])),
        ("consumers", report(&USUAL[..3], receiving, &[1.0, 4.0, 0.1])),
        ("nothing moved", nothing_moved()),
        ("one message", one_message()),
        ("broken off", broken_off()),
        ("no runs", no_runs()),
        ("far apart", report(&[("raw", 0.001, 1.0, 9e5), ("lz4", 9e4, 900.0, 1e-4)], BOTH, &[1.0])),
        ("many levels", report(&levels(), BOTH, &[1.0, 1.2, 0.9])),
    ]
}

fn levels() -> Vec<Spec> {
    let names = [
        "raw",
        "zstd:-5",
        "zstd:1",
        "zstd:3",
        "zstd:9",
        "zstd:19",
        "gzip:1",
        "gzip:6",
        "gzip:9",
        "deflate:1",
        "deflate:6",
        "lz4:1",
        "lz4:9",
        "snappy",
        "snappy-block",
    ];
    let spec = |(at, name)| (name, 100.0 + at as f64, 1.0 + at as f64 / 10.0, 5.0);
    names.into_iter().enumerate().map(spec).collect()
}

/// The server was gone before anything was acknowledged.
fn nothing_moved() -> Report {
    let mut report = report(&USUAL[..2], BOTH, &[1.0]);
    let ended = Ended::ServerGone { why: "exit status 137".to_owned() };
    for run in report.encodings.iter_mut().flat_map(|result| &mut result.runs) {
        run.ended = ended.clone();
        stop_at_once(run);
    }
    for result in &mut report.encodings {
        let summary = &mut result.summary;
        for role in [&mut summary.sending, &mut summary.receiving].into_iter().flatten() {
            *role = RoleSummary {
                mb_per_second: None,
                messages_per_second: None,
                times_raw: None,
                min_mb_per_second: None,
                max_mb_per_second: None,
                spread_percent: None,
                latency: no_latency(role.latency.of),
                curve: Vec::new(),
            };
        }
        summary.ratio = None;
        summary.client_cpu_seconds_per_gb = None;
        summary.server_cpu_seconds_per_gb = None;
        summary.codec_share = None;
        summary.bottleneck = None;
    }
    report.ended = ended;
    report
}

/// Leaves nothing of a run but who was there.
fn stop_at_once(run: &mut Run) {
    for role in [&mut run.sending, &mut run.receiving].into_iter().flatten() {
        let latency = no_latency(role.latency.of);
        *role = Role {
            messages: 0,
            payload_bytes: 0,
            elapsed_ns: 0,
            mb_per_second: None,
            messages_per_second: None,
            latency,
            curve: Vec::new(),
        };
    }
    run.wire = Wire {
        sent_payload_bytes: 0,
        sent_wire_bytes: 0,
        received_payload_bytes: 0,
        received_wire_bytes: 0,
        ratio: None,
    };
    run.cost.client_cpu_seconds_per_gb = None;
    run.cost.server_cpu_seconds_per_gb = None;
    run.codec.share = None;
    for actor in &mut run.actors {
        actor.messages = 0;
        actor.payload_bytes = 0;
        actor.elapsed_ns = 0;
        actor.mb_per_second = None;
        actor.latency = no_latency(actor.latency.of);
        actor.series = Series {
            interval_ns: 10_000_000,
            payload_bytes: Vec::new(),
            messages: Vec::new(),
            samples: Vec::new(),
            mean_ns: Vec::new(),
            max_ns: Vec::new(),
        };
    }
}

fn one_message() -> Report {
    let mut report = report(&USUAL[..2], BOTH, &[1.0]);
    report.settings.limit_messages = Some(1);
    for result in &mut report.encodings {
        for run in &mut result.runs {
            for actor in &mut run.actors {
                actor.series.payload_bytes.truncate(1);
                actor.series.messages.truncate(1);
                actor.series.samples.truncate(1);
                actor.series.mean_ns.truncate(1);
                actor.series.max_ns.truncate(1);
            }
        }
        let summary = &mut result.summary;
        for role in [&mut summary.sending, &mut summary.receiving].into_iter().flatten() {
            let Latency { of, p50_ns, .. } = role.latency;
            role.latency = Latency {
                samples: 1,
                min_ns: p50_ns,
                p50_ns,
                max_ns: p50_ns,
                mean_ns: p50_ns.map(|ns| ns as f64),
                ..no_latency(of)
            };
            role.curve = vec![CurvePoint { percentile: 100.0, ns: 9_000_000 }];
        }
    }
    report
}

/// The second encoding's second run failed, the others have only their first.
fn broken_off() -> Report {
    let mut report = report(&USUAL[..4], BOTH, &[1.0, 1.0]);
    let ended = Ended::Failed {
        actor: "producer 1".to_owned(),
        why: "status: Unavailable, tcp connect error: Connection refused (os error 111)".to_owned(),
    };
    for (at, result) in report.encodings.iter_mut().enumerate() {
        if at == 1 {
            let run = &mut result.runs[1];
            run.ended = ended.clone();
            run.errors = vec![ErrorCount {
                kind: "send".to_owned(),
                count: 3,
                first: Some(format!("producer 1: {}", "connection refused ".repeat(12))),
            }];
            run.verified.lost = 17;
        } else if at > 1 {
            result.runs.truncate(1);
        }
        result.runs[0].kept_raw = vec![
            KeptRaw { reason: "below_min_len".to_owned(), messages: 12 },
            KeptRaw { reason: "too_little_saved".to_owned(), messages: 3 },
        ];
    }
    report.warnings.push(Warning::SharedProcessors);
    report.ended = ended;
    report
}

/// Interrupted in the first one.
fn no_runs() -> Report {
    let mut report = report(&USUAL[..3], BOTH, &[]);
    report.ended = Ended::Interrupted;
    report
}

fn no_latency(of: LatencyOf) -> Latency {
    Latency {
        of,
        samples: 0,
        min_ns: None,
        p50_ns: None,
        p90_ns: None,
        p95_ns: None,
        p99_ns: None,
        p99_9_ns: None,
        p99_99_ns: None,
        max_ns: None,
        mean_ns: None,
        stdev_ns: None,
    }
}

/// What would have been reported of runs that are so many times as fast as the spec says.
pub(crate) fn report(specs: &[Spec], actors: Actors, runs: &[f64]) -> Report {
    let encodings = specs.iter().map(|spec| encoding(spec, specs, actors, runs)).collect();
    let Actors { producers, consumers, pairs } = actors;
    let mut report = Report {
        schema: SCHEMA.to_owned(),
        schema_version: SCHEMA_VERSION,
        environment: environment(),
        settings: Settings {
            kind: "pinned-producer-and-consumer".to_owned(),
            producers,
            consumers,
            pairs,
            messages_per_batch: 100,
            min_size_bytes: 256,
            rate_bytes_per_second: None,
            rate_messages_per_second: None,
            limit_messages: None,
            limit_payload_bytes: None,
            limit_ns: Some(1_000_000_000),
            warmup_ns: 300_000_000,
            repeats: runs.len() as u64,
            idle_limit_ns: 10_000_000_000,
            seed: 1,
        },
        messages: Messages {
            source: "json".to_owned(),
            paths: Vec::new(),
            distinct: 8192,
            header_bytes: 32,
            min_bytes: 4000,
            median_bytes: 4000,
            max_bytes: 4000,
            mean_bytes: 4000.0,
            asked_ratio: None,
            content_hash: Some("00c0ffee00c0ffee".to_owned()),
        },
        transport: Transport {
            name: "nats".to_owned(),
            server: Some("nats-server 2.9.10, started for this run".to_owned()),
            is_local: true,
            link_bits_per_second: None,
            link_delay_ns: None,
        },
        encodings,
        warnings: Vec::new(),
        ended: Ended::AsPlanned,
    };
    judge(&mut report);
    report
}

/// Enters what the encodings ran into, as `bench` does at the end.
pub(crate) fn judge(report: &mut Report) {
    bottleneck::judge(&mut report.encodings, &report.transport, report.environment.cores);
}

fn environment() -> Environment {
    Environment {
        thinwire: "0.1.0".to_owned(),
        command: "thinwire bench ppc -p 3 nats".to_owned(),
        cpu: Some("Some CPU".to_owned()),
        cores: Some(2),
        os: "linux 6.1".to_owned(),
        arch: "x86_64".to_owned(),
        libraries: vec![Library { encoding: "zstd".to_owned(), library: "zstd 1.5.7".to_owned() }],
        clock_read_ns: 0,
    }
}

fn encoding(
    &(level, mb, ratio, p50_ms): &Spec,
    all: &[Spec],
    actors: Actors,
    runs: &[f64],
) -> EncodingResult {
    let runs: Vec<Run> = runs
        .iter()
        .enumerate()
        .map(|(repeat, times)| run(repeat as u64, (mb * times, ratio, p50_ms / times), actors))
        .collect();
    let median = |of: &dyn Fn(&Run) -> Option<f64>| {
        stats::median(&runs.iter().filter_map(of).collect::<Vec<_>>())
    };
    let summary = |of: fn(&Run) -> &Option<Role>| {
        let rates: Vec<f64> =
            runs.iter().filter_map(|run| of(run).as_ref()?.mb_per_second).collect();
        let role = runs.first().and_then(|run| of(run).clone())?;
        let rate = stats::median(&rates);
        Some(RoleSummary {
            mb_per_second: rate,
            messages_per_second: rate.map(|rate| rate * 250.0),
            times_raw: rate.filter(|_| all[0].0 == "raw").map(|rate| rate / all[0].1),
            min_mb_per_second: rates.iter().copied().reduce(f64::min),
            max_mb_per_second: rates.iter().copied().reduce(f64::max),
            spread_percent: stats::spread_percent(&rates),
            latency: role.latency,
            curve: role.curve,
        })
    };
    let name = level.split(':').next().unwrap_or_default();
    EncodingResult {
        level: level.to_owned(),
        encoding: if name == "raw" { "identity" } else { name }.to_owned(),
        summary: Summary {
            sending: summary(|run| &run.sending),
            receiving: summary(|run| &run.receiving),
            ratio: (!runs.is_empty()).then_some(ratio),
            client_cpu_seconds_per_gb: median(&|run| run.cost.client_cpu_seconds_per_gb),
            server_cpu_seconds_per_gb: median(&|run| run.cost.server_cpu_seconds_per_gb),
            codec_share: median(&|run| run.codec.share),
            bottleneck: None,
        },
        runs,
    }
}

fn run(repeat: u64, (mb, ratio, p50_ms): (f64, f64, f64), actors: Actors) -> Run {
    let Actors { producers, consumers, pairs } = actors;
    let role = |count: u64, of| (count > 0).then(|| role(mb, p50_ms, of));
    let of_each = |role: RoleName, count: u64, of| {
        (0..count).map(move |index| actor(role, index, mb / count as f64, p50_ms, of))
    };
    let bytes = (mb * 1e6) as u64;
    Run {
        repeat,
        begin_ns: repeat * 2_000_000_000,
        ended: Ended::AsPlanned,
        sending: role(producers, LatencyOf::Send).or_else(|| role(pairs, LatencyOf::RoundTrip)),
        receiving: role(consumers, LatencyOf::Delivery),
        actors: of_each(RoleName::Producer, producers, LatencyOf::Send)
            .chain(of_each(RoleName::Consumer, consumers, LatencyOf::Delivery))
            .chain(of_each(RoleName::Pair, pairs, LatencyOf::RoundTrip))
            .collect(),
        wire: Wire {
            sent_payload_bytes: bytes,
            sent_wire_bytes: (mb * 1e6 / ratio) as u64,
            received_payload_bytes: bytes,
            received_wire_bytes: (mb * 1e6 / ratio) as u64,
            ratio: Some(ratio),
        },
        kept_raw: Vec::new(),
        errors: Vec::new(),
        cost: Cost {
            client_cpu_ns: Some((mb * 4.6e6) as u64),
            server_cpu_ns: Some((mb * 1e6) as u64),
            client_cpu_seconds_per_gb: Some(4.0 * ratio),
            server_cpu_seconds_per_gb: Some(1.0 / ratio),
            client_peak_memory_bytes: Some(64_000_000),
            server_peak_memory_bytes: Some(40_000_000),
            others_share: Some(0.03),
        },
        codec: Codec { encode_ns: 1_000_000, decode_ns: 500_000, share: Some(0.4) },
        verified: Verified {
            by: "consumers".to_owned(),
            messages: bytes / 4000,
            payload_bytes: bytes,
            not_kept: 0,
            lost: 0,
            duplicates: 0,
            corrupt: 0,
            strangers: 0,
        },
    }
}

fn role(mb: f64, p50_ms: f64, of: LatencyOf) -> Role {
    let (latency, curve) = latency(p50_ms, of);
    Role {
        messages: (mb * 250.0) as u64,
        payload_bytes: (mb * 1e6) as u64,
        elapsed_ns: 1_000_000_000,
        mb_per_second: Some(mb),
        messages_per_second: Some(mb * 250.0),
        latency,
        curve,
    }
}

/// Grows by the same factor with each nine.
fn latency(p50_ms: f64, of: LatencyOf) -> (Latency, Vec<CurvePoint>) {
    let at = |percentile: f64| {
        let nines = if percentile < 100.0 { -(1.0 - percentile / 100.0).log10() } else { 4.5 };
        (p50_ms * 1e6 * 1.8_f64.powf(nines - 0.3)) as u64
    };
    let tails = [99.5, 99.9, 99.95, 99.99, 100.0];
    let percentiles = (0..100).map(f64::from).chain(tails);
    let latency = Latency {
        of,
        samples: 31_623,
        min_ns: Some(at(0.0)),
        p50_ns: Some(at(50.0)),
        p90_ns: Some(at(90.0)),
        p95_ns: Some(at(95.0)),
        p99_ns: Some(at(99.0)),
        p99_9_ns: Some(at(99.9)),
        p99_99_ns: Some(at(99.99)),
        max_ns: Some(at(100.0)),
        mean_ns: Some(p50_ms * 1.1e6),
        stdev_ns: Some(p50_ms * 0.3e6),
    };
    (latency, percentiles.map(|percentile| CurvePoint { percentile, ns: at(percentile) }).collect())
}

/// A hundred intervals with some unrest, the same each time.
fn actor(role: RoleName, index: u64, mb: f64, p50_ms: f64, of: LatencyOf) -> Actor {
    let unrest = |at: u64| 1.0 + ((at * 7 + index * 13) % 11) as f64 / 20.0 - 0.25;
    let bytes = |at| (mb * 1e4 * unrest(at)) as u64;
    let mean = |at| (at % 17 != 3).then(|| (p50_ms * 1e6 / unrest(at)) as u64);
    Actor {
        role,
        index,
        messages: (mb * 250.0) as u64,
        payload_bytes: (mb * 1e6) as u64,
        elapsed_ns: 1_000_000_000,
        mb_per_second: Some(mb),
        messages_per_second: Some(mb * 250.0),
        latency: latency(p50_ms, of).0,
        series: Series {
            interval_ns: 10_000_000,
            payload_bytes: (0..100).map(bytes).collect(),
            messages: (0..100).map(|at| bytes(at) / 4000).collect(),
            samples: (0..100).map(|at| u64::from(mean(at).is_some())).collect(),
            mean_ns: (0..100).map(mean).collect(),
            max_ns: (0..100).map(|at| mean(at).map(|ns| ns * 2)).collect(),
        },
    }
}
