//! What a client does in a fleet that is being upgraded: when a server does not know its encoding.

use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use thinwire::Encoding;

use crate::headers::{Accepted, GRPC_ENCODING, GRPC_MESSAGE, GRPC_STATUS};

/// What a client does when the server answers UNIMPLEMENTED to its encoding.
///
/// ```
/// use thinwire::{Decoder, Encoder, Encoding};
/// use thinwire_grpc::{ClientCompressionLayer, Fallback};
///
/// let layer = ClientCompressionLayer::new(Encoder::new(Encoding::Zstd)?, Decoder::new(4 << 20))
///     .fallback(Fallback::Uncompressed);
/// # Ok::<(), thinwire::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Fallback {
    /// The call fails with the server's status.
    #[default]
    Fail,
    /// A call with one message is sent once more, uncompressed; one with several fails. Either way
    /// the service and its clones remember what the server accepts, as every answer says, and
    /// speak in that, or uncompressed.
    Uncompressed,
}

/// What a server was heard to accept; nothing at first.
#[derive(Debug, Default)]
pub(crate) struct Learned(AtomicU16);

impl Learned {
    pub(crate) fn get(&self) -> Option<Accepted> {
        let [known, bits] = self.0.load(Ordering::Relaxed).to_be_bytes();
        (known != 0).then_some(Accepted::from_bits(bits))
    }

    pub(crate) fn set(&self, accepted: Accepted) {
        self.0.store(u16::from_be_bytes([1, accepted.bits()]), Ordering::Relaxed);
    }
}

/// Says whether a server refuses a call for its encoding, and not for its method.
pub(crate) fn refuses_encoding(answer: &HeaderMap, encoding: Encoding) -> bool {
    if !is_unimplemented(answer) {
        return false;
    }
    match Accepted::read(answer) {
        Some(accepted) => !accepted.contains(encoding),
        // Older servers name it in their message only.
        None => answer.get(GRPC_MESSAGE).is_some_and(|message| {
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./".contains(byte);
            let mut words = message.as_bytes().split(|byte| !is_part(byte));
            let name = encoding.name().as_bytes();
            words.any(|word| word.strip_suffix(b".").unwrap_or(word) == name)
        }),
    }
}

pub(crate) fn is_unimplemented(answer: &HeaderMap) -> bool {
    answer.get(GRPC_STATUS) == Some(&HeaderValue::from_static("12"))
}

/// Returns the encoding that a request went out in.
pub(crate) fn sent_encoding(request: &HeaderMap) -> Option<Encoding> {
    request.get(GRPC_ENCODING)?.to_str().ok()?.parse().ok()
}

/// Keeps the message of a call that has just one, for as long as the call may have to be sent
/// again. It shares the message's bytes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Recorder(Arc<Mutex<Recorded>>);

#[derive(Debug, Default)]
enum Recorded {
    #[default]
    Nothing,
    One(Bytes),
    Whole(Bytes),
    Several,
}

impl Recorder {
    /// Sees a message, prefix and all.
    pub(crate) fn message(&self, framed: &Bytes) {
        self.update(|recorded| match recorded {
            Recorded::Nothing => Recorded::One(framed.clone()),
            Recorded::One(_) | Recorded::Whole(_) | Recorded::Several => Recorded::Several,
        });
    }

    /// Sees the end of the call's messages.
    pub(crate) fn end(&self) {
        self.update(|recorded| match recorded {
            Recorded::Nothing => Recorded::Whole(Bytes::new()),
            Recorded::One(framed) => Recorded::Whole(framed),
            other @ (Recorded::Whole(_) | Recorded::Several) => other,
        });
    }

    /// Says whether there is one message so far, and whether it is the only one is not known.
    pub(crate) fn has_one(&self) -> bool {
        let recorded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(*recorded, Recorded::One(_))
    }

    /// Gives the message back if it was the only one, and keeps none from here on.
    pub(crate) fn take(&self) -> Option<Bytes> {
        let mut whole = None;
        self.update(|recorded| {
            if let Recorded::Whole(framed) = recorded {
                whole = Some(framed);
            }
            Recorded::Several
        });
        whole
    }

    fn update(&self, step: impl FnOnce(Recorded) -> Recorded) {
        let mut recorded = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *recorded = step(std::mem::take(&mut *recorded));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_whole_message_can_be_had_back_once() {
        let recorder = Recorder::default();
        assert_eq!(recorder.take(), None);
        let recorder = Recorder::default();
        recorder.message(&Bytes::from("one"));
        recorder.end();
        assert_eq!(recorder.take(), Some(Bytes::from("one")));
        assert_eq!(recorder.take(), None);
    }

    #[test]
    fn neither_a_part_nor_several_can() {
        let part = Recorder::default();
        part.message(&Bytes::from("one"));
        assert_eq!(part.take(), None);
        let several = Recorder::default();
        several.message(&Bytes::from("one"));
        several.message(&Bytes::from("two"));
        several.end();
        assert_eq!(several.take(), None);
    }

    #[test]
    fn what_is_learned_is_what_was_set() {
        let learned = Learned::default();
        assert_eq!(learned.get(), None);
        learned.set(Accepted::NOTHING);
        assert_eq!(learned.get(), Some(Accepted::NOTHING));
    }
}
