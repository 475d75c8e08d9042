//! One body that maps message after message, in both directions.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use crate::headers::GRPC_STATUS;
use crate::pipe::Pipe;
use crate::scan::Scan;
use crate::status::CallError;

/// The error of a body, of whatever made it or of a message in it.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

pin_project! {
    /// The body of a request or a response whose messages are compressed or decompressed as they
    /// pass.
    ///
    /// It gathers messages into frames of some 32 KiB for as long as its source has more at once,
    /// holds no more than such a frame and one message in each form, and lets trailers through as
    /// they came.
    #[derive(Debug)]
    pub struct MessageBody<B> {
        // Dropped when the stream is given up, which tells the peer.
        #[pin]
        inner: Option<B>,
        mode: Mode,
        role: Role,
    }
}

#[derive(Debug)]
enum Mode {
    /// Everything as it comes.
    Pass,
    /// Everything as it comes, as long as no message is flagged or too long.
    Scan(Scan),
    /// Message after message.
    Map(Box<Pipe>),
    /// These bytes and nothing else.
    Given(Option<Bytes>),
    /// One thing more, then nothing.
    Last(Option<Last>),
}

/// What ends a body that had an end of its own.
#[derive(Debug)]
enum Last {
    Trailers(HeaderMap),
    /// A fault of a message.
    Failed(CallError),
    /// A fault of whatever made the body.
    Broken(BoxError),
}

/// How a fault of a message is told to whoever reads the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// As the error of the body: a request has no trailers.
    Request,
    /// As the trailers of a response: what was read before it stays good.
    Response,
}

impl<B> MessageBody<B> {
    pub(crate) const fn pass(inner: B) -> Self {
        Self { inner: Some(inner), mode: Mode::Pass, role: Role::Response }
    }

    pub(crate) const fn scan(inner: B, role: Role, scan: Scan) -> Self {
        Self { inner: Some(inner), mode: Mode::Scan(scan), role }
    }

    pub(crate) fn map(inner: B, role: Role, pipe: Pipe) -> Self {
        Self { inner: Some(inner), mode: Mode::Map(Box::new(pipe)), role }
    }
}

impl<B> MessageBody<B> {
    /// A body of just these bytes.
    pub(crate) const fn given(bytes: Bytes) -> Self {
        Self { inner: None, mode: Mode::Given(Some(bytes)), role: Role::Request }
    }
}

impl<B> Default for MessageBody<B> {
    /// An empty body.
    fn default() -> Self {
        Self { inner: None, mode: Mode::Pass, role: Role::Response }
    }
}

