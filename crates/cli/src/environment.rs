//! The machine, the versions and the command: what a number means little without.

use std::borrow::Cow;
use std::env;
use std::fs;

use thinwire::Encoding;

use crate::bench::transport::address::Address;
use crate::report::{Environment, Library};

/// Describes where this process runs.
#[must_use]
pub fn current(clock_read_ns: u64) -> Environment {
    let libraries = Encoding::ALL.into_iter().filter_map(|encoding| {
        let encoding_name = encoding.name().to_owned();
        Some(Library { library: encoding.library()?, encoding: encoding_name })
    });
    Environment {
        thinwire: env!("CARGO_PKG_VERSION").to_owned(),
        command: command(env::args_os().skip(1).map(|it| it.to_string_lossy().into_owned())),
        cpu: cpu(),
        cores: std::thread::available_parallelism().ok().map(usize::from),
        os: os(),
        arch: env::consts::ARCH.to_owned(),
        libraries: libraries.collect(),
        clock_read_ns,
    }
}

/// As a shell takes it, so that it can be run again; passwords are left out.
fn command(arguments: impl Iterator<Item = String>) -> String {
    let mut option = String::new();
    let quoted = arguments.map(|argument| {
        let argument = match argument.split_once('=') {
            Some((option, value)) if option.starts_with("--") => {
                format!("{option}={}", without_secret(option, value))
            }
            _ => without_secret(&option, &argument),
        };
        option.clone_from(&argument);
        let quoted = shlex::try_quote(&argument).map(Cow::into_owned);
        quoted.unwrap_or_else(|_| argument.clone()) // no argument holds a NUL
    });
    std::iter::once("thinwire".to_owned()).chain(quoted).collect::<Vec<_>>().join(" ")
}

/// The value of an option, without what is nobody else's business.
fn without_secret(option: &str, value: &str) -> String {
    let address = match option {
        "--password" => return HIDDEN.to_owned(),
        "--url" | "--server" => Address::of(value),
        _ => return value.to_owned(),
    };
    match (address.login, address.url.split_once("://")) {
        (None, _) => value.to_owned(),
        (_, Some((scheme, place))) => format!("{scheme}://{HIDDEN}@{place}"),
        (_, None) => format!("{HIDDEN}@{}", address.url),
    }
}

const HIDDEN: &str = "HIDDEN";

/// Linux tells it on x86 and some others; elsewhere it stays unknown.
fn cpu() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'))?.1;
    Some(name.trim().to_owned())
}

fn os() -> String {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("{} {}", env::consts::OS, release.trim()).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::command;

    #[test]
    fn the_command_can_be_run_again() {
        let words = ["bench", "--rate", "20 MB", "it's"].map(str::to_owned);
        let text = command(words.clone().into_iter());
        assert!(text.starts_with("thinwire bench --rate '20 MB' "), "{text}");
        assert_eq!(shlex::split(&text).unwrap()[1..], words);
    }

    #[test]
    fn passwords_are_not_in_it() {
        for (typed, expected) in [
            ("nats --url nats://a:topsecret@host", "nats --url nats://HIDDEN@host"),
            ("nats --server=topsecret@host:1", "nats --server=HIDDEN@host:1"),
            ("iggy --user root --password topsecret", "iggy --user root --password HIDDEN"),
            ("iggy --password=top@=secret pp", "iggy --password=HIDDEN pp"),
            ("-m @lengths --messages a@b --url host:1", "-m @lengths --messages a@b --url host:1"),
        ] {
            let text = command(typed.split(' ').map(str::to_owned));
            assert_eq!(shlex::split(&text).unwrap()[1..].join(" "), expected);
        }
    }
}
