//! Labels on messages: read, put on and taken off.

use bytes::Bytes;
use thinwire::{Encoding, UnknownEncoding};

use super::{Applications, Kind, Label, LabelError, OURS, THEIRS};
use crate::message::Message;

/// What a message says of its payload.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// Nothing, or something that is the application's and not for us.
    Nothing,
    /// That it is in this encoding.
    Encoded(Encoding),
}

impl Label {
    /// Says whether a message bears a label, right or wrong. What can't be read may be one: such a
    /// message is passed on as it came, as to where bad ones are collected.
    pub(crate) fn is_on<M: Message>(&self, message: &M) -> bool {
        let mut is_on = false;
        message.get(self.name, &mut |_| is_on = true).is_err() || is_on
    }

    /// Reads what a message says.
    pub(crate) fn read<M: Message>(&self, message: &M) -> Result<Said, LabelError> {
        let mut first = None;
        let mut is_alike = true;
        let each = &mut |value: &[u8]| {
            let named = self.encoding(value);
            is_alike &= first.get_or_insert_with(|| named.clone()) == &named;
        };
        message.get(self.name, each).map_err(headers)?;
        let Some(named) = first else { return Ok(Said::Nothing) };
        if let Kind::ContentEncoding { owner, applications: Applications::PassOn } = self.kind
            && owner_of(message, owner)? == Some(Owner::Application)
        {
            return Ok(Said::Nothing);
        }
        if !is_alike {
            return Err(LabelError::Several { name: self.name });
        }
        let encoding = named.map_err(|unknown| LabelError::Unknown { name: self.name, unknown })?;
        match self.kind {
            Kind::ContentEncoding { .. } => Ok(Said::Encoded(encoding)),
            Kind::Iggy if encoding == Encoding::SnappyFramed => {
                Ok(Said::Encoded(snappy_format(message.payload())))
            }
            Kind::Iggy
                if encoding == Encoding::Identity
                    || self.value(encoding) == Some(encoding.name()) =>
            {
                Ok(Said::Encoded(encoding))
            }
            Kind::Iggy => Err(LabelError::NotHere { name: self.name, encoding }),
        }
    }

    /// Makes the message with its payload compressed, which bears the label.
    pub(crate) fn put_on<M: Message>(
        &self,
        message: &M,
        compressed: Bytes,
        value: &str,
    ) -> Result<M, LabelError> {
        let own = (self.name, value);
        let labelled = match self.kind {
            Kind::Iggy => message.labelled(compressed, &[own]),
            Kind::ContentEncoding { owner, .. } => {
                message.labelled(compressed, &[own, (owner, OURS)])
            }
        };
        labelled.map_err(headers)
    }

    /// Gives a message its payload back and takes the label off; on an error it is as it was.
    pub(crate) fn take_off<M: Message>(
        &self,
        message: &mut M,
        decompressed: Bytes,
    ) -> Result<(), LabelError> {
        let restored = match self.kind {
            Kind::Iggy => message.restore(decompressed, &[self.name]),
            Kind::ContentEncoding { owner, .. } => {
                message.restore(decompressed, &[self.name, owner])
            }
        };
        restored.map_err(headers)
    }

    /// Says on a message that its label is the application's, if that has to be said and there is
    /// room for it.
    pub(crate) fn disown<M: Message>(
        &self,
        message: &M,
        headers_len: usize,
    ) -> Result<Option<M>, LabelError> {
        let Kind::ContentEncoding { owner, applications: Applications::PassOn } = self.kind else {
            return Ok(None);
        };
        let has_room = self.has_room(headers_len, self.header_len(owner, THEIRS));
        if !has_room || !matches!(owner_of(message, owner), Ok(None)) {
            return Ok(None);
        }
        let marked = message.labelled(message.payload().clone(), &[(owner, THEIRS)]);
        marked.map(Some).map_err(headers)
    }
}

impl Label {
    fn encoding(&self, value: &[u8]) -> Result<Encoding, UnknownEncoding> {
        let name = String::from_utf8_lossy(value.trim_ascii());
        match self.kind {
            Kind::Iggy if name.eq_ignore_ascii_case(NONE) => Ok(Encoding::Identity),
            Kind::Iggy | Kind::ContentEncoding { .. } => name.parse(),
        }
    }
}

/// Who made a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    Producer,
    Application,
}

fn owner_of<M: Message>(message: &M, name: &str) -> Result<Option<Owner>, LabelError> {
    let mut owner = None;
    let each = &mut |value: &[u8]| {
        owner = owner.or(match value.trim_ascii() {
            value if value == OURS.as_bytes() => Some(Owner::Producer),
            value if value == THEIRS.as_bytes() => Some(Owner::Application),
            _ => None,
        });
    };
    message.get(name, each).map_err(headers)?;
    Ok(owner)
}

fn headers(error: impl std::error::Error + Send + Sync + 'static) -> LabelError {
    LabelError::Headers(Box::new(error))
}

/// What some of Iggy's clients say of a payload that is not compressed.
const NONE: &str = "none";

/// A frame begins with an identifier that no block can begin with: as a block it would copy from
/// before its own start.
fn snappy_format(payload: &[u8]) -> Encoding {
    if payload.starts_with(b"\xff\x06\x00\x00sNaPpY") {
        Encoding::SnappyFramed
    } else {
        Encoding::SnappyBlock
    }
}
