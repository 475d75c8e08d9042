//! Every case of `cases/decode.jsonl` beside the repository, through the command, where it exists.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use std::fs;
use std::path::Path;

use serde_json::Value;

mod command;
use command::{run, stderr};

#[test]
fn every_case_gives_the_payload_or_exit_code_1_and_nothing() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/decode.jsonl");
    let Ok(cases) = fs::read_to_string(&path) else {
        eprintln!("skipped: no {}", path.display());
        return;
    };
    let mut wrong = Vec::new();
    for case in cases.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(case).unwrap();
        wrong.extend(judge(&case).err());
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn judge(case: &Value) -> Result<(), String> {
    let limit = case["limit"].to_string();
    let encoding = case["encoding"].as_str().unwrap();
    let input = bytes(&case["input"]);
    let output = run(&["decode", "-e", encoding, "--max-size", &limit], &input);

    let expect = &case["expect"];
    let may_fail = expect.get("error").is_some() || expect.get("or_error").is_some();
    let right = match output.status.code() {
        Some(0) => expect.get("ok").is_some_and(|parts| bytes(parts) == output.stdout),
        Some(1) => may_fail && output.stdout.is_empty() && !output.stderr.is_empty(),
        _ => false,
    };
    let said = stderr(&output);
    right.then_some(()).ok_or_else(|| format!("{}: {} {said}", case["id"], output.status))
}

/// Parts are pairs of hexadecimal digits and how often they are repeated.
fn bytes(parts: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in parts.as_array().unwrap() {
        let hex = part[0].as_str().unwrap();
        let unit: Vec<u8> = (0..hex.len() / 2)
            .map(|index| u8::from_str_radix(&hex[2 * index..2 * index + 2], 16).unwrap())
            .collect();
        let times = usize::try_from(part[1].as_u64().unwrap()).unwrap();
        bytes.extend_from_slice(&unit.repeat(times));
    }
    bytes
}
