//! What is done with one message.

use std::time::{Duration, Instant};

use thinwire::{DecodeError, Decoder, Encoder, Encoding};

use crate::counts::Counts;
use crate::frame::{Frame, Leaving};
use crate::message::{MAX_LEN, Message};
use crate::status::Cause;

/// What is done with the messages of a stream.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Compress those with flag 0 if that pays; the others are the application's own.
    Encode(Encode),
    /// Decompress those with flag 1.
    Decode(Decode),
}

#[derive(Debug, Clone)]
pub(crate) struct Encode {
    encoder: Encoder,
    max_len_on_runtime: usize,
}

#[derive(Debug, Clone)]
pub(crate) struct Decode {
    decoder: Decoder,
    /// The same with a lower limit, unless that is the lower one already.
    on_runtime: Decoder,
    /// What the stream's headers said, which is an error only once a message needs it.
    encoding: Result<Encoding, Cause>,
}

/// Where a message is worked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Among other tasks, which are not to wait for long messages.
    OnRuntime,
    /// On a thread of its own.
    Beside,
}

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Done {
    /// It stands in the frame; its payload has so many bytes.
    Framed { payload_len: usize },
    /// It goes on as it came.
    AsItCame,
    /// Nothing yet: it is too long for the runtime, in one form or the other.
    Long,
}

impl Step {
    pub(crate) const fn encode(encoder: Encoder, max_len_on_runtime: usize) -> Self {
        Self::Encode(Encode { encoder, max_len_on_runtime })
    }

    pub(crate) fn decode(
        decoder: &Decoder,
        encoding: Result<Encoding, Cause>,
        max_len_on_runtime: usize,
    ) -> Self {
        Self::Decode(Decode {
            decoder: decoder.clone(),
            on_runtime: decoder.at_most(max_len_on_runtime),
            encoding,
        })
    }

    /// Works on a message and puts the result on the end of `frame`. On error nothing is added.
    pub(crate) fn work(
        &self,
        message: &Message,
        place: Place,
        frame: &mut Frame,
        counts: &Counts,
    ) -> Result<Done, Cause> {
        match (self, message.flag()) {
            (Self::Encode(step), 0) => step.compress(message, place, frame, counts),
            // Compressed by the application, or its own stack: never twice.
            (Self::Encode(_), _) => Ok(Done::AsItCame),
            (Self::Decode(step), 0) => step.check(message, frame, counts),
            (Self::Decode(step), 1) => step.decompress(message, place, frame, counts),
            (Self::Decode(_), flag) => Err(Cause::InvalidFlag(flag)),
        }
    }

    /// The longest payload for the runtime.
    pub(crate) const fn max_len_on_runtime(&self) -> usize {
        match self {
            Self::Encode(step) => step.max_len_on_runtime,
            Self::Decode(step) => step.on_runtime.max_payload_len(),
        }
    }

    /// How its frames leave.
    pub(crate) const fn leaving(&self) -> Leaving {
        match self {
            Self::Encode(_) => Leaving::Copied,
            Self::Decode(_) => Leaving::Lent,
        }
    }

    /// The longest payload.
    pub(crate) const fn max_payload_len(&self) -> usize {
        match self {
            // What is sent was not limited by anybody.
            Self::Encode(_) => MAX_LEN,
            Self::Decode(step) => step.decoder.max_payload_len(),
        }
    }
}

impl Encode {
    fn compress(
        &self,
        message: &Message,
        place: Place,
        frame: &mut Frame,
        counts: &Counts,
    ) -> Result<Done, Cause> {
        let payload = message.body();
        if place == Place::OnRuntime && payload.len() > self.max_len_on_runtime {
            return Ok(Done::Long);
        }
        let started = Instant::now();
        let (begun, bytes) = frame.begin();
        let raw = self.encoder.compress_if_it_pays(payload, bytes);
        if matches!(raw, Ok(None)) {
            let wire_len = frame.end(&begun, 1);
            let encoding = self.encoder.encoding();
            counts.passed(encoding, payload.len(), wire_len, started.elapsed());
            return Ok(Done::Framed { payload_len: payload.len() });
        }
        frame.undo(&begun);
        if let Some(reason) = raw? {
            counts.kept_raw(reason);
        }
        counts.passed(Encoding::Identity, payload.len(), payload.len(), started.elapsed());
        Ok(go_on(message, frame))
    }
}

impl Decode {
    fn check(&self, message: &Message, frame: &mut Frame, counts: &Counts) -> Result<Done, Cause> {
        let (wire_len, limit) = (message.body().len(), self.decoder.max_payload_len());
        if wire_len > limit {
            return Err(Cause::TooLong { wire_len, limit });
        }
        counts.passed(Encoding::Identity, wire_len, wire_len, Duration::ZERO);
        Ok(go_on(message, frame))
    }

    fn decompress(
        &self,
        message: &Message,
        place: Place,
        frame: &mut Frame,
        counts: &Counts,
    ) -> Result<Done, Cause> {
        let encoding = self.encoding.clone()?;
        if encoding == Encoding::Identity {
            return Err(Cause::FlagWithoutEncoding);
        }
        let decoder = match place {
            Place::OnRuntime => &self.on_runtime,
            Place::Beside => &self.decoder,
        };
        let is_lowered = decoder.max_payload_len() < self.decoder.max_payload_len();
        let wire = message.body();
        if is_lowered && wire.len() > decoder.max_payload_len() {
            return Ok(Done::Long);
        }
        let started = Instant::now();
        let (begun, bytes) = frame.begin();
        match decoder.decode_into(encoding, wire, bytes) {
            Ok(payload_len) => {
                frame.end(&begun, 0);
                counts.passed(encoding, payload_len, wire.len(), started.elapsed());
                Ok(Done::Framed { payload_len })
            }
            Err(error) => {
                frame.undo(&begun);
                if !is_lowered {
                    return Err(error.into());
                }
                if matches!(error, DecodeError::TooLong { .. }) {
                    // Most encodings say at once how long their payload is; the others stop there.
                    return Ok(Done::Long);
                }
                // To be told with the limit that is the caller's.
                self.decompress(message, Place::Beside, frame, counts)
            }
        }
    }
}

/// Lets a message through: as a part of the frame, or as it came where a copy costs more than a
/// frame of its own.
fn go_on(message: &Message, frame: &mut Frame) -> Done {
    let payload_len = message.body().len();
    if payload_len > SMALL_LEN {
        return Done::AsItCame;
    }
    frame.append(message.framed());
    Done::Framed { payload_len }
}

const SMALL_LEN: usize = 4 << 10;
