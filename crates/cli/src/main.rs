//! The `thinwire` command.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use thinwire_cli::args::{Cli, Command};
use thinwire_cli::failure::Failure;
use thinwire_cli::printable::printable;
use thinwire_cli::{bench, coding, output, run};

fn main() -> ExitCode {
    let failure = match dispatch(Cli::parse()) {
        Ok(code) => return code,
        Err(failure) => failure,
    };
    let code = failure.exit_code();
    if code != 0 {
        complain(&failure);
    }
    code.into()
}

fn dispatch(cli: Cli) -> Result<ExitCode, Failure> {
    let done = match cli.command {
        Command::Encode(args) => {
            let (input, output) = (args.file.as_ref(), args.output.as_deref());
            coding::encode(args.encoding, args.max_size.0, input, output)
        }
        Command::Decode(args) => {
            let (input, output) = (args.file.as_ref(), args.output.as_deref());
            coding::decode(args.encoding, args.max_size.0, input, output)
        }
        Command::Advise(args) => run::advise(args),
        Command::Bench(args) => {
            return bench::bench(&args).map(|ended| ended.exit_code().into());
        }
        Command::Report(args) => bench::review(&args),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "thinwire", &mut script);
            output::write(&script, None)
        }
        Command::Man { command } => man(&command),
        other => Err(Failure::Usage(format!("not a command of this program: {other:?}"))),
    };
    done.map(|()| ExitCode::SUCCESS)
}

fn man(names: &[String]) -> Result<(), Failure> {
    let mut all = Cli::command();
    all.build(); // gives the sub-commands their full names
    let mut command = &all;
    for name in names {
        command = command
            .find_subcommand(name)
            .ok_or_else(|| Failure::Usage(format!("there is no command {:?}", names.join(" "))))?;
    }
    let man = clap_mangen::Man::new(command.clone());
    let mut page = Vec::new();
    man.render(&mut page).map_err(|error| Failure::input("manual page", error))?;
    let page = mended(&String::from_utf8_lossy(&page), &man.get_filename());
    output::write(page.as_bytes(), None)
}

/// Names program and version at the foot, also of a sub-command's page, and keeps the lines of the
/// examples apart: the generator does neither.
fn mended(page: &str, file_name: &str) -> String {
    let mut text = String::with_capacity(page.len());
    let mut is_kept = false;
    for line in page.lines() {
        if is_kept && line.starts_with(".SH ") {
            text.push_str(".fi\n");
            is_kept = false;
        }
        if line.starts_with(".TH ") {
            let name = file_name.trim_end_matches(".1");
            let version = env!("CARGO_PKG_VERSION");
            text.push_str(&format!(".TH {name} 1 \"\" \"thinwire {version}\""));
        } else {
            text.push_str(line);
        }
        text.push('\n');
        if line == ".SH EXTRA" {
            text.push_str(".nf\n");
            is_kept = true;
        }
    }
    if is_kept { text + ".fi\n" } else { text }
}

/// Tells what went wrong; if standard error is gone, nobody can be told.
fn complain(failure: &Failure) {
    use std::io::Write;
    let style = anstyle::AnsiColor::Red.on_default().bold();
    let failure = printable(&failure.to_string()); // it may name a file
    let _ = writeln!(anstream::stderr(), "{style}thinwire:{style:#} {failure}");
}
