//! The parts of the `thinwire` command, apart from the command itself so that tests reach them.
//!
//! Nothing here is an interface for other crates; use `thinwire` for that.
#![forbid(unsafe_code)]
#![expect(
    clippy::exhaustive_structs,
    reason = "a library for one binary and its tests: fields are read and written by both"
)]

pub mod advise;
pub mod args;
pub mod bench;
pub mod coding;
pub mod corpus;
pub mod detect;
pub mod environment;
pub mod failure;
pub mod measure;
pub mod min_len;
pub mod mixture;
pub mod output;
pub mod printable;
pub mod progress;
pub mod render;
pub mod report;
pub mod reservoir;
pub mod run;
pub mod split;
pub mod stats;
pub mod unit;
pub mod warning;
