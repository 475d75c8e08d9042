//! What was typed after `thinwire bench`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand, ValueEnum};
use thinwire::{Encoding, Level};

use crate::args::Format;
use crate::detect::Split;
use crate::unit::{BitRate, Size, Span};

/// `thinwire bench`
#[derive(Debug, Args)]
pub struct BenchArgs {
    /// What holds for every kind and transport.
    #[command(flatten)]
    pub options: Options,
    /// A kind, with or without a transport after it; or a transport alone; or `serve`.
    #[command(subcommand)]
    pub what: Option<What>,
}

/// What holds for every kind and transport.
#[derive(Debug, Args)]
pub struct Options {
    /// Encodings to compare, such as raw,lz4,zstd:3; raw and all encodings but deflate without it
    #[arg(
        short,
        long,
        visible_alias = "compression",
        value_name = "ENCODING[:LEVEL]",
        value_delimiter = ',',
        global = true
    )]
    pub encoding: Vec<Coding>,
    /// The same as -e; before the kind, after which -c is --consumers
    #[arg(short = 'c', value_name = "ENCODING[:LEVEL]", value_delimiter = ',')]
    pub compression: Vec<Coding>,
    /// Messages below this size, header included, are sent raw; 256 B without it
    #[arg(long, visible_alias = "compression-min-size", value_name = "SIZE", global = true)]
    pub min_size: Option<Size>,
    /// Your own messages: files and folders, read as `advise` reads them, or - for standard input.
    /// Each is sent with a header of 32 bytes before it, by which it is verified. Of more than
    /// 64 MiB or 8,192 messages a random choice is sent
    #[arg(long, value_name = "PATH", conflicts_with = "payload", global = true)]
    pub messages: Vec<PathBuf>,
    /// How files become messages
    #[arg(long, value_enum, default_value = "auto", global = true)]
    pub split: Split,
    /// What the messages are, if they are not your own
    #[arg(long, value_enum, default_value = "json", global = true)]
    pub payload: Payload,
    /// Length of the messages, header included: 4000, or 500..8000 for any length between, or
    /// @PATH for lengths as those of the messages there; 4000 without it
    #[arg(short, long, value_name = "N|A..B|@PATH", conflicts_with = "messages", global = true)]
    pub message_size: Option<Lengths>,
    /// Ratio to which zstd:1 is to compress the messages, 1 to 100; as they are without it
    #[arg(long, value_name = "RATIO", value_parser = ratio, conflicts_with = "messages", global = true)]
    pub compressibility: Option<f64>,
    /// Messages that are sent at once; 100 without it
    #[arg(short = 'P', long, value_name = "COUNT", global = true)]
    pub messages_per_batch: Option<u32>,
    /// End a run after so many batches of each sender
    #[arg(short, long, value_name = "COUNT", global = true)]
    pub batches: Option<u64>,
    /// End a run after so many messages of all senders together
    #[arg(long, value_name = "COUNT", conflicts_with = "batches", global = true)]
    pub message_count: Option<u64>,
    /// End a run after so many payload bytes of all senders together
    #[arg(short = 'T', long, alias = "total-data", value_name = "SIZE", global = true)]
    pub total_bytes: Option<Size>,
    /// End a run after so long; 2s if nothing else ends it
    #[arg(short, long, value_name = "TIME", global = true)]
    pub duration: Option<Span>,
    /// Begin to send so much per second, all senders together: 20MB, or 5000msg for messages. What
    /// was due within --duration is sent also when it is late, for as long again at most. As fast as
    /// it goes without it: each sender begins when its last batch was acknowledged
    #[arg(short, long, value_name = "RATE", global = true)]
    pub rate: Option<Rate>,
    /// Run so long before, on the same connections, without counting, but no longer than a run and
    /// with at most a tenth of what ends it by number; 300ms without it
    #[arg(short, long, alias = "warmup-time", value_name = "TIME", global = true)]
    pub warmup: Option<Span>,
    /// Runs of each encoding, in turn with the others; 3 without it
    #[arg(long, value_name = "COUNT", global = true)]
    pub repeat: Option<u32>,
    /// End a run in which something is under way and nothing happens for so long, and wait as long
    /// for each answer. What has to be cut off then, asked and removed takes no longer than twice
    /// this and 10 s more
    #[arg(long, value_name = "TIME", default_value = "10s", global = true)]
    pub idle_limit: Span,
    /// Seed of the messages and of the order of the encodings
    #[arg(long, value_name = "NUMBER", default_value_t = 1, global = true)]
    pub seed: u64,
    /// Rate of the link between clients and server, such as 1Gbit, at least 10kbit; needs root and
    /// network namespaces
    #[arg(long, value_name = "RATE", global = true)]
    pub link: Option<BitRate>,
    /// Delay of the link in each direction, such as 1ms, at most 10s; needs the kernel's netem as
    /// well
    #[arg(long, value_name = "TIME", global = true)]
    pub delay: Option<Span>,
    /// Form of the report on standard output
    #[arg(long, value_enum, default_value = "table", global = true)]
    pub format: Format,
    /// Also write a page with pictures to this file
    #[arg(long, value_name = "FILE", global = true)]
    pub html: Option<PathBuf>,
}

