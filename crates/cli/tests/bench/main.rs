//! `thinwire bench`: every kind over every transport, and how runs end.

mod ends;
mod faults;
mod kinds;
mod messages;
mod support;
