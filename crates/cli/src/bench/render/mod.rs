//! One file per form of the report. What is shown was computed before.

pub mod cells;
pub mod comparison;
pub mod html;
pub mod json;
pub mod markdown;
pub mod prose;
pub mod table;
