//! docs/REPORT.md names every field that the reports have, and no other.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use thinwire_cli::bench::compare::compare;
use thinwire_cli::bench::ending::Ended;
use thinwire_cli::bench::warning::{Reached, Spread, Warning};
use thinwire_cli::report::Environment;
use thinwire_cli::{advise, report, warning};

use super::{advise_canned, canned};

const DOCS: &str = include_str!("../../../../docs/REPORT.md");

#[test]
fn every_field_of_the_report_of_advise_is_documented() {
    let mut reports: Vec<Value> = advise_canned::all().iter().map(|it| json(&it.1)).collect();
    reports.push(json(&with_prices_and_mixture()));
    let documented = Documented::under("# The report of `thinwire advise`");
    documented.has_fields(&fields(&reports, &["warnings"]));
    documented.has_variants("warnings", "kind", &advise_warnings());
}

#[test]
fn every_field_of_the_report_of_bench_is_documented() {
    let reports = canned::all().into_iter().filter(|it| it.0 != "a thousand producers");
    let mut reports: Vec<Value> = reports.map(|(_, report)| json(&report)).collect();
    for report in &mut reports {
        leave_environment(&mut report["environment"]);
    }
    let documented = Documented::under("# The report of `thinwire bench`");
    let found = fields(&reports, &["warnings", "ended", "encodings.runs.ended"]);
    documented.has_fields(&shared(&found, &["latency", "curve"]));
    documented.has_variants("warnings", "kind", &bench_warnings());
    documented.has_variants("ended", "how", &ends());
    documented.has_variants("encodings.runs.ended", "how", &ends());
}

#[test]
fn every_field_of_a_comparison_is_documented() {
    let a = canned::usual();
    let mut b = canned::usual();
    b.settings.messages_per_batch = 7;
    b.environment.cpu = None;
    let mut comparison = json(&compare(&a, &b));
    leave_environment(&mut comparison["a"]);
    leave_environment(&mut comparison["b"]);
    let documented = Documented::under("# Two reports compared");
    documented.has_fields(&fields(&[comparison], &[]));
}

/// The environment is documented once, for all that have it.
fn leave_environment(value: &mut Value) {
    serde_json::from_value::<Environment>(value.take()).unwrap();
}

fn with_prices_and_mixture() -> report::Report {
    let mut report = advise_canned::report(&[900; 200], &advise_canned::USUAL, 1e9);
    report.settings.cpu_price_per_core_hour = Some(0.04);
    report.settings.network_price_per_gb = Some(0.09);
    let resisting: Vec<bool> = (0..200).map(|at| at % 2 == 0).collect();
    for candidate in &mut report.candidates {
        let lens = report.corpus.sample.message_bytes.iter().zip(&resisting);
        for (sent, (len, resists)) in candidate.samples.encoded_bytes.iter_mut().zip(lens) {
            if *resists {
                *sent = *len;
            }
        }
    }
    report.advice = advise::advise(&report.settings, &report.corpus, &report.candidates);
    assert!(report.advice.mixture.is_some() && report.advice.cheapest.is_some());
    report
}

fn advise_warnings() -> Vec<warning::Warning> {
    use warning::Warning;
    let level = || "zstd:1".to_owned();
    vec![
        Warning::Unreadable { count: 1, first: level() },
        Warning::LinkLoop { count: 1 },
        Warning::TooLong { count: 1, limit_bytes: 1 },
        Warning::OneMessage,
        Warning::AllIdentical,
        Warning::SmallSample { distinct_messages: 1, payload_bytes: 1 },
        Warning::Noisy { level: level(), spread_percent: 1.0 },
        Warning::Busy { wall_per_cpu: 2.0 },
        Warning::FewRounds { rounds: 1 },
    ]
}

fn bench_warnings() -> Vec<Warning> {
    let level = || "zstd:1".to_owned();
    let reached = || vec![Reached { level: level(), reached_bytes_per_second: 1.0 }];
    vec![
        Warning::NotLifelike { ratio: 1.0 },
        Warning::MostlyHeader { share: 0.5 },
        Warning::FewDistinct { distinct: 1 },
        Warning::Noisy { encodings: vec![Spread { level: level(), spread_percent: 1.0 }] },
        Warning::Busy { others_share: 0.5 },
        Warning::OneRun,
        Warning::Short { elapsed_ns: 1 },
        Warning::RateMissed { encodings: reached() },
        Warning::RateExceeded { encodings: reached() },
        Warning::NotAllVerified { messages: 1 },
        Warning::Corpus { text: level() },
        Warning::SharedProcessors,
    ]
}

fn ends() -> Vec<Ended> {
    let [actor, why] = ["producer 1", "why"].map(str::to_owned);
    vec![
        Ended::AsPlanned,
        Ended::Interrupted,
        Ended::Idle { actor: actor.clone(), idle_ns: 1, missing: 1 },
        Ended::Failed { actor: actor.clone(), why: why.clone() },
        Ended::ServerGone { why: why.clone() },
        Ended::Corrupt { actor, why },
        Ended::Lost { messages: 1 },
    ]
}

