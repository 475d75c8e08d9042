//! What a payload costs from client to server, in processes of their own, beside tonic alone and
//! grpc-go: all in one run, round by round in turn.
//!
//!     cargo bench -p thinwire-grpc --bench calls -- --help
//!
//! The messages are whole remote-write requests; the server answers with an empty one. tonic's own
//! compression is on at both ends, in both directions, as is everybody's. Windows and frame sizes
//! of HTTP/2 are each stack's defaults; each process has as many threads as there are processors.
//! CPU time is the whole process's and the kernel's for it; bytes on the wire are the interface's.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a benchmark may stop where it fails"
)]

mod alloc;
mod client;
mod link;
mod measure;
mod messages;
mod plan;
mod program;
mod role;
mod server;
mod shaped;
#[path = "../../tests/support/mod.rs"]
#[expect(dead_code, reason = "it serves the tests as well")]
mod support;
mod table;
mod target;

use std::env;
use std::path::PathBuf;

use clap::Parser;
use measure::{Rounds, count_allocations};
use plan::{KINDS, Kind, SHAPES, Shape, Stack};
use program::{Pair, build_go};

/// What a payload costs from client to server: Thinwire's layers, tonic alone, grpc-go.
///
/// `THINWIRE_GOPATH` says where the packages for grpc-go are (by default `/usr/share/gocode`), and
/// `PATH` which `go`.
#[derive(Debug, Parser)]
#[command(name = "calls")]
struct Args {
    /// Rounds that count; one more comes before them.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Only these: `tonic`, `snappy-block`, `grpc-go gzip`, divided by commas.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Only shapes with one of these in their name, such as `10 KB stream`, divided by commas.
    #[arg(long, value_delimiter = ',')]
    shape: Vec<String>,
    /// Times as many messages.
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// Remote-write requests, `.bin` as they are or `.snappy` as a raw block.
    #[arg(long, default_value_os_t = messages::samples())]
    bodies: PathBuf,
    /// Over a cable with this rate, such as `1Gbit`; needs root and network namespaces.
    #[arg(long)]
    link: Option<String>,
    /// One JSON object for each kind and shape instead of tables.
    #[arg(long)]
    json: bool,
    /// What cargo adds for a benchmark; without it each kind runs once, to see that it does.
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() {
    let words: Vec<_> = env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["serve", stack, encoding, address] => server::serve(kind(stack, encoding), address),
        ["call", stack, encoding, address] => client::call(kind(stack, encoding), address),
        _ => drive(&Args::parse()),
    }
}

fn kind(stack: &str, encoding: &str) -> Kind {
    Kind::find(stack, encoding).expect("a kind")
}

fn drive(args: &Args) {
    let kinds = args.kinds();
    let mut go = None;
    if kinds.iter().any(|it| it.stack == Stack::Go) {
        match build_go() {
            Ok(program) => go = Some(program),
            Err(why) => println!("Without grpc-go: {why}\n"),
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let rounds = Rounds {
        count: if args.bench { args.rounds } else { 1 },
        bodies: &args.bodies,
        file: &folder.path().join("messages"),
        interface: link::LOOPBACK,
    };
    if let Some(rate) = &args.link {
        let done = link::Link::lay().and_then(|link| {
            let rounds = Rounds { interface: link.interface(), ..rounds };
            let mut pairs = start(&kinds, go.as_deref(), Some(&link));
            describe(&pairs, &rounds);
            shaped::run(&rounds, &link, rate, &mut pairs, &args.shapes())
        });
        if let Err(why) = done {
            println!("No link: {why} (root and network namespaces are needed)");
        }
        return;
    }
    let mut pairs = start(&kinds, go.as_deref(), None);
    if args.bench && !args.json {
        describe(&pairs, &rounds);
    }
    let mut cells = Vec::new();
    for shape in args.shapes() {
        cells.extend(rounds.measure(&mut pairs, shape, |_| shape.count));
    }
    if !args.bench {
        return println!("{} kinds passed {} shapes", pairs.len(), args.shapes().len());
    }
    // Not before all rounds are over: once asked, a program counts on.
    for cells in cells.chunks_mut(pairs.len().max(1)) {
        count_allocations(&mut pairs, cells);
    }
    if args.json {
        cells.iter().for_each(|cell| println!("{}", table::json(cell)));
        return;
    }
    println!("{}\n{}", table::matrices(&cells), table::targets(&target::targets(&cells)));
}

fn start(kinds: &[Kind], go: Option<&std::path::Path>, link: Option<&link::Link>) -> Vec<Pair> {
    kinds.iter().filter_map(|kind| Pair::start(*kind, go, link)).collect()
}

fn describe(pairs: &[Pair], rounds: &Rounds<'_>) {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    let processors = std::thread::available_parallelism().unwrap();
    let mut versions: Vec<_> = pairs.iter().map(|pair| pair.version.as_str()).collect();
    versions.sort_unstable();
    versions.dedup();
    println!(
        "{}, {processors} processors; {}. Medians of {} rounds.\n",
        cpu.unwrap_or("an unknown processor"),
        versions.join("; "),
        rounds.count
    );
}

impl Args {
    fn kinds(&self) -> Vec<Kind> {
        let is_wanted =
            |kind: &Kind| self.only.is_empty() || self.only.iter().any(|it| kind.is_meant(it));
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
