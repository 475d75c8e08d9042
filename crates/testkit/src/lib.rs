//! What Thinwire promises, as functions; and what is needed to check it.
//!
//! * [`promise`]: one function for each promise. Example tests, property tests, vectors and fuzz
//!   targets call the same ones.
//! * [`payload`]: payloads made from a seed.
//! * [`vectors`]: inputs with right answers, from the folder of that name.
//! * [`alloc`]: counts allocations, in Rust and in C.
//! * [`levels`]: which levels to try.
//! * [`cases`]: more inputs with right answers, where they are found beside the repository.
//! * `grpc`: the layers of thinwire-grpc, driven without a network (feature `grpc`).
//! * [`prefixes`]: valid beginnings for random bytes.
//!
//! Nothing here is published. Functions that check something panic when it does not hold.

#![expect(clippy::expect_used, clippy::panic, reason = "test code: a panic is how it says no")]

pub mod alloc;
#[cfg(feature = "arbitrary")]
pub mod case;
pub mod cases;
#[cfg(feature = "grpc")]
pub mod grpc;
pub mod levels;
pub mod payload;
pub mod prefixes;
pub mod promise;
pub mod random;
pub mod vectors;