/// What comes after the options.
#[derive(Debug, Subcommand)]
#[non_exhaustive]
pub enum What {
    /// Each producer sends to a destination of its own
    #[command(visible_alias = "pp")]
    PinnedProducer(KindArgs),
    /// Each consumer receives from a destination of its own, filled before
    #[command(visible_alias = "pc")]
    PinnedConsumer(KindArgs),
    /// Both at once
    #[command(visible_alias = "ppc")]
    PinnedProducerAndConsumer(KindArgs),
    /// All producers send to one destination
    #[command(visible_alias = "bp")]
    BalancedProducer(KindArgs),
    /// All consumers share one destination, filled before
    #[command(visible_alias = "bcg")]
    BalancedConsumerGroup(KindArgs),
    /// All producers send to one destination, which all consumers share
    #[command(visible_alias = "bpcg")]
    BalancedProducerAndConsumerGroup(KindArgs),
    /// Each actor sends a batch and waits until it has it back
    #[command(visible_alias = "e2e", visible_alias = "end-to-end-producing-consumer")]
    EndToEndProducingAndConsuming(KindArgs),
    /// A transport, for pinned producers
    #[command(flatten)]
    Transport(TransportArgs),
    /// Run a server for benchmarks from elsewhere
    Serve(ServeArgs),
}

/// How many actors, and over what.
#[derive(Debug, Clone, Args)]
pub struct KindArgs {
    /// Producers; of end-to-end, actors. 4 without it
    #[arg(short, long, visible_alias = "actors", short_alias = 'a', value_name = "COUNT")]
    pub producers: Option<u32>,
    /// Consumers; as many as producers without it
    #[arg(short, long, value_name = "COUNT", value_parser = consumers)]
    pub consumers: Option<u32>,
    /// The transport; grpc without it
    #[command(subcommand)]
    pub transport: Option<TransportArgs>,
}

/// The transports.
#[derive(Debug, Clone, Subcommand)]
#[non_exhaustive]
pub enum TransportArgs {
    /// No transport at all: what encoding and decoding alone allow
    Memory,
    /// gRPC over HTTP/2; the server runs in this process if none is named
    Grpc {
        /// Where `thinwire bench serve grpc` listens, such as `http://10.0.0.7:7461`
        #[arg(long, value_name = "URL")]
        server: Option<String>,
    },
    /// NATS JetStream; a server is started for the run if none is named and one is installed
    ///
    /// The streams are named thinwire-bench-* and deleted when the run ends; one that is killed
    /// leaves them on a server that was named.
    Nats {
        /// Where it listens, such as `nats://10.0.0.7:4222`
        #[arg(long, visible_alias = "server", value_name = "URL")]
        url: Option<String>,
        /// Where the streams of the run are kept
        #[arg(long, value_enum, default_value = "memory")]
        storage: Storage,
    },
    /// Iggy over TCP
    #[cfg_attr(not(feature = "iggy"), doc = "(not built in)")]
    ///
    /// The streams are named thinwire-bench-* and deleted when the run ends; one that is killed
    /// leaves them.
    #[command(visible_alias = "tcp")]
    Iggy {
        /// Where it listens; 127.0.0.1:8090 without it
        #[arg(long, visible_alias = "url", value_name = "ADDRESS")]
        server: Option<String>,
        /// User
        #[arg(long, default_value = "iggy")]
        user: String,
        /// Password
        #[arg(long, default_value = "iggy")]
        password: String,
    },
}

