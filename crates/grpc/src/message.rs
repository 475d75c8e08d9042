//! gRPC's length-prefixed message: reading them from any chunks, writing them. Pure.
//!
//! ```text
//! Compressed-Flag(1) Message-Length(4, big-endian) Message
//! ```
//!
//! "Length-Prefixed-Message" of gRPC's PROTOCOL-HTTP2 document; DATA frames have no relation to
//! its boundaries.

use bytes::{Buf, Bytes, BytesMut};

/// The length of the prefix.
pub(crate) const PREFIX_LEN: usize = 5;

/// The longest message that a prefix can say.
pub(crate) const MAX_LEN: usize = u32::MAX as usize;

/// A message with its prefix, as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    framed: Bytes,
}

impl Message {
    /// The compressed flag: 0, 1, or wrong.
    pub(crate) fn flag(&self) -> u8 {
        self.framed.first().copied().unwrap_or(0)
    }

    /// The message without its prefix.
    pub(crate) fn body(&self) -> &[u8] {
        self.framed.get(PREFIX_LEN..).unwrap_or_default()
    }

    /// The message as it came.
    pub(crate) const fn framed(&self) -> &Bytes {
        &self.framed
    }

    /// The message as it came.
    pub(crate) fn into_framed(self) -> Bytes {
        self.framed
    }
}

/// Returns the prefix of a message.
pub(crate) const fn prefix(flag: u8, len: u32) -> [u8; PREFIX_LEN] {
    let [a, b, c, d] = len.to_be_bytes();
    [flag, a, b, c, d]
}

/// A message of which the prefix was read and whose length is above the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TooLong {
    pub(crate) len: usize,
}

/// Cuts a stream of chunks into messages.
///
/// A message that lies in one chunk is not copied. One that does not is collected as it comes:
/// its buffer grows with what is there, not with what its prefix says.
#[derive(Debug)]
pub(crate) struct Splitter {
    max_len: usize,
    /// What has not been looked at yet.
    chunk: Bytes,
    /// The start of a message whose rest has not come.
    partial: BytesMut,
}

impl Splitter {
    /// Messages above `max_len` bytes on the wire, without prefix, are an error.
    pub(crate) fn new(max_len: usize) -> Self {
        Self { max_len, chunk: Bytes::new(), partial: BytesMut::new() }
    }

    /// Adds a chunk. All messages before it have been taken.
    pub(crate) fn push(&mut self, chunk: Bytes) {
        debug_assert!(self.chunk.is_empty(), "a chunk before the last one was read");
        self.chunk = chunk;
    }

    /// Says whether nothing is left, not even a part of a message.
    pub(crate) fn is_empty(&self) -> bool {
        self.chunk.is_empty() && self.partial.is_empty()
    }

    /// Returns how many bytes of an unfinished message there are.
    pub(crate) fn partial_len(&self) -> usize {
        self.chunk.len() + self.partial.len()
    }

    /// Takes the next whole message.
    pub(crate) fn next(&mut self) -> Result<Option<Message>, TooLong> {
        if self.partial.is_empty() {
            match self.framed_len(&self.chunk)? {
                Some(len) if len <= self.chunk.len() => {
                    return Ok(Some(Message { framed: self.chunk.split_to(len) }));
                }
                Some(_) | None => {}
            }
        }
        self.fill(PREFIX_LEN);
        let Some(len) = self.framed_len(&self.partial)? else { return Ok(None) };
        self.fill(len);
        if self.partial.len() < len {
            return Ok(None);
        }
        // A split leaves the buffer to the next message; a long one, which is rarely needed, goes.
        let framed = if self.partial.capacity() > MAX_KEPT_LEN {
            std::mem::take(&mut self.partial)
        } else {
            self.partial.split()
        };
        Ok(Some(Message { framed: framed.freeze() }))
    }

