//! A gateway that takes a Prometheus server's remote writes over HTTP and pushes them on over gRPC
//! under `snappy-block`, and the ingester that they go to, in one command.
//!
//! ```text
//! cargo run --release -p thinwire-grpc --example remote-write
//! cargo run --release -p thinwire-grpc --example remote-write -- --exit-after 30s
//! ```
//!
//! and in prometheus.yml:
//!
//! ```yaml
//! remote_write:
//!   - url: http://127.0.0.1:9201/api/v1/write
//! ```

#![expect(clippy::print_stdout, reason = "an example shows what happens")]

mod args;
mod gateway;
mod ingester;
mod message;
mod path;

use std::time::Duration;

use args::{Args, End};
use clap::Parser;
use path::Path;
use tokio::net::TcpListener;
use tokio::time::{MissedTickBehavior, interval, sleep};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args = Args::parse();
    let listener = TcpListener::bind(args.listen).await?;
    println!("remote writes go to http://{}/api/v1/write", listener.local_addr()?);
    let path = Path::start(listener).await?;
    tokio::select! {
        () = report(&path) => {}
        () = end(args.exit_after, &path) => {}
        _ = tokio::signal::ctrl_c() => {}
    }
    println!("{path}");
    Ok(())
}

/// Prints the summary every few seconds, for ever.
async fn report(path: &Path) {
    let mut ticks = interval(Duration::from_secs(5));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks.tick().await; // the first is now
    loop {
        ticks.tick().await;
        println!("{path}\n");
    }
}

async fn end(end: Option<End>, path: &Path) {
    match end {
        None => std::future::pending().await,
        Some(End::After(time)) => sleep(time).await,
        Some(End::Requests(count)) => {
            while path.ingester.totals().requests < count {
                sleep(Duration::from_millis(20)).await;
            }
        }
    }
}
