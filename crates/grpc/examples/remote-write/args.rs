//! What was typed.

use std::net::SocketAddr;
use std::time::Duration;

#[derive(Debug)]
pub(crate) struct Args {
    pub(crate) listen: SocketAddr,
    pub(crate) end: End,
}

#[derive(Debug)]
pub(crate) enum End {
    Never,
    Requests(u64),
    After(Duration),
}

const USAGE: &str = "remote-write [--listen 127.0.0.1:9201] [--exit-after REQUESTS|SECONDSs]";

impl Args {
    pub(crate) fn parse(mut typed: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut args = Self { listen: SocketAddr::from(([127, 0, 0, 1], 9201)), end: End::Never };
        while let Some(name) = typed.next() {
            let value = typed.next().unwrap_or_default();
            let wrong = || format!("{name} {value}: usage: {USAGE}");
            match name.as_str() {
                "--listen" => args.listen = value.parse().map_err(|_| wrong())?,
                "--exit-after" => {
                    let (digits, is_time) =
                        value.strip_suffix('s').map_or((value.as_str(), false), |it| (it, true));
                    let number = digits.parse().map_err(|_| wrong())?;
                    args.end = if is_time {
                        End::After(Duration::from_secs(number))
                    } else {
                        End::Requests(number)
                    };
                }
                _ => return Err(wrong()),
            }
        }
        Ok(args)
    }
}
