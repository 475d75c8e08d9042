//! What both roles have in common: commands on lines come in, an answer of JSON goes out for each.
//!
//! | command | answer |
//! |---|---|
//! | (at the start) | `version`, and a server's `address` |
//! | `cpu` | `cpu_ns`, of the whole process until now, its kernel time included |
//! | `allocations` | `allocations`, of the whole process since it was first asked |
//! | `messages FILE` (client) | `count` |
//! | `run unary\|stream IN_FLIGHT COUNT` (client) | `wall_ns` and `payload_bytes` |
//!
//! A program ends when its input does. `go/main.go` keeps to the same.

use std::io::stdin;
use std::thread::available_parallelism;

use cpu_time::ProcessTime;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use crate::alloc;

/// Answers commands until the input ends; `obey` those that are of one role only.
pub(crate) fn obey(mut obey: impl FnMut(&[&str]) -> Value) {
    for line in stdin().lines() {
        let line = line.unwrap();
        let words: Vec<_> = line.split(' ').collect();
        let answer = match words[..] {
            ["cpu"] => json!({ "cpu_ns": nanoseconds(ProcessTime::now().as_duration()) }),
            ["allocations"] => json!({ "allocations": alloc::count() }),
            _ => obey(&words),
        };
        say(&answer);
    }
}

pub(crate) fn say(answer: &Value) {
    println!("{answer}");
}

pub(crate) fn nanoseconds(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap()
}

/// As many threads as the machine has processors, as Go has by itself.
pub(crate) fn runtime() -> Runtime {
    let threads = available_parallelism().unwrap().get();
    Builder::new_multi_thread().worker_threads(threads).enable_all().build().unwrap()
}

/// tonic's version, as it was resolved.
pub(crate) fn version() -> String {
    let lock = include_str!("../../../../Cargo.lock");
    let version = lock.split_once("name = \"tonic\"\nversion = \"");
    let version = version.and_then(|(_, after)| after.split('"').next());
    format!("tonic {}", version.unwrap_or("of an unknown version"))
}

/// The most that either side takes.
pub(crate) const MAX_PAYLOAD_LEN: usize = 64 << 20;
