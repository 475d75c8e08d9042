//! Behaviour on a real server: the one at `IGGY_ADDRESS`, as `127.0.0.1:8090`, with root's login in
//! `IGGY_USERNAME` and `IGGY_PASSWORD` if that is not `iggy`. Without one it is said what is not
//! tested: no registry has an Iggy server to install.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test may stop where it fails"
)]

mod bad_messages;
mod broker;
mod commits;
mod encryption;
mod groups;
mod limits;
mod messages;
mod reconnect;
mod round_trip;
mod topic;
