//! What was typed.

use std::net::SocketAddr;
use std::num::ParseIntError;
use std::str::FromStr;
use std::time::Duration;

/// Takes a Prometheus server's remote writes over HTTP, pushes them on over gRPC under
/// snappy-block, counts their series and samples, and prints what was saved.
#[derive(Debug, clap::Parser)]
pub(crate) struct Args {
    /// Where Prometheus writes to, at /api/v1/write
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9201")]
    pub(crate) listen: SocketAddr,
    /// Ends after so many requests, or after a time; without it, with Ctrl-C
    #[arg(long, value_name = "100|30s")]
    pub(crate) exit_after: Option<End>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum End {
    Requests(u64),
    After(Duration),
}

impl FromStr for End {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, ParseIntError> {
        match text.strip_suffix('s') {
            Some(seconds) => Ok(Self::After(Duration::from_secs(seconds.parse()?))),
            None => Ok(Self::Requests(text.parse()?)),
        }
    }
}
