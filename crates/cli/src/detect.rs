//! Which framing a file has, told from its name and its bytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use clap::ValueEnum;
use serde::de::IgnoredAny;

use crate::split::{Framing, Header, read_at_most, read_u32be, read_varint};

/// How files become messages, as asked for with `--split`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[expect(clippy::exhaustive_enums, reason = "matched in full by the crate's own code")]
pub enum Split {
    /// Told for each file. Lines: .ndjson, .jsonl, .log, and where the first lines, at least two, are
    /// JSON objects or arrays (two are looked for as far as two of the longest messages that are
    /// kept reach, of a pipe in its first 64 KiB). Length-delimited, but for a pipe: no plain text,
    /// three lengths or more lead exactly to the end, and behind varints there is protobuf, JSON or
    /// other text. Otherwise one message
    Auto,
    /// Each file is one message
    None,
    /// Each line is a message
    Lines,
    /// Each message has its length in front: varint or u32be, whichever leads exactly to the end
    LengthDelimited,
    /// Each message has its length in front, as a protobuf varint
    Varint,
    /// Each message has its length in front, as four bytes, most significant first
    U32be,
}

/// Decides how to split one regular file, whose messages may have `max_len` bytes.
///
/// # Errors
///
/// Those of reading, and [`io::ErrorKind::InvalidData`] for a file that is said to be
/// length-delimited but fits neither framing.
pub fn framing(path: &Path, split: Split, max_len: usize) -> io::Result<Framing> {
    match split {
        Split::None => Ok(Framing::Whole),
        Split::Lines => Ok(Framing::Lines),
        Split::Varint => Ok(Framing::Varint),
        Split::U32be => Ok(Framing::U32be),
        Split::LengthDelimited => delimited(path, is_exact)?.ok_or_else(|| {
            io::Error::new(
                io::ErrorKind::InvalidData,
                "its lengths do not lead to its end; --split varint or --split u32be takes the \
                 messages before the fault",
            )
        }),
        Split::Auto => detect(path, max_len),
    }
}

/// Decides how to split what can be read only once, such as a pipe; `head` is what it begins with,
/// up to [`HEAD_LEN`].
///
/// # Errors
///
/// [`io::ErrorKind::InvalidInput`] for [`Split::LengthDelimited`], which takes a look at the end.
pub fn framing_of_stream(path: &Path, split: Split, head: &[u8]) -> io::Result<Framing> {
    match split {
        Split::Auto if has_line_extension(path) || is_json_lines(head, head.len())? => {
            Ok(Framing::Lines)
        }
        Split::Auto | Split::None => Ok(Framing::Whole),
        Split::Lines => Ok(Framing::Lines),
        Split::Varint => Ok(Framing::Varint),
        Split::U32be => Ok(Framing::U32be),
        Split::LengthDelimited => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "no regular file, so it can be read only once: say --split varint or --split u32be",
        )),
    }
}

fn has_line_extension(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    LINE_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known))
}

fn detect(path: &Path, max_len: usize) -> io::Result<Framing> {
    if has_line_extension(path) {
        return Ok(Framing::Lines);
    }
    let mut head = Vec::new();
    let mut file = File::open(path)?;
    read_at_most(&mut file, HEAD_LEN, &mut head)?;
    if is_json_lines(head.chain(BufReader::new(file)), max_len)? {
        Ok(Framing::Lines)
    } else if is_text(&head) {
        Ok(Framing::Whole) // letters read as lengths could lead to the end by chance
    } else {
        Ok(delimited(path, is_plausible)?.unwrap_or(Framing::Whole))
    }
}

