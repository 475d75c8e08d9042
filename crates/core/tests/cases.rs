//! More inputs with right answers, where they are found beside the repository.

use thinwire::DecodeError;
use thinwire_testkit::cases::{self, Case};
use thinwire_testkit::promise;

#[test]
fn every_case_has_its_answer() {
    let Some(cases) = cases::all() else {
        println!("skipped: no cases beside the repository; its own are in tests/vectors.rs");
        return;
    };
    assert!(!cases.is_empty());
    let wrong: Vec<_> = cases.iter().filter_map(wrong_answer).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn wrong_answer(case: &Case) -> Option<String> {
    let Case { id, encoding, limit, encoded, payload, errors, note, .. } = case;
    let answer = promise::decode_stays_within_limit(*encoding, encoded, *limit);
    let right = match (&answer, errors) {
        (Ok(decoded), _) => payload.as_ref() == Some(decoded),
        (Err(_), None) => true,
        (Err(error), Some(kinds)) => {
            let names = kinds_of(error);
            kinds.iter().any(|kind| names.contains(&kind.as_str()))
        }
    };
    let answer = answer.map(|payload| payload.len());
    (!right).then(|| format!("{id} ({note}): {answer:?}, right is {errors:?}"))
}

/// What others call our three.
fn kinds_of(error: &DecodeError) -> &'static [&'static str] {
    match error {
        DecodeError::TooLong { .. } => &["too_large"],
        DecodeError::Malformed { .. } => &["corrupt", "truncated", "trailing_data"],
        DecodeError::Unsupported { .. } => &["unsupported", "unknown_dictionary"],
        _ => &[],
    }
}