impl<B> Body for MessageBody<B>
where
    B: Body,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let mut this = self.project();
        for _ in 0..MAX_TURNS {
            match this.mode {
                Mode::Given(bytes) => {
                    return Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes))));
                }
                Mode::Last(last) => {
                    let last = last.take();
                    this.inner.set(None);
                    return Poll::Ready(last.map(|last| this.role.tell(last)));
                }
                Mode::Map(pipe) => match ready!(pipe.poll_full(cx)) {
                    Ok(Some(data)) => return Poll::Ready(Some(Ok(Frame::data(data)))),
                    Ok(None) => {}
                    Err(error) => {
                        *this.mode = Mode::Last(Some(Last::Failed(error)));
                        continue;
                    }
                },
                Mode::Pass | Mode::Scan(_) => {}
            }
            let Some(inner) = this.inner.as_mut().as_pin_mut() else { return Poll::Ready(None) };
            let Poll::Ready(frame) = inner.poll_frame(cx) else {
                // Nobody waits for a message until others fill its frame.
                let data = this.mode.flush().map(Frame::data);
                return data.map_or(Poll::Pending, |data| Poll::Ready(Some(Ok(data))));
            };
            let last = match frame.map(|frame| frame.map(Frame::into_data)) {
                Some(Ok(Ok(mut data))) => {
                    // Not a copy where the data are `Bytes`, as everybody's are.
                    match this.mode.take(data.copy_to_bytes(data.remaining())) {
                        Some(data) => return Poll::Ready(Some(Ok(Frame::data(data)))),
                        None => continue,
                    }
                }
                Some(Ok(Err(frame))) => match frame.into_trailers() {
                    // An error that the peer tells is worth more than that it stopped there.
                    Ok(trailers) if tells_error(&trailers) => Some(Last::Trailers(trailers)),
                    Ok(trailers) => Some(match this.mode.end() {
                        Ok(()) => Last::Trailers(trailers),
                        Err(error) => Last::Failed(error),
                    }),
                    Err(_) => continue, // a kind of frame that HTTP does not have yet
                },
                Some(Err(error)) => Some(Last::Broken(error.into())),
                None => this.mode.end().err().map(Last::Failed),
            };
            let data = this.mode.flush();
            *this.mode = Mode::Last(last);
            if let Some(data) = data {
                return Poll::Ready(Some(Ok(Frame::data(data))));
            }
        }
        // So many frames without a byte to pass on: others have their turn.
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    fn is_end_stream(&self) -> bool {
        let is_idle = match &self.mode {
            Mode::Pass => true,
            Mode::Scan(scan) => scan.is_between_messages(),
            Mode::Map(pipe) => pipe.is_empty(),
            Mode::Given(bytes) => bytes.is_none(),
            Mode::Last(last) => return last.is_none(),
        };
        is_idle && self.inner.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        match (&self.mode, &self.inner) {
            (Mode::Given(bytes), _) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            (Mode::Map(_) | Mode::Last(_), _) => SizeHint::default(),
            (Mode::Pass | Mode::Scan(_), Some(inner)) => inner.size_hint(),
            (_, None) => SizeHint::with_exact(0),
        }
    }
}

impl Mode {
    /// Takes data in; gives back what passes as it is.
    fn take(&mut self, data: Bytes) -> Option<Bytes> {
        match self {
            Self::Pass | Self::Given(_) | Self::Last(_) => Some(data),
            Self::Scan(scan) => match scan.check(&data) {
                Ok(()) => Some(data),
                Err((good_len, error)) => {
                    *self = Self::Last(Some(Last::Failed(error)));
                    (good_len > 0).then(|| data.slice(..good_len))
                }
            },
            Self::Map(pipe) => {
                pipe.push(data);
                None
            }
        }
    }

    /// Gives what has been worked on so far.
    fn flush(&mut self) -> Option<Bytes> {
        match self {
            Self::Map(pipe) => pipe.flush(),
            Self::Pass | Self::Scan(_) | Self::Given(_) | Self::Last(_) => None,
        }
    }

    /// Checks that the stream may end here.
    fn end(&self) -> Result<(), CallError> {
        match self {
            Self::Pass | Self::Given(_) | Self::Last(_) => Ok(()),
            Self::Scan(scan) => scan.end(),
            Self::Map(pipe) => pipe.end(),
        }
    }
}

impl Role {
    fn tell(self, last: Last) -> Result<Frame<Bytes>, BoxError> {
        match (last, self) {
            (Last::Trailers(trailers), _) => Ok(Frame::trailers(trailers)),
            (Last::Broken(error), _) => Err(error),
            (Last::Failed(error), Self::Request) => Err(into_body_error(error)),
            (Last::Failed(error), Self::Response) => Ok(Frame::trailers(error.to_trailers())),
        }
    }
}

fn tells_error(trailers: &HeaderMap) -> bool {
    trailers.get(GRPC_STATUS).is_some_and(|status| status != "0")
}

/// How often a body asks its source for more before it gives others their turn.
const MAX_TURNS: usize = 128;

/// tonic reads the code of a `Status`, and takes any other error for code 2.
#[cfg(feature = "tonic")]
fn into_body_error(error: CallError) -> BoxError {
    tonic::Status::from(error).into()
}

#[cfg(not(feature = "tonic"))]
fn into_body_error(error: CallError) -> BoxError {
    error.into()
}
