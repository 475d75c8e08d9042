//! What is measured, and on what.

pub(crate) mod check;
pub(crate) mod contestant;
mod cpp;
mod go;
pub(crate) mod set;
