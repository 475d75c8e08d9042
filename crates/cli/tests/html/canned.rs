//! Reports with known numbers, from an ordinary one to those at the edge.

use thinwire_cli::advise;
use thinwire_cli::report::{
    Candidate, Corpus, Environment, Library, Report, Round, Row, SCHEMA, SCHEMA_VERSION, Sample,
    Samples, Settings, SizeClass, Timing, Turn,
};
use thinwire_cli::warning::Warning;

/// Level, ratio of a long message, encode and decode MB/s.
pub(crate) type Spec = (&'static str, f64, Option<f64>, Option<f64>);

/// Eleven candidates like those of a real run.
pub(crate) const USUAL: [Spec; 11] = [
    ("snappy-block", 2.51, Some(753.0), Some(2198.0)),
    ("snappy", 2.49, Some(690.0), Some(1890.0)),
    ("lz4:1", 2.50, Some(768.0), Some(3983.0)),
    ("lz4:9", 2.74, Some(61.0), Some(3900.0)),
    ("zstd:-5", 2.30, Some(410.0), Some(1200.0)),
    ("zstd:1", 2.88, Some(272.0), Some(733.0)),
    ("zstd:3", 2.95, Some(190.0), Some(720.0)),
    ("zstd:9", 3.11, Some(48.0), Some(700.0)),
    ("deflate:1", 3.03, Some(226.0), Some(668.0)),
    ("gzip:1", 3.02, Some(224.0), Some(661.0)),
    ("gzip:6", 3.20, Some(95.0), Some(640.0)),
];

/// Every report with a name for messages of failed tests.
pub(crate) fn all() -> Vec<(&'static str, Report)> {
    let mut reports = edges();
    reports.push(("usual", usual()));
    reports
}

/// Lengths around 1 KiB, a few long ones, usual encodings, 1 Gbit/s.
pub(crate) fn usual() -> Report {
    report(&lens(600), &USUAL, 1e9)
}

/// One report for everything that a picture could stumble over.
pub(crate) fn edges() -> Vec<(&'static str, Report)> {
    let mut no_classes = usual();
    no_classes.corpus.size_classes.clear();
    no_classes.advice.classes.clear();
    no_classes.advice.classes_differ = false;
    for candidate in &mut no_classes.candidates {
        candidate.classes.clear();
    }
    let mut one_message = report(&[700], &USUAL, 1e9);
    one_message.warnings.push(Warning::OneMessage);
    let unmeasured = USUAL.map(|(level, ratio, ..)| (level, ratio, None, None));
    let alike = USUAL.map(|(level, ..)| (level, 2.5, Some(300.0), Some(900.0)));
    vec![
        ("only the baseline", report(&lens(100), &[], 1e9)),
        ("one candidate", report(&lens(100), &[("zstd:1", 2.88, Some(272.0), Some(733.0))], 1e9)),
        ("all random", report(&lens(100), &USUAL.map(|(l, _, e, d)| (l, 1.0, e, d)), 1e9)),
        ("one message", one_message),
        ("no classes", no_classes),
        (
            "ratio 1000",
            report(&[1 << 20; 200], &[("zstd:1", 1000.0, Some(2000.0), Some(1e4)), USUAL[0]], 1e9),
        ),
        ("no speeds", report(&lens(100), &unmeasured, 1e9)),
        ("all alike", report(&lens(100), &alike, 1e9)),
        ("a slow link", report(&lens(100), &USUAL, 9600.0)),
        ("a fast link", report(&lens(100), &USUAL, 4e11)),
        ("lengths from 1 B to 256 MiB", report(&[1, 1 << 28], &USUAL, 1e9)),
    ]
}

/// Spread over many sizes, most of them short, the same each time.
pub(crate) fn lens(count: u64) -> Vec<u64> {
    let mut state = 7_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 40
    };
    (0..count).map(|_| 40 + (next() % 900) * (1 + next() % 30) * (1 + next() % 3) / 12).collect()
}

/// What would have been reported for these lengths.
pub(crate) fn report(lens: &[u64], specs: &[Spec], link: f64) -> Report {
    let settings = settings(link);
    let corpus = corpus(lens);
    let baseline = ("identity", 1.0, Some(70_000.0), Some(70_000.0));
    let candidates: Vec<Candidate> =
        [&[baseline], specs].concat().into_iter().map(|spec| candidate(spec, &corpus)).collect();
    let advice = advise::advise(&settings, &corpus, &candidates);
    Report {
        schema: SCHEMA.to_owned(),
        schema_version: SCHEMA_VERSION,
        environment: environment(),
        settings,
        corpus,
        candidates,
        warnings: Vec::new(),
        advice,
    }
}

