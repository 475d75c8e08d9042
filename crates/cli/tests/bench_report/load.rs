//! What is a report, and what is not.

use std::io::Read;

use serde_json::{Value, json};
use thinwire_cli::bench::load::{LoadError, MAX_BYTES, parse, read};
use thinwire_cli::bench::report::Report;

use super::canned;

fn changed(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let mut value = serde_json::to_value(canned::usual()).unwrap();
    change(&mut value);
    serde_json::to_vec(&value).unwrap()
}

#[test]
fn every_report_is_read_as_it_was_written() {
    for (name, report) in canned::all() {
        if name == "no encodings" {
            continue; // a page for it is no harm, but none is ever written
        }
        let text = serde_json::to_vec(&report).unwrap();
        let again = read(&text[..], text.len()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(again == report, "{name}");
    }
}

#[test]
fn what_later_programs_add_is_passed_over() {
    let text = changed(|value| {
        add_to_all(value);
        value["warnings"] = json!([{"kind": "unheard_of", "times": 3}, {"kind": "one_run"}]);
    });
    let report = parse(&text).unwrap();
    assert_eq!(report.warnings.len(), 1);
    assert_eq!(report, Report { warnings: report.warnings.clone(), ..canned::usual() });
}

/// A field with everything in it that would be refused in one that is known.
fn add_to_all(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.values_mut().for_each(add_to_all);
            fields.insert("new".to_owned(), json!({"a": [-1, null, 1e300, {"b": "c"}]}));
        }
        Value::Array(values) => values.iter_mut().for_each(add_to_all),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn what_is_no_report_is_said_to_be_none() {
    let other = |schema: Value| changed(|value| value["schema"] = schema);
    for text in ["PK\x03\x04", "[1, 2]", "\n \"text\"", "\u{feff}{}", "null"] {
        assert!(matches!(parse(text.as_bytes()), Err(LoadError::NoObject)), "{text:?}");
    }
    for text in ["", "  \n", "{\"schema\": ", "{}x", "{\"schema\": 1e999}", "{\"a\": NaN}"] {
        assert!(matches!(parse(text.as_bytes()), Err(LoadError::NotJson(_))), "{text:?}");
    }
    let deep = [b"{\"a\":".as_slice(), &[b'['; 100_000]].concat();
    assert!(matches!(parse(&deep), Err(LoadError::NotJson(_))));
    assert!(matches!(parse(b"{}"), Err(LoadError::OtherSchema { .. })));
    let error = parse(&other(json!("thinwire.advise"))).unwrap_err();
    assert!(error.to_string().ends_with("this is of \"thinwire.advise\""), "{error}");
    assert!(matches!(parse(&other(json!(1))), Err(LoadError::OtherSchema { .. })));
    let error = parse(&other(json!("x".repeat(1_000_000)))).unwrap_err();
    assert!(error.to_string().len() < 300, "{error}");
}

#[test]
fn what_has_no_end_is_read_to_a_limit() {
    let mut zeros = Counted(std::io::repeat(0), 0);
    assert!(matches!(read(&mut zeros, MAX_BYTES), Err(LoadError::NoObject)));
    assert!(zeros.1 < 1 << 20, "{} bytes read", zeros.1);
    let open = std::io::Cursor::new(b"{").chain(std::io::repeat(b' '));
    let mut open = Counted(open, 0);
    let most = 1 << 20;
    assert!(matches!(read(&mut open, most), Err(LoadError::TooLong { .. })));
    assert_eq!(open.1, most + 1);
}

/// Counts what is read.
struct Counted<R>(R, usize);

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.0.read(buffer)?;
        self.1 += count;
        Ok(count)
    }
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
fn a_field_that_is_missing_or_has_another_form_is_named_with_its_place() {
    let damaged = |change: &dyn Fn(&mut Value)| {
        let error = parse(&changed(change)).unwrap_err();
        assert!(matches!(error, LoadError::Damaged { .. }), "{error}");
        error.to_string()
    };
    let said = damaged(&|value| drop(value["settings"].as_object_mut().unwrap().remove("kind")));
    assert!(said.starts_with("a damaged report: settings: missing field `kind`"), "{said}");
    let said = damaged(&|value| value["encodings"][2]["runs"][1]["wire"] = json!("none"));
    assert!(said.starts_with("a damaged report: encodings[2].runs[1].wire: "), "{said}");
    let said = damaged(&|value| value["settings"]["repeats"] = json!(-3));
    assert!(said.contains("settings.repeats: invalid value: integer `-3`"), "{said}");
}
