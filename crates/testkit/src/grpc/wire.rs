//! Bodies whose frames are written down beforehand.

use std::collections::VecDeque;
use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};
use thinwire_grpc::{BoxError, MessageBody, Rewrap};

/// What a body gives next.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A DATA frame, maybe an empty one.
    Data(Bytes),
    /// Trailers. Nothing should follow, but a script may go on.
    Trailers(HeaderMap),
    /// A [`ScriptError`].
    Error,
    /// Nothing yet.
    Pending,
}

impl Event {
    pub(crate) fn data_len(&self) -> u64 {
        match self {
            Self::Data(data) => data.len() as u64,
            Self::Trailers(_) | Self::Error | Self::Pending => 0,
        }
    }
}

/// The error of a body that breaks off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScriptError;

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the script says that the body breaks off here")
    }
}

impl Error for ScriptError {}

/// A body of given events, one after the other, whatever they are.
#[derive(Clone, Debug, Default)]
pub struct Script {
    events: VecDeque<(Event, SizeHint)>,
    /// Whether it tells its length and its end beforehand; if so, rightly.
    tells: bool,
}

impl Script {
    /// Gives these events and then the end. `tells` says whether it says so beforehand.
    pub(crate) fn new(events: &[Event], tells: bool) -> Self {
        let (mut hint, mut script) = (SizeHint::with_exact(0), VecDeque::new());
        for event in events.iter().rev() {
            // Readers may stop at an end, or go on.
            let is_end = matches!(event, Event::Trailers(_) | Event::Error);
            hint.set_upper(hint.upper().unwrap_or(0) + event.data_len());
            hint.set_lower(if is_end { 0 } else { hint.lower() + event.data_len() });
            script.push_front((event.clone(), hint));
        }
        Self { events: script, tells }
    }
}

impl Body for Script {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match self.events.pop_front().map(|(event, _)| event) {
            Some(Event::Data(data)) => Poll::Ready(Some(Ok(Frame::data(data)))),
            Some(Event::Trailers(trailers)) => Poll::Ready(Some(Ok(Frame::trailers(trailers)))),
            Some(Event::Error) => Poll::Ready(Some(Err(ScriptError.into()))),
            Some(Event::Pending) => Poll::Pending,
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.tells && self.events.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        match self.events.front() {
            Some((_, hint)) if self.tells => *hint,
            Some(_) => SizeHint::default(),
            None => SizeHint::with_exact(0),
        }
    }
}

/// A script, or what a layer made of one.
#[derive(Debug)]
#[non_exhaustive]
pub enum Wire {
    /// As it was written.
    Script(Script),
    /// Behind a layer.
    Mapped(Pin<Box<MessageBody<Self>>>),
}

impl Rewrap for Wire {
    fn rewrap(body: MessageBody<Self>) -> Self {
        Self::Mapped(Box::pin(body))
    }
}

impl Body for Wire {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match self.get_mut() {
            Self::Script(script) => Pin::new(script).poll_frame(cx),
            Self::Mapped(body) => body.as_mut().poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Script(script) => script.is_end_stream(),
            Self::Mapped(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Script(script) => script.size_hint(),
            Self::Mapped(body) => body.size_hint(),
        }
    }
}

/// A message with gRPC's prefix.
#[must_use]
pub fn framed(flag: u8, body: &[u8]) -> Vec<u8> {
    let len = u32::try_from(body.len()).unwrap_or(u32::MAX).to_be_bytes();
    [&[flag], &len[..], body].concat()
}

/// Cuts a stream into messages, and what is left of it.
pub(crate) fn messages(mut stream: &[u8]) -> (Vec<(u8, &[u8])>, &[u8]) {
    let mut messages = Vec::new();
    while let Some((&[flag, a, b, c, d], rest)) = stream.split_first_chunk::<5>() {
        let len = usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX);
        let Some((body, rest)) = rest.split_at_checked(len) else { break };
        messages.push((flag, body));
        stream = rest;
    }
    (messages, stream)
}