/// `thinwire bench serve`
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Which
    #[command(subcommand)]
    pub what: ServeWhat,
}

/// The servers.
#[derive(Debug, Subcommand)]
#[non_exhaustive]
pub enum ServeWhat {
    /// The server that `bench ... grpc --server` talks to; it ends with Ctrl-C
    Grpc {
        /// Where to listen
        #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7461")]
        listen: std::net::SocketAddr,
    },
}

/// Where JetStream keeps a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum Storage {
    /// In the server's memory
    Memory,
    /// On the server's disk
    File,
}

/// What built-in messages are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum Payload {
    /// JSON lines of events; zstd:1 reaches 3.2
    Json,
    /// Prometheus remote-write requests (protobuf); zstd:1 reaches 3.5
    RemoteWrite,
    /// Lines of a server's log; zstd:1 reaches 3.1
    Log,
    /// Random bytes, which nothing compresses
    Random,
}

/// An encoding at a level, or none: `raw`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coding(pub Level);

impl FromStr for Coding {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if ["raw", "none", "off"].iter().any(|raw| raw.eq_ignore_ascii_case(text)) {
            return Ok(Self(Level::from(Encoding::Identity)));
        }
        text.parse().map(Self).map_err(|error: thinwire::LevelError| format!("{error}; or raw"))
    }
}

/// Lengths of messages.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lengths {
    /// Any between the two, both included; all the same if they are.
    Between(usize, usize),
    /// As those of the messages there.
    Like(PathBuf),
}

impl FromStr for Lengths {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix('@') {
            return Ok(Self::Like(path.into()));
        }
        let size = |text: &str| text.parse::<Size>().map_err(|error| error.to_string());
        let (min, max) = match text.split_once("..") {
            Some((min, max)) => (size(min)?.0, size(max.trim_start_matches('='))?.0),
            None => (size(text)?.0, size(text)?.0),
        };
        if min > max {
            return Err("the first length is above the second".to_owned());
        }
        Ok(Self::Between(min, max))
    }
}

/// How much to begin to send per second.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Rate {
    /// Payload bytes.
    Bytes(f64),
    /// Messages.
    Messages(f64),
}

impl Rate {
    /// Messages per second, where a message has this mean length.
    #[must_use]
    pub fn messages_per_second(self, mean_len: f64) -> f64 {
        match self {
            Self::Bytes(bytes) => bytes / mean_len.max(1.0),
            Self::Messages(messages) => messages,
        }
    }
}

impl FromStr for Rate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.strip_suffix("/s").unwrap_or(text);
        let rate = match text.strip_suffix("msg").or_else(|| text.strip_suffix("messages")) {
            Some(count) => count.trim().parse().map(Self::Messages).map_err(|_| example())?,
            None => {
                let size: Size = text.parse().map_err(|_| example())?;
                #[expect(clippy::cast_precision_loss, reason = "a rate")]
                Self::Bytes(size.0 as f64)
            }
        };
        match rate {
            Self::Bytes(value) | Self::Messages(value) if value > 0.0 && value < 1e15 => Ok(rate),
            Self::Bytes(_) | Self::Messages(_) => Err(example()),
        }
    }
}

fn example() -> String {
    "not a rate; write for example 20MB, or 5000msg".to_owned()
}

fn consumers(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| "not a number; behind the kind, encodings go with -e".to_owned())
}

fn ratio(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(ratio) if (1.0..=100.0).contains(&ratio) => Ok(ratio),
        _ => Err("not a ratio from 1 to 100; write for example 3.5".to_owned()),
    }
}
