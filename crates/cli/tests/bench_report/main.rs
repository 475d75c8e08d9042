//! Reports of `thinwire bench` read again and compared: pure, and by the command.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a test may fail"
)]

#[path = "../html/canned.rs"]
mod advise_canned;
mod canned;
mod check;
#[path = "../command/mod.rs"]
mod command;
mod compare;
mod doubt;
mod load;
mod prose;
mod schema;
mod show;