/// The first lines, at least two, are JSON objects or arrays.
///
/// Reads on until there are two, but no further than two messages of the greatest length reach.
fn is_json_lines(reader: impl BufRead, max_len: usize) -> io::Result<bool> {
    let line_len = max_len.saturating_add(2); // with `\r\n`
    let bound = line_len.saturating_mul(2).max(HEAD_LEN) as u64;
    let mut reader = reader.take(bound);
    let mut line = Vec::new();
    let mut count = 0;
    while count < JSON_LINES && (count < 2 || bound - reader.limit() < HEAD_LEN as u64) {
        let begins_well = |byte: u8| b"{[".contains(&byte) || byte.is_ascii_whitespace();
        if !reader.fill_buf()?.first().copied().is_some_and(begins_well) {
            return Ok(count >= 2 && reader.fill_buf()?.is_empty());
        }
        line.clear();
        reader.read_until(b'\n', &mut line)?;
        let text = line.trim_ascii();
        let is_json = (text.starts_with(b"{") || text.starts_with(b"["))
            && serde_json::from_slice::<IgnoredAny>(text).is_ok();
        match is_json {
            true => count += 1,
            false if text.is_empty() && line.ends_with(b"\n") => {}
            // The last line may be cut off: by the bound, or because it is still being written.
            false => return Ok(count >= 2 && !line.ends_with(b"\n")),
        }
    }
    Ok(true)
}

fn is_text(head: &[u8]) -> bool {
    !head.iter().any(|&byte| byte < b' ' && !byte.is_ascii_whitespace())
}

/// Tries both framings; `accept` judges what following the lengths found.
fn delimited(path: &Path, accept: fn(Framing, &Walk) -> bool) -> io::Result<Option<Framing>> {
    for framing in [Framing::U32be, Framing::Varint] {
        let walk = Walk::along(File::open(path)?, framing)?;
        if walk.is_some_and(|walk| accept(framing, &walk)) {
            return Ok(Some(framing));
        }
    }
    Ok(None)
}

fn is_exact(_: Framing, walk: &Walk) -> bool {
    walk.messages > 0
}

/// Enough messages to be no accident. A varint is easily met by chance, so there the messages
/// must look like protobuf or like text, too.
fn is_plausible(framing: Framing, walk: &Walk) -> bool {
    walk.messages >= PLAUSIBLE_MESSAGES
        && walk.empty <= walk.messages / 2
        && (framing == Framing::U32be || walk.like_protobuf || walk.like_text)
}

/// What was met on the way from length to length to the exact end of a file.
struct Walk {
    messages: u64,
    empty: u64,
    /// Whether the first messages can be read as protobuf fields.
    like_protobuf: bool,
    /// Whether they can be read as text.
    like_text: bool,
}

impl Walk {
    /// Follows the lengths, seeking over the messages; `None` if they miss the end.
    fn along(file: File, framing: Framing) -> io::Result<Option<Self>> {
        let file_len = file.metadata()?.len();
        let mut reader = BufReader::new(file);
        let mut walk = Self { messages: 0, empty: 0, like_protobuf: true, like_text: true };
        let mut offset = 0;
        loop {
            let header = match framing {
                Framing::Varint => read_varint(&mut reader)?,
                Framing::Whole | Framing::Lines | Framing::U32be => read_u32be(&mut reader)?,
            };
            let (header_len, body_len) = match header {
                Header::End => return Ok(Some(walk)),
                Header::Bad => return Ok(None),
                Header::Length { header_len, body_len } => (header_len, body_len),
            };
            offset += header_len;
            if body_len > file_len.saturating_sub(offset) {
                return Ok(None);
            }
            offset += body_len;
            walk.messages += 1;
            walk.empty += u64::from(body_len == 0);
            if walk.empty > EMPTY_AT_MOST + walk.messages / 2 {
                return Ok(None); // a file of zeros is not a billion empty messages
            }
            if walk.messages <= LOOKED_INTO {
                let there = reader.fill_buf()?;
                let held = usize::try_from(body_len).unwrap_or(usize::MAX).min(there.len());
                let body = there.get(..held).unwrap_or_default();
                walk.like_protobuf &= is_like_protobuf(body, held as u64 == body_len);
                walk.like_text &= is_text(body) && is_utf8(body, held as u64 == body_len);
            }
            reader.seek_relative(i64::try_from(body_len).unwrap_or(i64::MAX))?;
        }
    }
}

