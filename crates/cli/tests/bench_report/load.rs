//! What is a report, and what is not.

use serde_json::{Value, json};
use thinwire_cli::bench::load::{LoadError, parse};

use super::canned;

fn changed(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut value = serde_json::to_value(canned::usual()).unwrap();
    change(&mut value);
    serde_json::to_vec(&value).unwrap()
}

#[test]
fn every_report_is_read_as_it_was_written() {
    for (name, report) in canned::all() {
        let text = serde_json::to_vec(&report).unwrap();
        assert!(parse(&text).unwrap() == report, "{name}");
    }
}

#[test]
fn what_later_programs_add_is_passed_over() {
    let text = changed(|value| {
        value["new"] = json!({"a": 1});
        value["settings"]["new"] = json!(true);
        value["warnings"] = json!([{"kind": "unheard_of", "times": 3}, {"kind": "one_run"}]);
    });
    let report = parse(&text).unwrap();
    assert_eq!(report.warnings.len(), 1);
    assert_eq!(report.settings, canned::usual().settings);
}

#[test]
fn what_is_no_report_is_said_to_be_none() {
    let other = |schema: Value| changed(|value| value["schema"] = schema);
    assert!(matches!(parse(b"PK\x03\x04"), Err(LoadError::NotJson(_))));
    assert!(matches!(parse(b""), Err(LoadError::NotJson(_))));
    assert!(matches!(parse(b"[1, 2]"), Err(LoadError::OtherSchema { .. })));
    assert!(matches!(parse(b"{}"), Err(LoadError::OtherSchema { .. })));
    let error = parse(&other(json!("thinwire.advise"))).unwrap_err();
    assert!(error.to_string().ends_with("this is of \"thinwire.advise\""), "{error}");
    assert!(matches!(parse(&other(json!(1))), Err(LoadError::OtherSchema { .. })));
}

#[test]
fn later_versions_are_refused_by_name() {
    for version in [json!(2), json!("1"), Value::Null, json!(0), json!(-1)] {
        let text = changed(|value| value["schema_version"] = version);
        let error = parse(&text).unwrap_err();
        assert!(matches!(error, LoadError::OtherVersion { .. }), "{error}");
    }
    let error = parse(&changed(|value| value["schema_version"] = json!(2))).unwrap_err();
    assert!(error.to_string().contains("version 2") && error.to_string().contains("version 1"));
}

#[test]
fn a_report_with_a_piece_missing_is_damaged() {
    let text = changed(|value| drop(value["settings"].as_object_mut().unwrap().remove("kind")));
    let error = parse(&text).unwrap_err();
    assert!(matches!(error, LoadError::Damaged(_)), "{error}");
    assert!(error.to_string().contains("kind"), "{error}");
}
