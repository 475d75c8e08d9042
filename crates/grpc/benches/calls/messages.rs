//! Remote-write requests of a length, and the file in which programs pass them on.

use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use thinwire::{Decoder, Encoded, Encoding};

/// Whole requests, of time series of real ones, cut and joined only between two of them.
///
/// # Panics
///
/// If the folder has no request.
pub(crate) fn requests(folder: &Path, message_len: usize, count: usize) -> Vec<Vec<u8>> {
    let bodies = bodies(folder);
    let series: Vec<_> = bodies.iter().flat_map(|body| series(body)).collect();
    assert!(!series.is_empty(), "no remote-write request in {}", folder.display());
    let request = |at: usize| {
        let mut request = Vec::with_capacity(message_len + 1000);
        for series in series.iter().cycle().skip(at * STEP % series.len()) {
            request.extend_from_slice(series);
            if request.len() >= message_len {
                break;
            }
        }
        request
    };
    (0..count).map(request).collect()
}

/// The samples that come with the sources.
pub(crate) fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples/remote-write")
}

fn bodies(folder: &Path) -> Vec<Bytes> {
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    paths.sort();
    let decoder = Decoder::new(64 << 20);
    let bodies = paths.iter().filter_map(|path| {
        let body = Bytes::from(fs::read(path).unwrap());
        match path.extension()?.to_str()? {
            "bin" => Some(body),
            "snappy" => Some(decoder.decode(Encoded::new(Encoding::SnappyBlock, body)).unwrap()),
            _ => None,
        }
    });
    bodies.collect()
}

/// Splits a request into its fields: each is a time series, its tag and length before it.
fn series(mut body: &[u8]) -> Vec<&[u8]> {
    let mut series = Vec::new();
    while let Some((len, head_len)) = length(body) {
        let (this, rest) = body.split_at(head_len + len);
        series.push(this);
        body = rest;
    }
    series
}

/// The length of the field at the start, and of what stands before it.
fn length(body: &[u8]) -> Option<(usize, usize)> {
    let tag = body.first()?;
    assert_eq!(tag & 7, 2, "not a remote-write request");
    let mut len = 0;
    for (at, byte) in body[1..].iter().enumerate() {
        len |= usize::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            return Some((len, at + 2));
        }
    }
    None
}

/// Writes messages to a file, each behind its length in four bytes.
pub(crate) fn write(messages: &[Vec<u8>], path: &Path) {
    let mut bytes = Vec::new();
    for message in messages {
        bytes.extend_from_slice(&u32::try_from(message.len()).unwrap().to_be_bytes());
        bytes.extend_from_slice(message);
    }
    fs::write(path, bytes).unwrap();
}

/// Reads what [`write`] wrote.
pub(crate) fn read(path: &str) -> Vec<Bytes> {
    let bytes = fs::read(path).unwrap();
    let mut rest = &bytes[..];
    let mut messages = Vec::new();
    while let Some((len, after)) = rest.split_first_chunk() {
        let (message, after) = after.split_at(u32::from_be_bytes(*len) as usize);
        messages.push(Bytes::copy_from_slice(message));
        rest = after;
    }
    messages
}

/// From the first series of one request to that of the next: a prime, so that many requests
/// follow before one comes again.
const STEP: usize = 37;