/// What one part of the document says.
#[derive(Debug, Default)]
struct Documented {
    /// Paths without the signs of lists: `encodings.runs.wire.ratio`.
    fields: BTreeSet<String>,
    /// Of what comes in kinds: the fields of each.
    variants: BTreeMap<String, BTreeMap<String, BTreeSet<String>>>,
}

impl Documented {
    /// Reads the tables of one part. Above each stands to what its fields belong, and in the first
    /// column they are named; those of an object are in braces, and where it holds further ones,
    /// these are in the next braces.
    fn under(title: &str) -> Self {
        let (_, part) = DOCS.split_once(&format!("{title}\n")).unwrap();
        let part = part.split("\n# ").next().unwrap();
        let mut documented = Self::default();
        let (mut owners, mut tag) = (vec![String::new()], None);
        for block in part.split("\n\n") {
            let is_table = block.starts_with('|');
            if !is_table {
                let names = leading(block.trim_start_matches('#').trim_start());
                if block.starts_with('#') || !names.is_empty() {
                    owners = if names.is_empty() { vec![String::new()] } else { names };
                }
                continue;
            }
            for (at, line) in block.lines().enumerate() {
                let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
                let (first, second) = (quoted(cells[0]), cells[1]);
                if at == 0 {
                    tag = first.first().copied();
                }
                if at < 2 {
                    continue;
                }
                for owner in &owners {
                    match tag {
                        Some(_) => documented.variant(owner, &first, second),
                        None => first.iter().for_each(|name| documented.field(owner, name, second)),
                    }
                }
            }
        }
        documented
    }

    fn field(&mut self, owner: &str, name: &str, text: &str) {
        let path = format!("{owner}.{name}").trim_start_matches('.').to_owned();
        let is_new = self.fields.insert(path.clone());
        assert!(is_new, "{path} twice");
        let mut owners = vec![path];
        let groups = quoted(text).into_iter();
        for group in groups.filter_map(|it| it.strip_prefix('{')?.strip_suffix('}')) {
            let names: Vec<&str> = group.split(", ").collect();
            let paths = owners
                .iter()
                .flat_map(|owner| names.iter().map(move |name| format!("{owner}.{name}")));
            owners = paths.collect();
            self.fields.extend(owners.iter().cloned());
        }
    }

    fn variant(&mut self, owner: &str, names: &[&str], text: &str) {
        let fields = quoted(text.split(':').next().unwrap());
        let fields: BTreeSet<String> = fields.into_iter().map(str::to_owned).collect();
        let variants = self.variants.entry(owner.to_owned()).or_default();
        variants.extend(names.iter().map(|name| ((*name).to_owned(), fields.clone())));
    }

    fn has_fields(&self, found: &BTreeSet<String>) {
        let untold: Vec<_> = found.difference(&self.fields).collect();
        let invented: Vec<_> = self.fields.difference(found).collect();
        let none = Vec::<&String>::new();
        assert_eq!((untold, invented), (none.clone(), none), "not in the document; in no report");
    }

    /// Checks those of a type, of which there is one value for each of its kinds.
    fn has_variants<T: Serialize + DeserializeOwned>(&self, owner: &str, tag: &str, all: &[T]) {
        let mut found = BTreeMap::new();
        for value in all {
            let Value::Object(mut fields) = json(value) else { panic!("{owner}") };
            let Some(Value::String(kind)) = fields.remove(tag) else { panic!("{tag} of {owner}") };
            found.insert(kind, fields.keys().cloned().collect::<BTreeSet<_>>());
        }
        // Which kinds there are is told where none of them is read.
        let error = serde_json::from_value::<T>(json!({tag: "?"})).err().unwrap().to_string();
        let kinds: BTreeSet<&str> = quoted(&error).into_iter().skip(1).collect();
        assert_eq!(kinds, found.keys().map(String::as_str).collect(), "the values above");
        assert_eq!(self.variants.get(owner), Some(&found), "{owner}");
    }
}

/// The fields that are named at the beginning of a text, in backquotes.
fn leading(text: &str) -> Vec<String> {
    let mut rest = text;
    let mut names = Vec::new();
    while let Some((name, after)) = rest.strip_prefix('`').and_then(|it| it.split_once('`')) {
        if !name.chars().all(|c| c.is_ascii_lowercase() || "_.[]0123456789".contains(c)) {
            break;
        }
        names.push(name.replace("[]", ""));
        rest = after.trim_start_matches(", ").trim_start_matches(" and ");
    }
    names
}

/// Everything in backquotes.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}

/// The paths of all fields that any of the values has, without those in `closed`.
fn fields(values: &[Value], closed: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    values.iter().for_each(|value| collect("", value, closed, &mut found));
    found
}

fn collect(path: &str, value: &Value, closed: &[&str], found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = format!("{path}.{name}").trim_start_matches('.').to_owned();
                if !closed.contains(&path.as_str()) {
                    collect(&path, value, closed, found);
                }
                found.insert(path);
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(path, value, closed, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// With the fields of what has the same form everywhere named once.
fn shared(found: &BTreeSet<String>, parts: &[&str]) -> BTreeSet<String> {
    let once = |path: &String| {
        let part = parts.iter().find_map(|part| path.find(&format!(".{part}.")));
        part.map_or(path.clone(), |at| path[at + 1..].to_owned())
    };
    found.iter().map(once).collect()
}
