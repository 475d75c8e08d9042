//! Payloads that look like what messages carry, made from a seed.

use std::io::Write as _;

use crate::random::Random;

/// What a payload is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// One value throughout: the shortest encoding there is.
    Zeros,
    /// Nothing to find: every encoding makes it longer.
    Random,
    /// A sentence over and over, with its seed in it.
    Repeated,
    /// `123456789` over and over, a workload that other libraries publish numbers for.
    NineDigits,
    /// JSON lines of events.
    JsonEvents,
    /// Fields with tags, varints and strings, as Protocol Buffers write them.
    ProtobufLike,
    /// Lines of a server's log.
    LogLines,
    /// Text in several scripts.
    Utf8Mixed,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Zeros,
        Self::Random,
        Self::Repeated,
        Self::NineDigits,
        Self::JsonEvents,
        Self::ProtobufLike,
        Self::LogLines,
        Self::Utf8Mixed,
    ];
}

/// A payload and what to call it when a test fails.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Payload {
    /// Kind and length, as `Random/65537`.
    pub name: String,
    /// The payload.
    pub bytes: Vec<u8>,
}

/// Makes a payload of exactly `len` bytes; text may end in the middle of a character.
#[must_use]
pub fn make(kind: Kind, len: usize, seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let mut bytes = Vec::with_capacity(len.saturating_add(512));
    while bytes.len() < len {
        match kind {
            Kind::Zeros => bytes.resize(len, 0),
            Kind::Random => bytes.extend(random.next().to_le_bytes()),
            Kind::Repeated => write(
                &mut bytes,
                format_args!("Message {seed} says what it says and says it again. "),
            ),
            Kind::NineDigits => bytes.extend(b"123456789"),
            Kind::JsonEvents => json_event(&mut random, &mut bytes),
            Kind::ProtobufLike => protobuf_like(&mut random, &mut bytes),
            Kind::LogLines => log_line(&mut random, &mut bytes),
            Kind::Utf8Mixed => bytes.extend(random.pick(&SCRIPTS).as_bytes()),
        }
    }
    bytes.truncate(len);
    bytes
}

/// Makes `count` payloads of one kind and length, each with its own seed.
///
/// For benchmarks and allocation tests: one message again and again would let caches and branch
/// predictors learn it.
#[must_use]
pub fn distinct(kind: Kind, len: usize, count: usize) -> Vec<Vec<u8>> {
    (0..count as u64).map(|seed| make(kind, len, seed)).collect()
}

/// Every kind at lengths from nothing to 4 KiB, with the lengths where formats change their mind.
#[must_use]
pub fn all_small() -> Vec<Payload> {
    // 60 and 61: Snappy's literal with and without a length byte. 255 and 256: zstd's content
    // size field. 1024: the default `min_len`.
    const LENS: [usize; 18] =
        [0, 1, 2, 3, 4, 7, 12, 13, 15, 60, 61, 255, 256, 257, 1023, 1024, 1025, 4096];
    at_lens(&Kind::ALL, &LENS)
}

/// Lengths around the block sizes of the formats: 64 KiB for Snappy and LZ4, 128 KiB for zstd.
#[must_use]
pub fn block_edges() -> Vec<Payload> {
    const LENS: [usize; 8] = [65_535, 65_536, 65_537, 65_792, 131_071, 131_072, 131_073, 300_000];
    at_lens(&[Kind::Zeros, Kind::Random, Kind::JsonEvents], &LENS)
}

/// The nine digits 1024 times: 9216 bytes.
#[must_use]
pub fn nine_digits() -> Vec<u8> {
    make(Kind::NineDigits, 9 * 1024, 0)
}

fn at_lens(kinds: &[Kind], lens: &[usize]) -> Vec<Payload> {
    let named = |&kind, &len| Payload {
        name: format!("{kind:?}/{len}"),
        bytes: make(kind, len, len as u64),
    };
    kinds.iter().flat_map(|kind| lens.iter().map(move |len| named(kind, len))).collect()
}

const SCRIPTS: [&str; 8] = [
    "plain words, ",
    "größer als ",
    "сообщение ",
    "メッセージ",
    "μήνυμα ",
    "🦀📦",
    "رسالة ",
    "\u{0}\t\n",
];
const SERVICES: [&str; 5] = ["checkout", "inventory", "payments", "search", "mail"];
const LEVELS: [&str; 4] = ["DEBUG", "INFO", "INFO", "WARN"];
const PATHS: [&str; 4] = ["/api/v1/orders", "/api/v1/items", "/healthz", "/metrics"];

fn json_event(random: &mut Random, bytes: &mut Vec<u8>) {
    let service = random.pick(&SERVICES);
    let path = random.pick(&PATHS);
    let id = random.next();
    let time = 1_700_000_000_000 + random.below(100_000_000);
    let (ms, status) = (random.below(2000), random.pick(&[200, 200, 200, 204, 404, 500]));
    write(
        bytes,
        format_args!(
            "{{\"id\":\"{id:016x}\",\"time\":{time},\"service\":\"{service}\",\"path\":\"{path}\",\
             \"status\":{status},\"duration_ms\":{ms},\"tags\":{{\"region\":\"eu-1\",\"zone\":\"b\"}}}}\n"
        ),
    );
}

/// One length-delimited submessage: an id, a name, a double and a few labels.
fn protobuf_like(random: &mut Random, bytes: &mut Vec<u8>) {
    let mut inner = Vec::with_capacity(128);
    inner.push(0x08);
    varint(random.next() >> (random.below(8) * 8), &mut inner);
    for (tag, text) in [(0x12, random.pick(&SERVICES)), (0x1a, random.pick(&PATHS))] {
        inner.push(tag);
        varint(text.len() as u64, &mut inner);
        inner.extend(text.as_bytes());
    }
    inner.push(0x21);
    inner.extend((random.below(10_000) as u64).to_le_bytes());
    bytes.push(0x0a);
    varint(inner.len() as u64, bytes);
    bytes.extend(inner);
}

fn log_line(random: &mut Random, bytes: &mut Vec<u8>) {
    let (minute, second) = (random.below(60), random.below(60));
    let (level, service) = (random.pick(&LEVELS), random.pick(&SERVICES));
    let (path, ms) = (random.pick(&PATHS), random.below(500));
    let request = random.next() >> 32;
    write(
        bytes,
        format_args!(
            "2024-05-01T12:{minute:02}:{second:02}Z {level:5} {service}: GET {path} done in {ms} ms \
             (request {request:08x})\n"
        ),
    );
}

/// Base-128, low bits first: Protocol Buffers and Snappy's length write numbers so.
pub fn varint(mut number: u64, bytes: &mut Vec<u8>) {
    while let high @ 1.. = number >> 7 {
        bytes.push(low_bits(number) | 0x80);
        number = high;
    }
    bytes.push(low_bits(number));
}

const fn low_bits(number: u64) -> u8 {
    let [low, ..] = number.to_le_bytes();
    low & 0x7f
}

fn write(bytes: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    bytes.write_fmt(text).expect("a vector takes every write");
}
