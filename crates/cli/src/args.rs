//! What was typed, as the types that the other parts work with.

use std::path::PathBuf;

use clap::builder::styling::{AnsiColor, Styles};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use thinwire::{Encoding, Level};

use crate::bench::args::BenchArgs;
use crate::detect::Split;
use crate::unit::{BitRate, Size, Span};

/// Compress messages, decompress them, and learn from your own which encoding to use.
#[derive(Debug, Parser)]
#[command(name = "thinwire", version, styles = STYLES, after_help = EXAMPLES)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The verbs.
#[derive(Debug, Subcommand)]
#[non_exhaustive]
pub enum Command {
    /// Compress one message
    #[command(after_help = ENCODE_EXAMPLES)]
    Encode(EncodeArgs),
    /// Decompress one message, within a limit
    #[command(after_help = DECODE_EXAMPLES)]
    Decode(DecodeArgs),
    /// Measure every encoding on your messages and say which one to use
    #[command(after_help = ADVISE_EXAMPLES)]
    Advise(AdviseArgs),
    /// Measure producers and consumers over a transport, with and without compression
    #[command(after_help = BENCH_EXAMPLES)]
    Bench(Box<BenchArgs>),
    /// Show a report of `bench` again, or compare two
    #[command(after_help = REPORT_EXAMPLES)]
    Report(ReportArgs),
    /// Print the completions for a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print a manual page
    #[command(after_help = MAN_EXAMPLES)]
    Man {
        /// The command to describe, such as bench or bench pinned-producer; thinwire itself without
        /// one
        command: Vec<String>,
    },
}

/// `thinwire encode`
#[derive(Debug, Args)]
pub struct EncodeArgs {
    /// Encoding, with its level if not the default one: zstd, zstd:3, gzip:6, snappy, ...
    #[arg(short, long, value_name = "ENCODING[:LEVEL]")]
    pub encoding: Level,
    /// Longest message that is accepted, in B, kB, MB, GB, KiB, MiB or GiB
    #[arg(long, value_name = "SIZE", default_value = MAX_SIZE)]
    pub max_size: Size,
    /// The message; standard input without one, or with -
    pub file: Option<PathBuf>,
    /// Where the encoded bytes go, not the file that they come from; standard output without it, or
    /// with -. They are there in full or not at all
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
}

/// `thinwire decode`
#[derive(Debug, Args)]
pub struct DecodeArgs {
    /// Encoding of the bytes: gzip, deflate, zstd, lz4, snappy, snappy-block, identity
    #[arg(short, long, value_name = "ENCODING", value_parser = encoding)]
    pub encoding: Encoding,
    /// Longest payload that is accepted, in B, kB, MB, GB, KiB, MiB or GiB; of the encoded bytes a quarter more and 1 MiB are read
    #[arg(long, value_name = "SIZE", default_value = MAX_SIZE)]
    pub max_size: Size,
    /// The encoded bytes; standard input without a file, or with -
    pub file: Option<PathBuf>,
    /// Where the payload goes, not the file that it comes from; standard output without it, or with
    /// -. It is there in full or not at all
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
}

/// `thinwire advise`
#[derive(Debug, Args)]
pub struct AdviseArgs {
    /// Files and folders with messages, or - for standard input. In folders README*, LICENSE* and
    /// hidden files are skipped
    #[arg(required = true, value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// How files become messages
    #[arg(long, value_enum, default_value = "auto")]
    pub split: Split,
    /// What to measure, such as zstd:1,zstd:3,snappy; all encodings at several levels without it
    #[arg(short, long, value_name = "ENCODING[:LEVEL]", value_delimiter = ',')]
    pub encoding: Vec<Level>,
    /// Speed of the link per second, in bit, kbit, Mbit, Gbit or Tbit; 1Gbit without it
    #[arg(long, value_name = "RATE")]
    pub link: Option<BitRate>,
    /// Price of one core for an hour, in any currency; goes together with --network-price
    #[arg(long, value_name = "PRICE", requires = "network_price", value_parser = price)]
    pub cpu_price: Option<f64>,
    /// Price of one GB (10^9 bytes) on the network, in the same currency; goes together with
    /// --cpu-price
    #[arg(long, value_name = "PRICE", requires = "cpu_price", value_parser = price)]
    pub network_price: Option<f64>,
    /// What the header or label of a compressed message costs, in B or kB
    #[arg(long, value_name = "SIZE", default_value = "0")]
    pub label_len: Size,
    /// Time to measure, in ms, s, min or h
    #[arg(long, value_name = "TIME", default_value = "10s")]
    pub time: Span,
    /// Most bytes of messages to measure, in B, kB, MB, GB, KiB, MiB or GiB: a random choice of them;
    /// longer messages are left out
    #[arg(long, value_name = "SIZE", default_value = "16MiB")]
    pub sample_size: Size,
    /// Form of the report on standard output
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
    /// Also write a page with pictures to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// `thinwire report`
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// What `thinwire bench --format json` printed, or - for standard input
    #[arg(value_name = "A.json")]
    pub first: PathBuf,
    /// Another one, to compare with the first; one of them may be -
    #[arg(value_name = "B.json")]
    pub second: Option<PathBuf>,
    /// Form of what is printed on standard output
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
    /// Write a page with pictures of one report to this file, instead of printing it
    #[arg(long, value_name = "FILE", conflicts_with = "second")]
    pub html: Option<PathBuf>,
}

