//! A consumer's stream with its payloads restored.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use pin_project_lite::pin_project;
use tokio::task::JoinHandle;

use crate::codec::{MessageCodec, NotNow};
use crate::config::OnError;
use crate::error::BadMessage;
use crate::message::Message;

pin_project! {
    /// The messages of a consumer, each with its payload restored, in the consumer's order.
    ///
    /// One message at a time is decompressed, when it is asked for: a batch of a thousand takes
    /// the memory of one. Large ones are decompressed on a thread of tokio's for blocking work.
    #[derive(Debug)]
    pub struct Decoded<S, M> {
        #[pin]
        inner: S,
        codec: MessageCodec,
        job: Option<Job<M>>,
        is_stopped: bool,
    }
}

type Job<M> = JoinHandle<Result<M, Box<BadMessage<M>>>>;

/// Why a stream has no message to give.
#[derive(Debug)]
#[non_exhaustive]
pub enum StreamError<M, E> {
    /// The broker's client failed.
    Client(E),
    /// A message can't be restored. The ones after it can.
    BadMessage(Box<BadMessage<M>>),
    /// The thread that decompressed a large message is gone, and the message with it.
    Stopped,
}

impl<S, M> Decoded<S, M> {
    /// Restores what a consumer's stream gives.
    pub const fn new(inner: S, codec: MessageCodec) -> Self {
        Self { inner, codec, job: None, is_stopped: false }
    }

    /// Returns the consumer's stream.
    pub const fn get_ref(&self) -> &S {
        &self.inner
    }

    /// Returns the consumer's stream, to commit or to seek with.
    pub const fn get_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// Returns the codec.
    pub const fn codec(&self) -> &MessageCodec {
        &self.codec
    }
}

impl<S, M, E> Stream for Decoded<S, M>
where
    S: Stream<Item = Result<M, E>>,
    M: Message + Send + 'static,
{
    type Item = Result<M, StreamError<M, E>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        for _ in 0..MAX_SKIPPED {
            if *this.is_stopped {
                return Poll::Ready(None);
            }
            let restored = if let Some(job) = this.job {
                let joined = ready!(Pin::new(job).poll(cx));
                *this.job = None;
                let Ok(restored) = joined else {
                    return Poll::Ready(Some(Err(StreamError::Stopped)));
                };
                restored
            } else {
                let message = match ready!(this.inner.as_mut().poll_next(cx)) {
                    None => return Poll::Ready(None),
                    Some(Err(error)) => return Poll::Ready(Some(Err(StreamError::Client(error)))),
                    Some(Ok(message)) => message,
                };
                match this.codec.decompress_quickly(message) {
                    Ok(message) => Ok(message),
                    Err(NotNow::Bad(bad)) => Err(bad),
                    Err(NotNow::Long(message))
                        if tokio::runtime::Handle::try_current().is_err() =>
                    {
                        this.codec.maybe_decompress(message)
                    }
                    Err(NotNow::Long(message)) => {
                        let codec = this.codec.clone();
                        let work = move || codec.maybe_decompress(message);
                        *this.job = Some(tokio::task::spawn_blocking(work));
                        continue;
                    }
                }
            };
            return Poll::Ready(Some(match (restored, this.codec.on_error()) {
                (Ok(message), _) => Ok(message),
                (Err(_), OnError::Skip) => continue, // counted and told where it failed
                (Err(bad), OnError::Raw) => Ok(bad.into_message()),
                (Err(bad), OnError::Report) => Err(StreamError::BadMessage(bad)),
                (Err(bad), OnError::Stop) => {
                    *this.is_stopped = true;
                    Err(StreamError::BadMessage(bad))
                }
            }));
        }
        // So many bad messages: others have their turn.
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl<M: Message, E: fmt::Display> fmt::Display for StreamError<M, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(error) => write!(f, "{error}"),
            Self::BadMessage(bad) => write!(f, "{bad}"),
            Self::Stopped => f.write_str("the thread that decompresses large messages is gone"),
        }
    }
}

impl<M, E> std::error::Error for StreamError<M, E>
where
    M: Message + fmt::Debug + 'static,
    E: std::error::Error + 'static,
{
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Client(error) => Some(error),
            Self::BadMessage(bad) => Some(bad.as_ref()),
            Self::Stopped => None,
        }
    }
}

/// How many messages in a row are skipped before others have their turn.
const MAX_SKIPPED: usize = 64;
