//! From what was typed to what is done: everything checked, defaults filled in. Pure.

use std::time::Duration;

use thinwire::{Encoding, Level, Policy};

use super::args::{BenchArgs, Coding, KindArgs, Options, Rate, TransportArgs, What};
use super::header;
pub use super::kind::{Kind, Purpose};
use crate::coding;
use crate::failure::Failure;

/// What is done.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Who sends and receives.
    pub kind: Kind,
    /// Actors that only send.
    pub producers: u32,
    /// Actors that only receive.
    pub consumers: u32,
    /// Actors that send and wait for what they sent.
    pub pairs: u32,
    /// The encodings, in the order of the report.
    pub levels: Vec<Level>,
    /// Payloads below this are sent raw.
    pub min_size: usize,
    /// Messages at once.
    pub per_batch: u32,
    /// What ends a run.
    pub limits: Limits,
    /// As fast as it goes without one.
    pub rate: Option<Rate>,
    /// Before the clock starts.
    pub warmup: Duration,
    /// Runs of each encoding.
    pub repeats: u32,
    /// A run in which nothing happens for so long is ended.
    pub idle: Duration,
    /// Seed of what is random.
    pub seed: u64,
    /// What carries the messages.
    pub transport: TransportArgs,
}

/// What ends a run; the first that is reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Messages of all senders.
    pub messages: Option<u64>,
    /// Payload bytes of all senders.
    pub payload_bytes: Option<u64>,
    /// Time for which is sent.
    pub time: Option<Duration>,
}

impl Plan {
    /// Checks what was typed.
    ///
    /// # Errors
    ///
    /// [`Failure::Usage`], which names the option.
    pub fn new(args: &BenchArgs) -> Result<Self, Failure> {
        let options = &args.options;
        let (kind, actors, transport) = kind(args.what.as_ref());
        let actors = Actors::new(kind, &actors)?;
        let per_batch = above_zero("--messages-per-batch", options.messages_per_batch, 100)?;
        let limits = limits(options, kind, actors.senders(), per_batch)?;
        let warmup = options.warmup.map_or(DEFAULT_WARMUP, |span| span.0);
        let plan = Self {
            kind,
            producers: actors.producers,
            consumers: actors.consumers,
            pairs: actors.pairs,
            levels: levels(options, &transport)?,
            min_size: options.min_size.map_or(Policy::DEFAULT_MIN_LEN, |size| size.0),
            per_batch,
            limits,
            rate: options.rate,
            // Whatever was typed, it comes to an end as the runs do.
            warmup: limits.time.map_or(warmup, |time| time.min(warmup)),
            repeats: above_zero("--repeat", options.repeat, 3)?,
            idle: options.idle_limit.0,
            seed: options.seed,
            transport,
        };
        if plan.rate.is_some() && kind.purpose() == Purpose::FillFirst {
            return Err(usage("--rate", "consumers receive as fast as they can; nobody sends"));
        }
        if plan.idle < MIN_IDLE {
            return Err(usage("--idle-limit", "at least 100ms"));
        }
        Ok(plan)
    }

    /// Destinations: each has a sender, and a receiver where there are any.
    #[must_use]
    pub fn destinations(&self) -> u32 {
        let count = match self.kind.purpose() {
            _ if self.kind.is_balanced() => 1,
            Purpose::SendOnly => self.producers,
            Purpose::FillFirst => self.consumers,
            Purpose::Relay => self.producers.min(self.consumers),
            Purpose::RoundTrip => self.pairs,
        };
        count.max(1)
    }

    /// Actors that send, or that fill before the clock starts: one for each destination.
    #[must_use]
    pub fn senders(&self) -> u32 {
        match self.kind.purpose() {
            Purpose::SendOnly | Purpose::Relay => self.producers,
            Purpose::FillFirst => self.destinations(),
            Purpose::RoundTrip => self.pairs,
        }
    }

