//! Messages in, messages out: what a body does with each one, on the runtime or beside it.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use thinwire::{Decoder, Encoded, Encoder, Encoding};
use tokio::task::JoinHandle;

use crate::counts::Counts;
use crate::fallback::Recorder;
use crate::message::{Message, Splitter, prefix};
use crate::status::{CallError, Cause, Side};

/// What is done with a message.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Compress those with flag 0 if that pays; the others are the application's own.
    Encode(Encoder),
    /// Decompress those with flag 1. The encoding is what the stream's headers said, which is an
    /// error only once a message needs it.
    Decode(Decoder, Result<Encoding, Cause>),
}

/// A body's messages on their way.
#[derive(Debug)]
pub(crate) struct Pipe {
    step: Step,
    side: Side,
    counts: Counts,
    /// Messages above so many bytes are worked on beside the runtime.
    offload_len: usize,
    splitter: Splitter,
    /// Small messages, put together into one frame.
    small: BytesMut,
    /// One that is not, behind them: its prefix is already in `small` if it has a new one.
    large: Option<Bytes>,
    job: Option<JoinHandle<Result<Done, CallError>>>,
    recorder: Option<Recorder>,
    /// Told once all that came before it has been passed on.
    failed: Option<CallError>,
}

/// A message that was worked on.
#[derive(Debug)]
enum Done {
    /// It goes on as it came.
    AsItCame(Bytes),
    /// It goes on with this flag and these bytes.
    Changed { flag: u8, body: Bytes },
}

impl Pipe {
    pub(crate) fn new(step: Step, side: Side, counts: Counts, offload_len: usize) -> Self {
        // What is sent was not limited by anybody; what is received is, with the room that an
        // encoding may take that makes a message longer.
        let max_wire_len = match &step {
            Step::Encode(_) => usize::MAX,
            Step::Decode(decoder, _) => max_wire_len(decoder.max_payload_len()),
        };
        Self {
            step,
            side,
            counts,
            offload_len,
            splitter: Splitter::new(max_wire_len),
            small: BytesMut::new(),
            large: None,
            job: None,
            recorder: None,
            failed: None,
        }
    }

    /// Keeps what may have to be sent again.
    pub(crate) fn recorded_by(mut self, recorder: Recorder) -> Self {
        self.recorder = Some(recorder);
        self
    }

    /// Takes a chunk in. [`poll_out`](Self::poll_out) has given all that came before.
    pub(crate) fn push(&mut self, chunk: Bytes) {
        self.splitter.push(chunk);
    }

    /// Says whether nothing is on its way.
    pub(crate) fn is_empty(&self) -> bool {
        self.splitter.is_empty()
            && self.small.is_empty()
            && self.large.is_none()
            && self.job.is_none()
    }

