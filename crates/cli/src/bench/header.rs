//! What each message begins with, so that its receiver can tell whether it is the one that was
//! sent: 32 bytes.
//!
//! ```text
//! run id 8 | time of sending, ns since the run began 8 | producer 2 | number 6 | xxHash64 8
//! ```
//!
//! All in little-endian order. The hash covers the other 24 bytes and the hash of the content that
//! follows, so a sender that knows that one hashes no content again. Run id and hash look random:
//! about 20 of the 32 bytes do not compress.

use twox_hash::XxHash64;

/// The header's length, which is the least length of a message.
pub const LEN: usize = 32;

/// Numbers of messages end before this.
pub const MAX_SEQUENCE: u64 = 1 << 48;

/// What a header says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// Which run the message belongs to.
    pub run_id: u64,
    /// When it was to be sent, in ns since the run began.
    pub sent_ns: u64,
    /// Who sent it.
    pub producer: u16,
    /// Its number among those of its producer, below [`MAX_SEQUENCE`].
    pub sequence: u64,
}

/// Why a message is not one that was sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Corrupt {
    /// It is shorter than a header.
    #[error("{len} bytes are no message of a benchmark, which has at least {LEN}")]
    Short {
        /// Its length.
        len: usize,
    },
    /// Header or content differ from what was sent.
    #[error(
        "the hash of {len} bytes, said to be number {sequence} of producer {producer}, is wrong"
    )]
    Changed {
        /// Its length.
        len: usize,
        /// What its header says.
        producer: u16,
        /// What its header says.
        sequence: u64,
    },
    /// It looks like one of this run, and is none.
    #[error("number {sequence} of producer {producer} was never sent")]
    NeverSent {
        /// What its header says.
        producer: u16,
        /// What its header says.
        sequence: u64,
    },
}

/// Returns the hash of a message's content, which is all behind its header.
#[must_use]
pub fn content_hash(content: &[u8]) -> u64 {
    XxHash64::oneshot(0, content)
}

impl Header {
    /// Writes the header before content with this hash.
    #[must_use]
    pub fn to_bytes(self, content_hash: u64) -> [u8; LEN] {
        let place = u64::from(self.producer) | (self.sequence << 16);
        let mut bytes = [0; LEN];
        let words = [self.run_id, self.sent_ns, place];
        for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        let hash = seal(&bytes, content_hash);
        if let Some(to) = bytes.last_chunk_mut::<8>() {
            *to = hash.to_le_bytes();
        }
        bytes
    }

    /// Reads a message of this run and checks it; `None` for one of another run.
    ///
    /// # Errors
    ///
    /// [`Corrupt`].
    pub fn check(message: &[u8], run_id: u64) -> Result<Option<Self>, Corrupt> {
        let len = message.len();
        let short = Corrupt::Short { len };
        let (header, content) = message.split_first_chunk::<LEN>().ok_or(short)?;
        let mut words = header.chunks_exact(8).filter_map(|it| it.try_into().ok());
        let mut next = || words.next().map(u64::from_le_bytes).unwrap_or_default();
        let (run, sent_ns, place, hash) = (next(), next(), next(), next());
        let [low, high, ..] = place.to_le_bytes();
        let (producer, sequence) = (u16::from_le_bytes([low, high]), place >> 16);
        let mut sealed = *header;
        if let Some(to) = sealed.last_chunk_mut::<8>() {
            *to = [0; 8];
        }
        if hash != seal(&sealed, content_hash(content)) {
            return Err(Corrupt::Changed { len, producer, sequence });
        }
        Ok((run == run_id).then_some(Self { run_id, sent_ns, producer, sequence }))
    }
}

/// The hash of a header whose own place for it is empty, and of what follows.
fn seal(header: &[u8; LEN], content_hash: u64) -> u64 {
    XxHash64::oneshot(content_hash, header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_known_again_and_every_changed_byte_is_found() {
        let header =
            Header { run_id: 7, sent_ns: 1 << 40, producer: 9, sequence: MAX_SEQUENCE - 1 };
        let content = b"some content";
        let mut message = header.to_bytes(content_hash(content)).to_vec();
        message.extend(content);
        assert_eq!(Header::check(&message, 7), Ok(Some(header)));
        assert_eq!(Header::check(&message, 8), Ok(None));
        for at in 0..message.len() {
            let mut changed = message.clone();
            changed[at] ^= 0x10;
            assert!(Header::check(&changed, 7).is_err(), "byte {at}");
        }
        for len in 0..message.len() {
            assert!(Header::check(&message[..len], 7).is_err(), "{len} bytes");
        }
    }
}
