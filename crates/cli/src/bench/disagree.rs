//! In what two reports differ besides their numbers: settings, machine, and how they ended. Pure.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::compare::Disagreement;
use super::report::Report;

/// Settings, messages and transport that are not the same.
#[must_use]
pub fn settings(a: &Report, b: &Report) -> Vec<Disagreement> {
    let mut found = Vec::new();
    unlike("settings", &a.settings, &b.settings, &mut found);
    // More repeats tell more about the same thing.
    found.retain(|it| it.field != "settings.repeats");
    unlike("messages", &a.messages, &b.messages, &mut found);
    unlike("transport", &a.transport, &b.transport, &mut found);
    found
}

/// Machine and versions that are not the same. The command is not among them: what it changes is
/// in the settings.
#[must_use]
pub fn environment(a: &Report, b: &Report) -> Vec<Disagreement> {
    let mut found = Vec::new();
    unlike("environment", &a.environment, &b.environment, &mut found);
    let is_told = |it: &Disagreement| !UNTOLD.contains(&it.field.as_str());
    found.retain(is_told);
    found
}

/// Why rows may mean less than they seem to.
#[must_use]
pub fn doubts(a: &Report, b: &Report) -> Vec<String> {
    let of = |report: &Report| -> Vec<String> {
        let ended = Some(&report.ended).filter(|ended| !ended.is_as_planned());
        let ended = ended.map(|ended| format!("ended early: {ended}"));
        ended.into_iter().chain(report.warnings.iter().map(ToString::to_string)).collect()
    };
    let (of_a, of_b) = (of(a), of(b));
    let (both, only_a): (Vec<_>, Vec<_>) = of_a.into_iter().partition(|it| of_b.contains(it));
    let only_b = of_b.into_iter().filter(|it| !both.contains(it));
    let both = both.iter().map(|it| format!("A and B: {it}"));
    let only_a = only_a.iter().map(|it| format!("A: {it}"));
    both.chain(only_a).chain(only_b.map(|it| format!("B: {it}"))).collect()
}

/// Fields that differ, by their names in the report, however deep they lie.
fn unlike<T: Serialize>(name: &str, a: &T, b: &T, found: &mut Vec<Disagreement>) {
    let json = |value: &T| serde_json::to_value(value).unwrap_or_default();
    unlike_values(name, &json(a), &json(b), found);
}

fn unlike_values(name: &str, a: &Value, b: &Value, found: &mut Vec<Disagreement>) {
    if let (Value::Object(a), Value::Object(b)) = (a, b) {
        let fields: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
        for field in fields {
            let of = |object: &serde_json::Map<String, Value>| {
                object.get(field).cloned().unwrap_or_default()
            };
            unlike_values(&format!("{name}.{field}"), &of(a), &of(b), found);
        }
    } else if a != b {
        found.push(Disagreement { field: name.to_owned(), a: shown(a), b: shown(b) });
    }
}

/// As in the report, but texts without quotation marks.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(shown).collect::<Vec<_>>().join(", "),
        Value::Object(fields) => fields.values().map(shown).collect::<Vec<_>>().join(" "),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Differ whenever they like, and explain nothing.
const UNTOLD: [&str; 2] = ["environment.command", "environment.clock_read_ns"];
