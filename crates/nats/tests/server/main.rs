//! Against real servers, started for each test on a free port with a fresh store.
//!
//! They are `nats-server`s from the path. Where there is none the tests fail if `CI` is set, and
//! say elsewhere that they were skipped. `THINWIRE_PYTHON` names a Python that has nats-py and
//! decoders; `THINWIRE_NODE_MODULES` a folder that has nats.js.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "test code outside of the test functions"
)]

mod bad_messages;
mod cluster;
mod core;
mod jetstream;
mod key_value;
mod languages;
mod limits;
mod nats_server;
mod payloads;
mod requests;
