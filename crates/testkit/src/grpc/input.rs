//! Calls out of a fuzzer's bytes. `fuzz/README.md` says how they are written.

use arbitrary::{Arbitrary, Result, Unstructured};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use thinwire::Encoding;
use thinwire_grpc::{Compress, Fallback};

use super::call::{Call, Settings};
use super::codecs::OTHERS;
use super::wire::{Event, framed};
use crate::prefixes::prefixes;
use crate::random::Random;

/// No payload here is longer.
const MAX_PAYLOAD_LEN: usize = 40_000;

/// So much is enough to fill every buffer some times.
const MAX_EVENTS: usize = 40;

const NAMES: [&str; 8] = [
    "content-type",
    "grpc-encoding",
    "grpc-accept-encoding",
    "grpc-status",
    "content-length",
    "grpc-message",
    "te",
    "x-other",
];

/// What peers write, and nearly write.
const VALUES: [&str; 24] = [
    "application/grpc",
    "application/grpc+proto",
    "application/grpc-web",
    "text/html",
    "identity",
    "gzip",
    "deflate",
    "zstd",
    "lz4",
    "snappy",
    "snappy-block",
    "GZip",
    " zstd\t",
    "br",
    "gzip, gzip",
    "gzip,,snappy-block , identity",
    "snappy,lz4,zstd,deflate,gzip,snappy-block",
    "0",
    "12",
    "5",
    "trailers",
    "",
    ",",
    "7",
];

impl<'a> Arbitrary<'a> for Settings {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let (encoders, accepted) = (encodings(u)?, encodings(u)?);
        let max_payload_len = 1 << (byte(u)? % 16);
        let choices = byte(u)?;
        let asked = match choices % 16 {
            index @ 0..=6 => Encoding::ALL.get(usize::from(index)).copied().map(Compress::With),
            7 => Some(Compress::Off),
            _ => None,
        };
        let fallback = if choices & 16 == 0 { Fallback::Fail } else { Fallback::Uncompressed };
        let offload_len = match choices >> 5 {
            0 => usize::MAX,
            log => 1 << (2 * log),
        };
        Ok(Self { encoders, accepted, max_payload_len, asked, fallback, offload_len })
    }
}

impl<'a> Arbitrary<'a> for Call {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let settings = u.arbitrary()?;
        let flags = byte(u)?;
        let (tells, stops) = (flags & 1 == 0, flags & 2 != 0);
        let status = [200, 200, 200, 404].get(usize::from(byte(u)? % 4)).copied().unwrap_or(200);
        let (request_headers, answer_headers) = (head(u)?, head(u)?);
        let count = usize::from(byte(u)?) % MAX_EVENTS;
        let request = events(u, count)?;
        let answer = events(u, MAX_EVENTS)?;
        Ok(Self {
            settings,
            request_headers,
            request,
            status,
            answer_headers,
            answer,
            tells,
            stops,
        })
    }
}

fn byte(u: &mut Unstructured<'_>) -> Result<u8> {
    u.arbitrary()
}

/// Bits of a byte, the first encoding last: as good an order as any.
fn encodings(u: &mut Unstructured<'_>) -> Result<Vec<Encoding>> {
    let bits = byte(u)?;
    let chosen = Encoding::ALL.into_iter().enumerate().filter(|(index, _)| bits >> index & 1 == 1);
    let chosen = chosen.map(|(_, encoding)| encoding);
    Ok(if bits >> 7 == 0 { chosen.collect() } else { chosen.rev().collect() })
}

/// Headers of a gRPC call, mostly.
fn head(u: &mut Unstructured<'_>) -> Result<HeaderMap> {
    let count = byte(u)?;
    let mut headers = lines(u, count % 16)?;
    if count & 0x80 == 0 {
        headers.entry("content-type").or_insert(HeaderValue::from_static("application/grpc"));
    }
    Ok(headers)
}

fn lines(u: &mut Unstructured<'_>, count: u8) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    for _ in 0..count {
        let name = NAMES.get(usize::from(byte(u)?) % NAMES.len()).copied().unwrap_or("x-other");
        let index = usize::from(byte(u)?);
        let value = match VALUES.get(index) {
            Some(value) => HeaderValue::from_static(value),
            None => {
                let len = index.saturating_sub(VALUES.len()).min(u.len());
                // Others do not come through HTTP.
                let Ok(value) = HeaderValue::from_bytes(u.bytes(len)?) else { continue };
                value
            }
        };
        headers.append(HeaderName::from_static(name), value);
    }
    Ok(headers)
}

fn events(u: &mut Unstructured<'_>, max: usize) -> Result<Vec<Event>> {
    let mut events = Vec::new();
    while !u.is_empty() && events.len() < max {
        events.push(event(u)?);
    }
    Ok(events)
}

fn event(u: &mut Unstructured<'_>) -> Result<Event> {
    let data = match byte(u)? % 10 {
        0 | 1 => framed(0, &payload(u)?),
        2 | 3 => {
            let encoding = encoding(u)?;
            framed(1, &OTHERS.compress(encoding, &payload(u)?))
        }
        4 => {
            let encoding = encoding(u)?;
            let prefix = *u.choose(prefixes(encoding))?;
            framed(1, &[prefix, &payload(u)?].concat())
        }
        5 => framed(byte(u)?, &payload(u)?),
        6 => payload(u)?,
        7 => {
            let count = byte(u)? % 4;
            return Ok(Event::Trailers(lines(u, count)?));
        }
        8 => return Ok(Event::Error),
        _ => return Ok(Event::Pending),
    };
    Ok(Event::Data(Bytes::from(data)))
}

fn encoding(u: &mut Unstructured<'_>) -> Result<Encoding> {
    Ok(*u.choose(&Encoding::ALL)?)
}

/// Some bytes, once or over and over; or noise, which does not get shorter.
fn payload(u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let len = usize::from(byte(u)?).min(u.len());
    let kind = byte(u)?;
    let times = 1 << ((kind & 0x7f) % 12);
    let unit = u.bytes(len.min(u.len()))?;
    let len = unit.len().saturating_mul(times).min(MAX_PAYLOAD_LEN);
    if kind & 0x80 == 0 {
        return Ok(unit.iter().copied().cycle().take(len).collect());
    }
    let mut noise = Random::new(unit.iter().map(|&byte| u64::from(byte)).sum());
    Ok((0..len).map(|_| noise.next().to_le_bytes()[0]).collect())
}
