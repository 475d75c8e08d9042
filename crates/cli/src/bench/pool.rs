//! The messages of a benchmark: made, or read, before the clock starts.

use std::hash::Hasher;
use std::path::PathBuf;

use bytes::Bytes;
use fastrand::Rng;
use twox_hash::XxHash64;

use super::args::{Lengths, Options, Payload};
use super::header::{self, Header};
use super::report::Messages;
use super::{generate, mix};
use crate::corpus::{self, CorpusError, Loaded, Source};
use crate::detect::Split;
use crate::failure::Failure;
use crate::stats;
use crate::warning::Warning;

/// Contents that differ from each other, to be sent in turn.
#[derive(Debug)]
pub struct Pool {
    /// All contents, one behind the other.
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    begin: usize,
    len: usize,
    hash: u64,
}

/// A pool, and what there is to say about it.
#[derive(Debug)]
pub struct Filled {
    /// The contents.
    pub pool: Pool,
    /// Their description.
    pub messages: Messages,
    /// Doubts about what was read.
    pub doubts: Vec<String>,
}

impl Pool {
    /// Makes or reads what was asked for.
    ///
    /// # Errors
    ///
    /// * [`Failure::Usage`] for lengths that can't be.
    /// * [`Failure::Input`] when there is nothing to read.
    pub fn fill(options: &Options) -> Result<Filled, Failure> {
        let mut doubts = Vec::new();
        if !options.messages.is_empty() {
            let loaded = load(options.messages.clone(), options.split)?;
            doubts.extend(loaded.warnings.iter().map(doubt));
            let contents = loaded.payloads.all();
            let mut pool = Self { bytes: Vec::new(), entries: Vec::new() };
            for content in contents {
                pool.bytes.extend(content);
                pool.close();
            }
            let paths = loaded.corpus.paths;
            return Ok(Filled { messages: pool.describe("files", paths, None), pool, doubts });
        }
        let lengths = options.message_size.clone().unwrap_or(Lengths::Between(4000, 4000));
        let lens = match lengths {
            Lengths::Between(min, _) if min < header::LEN => {
                let least = header::LEN;
                let why = format!(
                    "--message-size: a message has at least {least} bytes, by which \
                    it is verified"
                );
                return Err(Failure::Usage(why));
            }
            Lengths::Between(_, max) if max > MAX_MESSAGE => {
                return Err(Failure::Usage(format!("--message-size: at most {MAX_MESSAGE} bytes")));
            }
            Lengths::Between(min, max) => Lens::Between(min, max),
            Lengths::Like(path) => {
                let loaded = load(vec![path], options.split)?;
                doubts.extend(loaded.warnings.iter().map(doubt));
                Lens::Of(loaded.corpus.sample.message_bytes)
            }
        };
        let mut rng = Rng::with_seed(options.seed);
        let mut pool = Self { bytes: Vec::new(), entries: Vec::new() };
        let kind = options.payload;
        let mixed = options.compressibility.map(|ratio| mix::towards(ratio, kind, &lens, &mut rng));
        while !pool.is_full() {
            let len = lens.next(&mut rng).max(header::LEN) - header::LEN;
            let begin = pool.bytes.len();
            generate::content(kind, len, &mut rng, &mut pool.bytes);
            if let Some(mixed) = mixed {
                mixed.apply(pool.bytes.get_mut(begin..).unwrap_or_default(), &mut rng);
            }
            pool.close();
        }
        let source = source(options.payload);
        let messages = pool.describe(source, Vec::new(), options.compressibility);
        Ok(Filled { pool, messages, doubts })
    }

    /// Returns the length of a message, header included; messages are counted on and on.
    #[must_use]
    pub fn len_of(&self, number: u64) -> usize {
        self.entry(number).map_or(header::LEN, |entry| entry.len + header::LEN)
    }