    /// How long all runs take together, as far as the time or the rate says so.
    #[must_use]
    pub fn expected_time(&self, mean_len: f64) -> Option<Duration> {
        #[expect(clippy::cast_precision_loss, reason = "shown in one or two digits")]
        let at_rate = self.rate.and_then(|rate| {
            let messages = self.limits.messages.map(|messages| messages as f64);
            let bytes = self.limits.payload_bytes.map(|bytes| bytes as f64 / mean_len.max(1.0));
            let messages = messages.into_iter().chain(bytes).reduce(f64::min)?;
            let seconds = messages / rate.messages_per_second(mean_len);
            Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX))
        });
        let of_run = self.limits.time.into_iter().chain(at_rate).min()?;
        let runs =
            self.repeats.saturating_mul(u32::try_from(self.levels.len()).unwrap_or(u32::MAX));
        Some(of_run.saturating_add(self.warmup).saturating_mul(runs))
    }

    /// Refuses to keep more than fits in so much memory.
    ///
    /// # Errors
    ///
    /// [`Failure::Usage`] with what it would be.
    pub fn check_memory(&self, mean_len: f64, max_len: u64, memory: u64) -> Result<(), Failure> {
        let senders = u128::from(self.senders());
        let share = self.limits.messages.unwrap_or(u64::MAX).div_ceil(self.senders().into());
        let batch = u64::from(self.per_batch).min(share);
        let at_once = u128::from(max_len) * u128::from(batch) * senders;
        let most = u128::from(memory / COPIES);
        if at_once > most {
            let why = format!(
                "{batch} message(s) of up to {max_len} bytes, of {senders} sender(s), are {at_once} \
                 bytes at once; of {memory} bytes of memory that are free they may be {most}"
            );
            return Err(usage("--messages-per-batch, --message-size and --producers", why));
        }
        if self.kind.purpose() != Purpose::FillFirst {
            return Ok(());
        }
        #[expect(clippy::cast_precision_loss, reason = "compared with a limit, and shown")]
        let by_count = self.limits.messages.map_or(f64::MAX, |count| count as f64 * mean_len);
        #[expect(clippy::cast_precision_loss, reason = "compared with a limit, and shown")]
        let by_bytes = self.limits.payload_bytes.map_or(f64::MAX, |bytes| bytes as f64);
        let bytes = by_count.min(by_bytes);
        #[expect(clippy::cast_precision_loss, reason = "compared with a limit, and shown")]
        let most = (memory / 2) as f64;
        if bytes <= most {
            return Ok(());
        }
        Err(Failure::Usage(format!(
            "{} is filled before consumers begin, with at most {:.1} GB, half of the memory that is \
             free: {bytes:.2e} bytes are too many; see --batches, --message-count and --total-bytes",
            self.kind.name(),
            most / 1e9,
        )))
    }
}

fn kind(what: Option<&What>) -> (Kind, KindArgs, TransportArgs) {
    let none = KindArgs { producers: None, consumers: None, transport: None };
    let (kind, mut args) = match what {
        Some(What::PinnedProducer(args)) => (Kind::PinnedProducer, args.clone()),
        Some(What::PinnedConsumer(args)) => (Kind::PinnedConsumer, args.clone()),
        Some(What::PinnedProducerAndConsumer(args)) => {
            (Kind::PinnedProducerAndConsumer, args.clone())
        }
        Some(What::BalancedProducer(args)) => (Kind::BalancedProducer, args.clone()),
        Some(What::BalancedConsumerGroup(args)) => (Kind::BalancedConsumerGroup, args.clone()),
        Some(What::BalancedProducerAndConsumerGroup(args)) => {
            (Kind::BalancedProducerAndConsumerGroup, args.clone())
        }
        Some(What::EndToEndProducingAndConsuming(args)) => (Kind::EndToEnd, args.clone()),
        Some(What::Transport(transport)) => {
            (Kind::PinnedProducer, KindArgs { transport: Some(transport.clone()), ..none })
        }
        Some(What::Serve(_)) | None => (Kind::PinnedProducer, none),
    };
    let transport = args.transport.take().unwrap_or(TransportArgs::Grpc { server: None });
    (kind, args, transport)
}

struct Actors {
    producers: u32,
    consumers: u32,
    pairs: u32,
}

impl Actors {
    fn new(kind: Kind, args: &KindArgs) -> Result<Self, Failure> {
        let sends = kind.purpose() != Purpose::FillFirst;
        let receives = matches!(kind.purpose(), Purpose::FillFirst | Purpose::Relay);
        if args.producers.is_some() && !sends {
            return Err(usage("--producers", "this kind has consumers only: --consumers"));
        }
        if args.consumers.is_some() && !receives {
            return Err(usage("--consumers", "this kind has none: --producers"));
        }
        let producers = count("--producers", args.producers.unwrap_or(DEFAULT_ACTORS))?;
        let consumers = count("--consumers", args.consumers.unwrap_or(producers))?;
        Ok(match kind.purpose() {
            Purpose::SendOnly => Self { producers, consumers: 0, pairs: 0 },
            Purpose::FillFirst => Self { producers: 0, consumers, pairs: 0 },
            Purpose::Relay => Self { producers, consumers, pairs: 0 },
            Purpose::RoundTrip => Self { producers: 0, consumers: 0, pairs: producers },
        })
    }

