//! `thinwire report`: reports that were written down, shown again or compared.

use std::fs;
use std::path::Path;

use super::report::Report;
use super::{compare, load, render};
use crate::args::{Format, ReportArgs};
use crate::failure::Failure;
use crate::output;

/// Shows one report, or what two differ in.
///
/// # Errors
///
/// * [`Failure::Input`] for a file that cannot be read or is no report, for two without anything
///   to compare, and for a page that cannot be written.
/// * [`Failure::Stdout`] when it cannot be printed.
pub fn review(args: &ReportArgs) -> Result<(), Failure> {
    let first = load(&args.first)?;
    let Some(second) = &args.second else { return show(args, &first) };
    let comparison = compare::compare(&first, &load(second)?);
    if comparison.rows.is_empty() {
        let [a, b] = [&args.first, second].map(|path| path.display());
        return Err(Failure::Input(format!(
            "{a} and {b} have nothing in common: no encoding was measured in both"
        )));
    }
    output::print(&match args.format {
        Format::Table => render::comparison::table::render(&comparison),
        Format::Markdown => render::comparison::markdown::render(&comparison),
        Format::Json => render::comparison::json::render(&comparison),
    })
}

fn show(args: &ReportArgs, report: &Report) -> Result<(), Failure> {
    if let Some(path) = &args.html {
        return output::write(render::html::render(report).as_bytes(), Some(path));
    }
    output::print(&match args.format {
        Format::Table => render::table::render(report),
        Format::Markdown => render::markdown::render(report),
        Format::Json => render::json::render(report),
    })
}

fn load(path: &Path) -> Result<Report, Failure> {
    let text = fs::read(path).map_err(|error| Failure::input(path.display(), error))?;
    load::parse(&text).map_err(|error| Failure::input(path.display(), error))
}
