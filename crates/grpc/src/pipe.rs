//! Messages in, frames out: the order in which a body works on its messages, and where.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::task::JoinHandle;

use crate::counts::Counts;
use crate::fallback::Recorder;
use crate::frame::Frame;
use crate::message::{Message, Splitter};
use crate::settings::Settings;
use crate::status::{CallError, Cause, Side};
use crate::step::{Done, Place, Step};

/// A body's messages on their way.
#[derive(Debug)]
pub(crate) struct Pipe {
    step: Step,
    side: Side,
    counts: Counts,
    splitter: Splitter,
    /// What goes out next: as many messages as fit.
    frame: Frame,
    /// The payload bytes of the messages in it, and how many are enough.
    frame_payload_len: usize,
    full_payload_len: usize,
    behind: Option<Behind>,
    job: Option<JoinHandle<Job>>,
    recorder: Option<Recorder>,
    /// Whether a recorded message waits until its source was asked for its end.
    end: End,
}

/// Whether the first message of a recorded stream is known to be the only one: once it has gone
/// out an answer may come that says to send it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    NotAsked,
    Asked,
}

/// What has to wait for the frame to go out.
#[derive(Debug)]
enum Behind {
    /// A message that goes out as it came.
    AsItCame(Bytes),
    /// A message to be worked on beside the runtime, which has the frame for itself.
    Long(Message),
    /// All before it was good.
    Failed(CallError),
}

/// Work beside the runtime, done.
#[derive(Debug)]
struct Job {
    message: Message,
    frame: Frame,
    done: Result<Done, Cause>,
}

impl Pipe {
    pub(crate) fn new(step: Step, side: Side, counts: Counts, settings: &Settings) -> Self {
        Self {
            splitter: Splitter::new(max_wire_len(step.max_payload_len())),
            frame: Frame::new(step.leaving(), settings.buffers.clone()),
            full_payload_len: step.max_len_on_runtime().min(FULL_PAYLOAD_LEN),
            step,
            side,
            counts,
            frame_payload_len: 0,
            behind: None,
            job: None,
            recorder: None,
            end: End::NotAsked,
        }
    }

    /// Keeps what may have to be sent again.
    pub(crate) fn recorded_by(mut self, recorder: Option<Recorder>) -> Self {
        self.recorder = recorder;
        self
    }

    /// Takes a chunk in, of which [`poll_full`](Self::poll_full) wanted more.
    pub(crate) fn push(&mut self, chunk: Bytes) {
        self.splitter.push(chunk);
    }

    /// Says whether nothing more comes unless something goes in.
    pub(crate) fn is_empty(&self) -> bool {
        self.splitter.is_empty()
            && self.frame.is_empty()
            && self.behind.is_none()
            && self.job.is_none()
    }

    /// Says whether the stream's end has to be seen, and not only foreseen.
    pub(crate) const fn is_recorded(&self) -> bool {
        self.recorder.is_some()
    }

    /// Is told that the source was asked for more, and had nothing yet.
    pub(crate) const fn go_on(&mut self) -> bool {
        let was_held = matches!(self.end, End::NotAsked) && self.recorder.is_some();
        self.end = End::Asked;
        was_held
    }

    fn is_held(&self) -> bool {
        self.end == End::NotAsked
            && self.splitter.is_empty()
            && self.recorder.as_ref().is_some_and(Recorder::has_one)
    }

    /// Gives the next full frame; `None` when it takes more input to fill one.
    pub(crate) fn poll_full(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Option<Bytes>, CallError>> {
        loop {
            if self.is_held() {
                return Poll::Ready(Ok(None));
            }
            if let Some(job) = &mut self.job {
                let joined = ready!(Pin::new(job).poll(cx));
                self.job = None;
                match joined {
                    Ok(job) => {
                        self.frame = job.frame;
                        self.settle(job.message, job.done);
                    }
                    Err(_) => self.fail(Cause::Stopped),
                }
            }
            if (self.behind.is_some() || self.is_full())
                && let Some(frame) = self.flush()
            {
                return Poll::Ready(Ok(Some(frame)));
            }
            match self.behind.take() {
                Some(Behind::AsItCame(framed)) => return Poll::Ready(Ok(Some(framed))),
                Some(Behind::Failed(error)) => {
                    return Poll::Ready(Err(self.counts.failed(error)));
                }
                Some(Behind::Long(message)) => self.start_job(message),
                None => match self.splitter.next() {
                    Ok(Some(message)) => self.start(message),
                    Ok(None) => {
                        if self.frame.is_empty() {
                            self.frame.let_go();
                        }
                        return Poll::Ready(Ok(None));
                    }
                    Err(long) => {
                        let limit = self.step.max_payload_len();
                        self.fail(Cause::TooLong { wire_len: long.len, limit });
                    }
                },
            }
        }
    }

    /// Gives what there is, full or not.
    pub(crate) fn flush(&mut self) -> Option<Bytes> {
        self.frame_payload_len = 0;
        (!self.frame.is_empty()).then(|| self.frame.take())
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

    const fn is_full(&self) -> bool {
        self.frame.len() >= FULL_LEN || self.frame_payload_len >= self.full_payload_len
    }

    fn start(&mut self, message: Message) {
        if let Some(recorder) = &self.recorder {
            recorder.message(message.framed());
        }
        let done = self.step.work(&message, Place::OnRuntime, &mut self.frame, &self.counts);
        self.settle(message, done);
    }

    /// The frame is empty: what was before the message has gone out.
    fn start_job(&mut self, message: Message) {
        if tokio::runtime::Handle::try_current().is_err() {
            let done = self.step.work(&message, Place::Beside, &mut self.frame, &self.counts);
            return self.settle(message, done);
        }
        let (step, counts) = (self.step.clone(), self.counts.clone());
        let mut frame = self.frame.another();
        self.job = Some(tokio::task::spawn_blocking(move || {
            let done = step.work(&message, Place::Beside, &mut frame, &counts);
            Job { message, frame, done }
        }));
    }

    fn settle(&mut self, message: Message, done: Result<Done, Cause>) {
        match done {
            Ok(Done::Framed { payload_len }) => self.frame_payload_len += payload_len,
            Ok(Done::AsItCame) => self.behind = Some(Behind::AsItCame(message.into_framed())),
            Ok(Done::Long) => self.behind = Some(Behind::Long(message)),
            Err(cause) => self.fail(cause),
        }
    }

    fn fail(&mut self, cause: Cause) {
        self.behind = Some(Behind::Failed(CallError::new(self.side, cause)));
    }
}

impl Drop for Pipe {
    /// A job that has not begun is not for anybody any more.
    fn drop(&mut self) {
        if let Some(job) = &self.job {
            job.abort();
        }
    }
}

/// The most bytes on the wire that a payload within the limit may take: encodings that make a
/// message longer add less than an eighth and 64 bytes.
const fn max_wire_len(max_payload_len: usize) -> usize {
    max_payload_len.saturating_add(max_payload_len / 8).saturating_add(64)
}

/// As much as tonic puts into one frame, two of HTTP/2's.
const FULL_LEN: usize = 32 << 10;

/// So many bytes keep the runtime for a tenth of a millisecond, with gzip for less than a half; where
/// a level takes longer, less is enough.
const FULL_PAYLOAD_LEN: usize = 128 << 10;