/// The forms of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum Format {
    /// For people
    Table,
    /// For programs; the schema is in docs/REPORT.md
    Json,
    /// For issues and documents
    Markdown,
}

/// What a decoder needs to know.
fn encoding(text: &str) -> Result<Encoding, String> {
    match text.split_once(':') {
        Some((name, _)) if name.parse::<Encoding>().is_ok() => {
            Err(format!("decoding takes an encoding without a level: {name}"))
        }
        _ => text.parse::<Encoding>().map_err(|error| error.to_string()),
    }
}

fn price(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(price) if price.is_sign_positive() && price <= MAX_PRICE => Ok(price),
        _ => Err("not a price; write for example 0.04".to_owned()),
    }
}

/// Far above what anything costs; what is computed from it stays finite.
const MAX_PRICE: f64 = 1e15;

const MAX_SIZE: &str = "64MiB";

const STYLES: Styles = Styles::styled()
    .header(AnsiColor::Green.on_default().bold())
    .usage(AnsiColor::Green.on_default().bold())
    .literal(AnsiColor::Cyan.on_default().bold())
    .placeholder(AnsiColor::Cyan.on_default());

const EXAMPLES: &str = "\
Examples:
  thinwire advise samples/                    which encoding for these messages?
  thinwire bench                              what does it do to throughput and latency?
  thinwire report before.json after.json      what did a change do to it?
  thinwire encode -e zstd:3 a.json -o a.zst   compress one message
  thinwire decode -e zstd a.zst               and back, at most 64 MiB

Exit codes: 0 done, 1 the input is bad, 2 the command is.

A standard input or output that is closed counts as /dev/null.";

const ENCODE_EXAMPLES: &str = "\
Examples:
  thinwire encode -e gzip:6 message.json -o message.json.gz
  thinwire encode -e snappy-block < write-request.pb > write-request.snappy

It always compresses, also where that makes the message longer.";

const DECODE_EXAMPLES: &str = "\
Examples:
  thinwire decode -e snappy-block --max-size 4MiB write-request.snappy -o write-request.pb
  thinwire encode -e zstd < message | thinwire decode -e zstd | cmp - message

Nothing is written unless all of it is right.";

const ADVISE_EXAMPLES: &str = "\
Examples:
  thinwire advise samples/                             each file a message, JSON lines split
  thinwire advise --split lines app.txt --link 100Mbit
  thinwire advise dump.bin --split length-delimited --label-len 29
  thinwire advise samples/ --cpu-price 0.04 --network-price 0.09
  thinwire advise samples/ -e zstd:1,zstd:3,lz4 --time 30s --html report.html
  kcat -C -t events -c 10000 | thinwire advise --split lines -
  thinwire advise samples/ --format json > report.json";

const BENCH_EXAMPLES: &str = "\
Examples:
  thinwire bench                                            all encodings over gRPC, on loopback
  thinwire bench -e raw,lz4,zstd:1 end-to-end-producing-and-consuming nats
  thinwire bench -e raw,lz4 --rate 20MB --messages samples/ ppc memory
  thinwire bench -e lz4 --min-size 200 -m 4000 -P 500 -b 1000 pinned-producer -p 10 nats
  thinwire bench serve grpc --listen 0.0.0.0:7461           and elsewhere:
  thinwire bench pinned-consumer grpc --server http://10.0.0.7:7461

Each message bears a header of 32 bytes, by which its receiver checks that it is what was sent.

Exit codes: 0 as planned, 1 a run ended early or messages were lost or damaged, 2 the command is
bad, 130 interrupted.";

const REPORT_EXAMPLES: &str = "\
Examples:
  thinwire bench --format json > before.json                and after a change:
  thinwire bench --format json > after.json
  thinwire report before.json after.json                    what differs by more than the noise?
  thinwire report after.json --html after.html              its page
  thinwire bench --format json | thinwire report before.json -

A difference counts where it exceeds the noise, which takes three repeats or more on both sides.
What A and B differ in besides, such as settings or versions, is listed. Of a file at most 1 GiB is
read, and what contradicts itself is not shown.

Exit codes: 0 compared, 1 a file is no report, or the two have no encoding in common.";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  thinwire completions bash > /etc/bash_completion.d/thinwire
  thinwire completions zsh > ~/.zfunc/_thinwire
  thinwire completions fish > ~/.config/fish/completions/thinwire.fish";

const MAN_EXAMPLES: &str = "\
Examples:
  thinwire man > thinwire.1
  thinwire man advise | man -l -
  thinwire man bench nats | man -l -";