    /// Makes the message with this header.
    #[must_use]
    pub fn message(&self, number: u64, header: Header) -> Vec<u8> {
        let entry = self.entry(number);
        let content = entry.and_then(|it| self.bytes.get(it.begin..it.begin + it.len));
        let content = content.unwrap_or_default();
        let hash = entry.map_or_else(|| header::content_hash(content), |it| it.hash);
        let mut message = Vec::with_capacity(header::LEN + content.len());
        message.extend(header.to_bytes(hash));
        message.extend(content);
        message
    }

    /// Gives a message another header.
    pub fn address(&self, number: u64, header: Header, message: &mut [u8]) {
        let hash = self.entry(number).map_or_else(|| header::content_hash(&[]), |it| it.hash);
        if let Some(to) = message.first_chunk_mut::<{ header::LEN }>() {
            *to = header.to_bytes(hash);
        }
    }

    fn entry(&self, number: u64) -> Option<Entry> {
        let count = self.entries.len().max(1) as u64;
        let at = usize::try_from(number % count).unwrap_or_default();
        self.entries.get(at).copied()
    }

    /// Makes an entry of what was appended since the last one.
    fn close(&mut self) {
        let begin = self.entries.last().map_or(0, |last| last.begin + last.len);
        let content = self.bytes.get(begin..).unwrap_or_default();
        let (len, hash) = (content.len(), header::content_hash(content));
        self.entries.push(Entry { begin, len, hash });
    }

    fn is_full(&self) -> bool {
        let count = self.entries.len();
        let mean = self.bytes.len() / count.max(1);
        let is_enough = count >= MAX_COUNT || self.bytes.len() + mean > MAX_BYTES;
        count >= MIN_COUNT && is_enough
    }

    fn describe(&self, source: &str, paths: Vec<String>, asked_ratio: Option<f64>) -> Messages {
        let lens: Vec<u64> =
            self.entries.iter().map(|entry| (entry.len + header::LEN) as u64).collect();
        let mut hashes: Vec<u64> = self.entries.iter().map(|entry| entry.hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        #[expect(clippy::cast_precision_loss, reason = "a mean")]
        let mean_bytes = lens.iter().sum::<u64>() as f64 / lens.len().max(1) as f64;
        Messages {
            source: source.to_owned(),
            paths,
            distinct: hashes.len() as u64,
            header_bytes: header::LEN as u64,
            min_bytes: lens.iter().copied().min().unwrap_or_default(),
            median_bytes: stats::percentile(lens.clone(), 50).unwrap_or_default(),
            max_bytes: lens.iter().copied().max().unwrap_or_default(),
            mean_bytes,
            asked_ratio,
            content_hash: Some(format!("{:016x}", self.hash())),
        }
    }

    /// Of the lengths and hashes of all contents, in order.
    fn hash(&self) -> u64 {
        let mut hash = XxHash64::default();
        for entry in &self.entries {
            hash.write(&(entry.len as u64).to_le_bytes());
            hash.write(&entry.hash.to_le_bytes());
        }
        hash.finish()
    }
}

/// Lengths, header included.
#[derive(Debug)]
pub(super) enum Lens {
    /// Any between the two, both included.
    Between(usize, usize),
    /// One of these.
    Of(Vec<u64>),
}

impl Lens {
    pub(super) fn next(&self, rng: &mut Rng) -> usize {
        match self {
            Self::Between(min, max) => rng.usize(*min..=*max),
            Self::Of(lens) => {
                let len = lens.get(rng.usize(..lens.len().max(1))).copied().unwrap_or_default();
                usize::try_from(len).unwrap_or(MAX_MESSAGE).min(MAX_MESSAGE)
            }
        }
    }
}

/// Batches of one sender, numbered on and on.
#[derive(Debug)]
pub struct Batches<'a> {
    pool: &'a Pool,
    run_id: u64,
    producer: u16,
    /// Senders begin at different places of the pool.
    offset: u64,
    next: u64,
    messages: Vec<Vec<u8>>,
    len: u64,
}

