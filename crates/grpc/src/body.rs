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
    /// It holds one message at a time in each form, takes the next chunk only when all before it
    /// has been passed on, and lets trailers through as they came.
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
    /// All that was right has been passed on.
    Failed(Option<CallError>),
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
        loop {
            if let Mode::Given(bytes) = this.mode {
                return Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes))));
            }
            if let Mode::Failed(error) = this.mode {
                let error = error.take();
                this.inner.set(None);
                return Poll::Ready(error.map(|error| this.role.tell(error)));
            }
            if let Mode::Map(pipe) = this.mode {
                match ready!(pipe.poll_out(cx)) {
                    Ok(Some(data)) => return Poll::Ready(Some(Ok(Frame::data(data)))),
                    Ok(None) => {}
                    Err(error) => {
                        this.inner.set(None);
                        *this.mode = Mode::Pass;
                        return Poll::Ready(Some(this.role.tell(error)));
                    }
                }
            }
            let Some(inner) = this.inner.as_mut().as_pin_mut() else { return Poll::Ready(None) };
            let step = match ready!(inner.poll_frame(cx)) {
                Some(Ok(frame)) => this.mode.take(frame),
                Some(Err(error)) => return Poll::Ready(Some(Err(error.into()))),
                None => match this.mode.end() {
                    Ok(()) => return Poll::Ready(None),
                    Err(error) => Err(error),
                },
            };
            match step {
                Ok(Some(frame)) => return Poll::Ready(Some(Ok(frame))),
                Ok(None) => {}
                Err(error) => {
                    this.inner.set(None);
                    *this.mode = Mode::Pass;
                    return Poll::Ready(Some(this.role.tell(error)));
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        let is_idle = match &self.mode {
            Mode::Pass => true,
            Mode::Scan(scan) => scan.is_between_messages(),
            Mode::Map(pipe) => pipe.is_empty(),
            Mode::Given(bytes) => bytes.is_none(),
            Mode::Failed(error) => return error.is_none(),
        };
        is_idle && self.inner.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        match (&self.mode, &self.inner) {
            (Mode::Given(bytes), _) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            (Mode::Map(_) | Mode::Failed(_), Some(_)) => SizeHint::default(),
            (Mode::Pass | Mode::Scan(_), Some(inner)) => inner.size_hint(),
            (_, None) => SizeHint::with_exact(0),
        }
    }
}

impl Mode {
    /// Takes a frame in; gives one back that passes as it is.
    fn take<D: Buf>(&mut self, frame: Frame<D>) -> Result<Option<Frame<Bytes>>, CallError> {
        let frame = match frame.into_data() {
            Ok(mut data) => {
                // Not a copy where the data are `Bytes`, as everybody's are.
                let data = data.copy_to_bytes(data.remaining());
                return match self {
                    Self::Pass | Self::Given(_) | Self::Failed(_) => Ok(Some(Frame::data(data))),
                    Self::Scan(scan) => match scan.check(&data) {
                        Ok(()) => Ok(Some(Frame::data(data))),
                        Err((0, error)) => Err(error),
                        Err((good_len, error)) => {
                            *self = Self::Failed(Some(error));
                            Ok(Some(Frame::data(data.slice(..good_len))))
                        }
                    },
                    Self::Map(pipe) => {
                        pipe.push(data);
                        Ok(None)
                    }
                };
            }
            Err(frame) => frame,
        };
        match frame.into_trailers() {
            Ok(trailers) => {
                // An error that the peer tells is worth more than that it stopped there.
                if !tells_error(&trailers) {
                    self.end()?;
                }
                *self = Self::Pass; // nothing comes after them
                Ok(Some(Frame::trailers(trailers)))
            }
            Err(_) => Ok(None), // a kind of frame that HTTP does not have yet
        }
    }

    /// Checks that the stream may end here.
    fn end(&mut self) -> Result<(), CallError> {
        match self {
            Self::Pass | Self::Given(_) | Self::Failed(_) => Ok(()),
            Self::Scan(scan) => scan.end(),
            Self::Map(pipe) => pipe.end(),
        }
    }
}

impl Role {
    fn tell(self, error: CallError) -> Result<Frame<Bytes>, BoxError> {
        match self {
            Self::Request => Err(into_body_error(error)),
            Self::Response => Ok(Frame::trailers(error.to_trailers())),
        }
    }
}

fn tells_error(trailers: &HeaderMap) -> bool {
    trailers.get(GRPC_STATUS).is_some_and(|status| status != "0")
}

/// tonic reads the code of a `Status`, and takes any other error for code 2.
#[cfg(feature = "tonic")]
fn into_body_error(error: CallError) -> BoxError {
    tonic::Status::from(error).into()
}

#[cfg(not(feature = "tonic"))]
fn into_body_error(error: CallError) -> BoxError {
    error.into()
}
