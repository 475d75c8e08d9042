//! What a call keeps on its way through the layers, beside what, and whatever a peer sends.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may stop where it fails; the lints allow it in test functions only"
)]

mod again;
mod beside_tonic;
mod bombs;
mod cancel;
mod ends;
mod faithful;
mod flow;
mod foreign;
mod frames;
mod handled;
mod hostile_bodies;
mod hostile_sockets;
mod limits;
mod negotiation;
mod neighbours;
mod property;
#[path = "../support/mod.rs"]
mod support;