impl<'a> Batches<'a> {
    /// Begins with number 0.
    #[must_use]
    pub fn new(pool: &'a Pool, run_id: u64, producer: u16) -> Self {
        let offset = u64::from(producer) * PRIME;
        Self { pool, run_id, producer, offset, next: 0, messages: Vec::new(), len: 0 }
    }

    /// Makes a batch of at most so many messages that ends with the one that reaches `bytes`.
    /// Returns how many there are, and their payload bytes.
    pub fn make(&mut self, most: u64, bytes: u64) -> (u64, u64) {
        self.messages.clear();
        self.len = 0;
        let mut count = 0;
        while count < most && self.len < bytes {
            let header = self.header(self.next + count, 0);
            let message = self.pool.message(self.offset + self.next + count, header);
            self.len += message.len() as u64;
            self.messages.push(message);
            count += 1;
        }
        (count, self.len)
    }

    /// Gives the batch that was made, with the time at which it was to be sent.
    pub fn take(&mut self, sent_ns: u64) -> Vec<Bytes> {
        let first = self.next;
        self.next += self.messages.len() as u64;
        let messages = std::mem::take(&mut self.messages);
        (first..)
            .zip(messages)
            .map(|(number, mut message)| {
                let header = self.header(number, sent_ns);
                self.pool.address(self.offset + number, header, &mut message);
                Bytes::from(message)
            })
            .collect()
    }

    fn header(&self, sequence: u64, sent_ns: u64) -> Header {
        let Self { run_id, producer, .. } = *self;
        Header { run_id, sent_ns, producer, sequence }
    }
}

fn load(paths: Vec<PathBuf>, split: Split) -> Result<Loaded, Failure> {
    let max_bytes = MAX_MESSAGE - header::LEN;
    let source = Source { paths, split, max_bytes, max_messages: MAX_COUNT };
    corpus::load(&source, &mut |_| ()).map_err(|error| {
        let CorpusError::TooLong { count, limit } = error else {
            return Failure::Input(error.to_string());
        };
        Failure::Input(format!(
            "all {count} message(s) are longer than {limit} bytes, the most that is sent; --split \
             says how files become messages"
        ))
    })
}

fn doubt(warning: &Warning) -> String {
    let Warning::TooLong { count, limit_bytes } = warning else { return warning.to_string() };
    format!("{count} message(s) longer than {limit_bytes} bytes, the most that is sent, left out")
}

/// The name of a generator in the report.
const fn source(payload: Payload) -> &'static str {
    match payload {
        Payload::Json => "json",
        Payload::RemoteWrite => "remote-write",
        Payload::Log => "log",
        Payload::Random => "random",
    }
}

/// More than the caches of most processors hold.
const MAX_BYTES: usize = 64 << 20;

/// Enough that no codec or branch predictor learns them by heart.
const MAX_COUNT: usize = 8192;

/// Also of very long messages each differs from the one before.
const MIN_COUNT: usize = 4;

/// As large as the layers and adapters take by default.
const MAX_MESSAGE: usize = 64 << 20;

/// Senders next to each other are far from each other in the pool.
const PRIME: u64 = 1009;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_a_pool_is_that_of_its_contents_in_their_order() {
        let hash = |contents: &[&str]| {
            let mut pool = Pool { bytes: Vec::new(), entries: Vec::new() };
            for content in contents {
                pool.bytes.extend(content.as_bytes());
                pool.close();
            }
            pool.describe("files", Vec::new(), None).content_hash.unwrap()
        };
        let first = hash(&["one", "two"]);
        assert_eq!(first.len(), 16);
        assert_eq!(hash(&["one", "two"]), first);
        for other in [["two", "one"].as_slice(), &["one", "twp"], &["onet", "wo"], &["one"], &[]] {
            assert_ne!(hash(other), first, "{other:?}");
        }
    }
}