    fn senders(&self) -> u32 {
        // Of consumers that are filled for, each counts as the one whose batches it receives.
        self.producers.max(self.pairs).max(if self.producers == 0 { self.consumers } else { 0 })
    }
}

fn limits(options: &Options, kind: Kind, senders: u32, per_batch: u32) -> Result<Limits, Failure> {
    let of_batches = options
        .batches
        .map(|batches| u128::from(batches) * u128::from(senders) * u128::from(per_batch));
    let messages = match of_batches {
        Some(messages) => Some(u64::try_from(messages).map_err(|_| {
            usage("--batches", format!("{messages} messages are more than can be counted"))
        })?),
        None => options.message_count,
    };
    let most = header::MAX_SEQUENCE.saturating_mul(senders.into());
    if messages.is_some_and(|messages| messages > most) {
        let why = format!("at most {most} messages, {} of each sender", header::MAX_SEQUENCE);
        return Err(usage("--batches and --message-count", why));
    }
    let mut limits = Limits {
        messages,
        payload_bytes: options.total_bytes.map(|size| size.0 as u64),
        time: options.duration.map(|span| span.0),
    };
    let is_finite = limits.messages.is_some() || limits.payload_bytes.is_some();
    if kind.purpose() == Purpose::FillFirst && !is_finite {
        limits.payload_bytes = Some(DEFAULT_FILL);
    } else if limits == Limits::default() {
        limits.time = Some(DEFAULT_TIME);
    }
    Ok(limits)
}

/// What was asked for, each once; or raw and every encoding that is built in.
fn levels(options: &Options, transport: &TransportArgs) -> Result<Vec<Level>, Failure> {
    let is_iggy = matches!(transport, TransportArgs::Iggy { .. });
    let asked = options.encoding.iter().chain(&options.compression);
    let mut levels = Vec::new();
    for &Coding(level) in asked {
        coding::require(level.encoding())?;
        if is_iggy && level.encoding() == Encoding::Deflate {
            return Err(usage("--encoding", "deflate has no name under iggy-compression"));
        }
        if !levels.contains(&level) {
            levels.push(level);
        }
    }
    if levels.is_empty() {
        // Iggy has one name for both formats of Snappy, and the block is what is written.
        let is_usual =
            |it: &Encoding| it.is_available() && !(is_iggy && *it == Encoding::SnappyFramed);
        levels = USUAL.into_iter().filter(is_usual).map(Level::from).collect();
    }
    Ok(levels)
}

fn above_zero(option: &str, given: Option<u32>, default: u32) -> Result<u32, Failure> {
    match given.unwrap_or(default) {
        0 => Err(usage(option, "at least 1")),
        count => Ok(count),
    }
}

fn count(option: &str, count: u32) -> Result<u32, Failure> {
    if (1..=MAX_ACTORS).contains(&count) {
        return Ok(count);
    }
    Err(usage(option, format!("1 to {MAX_ACTORS}")))
}

fn usage(option: &str, why: impl std::fmt::Display) -> Failure {
    Failure::Usage(format!("{option}: {why}"))
}

/// `deflate` is `gzip` with another frame.
const USUAL: [Encoding; 6] = [
    Encoding::Identity,
    Encoding::Lz4,
    Encoding::SnappyFramed,
    Encoding::SnappyBlock,
    Encoding::Zstd,
    Encoding::Gzip,
];

const DEFAULT_ACTORS: u32 = 4;

/// A task each, and a number of 16 bits in each header.
const MAX_ACTORS: u32 = 10_000;

/// All encodings three times end within a minute.
const DEFAULT_TIME: Duration = Duration::from_secs(2);

const DEFAULT_WARMUP: Duration = Duration::from_millis(300);

/// Received in about a second, and kept by every machine.
const DEFAULT_FILL: u64 = 256_000_000;

/// What senders have in hand is there as it is, compressed, on its way, and in the server.
const COPIES: u64 = 4;

/// Shorter ones would end runs that only a busy machine holds up.
const MIN_IDLE: Duration = Duration::from_millis(100);