fn environment() -> Environment {
    Environment {
        thinwire: "0.1.0".to_owned(),
        command: "thinwire advise samples/".to_owned(),
        cpu: Some("Some CPU".to_owned()),
        cores: Some(2),
        os: "linux 6.1".to_owned(),
        arch: "x86_64".to_owned(),
        libraries: vec![Library { encoding: "zstd".to_owned(), library: "zstd 1.5.7".to_owned() }],
        clock_read_ns: 20,
    }
}

fn settings(link_bits_per_second: f64) -> Settings {
    Settings {
        link_bits_per_second,
        link_is_default: false,
        cpu_price_per_core_hour: None,
        network_price_per_gb: None,
        label_bytes: 0,
        split: "auto".to_owned(),
        sample_limit_bytes: 16 << 20,
        sample_limit_messages: 10_000,
        time_limit_ns: 10_000_000_000,
    }
}

fn corpus(lens: &[u64]) -> Corpus {
    let mut sorted = lens.to_vec();
    sorted.sort_unstable();
    let (messages, payload_bytes) = (lens.len() as u64, lens.iter().sum());
    let borders = [0, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10];
    let classes = borders.iter().enumerate().map(|(index, &min_bytes)| {
        let end_bytes = borders.get(index + 1).copied();
        let inside: Vec<u64> = lens
            .iter()
            .copied()
            .filter(|&len| len >= min_bytes && end_bytes.is_none_or(|end| len < end))
            .collect();
        let (messages, payload_bytes) = (inside.len() as u64, inside.iter().sum());
        SizeClass { min_bytes, end_bytes, messages, payload_bytes }
    });
    Corpus {
        paths: vec!["samples/".to_owned()],
        files: 1,
        files_skipped: 0,
        messages,
        payload_bytes,
        empty_messages: 0,
        too_long_messages: 0,
        sample: Sample {
            messages,
            payload_bytes,
            distinct_messages: messages,
            min_bytes: sorted[0],
            median_bytes: sorted[sorted.len() / 2],
            max_bytes: sorted[sorted.len() - 1],
            groups: vec![".json".to_owned()],
            message_bytes: lens.to_vec(),
            message_group: vec![0; lens.len()],
        },
        size_classes: classes.filter(|class| class.messages > 0).collect(),
    }
}

fn candidate((level, ratio, encode, decode): Spec, corpus: &Corpus) -> Candidate {
    let lens = &corpus.sample.message_bytes;
    let sent = |len: u64| if ratio > 1.0 { len.min(60 + (len as f64 / ratio) as u64) } else { len };
    let ns = |rate: Option<f64>| -> Vec<u64> {
        lens.iter().map(|&len| (len as f64 * 1e3 / rate.unwrap_or(1e6)) as u64 + 50).collect()
    };
    let samples = Samples {
        encoded_bytes: lens.iter().map(|&len| sent(len)).collect(),
        encode_ns: ns(encode),
        decode_ns: ns(decode),
        rounds: vec![
            Round {
                encode: Turn { passes: 1, wall_ns: 1000, cpu_ns: Some(1000) },
                decode: Turn { passes: 1, wall_ns: 1000, cpu_ns: Some(1000) },
            };
            5
        ],
    };
    let row = |least: u64, end: Option<u64>| {
        let inside = |len: &u64| *len >= least && end.is_none_or(|end| *len < end);
        let lens: Vec<u64> = lens.iter().copied().filter(inside).collect();
        let (payload_bytes, encoded_bytes) =
            (lens.iter().sum::<u64>(), lens.iter().map(|&len| sent(len)).sum::<u64>());
        let paying = lens.iter().filter(|&&len| sent(len) < len).count();
        Row {
            messages: lens.len() as u64,
            payload_bytes,
            encoded_bytes,
            ratio: payload_bytes as f64 / encoded_bytes as f64,
            paying_messages: paying as u64,
            paying_share: paying as f64 / lens.len() as f64,
            encode: timing(encode, lens.len()),
            decode: timing(decode, lens.len()),
            cpu_seconds_per_gb: encode.zip(decode).map(|(e, d)| 1e3 / e + 1e3 / d),
        }
    };
    Candidate {
        level: level.to_owned(),
        encoding: level.split(':').next().unwrap_or_default().to_owned(),
        total: row(0, None),
        classes: corpus
            .size_classes
            .iter()
            .map(|class| row(class.min_bytes, class.end_bytes))
            .collect(),
        samples,
    }
}

fn timing(mb_per_second: Option<f64>, messages: usize) -> Timing {
    Timing {
        mb_per_second,
        p50_ns: 1800,
        p99_ns: (messages >= 100).then_some(9700),
        cpu_seconds_per_gb: mb_per_second.map(|rate| 1e3 / rate),
        spread_percent: Some(2.0),
    }
}
