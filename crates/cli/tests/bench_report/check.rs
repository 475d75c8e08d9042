//! What no run can give is not shown.

use serde_json::{Value, json};
use thinwire_cli::bench::load::{LoadError, parse};
use thinwire_cli::bench::report::{Actor, Report, Summary};
use thinwire_cli::bench::warning::Warning;

use super::canned;

/// The report, with a value at a place such as `/encodings/0/level`.
fn edited(report: &Report, place: &str, to: Value) -> String {
    let mut value = serde_json::to_value(report).unwrap();
    *value.pointer_mut(place).unwrap_or_else(|| panic!("{place}")) = to;
    match parse(&serde_json::to_vec(&value).unwrap()) {
        Err(LoadError::Impossible(error)) => error.to_string(),
        other => panic!("{place}: {:?}", other.err()),
    }
}

fn refuses(place: &str, to: Value, expected: &str) {
    assert_eq!(edited(&usual(), place, to), expected);
}

#[test]
fn every_number_is_at_least_0_and_can_be_computed_with() {
    let mut value = serde_json::to_value(small()).unwrap();
    let mut places = Vec::new();
    numbers("", &value, &mut places);
    assert!(places.len() > 150, "{}", places.len());
    for place in &places {
        let old = value.pointer(place).unwrap().clone();
        // Bounds of whole numbers are those of what was counted; what was asked for has none.
        let many = if old.is_u64() { json!(u64::MAX) } else { json!(1e308) };
        let is_asked = old.is_u64() && place.starts_with("/settings");
        for wrong in [json!(-1), json!(-0.5), json!(5e-324), many] {
            if place == "/schema_version" || (is_asked && wrong.is_u64()) {
                continue;
            }
            *value.pointer_mut(place).unwrap() = wrong.clone();
            let text = serde_json::to_vec(&value).unwrap();
            let error = parse(&text).expect_err(&format!("{place} as {wrong}")).to_string();
            let field = field(place);
            assert!(error.starts_with(&format!("a damaged report: {field}")), "{error}");
        }
        *value.pointer_mut(place).unwrap() = old;
    }
}

/// All fields, and few of each.
fn small() -> Report {
    let actors = canned::Actors { producers: 1, consumers: 1, pairs: 0 };
    let mut report = with_short_series(canned::report(&canned::USUAL[..1], actors, &[1.0]), 2);
    report.warnings = vec![Warning::NotLifelike { ratio: 1.1 }];
    for result in &mut report.encodings {
        let Summary { sending, receiving, .. } = &mut result.summary;
        for role in [sending, receiving].into_iter().flatten() {
            role.curve.truncate(2);
        }
        for run in &mut result.runs {
            for role in [&mut run.sending, &mut run.receiving].into_iter().flatten() {
                role.curve.truncate(2);
            }
        }
    }
    report
}

/// Three runs of seven encodings.
fn usual() -> Report {
    with_short_series(canned::usual(), 5)
}

fn with_short_series(mut report: Report, intervals: usize) -> Report {
    let runs = report.encodings.iter_mut().flat_map(|result| &mut result.runs);
    for Actor { series, .. } in runs.flat_map(|run| &mut run.actors) {
        series.payload_bytes.truncate(intervals);
        series.messages.truncate(intervals);
        series.samples.truncate(intervals);
        series.mean_ns.truncate(intervals);
        series.max_ns.truncate(intervals);
    }
    report
}

