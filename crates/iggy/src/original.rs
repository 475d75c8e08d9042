//! What is kept of messages while others are sent in their place.

use std::sync::Arc;

use bytes::Bytes;
use iggy::prelude::{IggyError, IggyMessage, IggyMessageHeader};

use crate::message::with_parts;

/// The parts of a message that the SDK was not given, or will change.
pub(crate) struct Original {
    header: IggyMessageHeader,
    payload: Bytes,
    user_headers: Option<Bytes>,
}

impl Original {
    /// Shares the bytes.
    pub(crate) fn of(message: &IggyMessage) -> Self {
        Self {
            header: IggyMessageHeader { ..message.header },
            payload: message.payload.clone(),
            user_headers: message.user_headers.clone(),
        }
    }

    fn with(&self, header: &IggyMessageHeader) -> IggyMessage {
        with_parts(header, self.payload.clone(), self.user_headers.clone())
    }
}

/// Returns the messages that were not sent, and puts them into the SDK's error, whose own are
/// compressed and perhaps encrypted. What the SDK gave an id keeps it: by that the server knows a
/// message that comes again.
pub(crate) fn unsent(originals: &[Original], error: &mut IggyError) -> Vec<IggyMessage> {
    let IggyError::ProducerSendFailed { failed, .. } = error else {
        return messages(originals);
    };
    // They are sent in order, and what failed is the end of them.
    let sent = originals.len().saturating_sub(failed.len());
    let restored = || {
        let unsent = originals.iter().skip(sent).zip(failed.iter());
        unsent.map(|(original, failed)| original.with(&failed.header)).collect()
    };
    let (messages, theirs) = (restored(), Arc::new(restored()));
    *failed = theirs;
    messages
}

/// Returns messages as they were.
pub(crate) fn messages(originals: &[Original]) -> Vec<IggyMessage> {
    originals.iter().map(|original| original.with(&original.header)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the SDK fails: with the end of what it was given, ids given, parts changed.
    fn failure(failed: Vec<IggyMessage>) -> IggyError {
        IggyError::ProducerSendFailed {
            cause: Box::new(IggyError::Disconnected),
            failed: Arc::new(failed),
            committed: Arc::default(),
            stream_name: "stream".into(),
            topic_name: "topic".into(),
        }
    }

    fn message(payload: &str, id: u128) -> IggyMessage {
        let mut message = IggyMessage::from(payload);
        message.header.id = id;
        message
    }

    fn parts(messages: &[IggyMessage]) -> Vec<(&[u8], u128)> {
        messages.iter().map(|it| (&it.payload[..], it.header.id)).collect()
    }

    #[test]
    fn what_was_not_sent_is_as_it_was_with_the_id_that_the_sdk_gave_it() {
        let originals = ["one", "two", "three"].map(|it| Original::of(&message(it, 0)));
        let mut error = failure(vec![message("2, encrypted", 8), message("3, encrypted", 9)]);
        let unsent = unsent(&originals, &mut error);
        assert_eq!(parts(&unsent), [(&b"two"[..], 8), (b"three", 9)]);
        let IggyError::ProducerSendFailed { failed, .. } = error else { panic!("{error}") };
        assert_eq!(parts(&failed), parts(&unsent));
        assert_eq!(unsent.last().unwrap().header.payload_length, 5);
    }

    #[test]
    fn an_error_without_messages_gives_back_all() {
        let originals = ["one", "two"].map(|it| Original::of(&message(it, 7)));
        let unsent = unsent(&originals, &mut IggyError::ProducerClosed);
        assert_eq!(parts(&unsent), [(&b"one"[..], 7), (b"two", 7)]);
    }
}
