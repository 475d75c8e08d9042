//! `thinwire bench`: producers and consumers under load, over a transport, with and without
//! compression.
//!
//! ```text
//! args ─► plan ─► pool of messages ─► session ─► cast of actors ─► outcome ─► report ─► render
//! ```
//!
//! Every message that is received is checked against what was sent. Latency in the open loop
//! counts from when a batch was to be sent. Histograms are merged; percentiles never averaged.

pub mod actor;
pub mod args;
pub mod bottleneck;
pub mod breakeven;
pub mod cast;
pub mod check;
pub mod compare;
pub mod counts;
pub mod disagree;
pub mod doubt;
pub mod ending;
pub mod generate;
pub mod header;
pub mod kind;
pub mod ledger;
pub mod load;
mod memory;
mod mix;
mod numbers;
pub mod outcome;
pub mod pace;
pub mod patience;
mod percentile;
pub mod phase;
pub mod plan;
pub mod pool;
pub mod progress;
pub mod record;
pub mod render;
pub mod report;
mod review;
mod run;
pub mod samples;
mod series;
mod signals;
pub mod stage;
pub mod stop;
mod student;
pub mod summarize;
mod sums;
pub mod transport;
pub mod usage;
pub mod warning;

pub use review::review;
pub use run::bench;
pub use series::{Series, run_all};