/// A body that is not held in full may end within a character.
fn is_utf8(body: &[u8], held_in_full: bool) -> bool {
    match std::str::from_utf8(body) {
        Ok(_) => true,
        Err(error) => !held_in_full && error.error_len().is_none(),
    }
}

/// Reads field after field; a body that is not held in full may end anywhere.
fn is_like_protobuf(mut body: &[u8], held_in_full: bool) -> bool {
    while !body.is_empty() {
        let Ok(Header::Length { body_len: tag, .. }) = read_varint(&mut body) else {
            return !held_in_full;
        };
        let value_len = match (tag >> 3, tag & 7) {
            (0, _) => return false,
            (_, 0) => read_varint(&mut body).map(|value| (value != Header::Bad).then_some(0)),
            (_, 1) => Ok(Some(8)),
            (_, 2) => read_varint(&mut body).map(|len| match len {
                Header::Length { body_len, .. } => Some(body_len),
                Header::End | Header::Bad => None,
            }),
            (_, 5) => Ok(Some(4)),
            _ => return false,
        };
        let Ok(Some(value_len)) = value_len else { return !held_in_full };
        let Some(rest) = usize::try_from(value_len).ok().and_then(|len| body.get(len..)) else {
            return !held_in_full;
        };
        body = rest;
    }
    true
}

/// Files whose name says that each line stands for itself.
const LINE_EXTENSIONS: [&str; 3] = ["ndjson", "jsonl", "log"];

/// What is looked at to tell text from binary.
pub const HEAD_LEN: usize = 64 * 1024;

/// Lines that are parsed before a file counts as JSON lines.
const JSON_LINES: usize = 8;

/// Fewer lengths in a row meet the end by chance.
const PLAUSIBLE_MESSAGES: u64 = 3;

/// Messages whose fields are looked at.
const LOOKED_INTO: u64 = 64;

/// Empty messages that are believed at the start of a file.
const EMPTY_AT_MOST: u64 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_lines_are_told_from_json() {
        let is_json_lines = |head: &[u8]| is_json_lines(head, 1 << 20).unwrap();
        assert!(is_json_lines(b"{\"a\":1}\n{\"a\":2}\n{\"a\""), "the last one is cut off");
        assert!(is_json_lines(b"{\"a\":1}\n{\"a\":2}"));
        assert!(is_json_lines(b"[1]\r\n\r\n  [2]\r\n"));
        assert!(!is_json_lines(b"{\"a\":1}\n"));
        assert!(!is_json_lines(b"{\"a\":1}\n{\"a\":"));
        assert!(!is_json_lines(b"{\"a\":1}\n{\"a\":2}\nand more\n"));
        assert!(!is_json_lines(b"{\n\"a\": 1\n}\n"));
        assert!(!is_json_lines(b"1\n2\n3\n"));
        assert!(!is_json_lines(b"\n\n"));
        assert!(!is_json_lines(b""));
    }

    #[test]
    fn json_lines_are_looked_for_as_far_as_two_messages_reach() {
        let line = |len: usize| format!("[\"{}\"]\n", "x".repeat(len - 5));
        let max_len = 100_000; // two lines with their ends are a little more
        assert!(is_json_lines(line(99_000).repeat(2).as_bytes(), max_len).unwrap());
        assert!(!is_json_lines(line(100_100).repeat(2).as_bytes(), max_len).unwrap());
        let blank = [b"{}\n", &b"\n".repeat(300_000)[..], b"{}\n"].concat();
        assert!(!is_json_lines(&blank[..], max_len).unwrap(), "not without end");
    }

    #[test]
    fn protobuf_is_told_from_other_bytes() {
        assert!(is_like_protobuf(&[0x0a, 2, b'h', b'i', 0x10, 0x96, 1], true));
        assert!(is_like_protobuf(&[0x0a, 200, 1, b'h'], false));
        assert!(!is_like_protobuf(&[0x0a, 200, 1, b'h'], true));
        assert!(!is_like_protobuf(&[0x00, 1], true));
        assert!(!is_like_protobuf(&[0x0f, 1], true));
        assert!(is_like_protobuf(&[], true));
    }
}
