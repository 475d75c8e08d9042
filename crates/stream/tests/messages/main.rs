//! Messages through the codec, and through a consumer's stream.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it fails; the lints allow it in test functions only"
)]

#[path = "../support/mod.rs"]
mod support;

mod counts;
mod damage;
mod faults;
mod labels;
mod limits;
mod off_runtime;
mod property;
mod sending;
mod stream;
mod stream_memory;
