//! What is measured, and on what.

pub(crate) mod contestant;
mod go;
pub(crate) mod set;
