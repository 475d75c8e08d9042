//! Two reports side by side, one file for each form.

pub mod cells;
pub mod json;
pub mod markdown;
pub mod prose;
pub mod table;
