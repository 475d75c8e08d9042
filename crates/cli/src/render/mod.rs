//! One file per form of the report. No arithmetic: what is shown was computed before.

pub mod cells;
pub(crate) mod gfm;
pub mod html;
pub mod json;
pub mod markdown;
pub mod prose;
pub mod table;
