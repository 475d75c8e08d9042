//! `thinwire bench`: every kind over every transport, and how runs end.

mod blunt;
mod ends;
mod faults;
#[cfg(feature = "iggy")]
mod iggy;
mod kinds;
mod messages;
mod servers;
mod support;
mod wire;
