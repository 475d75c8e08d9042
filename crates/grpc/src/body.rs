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
    /// Message after message; once there are no more, what ends the body.
    Map(Box<Pipe>, Option<Option<Last>>),
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
        Self { inner: Some(inner), mode: Mode::Map(Box::new(pipe), None), role }
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
                Mode::Map(pipe, ended) => match ready!(pipe.poll_full(cx)) {
                    Ok(Some(data)) => return Poll::Ready(Some(Ok(Frame::data(data)))),
                    Err(error) => {
                        *this.mode = Mode::Last(Some(Last::Failed(error)));
                        continue;
                    }
                    Ok(None) => {
                        if let Some(last) = ended.take() {
                            let data = pipe.flush().map(Frame::data);
                            *this.mode = Mode::Last(last);
                            match data {
                                Some(data) => return Poll::Ready(Some(Ok(data))),
                                None => continue,
                            }
                        }
                    }
                },
                Mode::Pass | Mode::Scan(_) => {}
            }
            let Some(inner) = this.inner.as_mut().as_pin_mut() else { return Poll::Ready(None) };
            let Poll::Ready(frame) = inner.poll_frame(cx) else {
                match this.mode.go_on() {
                    GoOn::Again => continue,
                    GoOn::With(data) => return Poll::Ready(Some(Ok(Frame::data(data)))),
                    GoOn::Wait => return Poll::Pending,
                }
            };
            match this.mode.hear(frame) {
                Heard::Data(data) => return Poll::Ready(Some(Ok(Frame::data(data)))),
                Heard::Nothing => {}
                Heard::End(last) => this.mode.end_with(last),
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
            Mode::Map(pipe, Some(None)) => return pipe.is_empty(),
            Mode::Map(_, Some(Some(_))) => return false,
            // What is recorded has to be seen to its very end.
            Mode::Map(pipe, None) => pipe.is_empty() && !pipe.is_recorded(),
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
            (Mode::Map(..) | Mode::Last(_), _) => SizeHint::default(),
            (Mode::Pass | Mode::Scan(_), Some(inner)) => inner.size_hint(),
            (_, None) => SizeHint::with_exact(0),
        }
    }
}

impl Mode {
    /// Takes in what the source gave.
    fn hear<D: Buf, E: Into<BoxError>>(&mut self, frame: Option<Result<Frame<D>, E>>) -> Heard {
        let frame = match frame.map(|frame| frame.map(Frame::into_data)) {
            Some(Ok(Ok(mut data))) => {
                // Not a copy where the data are `Bytes`, as everybody's are.
                let data = data.copy_to_bytes(data.remaining());
                return self.take(data).map_or(Heard::Nothing, Heard::Data);
            }
            Some(Ok(Err(frame))) => frame,
            Some(Err(error)) => return Heard::End(Some(Last::Broken(error.into()))),
            None => return Heard::End(self.end().err().map(Last::Failed)),
        };
        match frame.into_trailers() {
            // An error that the peer tells is worth more than that it stopped there.
            Ok(trailers) if tells_error(&trailers) => Heard::End(Some(Last::Trailers(trailers))),
            Ok(trailers) => Heard::End(Some(match self.end() {
                Ok(()) => Last::Trailers(trailers),
                Err(error) => Last::Failed(error),
            })),
            Err(_) => Heard::Nothing, // a kind of frame that HTTP does not have yet
        }
    }

    /// Ends with this, once what is on its way has been passed on.
    fn end_with(&mut self, last: Option<Last>) {
        match self {
            Self::Map(pipe, ended) => {
                pipe.go_on();
                *ended = Some(last);
            }
            Self::Pass | Self::Scan(_) | Self::Given(_) | Self::Last(_) => {
                *self = Self::Last(last);
            }
        }
    }

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
            Self::Map(pipe, _) => {
                pipe.push(data);
                None
            }
        }
    }

    /// Says what to do while the source has nothing.
    fn go_on(&mut self) -> GoOn {
        let Self::Map(pipe, _) = self else { return GoOn::Wait };
        if pipe.go_on() {
            return GoOn::Again;
        }
        // Nobody waits for a message until others fill its frame.
        pipe.flush().map_or(GoOn::Wait, GoOn::With)
    }

    /// Checks that the stream may end here.
    fn end(&self) -> Result<(), CallError> {
        match self {
            Self::Pass | Self::Given(_) | Self::Last(_) => Ok(()),
            Self::Scan(scan) => scan.end(),
            Self::Map(pipe, _) => pipe.end(),
        }
    }
}

/// What came from a body's source.
enum Heard {
    /// What passes as it is.
    Data(Bytes),
    Nothing,
    End(Option<Last>),
}

/// What a body does while its source has nothing.
enum GoOn {
    /// It looks once more at what it has.
    Again,
    With(Bytes),
    Wait,
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
