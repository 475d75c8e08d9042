//! What compression does to a real `nats-server`'s messages: raw beside each encoding, in turn.
//!
//!     cargo bench -p thinwire-nats
//!     cargo bench -p thinwire-nats -- --help
//!
//! The benchmark starts a server of its own with a fresh store in files, which keeps what it stores
//! as it does by default: in the page cache first. Producer and consumer are one process, which
//! shares the processors with the server. Every message is acknowledged, read back by a pull
//! consumer and compared with what was sent.
//!
//! It ends within half an hour, or a minute where it only says whether it works: it panics
//! otherwise.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a benchmark may stop where it fails"
)]

#[path = "../../../grpc/benches/calls/link.rs"]
#[expect(dead_code, reason = "bytes are counted by the client here")]
mod link;
mod messages;
#[path = "../../tests/server/nats_server.rs"]
#[expect(dead_code, reason = "it serves the tests as well")]
mod nats_server;
mod peer;
mod plan;
mod round;
mod table;

use std::time::Duration;

use clap::Parser;
use link::Link;
use nats_server::NatsServer;
use peer::Peer;
use plan::{KINDS, Kind, SHAPES, Shape};
use round::Cell;

/// Messages through a real nats-server, raw and in each encoding: how many a second, how late the
/// server's word comes, bytes on the wire and in the store, CPU time.
#[derive(Debug, Parser)]
#[command(name = "publish")]
struct Args {
    /// Rounds that count; one more comes before them.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Only these, and `raw`: `zstd`, `off`, divided by commas.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Only shapes with one of these in their name, such as `4,000 B`, divided by semicolons.
    #[arg(long, value_delimiter = ';')]
    shape: Vec<String>,
    /// Times as many messages.
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// Over a cable with this rate, such as `1Gbit`; needs root and network namespaces.
    #[arg(long)]
    link: Option<String>,
    /// What cargo adds for a benchmark; without it each kind runs once, to see that it does.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let args = Args::parse();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let limit = Duration::from_secs(if args.bench { 30 * 60 } else { 60 });
    runtime.block_on(async {
        tokio::time::timeout(limit, drive(&args)).await.expect("it should have ended by now");
    });
}

async fn drive(args: &Args) {
    let link = match &args.link {
        None => None,
        Some(rate) => match Link::lay().and_then(|link| link.limit(rate).map(|()| link)) {
            Ok(link) => Some(link),
            Err(why) => {
                return println!("No link: {why} (root and network namespaces are needed)");
            }
        },
    };
    let Some(server) = start(link.as_ref()).await else { return };
    let mut peers = Vec::new();
    for kind in args.kinds() {
        peers.push(Peer::connect(kind, &server).await);
    }
    if args.bench {
        describe(&server, args).await;
    }
    for shape in args.shapes() {
        let cells = rounds(&peers, &server, shape, if args.bench { args.rounds } else { 1 }).await;
        if args.bench {
            println!("{}", table::of(shape, &cells));
        }
    }
    if !args.bench {
        println!("{} kinds passed {} shapes", peers.len(), args.shapes().len());
    }
}

async fn start(link: Option<&Link>) -> Option<NatsServer> {
    match link {
        None => NatsServer::start().await,
        Some(link) => {
            let address = Link::FAR_ADDRESS.rsplit_once(':').unwrap().0;
            NatsServer::launch(link.at_far_end(NatsServer::PROGRAM.as_ref()), address, "").await
        }
    }
}

/// A round to get warm, then the rounds, the kinds in turn.
async fn rounds(peers: &[Peer], server: &NatsServer, shape: Shape, count: usize) -> Vec<Cell> {
    let messages = messages::of(shape.message_len);
    let mut cells: Vec<_> = peers.iter().map(|peer| Cell::new(peer.kind())).collect();
    for round in 0..=count {
        for at in 0..peers.len() {
            let at = (at + round) % peers.len(); // another begins each time
            round::run(&peers[at], server, shape, &messages, &mut cells[at]).await;
        }
        if round == 0 {
            cells.iter_mut().for_each(Cell::forget);
        }
    }
    cells
}

async fn describe(server: &NatsServer, args: &Args) {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    let processors = std::thread::available_parallelism().unwrap();
    let version = server.raw().await.server_info().version;
    println!(
        "{}, {processors} processors; nats-server {version}; {}. {} rounds.\n",
        cpu.unwrap_or("an unknown processor"),
        args.link.as_deref().map_or("loopback".to_owned(), |rate| format!("a link of {rate}")),
        args.rounds
    );
}

impl Args {
    fn kinds(&self) -> Vec<Kind> {
        let is_wanted = |kind: &Kind| {
            let name = kind.to_string();
            self.only.is_empty() || *kind == Kind::Raw || self.only.contains(&name)
        };
        KINDS.into_iter().filter(is_wanted).collect()
    }

    fn shapes(&self) -> Vec<Shape> {
        let is_wanted = |shape: &Shape| {
            let name = shape.to_string();
            self.shape.is_empty() || self.shape.iter().any(|it| name.contains(it.as_str()))
        };
        let scaled = |mut shape: Shape| {
            shape.count = (shape.count as f64 * self.scale) as usize;
            if !self.bench {
                shape.count = 2 * shape.in_flight;
            }
            shape
        };
        SHAPES.into_iter().filter(is_wanted).map(scaled).collect()
    }
}
