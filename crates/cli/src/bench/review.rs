//! `thinwire report`: reports that were written down, shown again or compared.

use std::fs::File;
use std::io;
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
/// * [`Failure::Usage`] when both are to come from standard input.
/// * [`Failure::Stdout`] when it cannot be printed.
pub fn review(args: &ReportArgs) -> Result<(), Failure> {
    let second = args.second.as_deref();
    if is_stdin(&args.first) && second.is_some_and(is_stdin) {
        let why = "standard input is one report; the other one has to be a file";
        return Err(Failure::Usage(why.to_owned()));
    }
    let first = load(&args.first)?;
    let Some(second) = second else { return show(args, &first) };
    let comparison = compare::compare(&first, &load(second)?);
    if comparison.rows.is_empty() {
        let [a, b] = [&args.first, second].map(name);
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
    let fault = |error: &dyn std::fmt::Display| Failure::input(name(path), error);
    if is_stdin(path) {
        return load::read(io::stdin().lock(), load::MAX_BYTES).map_err(|error| fault(&error));
    }
    let file = File::open(path).map_err(|error| fault(&error))?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(fault(&"a folder, not a report"));
    }
    load::read(file, load::MAX_BYTES).map_err(|error| fault(&error))
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

fn name(path: &Path) -> String {
    if is_stdin(path) { "standard input".to_owned() } else { path.display().to_string() }
}
