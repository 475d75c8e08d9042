//! From a stream of bytes to messages, one at a time, never holding more than the limit.

use std::io::{self, BufRead, Read};

use thiserror::Error;

/// How a file becomes messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "matched in full by the crate's own code")]
pub enum Framing {
    /// The file is one message.
    Whole,
    /// A message a line; line ends (`\n`, `\r\n`) are not part of it.
    Lines,
    /// Each message behind its length as a protobuf varint.
    Varint,
    /// Each message behind its length as four bytes, most significant first.
    U32be,
}

/// What a splitter meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "matched in full by the crate's own code")]
pub enum Piece<'a> {
    /// A message, possibly empty.
    Message(&'a [u8]),
    /// A message longer than the limit; it was read past, not held.
    TooLong,
}

/// Why a stream could not be split to its end. The messages before that were delivered.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SplitError {
    /// It could not be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The lengths do not lead to the end of the file.
    #[error("the framing breaks off at byte {offset}: {detail}")]
    #[non_exhaustive]
    Broken {
        /// Where the unfinished message begins.
        offset: u64,
        /// What is wrong there.
        detail: &'static str,
    },
}

/// Splits a stream and hands each message to `sink`.
///
/// # Errors
///
/// * [`SplitError::Io`] when reading fails.
/// * [`SplitError::Broken`] when a message's length exceeds what is left.
pub fn split(
    reader: &mut impl BufRead,
    framing: Framing,
    max_len: usize,
    sink: &mut impl FnMut(Piece<'_>),
) -> Result<(), SplitError> {
    let read_len = |reader: &mut _| match framing {
        Framing::Varint => read_varint(reader),
        Framing::Whole | Framing::Lines | Framing::U32be => read_u32be(reader),
    };
    match framing {
        Framing::Whole => whole(reader, max_len, sink),
        Framing::Lines => lines(reader, max_len, sink),
        Framing::Varint | Framing::U32be => delimited(reader, read_len, max_len, sink),
    }
}

fn whole(
    reader: &mut impl BufRead,
    max_len: usize,
    sink: &mut impl FnMut(Piece<'_>),
) -> Result<(), SplitError> {
    let mut message = Vec::new();
    read_at_most(reader, max_len.saturating_add(1), &mut message)?;
    sink(piece(&message, max_len));
    Ok(())
}

fn lines(
    reader: &mut impl BufRead,
    max_len: usize,
    sink: &mut impl FnMut(Piece<'_>),
) -> Result<(), SplitError> {
    let mut line = Vec::new();
    let most = max_len.saturating_add(2); // room for `\r\n`
    loop {
        line.clear();
        if reader.by_ref().take(most as u64).read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if let Some(rest) = line.strip_suffix(b"\n") {
            let end = rest.strip_suffix(b"\r").unwrap_or(rest).len();
            line.truncate(end);
        } else if line.len() == most {
            reader.skip_until(b'\n')?;
        }
        sink(piece(&line, max_len));
    }
}

fn delimited<R: BufRead>(
    reader: &mut R,
    read_len: impl Fn(&mut R) -> io::Result<Header>,
    max_len: usize,
    sink: &mut impl FnMut(Piece<'_>),
) -> Result<(), SplitError> {
    let mut message = Vec::new();
    let mut offset = 0;
    loop {
        let (header_len, body_len) = match read_len(reader)? {
            Header::End => return Ok(()),
            Header::Bad => return Err(SplitError::Broken { offset, detail: "not a length" }),
            Header::Length { header_len, body_len } => (header_len, body_len),
        };
        message.clear();
        let wanted = usize::try_from(body_len).unwrap_or(usize::MAX);
        read_at_most(reader, wanted.min(max_len.saturating_add(1)), &mut message)?;
        let held = message.len() as u64;
        if held + skip(reader, body_len - held)? < body_len {
            let detail = "the message is longer than the rest of the file";
            return Err(SplitError::Broken { offset, detail });
        }
        sink(piece(&message, max_len));
        offset += header_len + body_len;
    }
}

fn piece(message: &[u8], max_len: usize) -> Piece<'_> {
    if message.len() > max_len { Piece::TooLong } else { Piece::Message(message) }
}

/// What stands before a length-delimited message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Header {
    /// Nothing: the stream ended where it may.
    End,
    /// No length, or a part of one.
    Bad,
    /// A length and the bytes that it takes to write it.
    Length { header_len: u64, body_len: u64 },
}

pub(crate) fn read_u32be(reader: &mut impl BufRead) -> io::Result<Header> {
    let mut body_len = 0;
    for position in 0..4 {
        let Some(&byte) = reader.fill_buf()?.first() else {
            return Ok(if position == 0 { Header::End } else { Header::Bad });
        };
        reader.consume(1);
        body_len = body_len << 8 | u64::from(byte);
    }
    Ok(Header::Length { header_len: 4, body_len })
}

pub(crate) fn read_varint(reader: &mut impl BufRead) -> io::Result<Header> {
    let mut body_len = 0u64;
    for header_len in 1..=MAX_VARINT_LEN {
        let Some(&byte) = reader.fill_buf()?.first() else {
            return Ok(if header_len == 1 { Header::End } else { Header::Bad });
        };
        reader.consume(1);
        body_len |= u64::from(byte & 0x7f) << (7 * (header_len - 1));
        if byte < 0x80 {
            return Ok(Header::Length { header_len, body_len });
        }
    }
    Ok(Header::Bad)
}

/// Reads until the end or until `most` bytes are there, whichever comes first.
///
/// # Errors
///
/// Those of the reader.
#[expect(clippy::disallowed_methods, reason = "this is the bounded reader: `take` stands before")]
pub fn read_at_most(reader: &mut impl Read, most: usize, dst: &mut Vec<u8>) -> io::Result<usize> {
    reader.take(most as u64).read_to_end(dst)
}

/// Reads past `len` bytes and returns how many there were.
fn skip(reader: &mut impl BufRead, len: u64) -> io::Result<u64> {
    let mut left = len;
    while left > 0 {
        let there = reader.fill_buf()?.len();
        if there == 0 {
            break;
        }
        let step = usize::try_from(left).unwrap_or(usize::MAX).min(there);
        reader.consume(step);
        left -= step as u64;
    }
    Ok(len - left)
}

/// Nine groups of seven bits hold more than any file; a tenth would overflow.
const MAX_VARINT_LEN: u64 = 9;