/// The places of all numbers.
fn numbers(place: &str, value: &Value, places: &mut Vec<String>) {
    match value {
        Value::Number(_) => places.push(place.to_owned()),
        Value::Array(values) => {
            values.iter().enumerate().for_each(|(at, value)| {
                numbers(&format!("{place}/{at}"), value, places);
            });
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| {
                numbers(&format!("{place}/{name}"), value, places);
            });
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// `/encodings/0/level` as errors write it.
fn field(place: &str) -> String {
    let parts = place.split('/').skip(1).map(|part| match part.parse::<usize>() {
        Ok(at) => format!("[{at}]"),
        Err(_) => format!(".{part}"),
    });
    parts.collect::<String>().trim_start_matches('.').to_owned()
}

#[test]
fn sums_of_counts_can_be_computed() {
    let mut report = canned::usual();
    let runs = report.encodings.iter_mut().flat_map(|result| &mut result.runs);
    let mut actors: Vec<_> = runs.flat_map(|run| &mut run.actors).collect();
    for actor in &mut actors {
        actor.series.payload_bytes = vec![1 << 53; 100];
    }
    let error = parse(&serde_json::to_vec(&report).unwrap()).unwrap_err().to_string();
    assert!(error.contains("the sum of all counts is"), "{error}");
}

#[test]
fn a_number_below_0_is_named_and_shown() {
    let place = "/encodings/3/summary/sending/mb_per_second";
    let field = "encodings[3].summary.sending.mb_per_second";
    refuses(place, json!(-5.5), &format!("{field} is -5.5: below 0"));
    refuses(place, json!(1e308), &format!("{field} is 1e+308: more than 1e18"));
    refuses(place, json!(1e-308), &format!("{field} is 1e-308: above 0, but less than 1e-18"));
}

#[test]
fn encodings_are_there_and_each_is_there_once() {
    refuses("/encodings", json!([]), "encodings is empty: at least one is measured");
    refuses(
        "/encodings/4/level",
        json!("raw"),
        "encodings[4].level is \"raw\": encodings[0] is so too",
    );
}

#[test]
fn runs_are_as_many_as_were_asked_for() {
    let why = "encodings[0].runs is a list of 3: settings.repeats is";
    refuses("/settings/repeats", json!(5), &format!("{why} 5"));
    refuses("/settings/repeats", json!(1), &format!("{why} 1"));
    refuses(
        "/encodings/1/runs/2/repeat",
        json!(1),
        "encodings[1].runs[2].repeat is 1: it is number 2 from 0",
    );
    let mut fewer = usual();
    fewer.ended = thinwire_cli::bench::ending::Ended::Interrupted;
    fewer.settings.repeats = 5;
    assert!(parse(&serde_json::to_vec(&fewer).unwrap()).is_ok());
    refuses(
        "/encodings/1/runs/2/ended",
        json!({"how": "lost", "messages": 3}),
        "encodings[1].runs[2].ended is \"3 message(s) were lost\": the report says that all ended as planned",
    );
}

#[test]
fn a_summary_is_what_its_runs_give() {
    let sending = "/encodings/0/summary/sending";
    let said = |field: &str, to: f64| edited(&usual(), &format!("{sending}/{field}"), json!(to));
    let name = "encodings[0].summary.sending";
    assert_eq!(
        said("mb_per_second", 340.0),
        format!("{name}.mb_per_second is 340: its runs give 118")
    );
    assert_eq!(said("times_raw", 3.0), format!("{name}.times_raw is 3: its runs give 1"));
    for (field, to) in [
        ("messages_per_second", 1.0),
        ("min_mb_per_second", 1.0),
        ("max_mb_per_second", 1000.0),
        ("spread_percent", 0.1),
    ] {
        let said = said(field, to);
        assert!(said.starts_with(&format!("{name}.{field} is {to}: its runs give ")), "{said}");
    }
    for field in ["ratio", "client_cpu_seconds_per_gb", "server_cpu_seconds_per_gb", "codec_share"]
    {
        let said = edited(&usual(), &format!("/encodings/2/summary/{field}"), json!(0.7));
        assert!(said.starts_with(&format!("encodings[2].summary.{field} is 0.7: ")), "{said}");
        let said = edited(&usual(), &format!("/encodings/2/summary/{field}"), Value::Null);
        assert!(said.starts_with(&format!("encodings[2].summary.{field} is null: ")), "{said}");
    }
    refuses(sending, Value::Null, &format!("{name} is null: a run has it"));
    let (_, two) = canned::edges().into_iter().find(|it| it.0 == "pairs at a set rate").unwrap();
    let said = edited(&two, &format!("{sending}/spread_percent"), json!(5.0));
    assert_eq!(said, format!("{name}.spread_percent is 5: its runs give null"), "two runs only");
}

#[test]
fn a_bottleneck_is_what_the_runs_give_or_not_told() {
    let place = "/encodings/3/summary/bottleneck";
    let name = "encodings[3].summary.bottleneck";
    refuses(
        &format!("{place}/limit"),
        json!("link"),
        &format!("{name}.limit is \"link\": its runs give \"processors\""),
    );
    for field in ["wire_mb_per_second", "cores_used"] {
        let said = edited(&usual(), &format!("{place}/{field}"), json!(7.0));
        assert!(said.starts_with(&format!("{name}.{field} is 7: its runs give ")), "{said}");
    }
    let mut older = serde_json::to_value(usual()).unwrap();
    drop(
        older
            .pointer_mut("/encodings/3/summary")
            .unwrap()
            .as_object_mut()
            .unwrap()
            .remove("bottleneck"),
    );
    drop(older["messages"].as_object_mut().unwrap().remove("content_hash"));
    assert!(parse(&serde_json::to_vec(&older).unwrap()).is_ok());
}

#[test]
fn who_verified_may_be_nobody() {
    let mut report = usual();
    report.encodings[0].runs[0].verified.by = "nobody".to_owned();
    assert!(parse(&serde_json::to_vec(&report).unwrap()).is_ok());
}

#[test]
fn percentiles_grow_and_rest_on_samples() {
    let latency = "/encodings/0/summary/sending/latency";
    let name = "encodings[0].summary.sending.latency";
    let said = edited(&usual(), &format!("{latency}/p90_ns"), json!(1));
    assert!(said.starts_with(&format!("{name}.p90_ns is 1: less than the ")), "{said}");
    let said = edited(&usual(), &format!("{latency}/samples"), json!(15));
    assert!(said.ends_with("there are 15 samples, and it takes 20 samples"), "{said}");
    refuses(
        &format!("{latency}/max_ns"),
        Value::Null,
        &format!("{name}.max_ns is null: there are 31623 samples, and 1 samples give it"),
    );
    let place = "/encodings/0/runs/1/receiving/curve/60";
    let name = "encodings[0].runs[1].receiving.curve[60]";
    refuses(
        &format!("{place}/percentile"),
        json!(59.0),
        &format!("{name}.percentile is 59: not above the 59 before it"),
    );
    refuses(
        &format!("{place}/percentile"),
        json!(100.5),
        &format!("{name}.percentile is 100.5: more than 100"),
    );
    let said = edited(&usual(), &format!("{place}/ns"), json!(7));
    assert!(said.starts_with(&format!("{name}.ns is 7: less than the ")), "{said}");
}

#[test]
fn lists_and_shares_and_lengths_agree() {
    let series = "/encodings/0/runs/0/actors/2/series";
    let name = "encodings[0].runs[0].actors[2].series";
    refuses(
        &format!("{series}/mean_ns"),
        json!([]),
        &format!("{name}.mean_ns is a list of 0: payload_bytes is one of 5"),
    );
    for interval in [0, 7] {
        let said = edited(&usual(), &format!("{series}/interval_ns"), json!(interval));
        assert!(said.starts_with(&format!("{name}.interval_ns is {interval}: ")), "{said}");
    }
    refuses(
        "/encodings/0/runs/0/codec/share",
        json!(1.5),
        "encodings[0].runs[0].codec.share is 1.5: more than all, which is 1",
    );
    refuses(
        "/encodings/0/runs/0/cost/others_share",
        json!(1.5),
        "encodings[0].runs[0].cost.others_share is 1.5: more than all, which is 1",
    );
    refuses(
        "/messages/median_bytes",
        json!(3),
        "messages.median_bytes is 3: less than the 4000 before it",
    );
}