    /// Gives the next piece of output; `None` when more input is needed.
    pub(crate) fn poll_out(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Option<Bytes>, CallError>> {
        loop {
            let is_last = self.large.is_some() || self.failed.is_some();
            if self.small.len() >= FRAME_LEN || (is_last && !self.small.is_empty()) {
                return Poll::Ready(Ok(Some(self.small.split().freeze())));
            }
            if let Some(large) = self.large.take() {
                return Poll::Ready(Ok(Some(large)));
            }
            if let Some(error) = self.failed.take() {
                return Poll::Ready(Err(self.counts.failed(error)));
            }
            if let Some(job) = &mut self.job {
                let done = ready!(Pin::new(job).poll(cx));
                self.job = None;
                let done = done.unwrap_or_else(|_| Err(CallError::new(self.side, Cause::Stopped)));
                self.put(done);
                continue;
            }
            match self.splitter.next() {
                Ok(Some(message)) => self.start(message),
                Ok(None) if self.small.is_empty() => return Poll::Ready(Ok(None)),
                Ok(None) => return Poll::Ready(Ok(Some(self.small.split().freeze()))),
                Err(long) => {
                    let limit = match &self.step {
                        Step::Decode(decoder, _) => decoder.max_payload_len(),
                        Step::Encode(_) => usize::MAX,
                    };
                    let cause = Cause::TooLong { wire_len: long.len, limit };
                    self.failed = Some(CallError::new(self.side, cause));
                }
            }
        }
    }

    /// Checks that the stream may end here.
    pub(crate) fn end(&self) -> Result<(), CallError> {
        if self.splitter.is_empty() {
            if let Some(recorder) = &self.recorder {
                recorder.end();
            }
            return Ok(());
        }
        let cause = Cause::Truncated { received_len: self.splitter.partial_len() };
        Err(self.counts.failed(CallError::new(self.side, cause)))
    }

    fn start(&mut self, message: Message) {
        if let Some(recorder) = &self.recorder {
            recorder.message(message.framed());
        }
        let is_large = message.body().len() > self.offload_len;
        let is_plain = match &self.step {
            Step::Encode(_) => message.flag() != 0,
            Step::Decode(..) => message.flag() == 0,
        };
        if is_large && !is_plain && tokio::runtime::Handle::try_current().is_ok() {
            let (step, side, counts) = (self.step.clone(), self.side, self.counts.clone());
            self.job = Some(tokio::task::spawn_blocking(move || {
                work(&step, &counts, message).map_err(|cause| CallError::new(side, cause))
            }));
            return;
        }
        let done = work(&self.step, &self.counts, message);
        self.put(done.map_err(|cause| CallError::new(self.side, cause)));
    }

    fn put(&mut self, done: Result<Done, CallError>) {
        let body = match done {
            Err(error) => {
                self.failed = Some(error);
                return;
            }
            Ok(Done::AsItCame(framed)) => framed,
            Ok(Done::Changed { flag, body }) => {
                let len = u32::try_from(body.len()).unwrap_or(u32::MAX);
                self.small.extend_from_slice(&prefix(flag, len));
                body
            }
        };
        if body.len() <= SMALL_LEN {
            self.small.extend_from_slice(&body);
        } else {
            self.large = Some(body);
        }
    }
}

/// The work itself: also what is done on another thread.
fn work(step: &Step, counts: &Counts, message: Message) -> Result<Done, Cause> {
    match step {
        Step::Encode(encoder) => encode(encoder, counts, message),
        Step::Decode(decoder, encoding) => decode(decoder, encoding, counts, message),
    }
}

fn encode(encoder: &Encoder, counts: &Counts, message: Message) -> Result<Done, Cause> {
    if message.flag() != 0 {
        // Compressed by the application, or its own stack: never twice.
        return Ok(Done::AsItCame(message.into_framed()));
    }
    let payload = message.body();
    let started = Instant::now();
    let encoded = encoder.encode(payload.clone())?;
    counts.encoded(&encoded, payload.len(), started);
    if encoded.encoding() == Encoding::Identity {
        return Ok(Done::AsItCame(message.into_framed()));
    }
    Ok(Done::Changed { flag: 1, body: encoded.into_bytes() })
}

fn decode(
    decoder: &Decoder,
    encoding: &Result<Encoding, Cause>,
    counts: &Counts,
    message: Message,
) -> Result<Done, Cause> {
    let wire_len = message.body().len();
    match message.flag() {
        0 if wire_len > decoder.max_payload_len() => {
            Err(Cause::TooLong { wire_len, limit: decoder.max_payload_len() })
        }
        0 => {
            counts.decoded(Encoding::Identity, wire_len, wire_len, Duration::ZERO);
            Ok(Done::AsItCame(message.into_framed()))
        }
        1 => {
            let encoding = encoding.clone()?;
            if encoding == Encoding::Identity {
                return Err(Cause::FlagWithoutEncoding);
            }
            let started = Instant::now();
            let payload = decoder.decode(Encoded::new(encoding, message.body()))?;
            counts.decoded(encoding, payload.len(), wire_len, started.elapsed());
            Ok(Done::Changed { flag: 0, body: payload })
        }
        flag => Err(Cause::InvalidFlag(flag)),
    }
}

/// The most bytes on the wire that a payload within the limit may take: encodings that make a
/// message longer add less than an eighth and 64 bytes.
const fn max_wire_len(max_payload_len: usize) -> usize {
    max_payload_len.saturating_add(max_payload_len / 8).saturating_add(64)
}

/// Above this a copy costs more than a frame of its own.
const SMALL_LEN: usize = 4 << 10;

/// Enough for one frame; what HTTP/2 sends at once by default.
const FRAME_LEN: usize = 16 << 10;