    /// Moves bytes to the partial message until it has `len`.
    fn fill(&mut self, len: usize) {
        let missing = len.saturating_sub(self.partial.len()).min(self.chunk.len());
        let more = self.chunk.split_to(missing);
        self.partial.extend_from_slice(&more);
        if !self.chunk.has_remaining() {
            self.chunk = Bytes::new(); // let go of the transport's buffer
        }
    }

    /// Returns how long the message that `bytes` begin is, with its prefix.
    fn framed_len(&self, bytes: &[u8]) -> Result<Option<usize>, TooLong> {
        let Some([_, len @ ..]) = bytes.first_chunk::<PREFIX_LEN>() else { return Ok(None) };
        let len = usize::try_from(u32::from_be_bytes(*len)).unwrap_or(usize::MAX);
        if len > self.max_len {
            return Err(TooLong { len });
        }
        Ok(len.checked_add(PREFIX_LEN))
    }
}

/// What a stream keeps between messages.
const MAX_KEPT_LEN: usize = 32 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(flag: u8, body: &[u8]) -> Vec<u8> {
        [&prefix(flag, u32::try_from(body.len()).unwrap())[..], body].concat()
    }

    fn read(chunks: impl IntoIterator<Item = Bytes>) -> (Vec<(u8, Bytes)>, Splitter) {
        let mut splitter = Splitter::new(1000);
        let mut messages = Vec::new();
        for chunk in chunks {
            splitter.push(chunk);
            while let Some(message) = splitter.next().unwrap() {
                messages.push((message.flag(), message.into_framed().slice(PREFIX_LEN..)));
            }
        }
        (messages, splitter)
    }

    #[test]
    fn any_split_is_the_same_stream() {
        let bodies: [(u8, &[u8]); 4] = [(0, b"first"), (1, b""), (0, &[7; 300]), (1, b"last")];
        let stream: Vec<u8> = bodies.iter().flat_map(|(flag, body)| framed(*flag, body)).collect();
        let expected: Vec<_> =
            bodies.iter().map(|(flag, body)| (*flag, Bytes::copy_from_slice(body))).collect();
        for step in 1..=stream.len() {
            let chunks = stream.chunks(step).map(Bytes::copy_from_slice);
            let (messages, rest) = read(chunks);
            assert_eq!(messages, expected, "in chunks of {step}");
            assert!(rest.is_empty());
        }
        for cut in 0..=stream.len() {
            let (a, b) = stream.split_at(cut);
            let (messages, rest) = read([Bytes::copy_from_slice(a), Bytes::copy_from_slice(b)]);
            assert_eq!(messages, expected, "cut at {cut}");
            assert!(rest.is_empty());
        }
    }

    #[test]
    fn a_message_in_one_chunk_is_not_copied() {
        let chunk = Bytes::from([framed(0, b"one"), framed(0, b"two")].concat());
        let (messages, _) = read([chunk.clone()]);
        assert_eq!(messages[0].1.as_ptr(), chunk[5..].as_ptr());
        assert_eq!(messages[1].1.as_ptr(), chunk[13..].as_ptr());
    }

    #[test]
    fn a_prefix_above_the_limit_is_refused_before_anything_is_collected() {
        let mut splitter = Splitter::new(1000);
        splitter.push(Bytes::copy_from_slice(&prefix(1, 1001)));
        assert_eq!(splitter.next(), Err(TooLong { len: 1001 }));
        let mut splitter = Splitter::new(1000);
        splitter.push(Bytes::copy_from_slice(&prefix(1, 1000)));
        assert_eq!(splitter.next(), Ok(None));
        assert_eq!(splitter.partial_len(), PREFIX_LEN);
    }

    #[test]
    fn a_declared_length_is_not_allocated() {
        let mut splitter = Splitter::new(usize::MAX);
        splitter.push(Bytes::copy_from_slice(&prefix(0, u32::MAX)));
        assert_eq!(splitter.next(), Ok(None));
        assert!(splitter.partial.capacity() < 1024);
    }
}
