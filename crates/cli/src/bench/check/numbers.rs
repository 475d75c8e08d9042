//! Each number by itself: none below zero, none beyond what can be counted, so that nothing that is
//! computed from them overflows.

use serde::Serialize;
use serde_json::{Number, Value};

use super::Impossible;
use crate::bench::report::{EncodingResult, Report, Run};

/// Goes through all numbers of a report, whatever their names.
#[derive(Debug)]
pub(super) struct Numbers {
    /// Largest whole number that is accepted.
    most: u64,
    /// Of all whole numbers that were accepted.
    sum: u128,
}

impl Numbers {
    pub(super) fn check(report: &Report) -> Result<(), Impossible> {
        let Report { schema: _, schema_version: _, settings, encodings, .. } = report;
        let Report { environment, messages, transport, warnings, ended, .. } = report;
        // What was asked for may be as much as there are numbers; none is computed with.
        Self { most: u64::MAX, sum: 0 }.part("settings", settings)?;
        let mut counted = Self { most: MOST_COUNTED, sum: 0 };
        counted.part("environment", environment)?;
        counted.part("messages", messages)?;
        counted.part("transport", transport)?;
        for (at, result) in encodings.iter().enumerate() {
            counted.encoding(&format!("encodings[{at}]"), result)?;
        }
        counted.part("warnings", warnings)?;
        counted.part("ended", ended)?;
        if counted.sum > u128::from(MOST_IN_SUM) {
            let why = format!("more than {MOST_IN_SUM}");
            return Err(Impossible::new("the sum of all counts", counted.sum, why));
        }
        Ok(())
    }

    fn encoding(&mut self, name: &str, result: &EncodingResult) -> Result<(), Impossible> {
        let EncodingResult { level: _, encoding: _, summary, runs } = result;
        self.part(&format!("{name}.summary"), summary)?;
        for (at, run) in runs.iter().enumerate() {
            self.run(&format!("{name}.runs[{at}]"), run)?;
        }
        Ok(())
    }

    /// Part by part, since a copy of all actors' series may be much.
    fn run(&mut self, name: &str, run: &Run) -> Result<(), Impossible> {
        let Run { repeat, begin_ns, ended, sending, receiving, actors, .. } = run;
        let Run { wire, kept_raw, errors, cost, codec, verified, .. } = run;
        let field = |field: &str| format!("{name}.{field}");
        self.part(&field("repeat"), repeat)?;
        self.part(&field("begin_ns"), begin_ns)?;
        self.part(&field("ended"), ended)?;
        self.part(&field("sending"), sending)?;
        self.part(&field("receiving"), receiving)?;
        for (at, actor) in actors.iter().enumerate() {
            self.part(&format!("{name}.actors[{at}]"), actor)?;
        }
        self.part(&field("wire"), wire)?;
        self.part(&field("kept_raw"), kept_raw)?;
        self.part(&field("errors"), errors)?;
        self.part(&field("cost"), cost)?;
        self.part(&field("codec"), codec)?;
        self.part(&field("verified"), verified)
    }

    fn part(&mut self, name: &str, part: &impl Serialize) -> Result<(), Impossible> {
        // Only maps with keys that are no strings could fail, and there are none.
        let value = serde_json::to_value(part).unwrap_or_default();
        self.value(&value).map_err(|wrong| within(name, wrong))
    }

    /// The place of what is wrong is put together on the way back: there seldom is one.
    fn value(&mut self, value: &Value) -> Result<(), Impossible> {
        match value {
            Value::Number(number) => self.number(number),
            Value::Array(values) => values.iter().enumerate().try_for_each(|(at, value)| {
                self.value(value).map_err(|wrong| within(&format!("[{at}]"), wrong))
            }),
            Value::Object(fields) => fields.iter().try_for_each(|(field, value)| {
                self.value(value).map_err(|wrong| within(&format!(".{field}"), wrong))
            }),
            Value::Null | Value::Bool(_) | Value::String(_) => Ok(()),
        }
    }

    fn number(&mut self, number: &Number) -> Result<(), Impossible> {
        let wrong = |why: String| Err(Impossible::new("", number, why));
        if let Some(count) = number.as_u64() {
            self.sum += u128::from(count);
            let most = self.most;
            return if count > most { wrong(format!("more than {most}")) } else { Ok(()) };
        }
        match number.as_f64() {
            Some(value) if value.is_sign_negative() => wrong("below 0".to_owned()),
            Some(value) if value > LARGEST => wrong(format!("more than {LARGEST:e}")),
            Some(value) if value > 0.0 && value < SMALLEST => {
                wrong(format!("above 0, but less than {SMALLEST:e}"))
            }
            Some(_) => Ok(()),
            None => wrong("no number".to_owned()),
        }
    }
}

fn within(part: &str, mut wrong: Impossible) -> Impossible {
    wrong.field.insert_str(0, part);
    wrong
}

/// A hundred days in ns, or 9 PB: runs end before, and all programs that read JSON tell such
/// numbers apart.
const MOST_COUNTED: u64 = 1 << 53;

/// Whatever is added up of them fits.
const MOST_IN_SUM: u64 = u64::MAX / 2;

/// What is computed from two of them is finite, and can be printed.
const LARGEST: f64 = 1e18;

/// As far below 1.
const SMALLEST: f64 = 1e-18;
