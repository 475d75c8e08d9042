//! A consumer's stream with its payloads restored.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use pin_project_lite::pin_project;

use crate::codec::MessageCodec;
use crate::config::OnError;
use crate::decompress::{Restoring, Step};
use crate::error::{BadMessage, DecompressError};
use crate::message::Message;

pin_project! {
    /// The messages of a consumer, each with its payload restored, in the consumer's order.
    ///
    /// What can't be restored is treated as [`OnError`] says; the messages around it arrive as if
    /// it were not there. Errors of the broker's client pass through.
    ///
    /// # Memory
    ///
    /// A message is decompressed when it is asked for, and the next not before: whatever number of
    /// compressed messages a polled batch brings, one payload of them is here at a time. That is
    /// the budget of a batch: one `max_payload_size`, and as much again while an encoding that
    /// does not state its length is decompressed. Whoever collects messages has to bound what is
    /// collected.
    ///
    /// # Time
    ///
    /// Payloads above [`offload_above`](MessageCodec::offload_above), in either form, are
    /// decompressed on a thread of tokio's for blocking work, the others in place; without a tokio
    /// runtime all are. Long rows of messages, to give or to skip, let other tasks have their turn
    /// after as many bytes.
    ///
    /// ```
    /// use thinwire::Encoding;
    /// use thinwire_stream::{ClientCompressionConfig, Decoded, Label, MessageCodec, StreamError};
    /// use tokio_stream::StreamExt;
    /// # mod mine { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mine.rs")); }
    /// # use mine::Mine; // the message of `Message`'s example
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    ///
    /// let codec = MessageCodec::new(&ClientCompressionConfig::new(Encoding::Lz4), Label::IGGY)?;
    /// let compressed = codec.maybe_compress(&Mine::new(vec![7; 1000]))?.unwrap();
    /// let damaged = Mine::new("not lz4").header("iggy-compression", "lz4");
    /// let batch = [compressed, damaged, Mine::new("raw")].map(Ok::<_, std::io::Error>);
    ///
    /// let mut messages = Decoded::new(tokio_stream::iter(batch), codec);
    /// assert_eq!(messages.next().await.unwrap()?.payload.len(), 1000);
    /// match messages.next().await.unwrap() {
    ///     Err(StreamError::BadMessage(bad)) => assert_eq!(bad.message().payload, "not lz4"),
    ///     other => panic!("{other:?}"),
    /// }
    /// assert_eq!(messages.next().await.unwrap()?.payload, "raw");
    /// # Ok(())
    /// # }
    /// ```
    #[derive(Debug)]
    pub struct Decoded<S, M> {
        #[pin]
        inner: S,
        codec: MessageCodec,
        restoring: Option<Restoring<M>>,
        // Bytes of payloads that were decompressed in place since others last had their turn.
        in_a_row: usize,
        is_stopped: bool,
    }
}

/// Why a stream has no message to give.
///
/// ```
/// use thinwire_stream::{Message, StreamError};
///
/// fn say<M: Message>(error: StreamError<M, std::io::Error>) {
///     match error {
///         StreamError::Client(error) => println!("the broker's client: {error}"),
///         StreamError::BadMessage(bad) => println!("at {}: {}", bad.place(), bad.reason()),
///         _ => println!("{error}"),
///     }
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum StreamError<M, E> {
    /// The broker's client failed.
    Client(E),
    /// A message can't be restored. The ones after it can.
    BadMessage(Box<BadMessage<M>>),
}

impl<S, M> Decoded<S, M> {
    /// Restores what a consumer's stream gives.
    ///
    /// ```
    /// # use thinwire_stream::{ClientCompressionConfig, Decoded, Label, MessageCodec};
    /// # mod mine { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mine.rs")); }
    /// # use mine::Mine; // the message of `Message`'s example
    /// # let consumer = tokio_stream::empty::<Result<Mine, std::io::Error>>();
    /// let codec = MessageCodec::new(&ClientCompressionConfig::off(), Label::IGGY)?;
    /// let messages: Decoded<_, Mine> = Decoded::new(consumer, codec);
    /// # Ok::<(), thinwire_stream::ConfigError>(())
    /// ```
    pub const fn new(inner: S, codec: MessageCodec) -> Self {
        Self { inner, codec, restoring: None, in_a_row: 0, is_stopped: false }
    }

    /// Restores what a consumer's stream gives, and gives every bad message as an error, whatever
    /// [`MessageCodec::on_error`] says: for an adapter that has something to do with what it skips,
    /// such as to acknowledge it.
    ///
    /// ```
    /// # use thinwire_stream::{ClientCompressionConfig, Decoded, Label, MessageCodec, OnError};
    /// # mod mine { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mine.rs")); }
    /// # use mine::Mine; // the message of `Message`'s example
    /// # let consumer = tokio_stream::empty::<Result<Mine, std::io::Error>>();
    /// let config = ClientCompressionConfig::off().on_error(OnError::Skip);
    /// let codec = MessageCodec::new(&config, Label::IGGY)?;
    /// let on_error = codec.on_error(); // to be done by the adapter
    /// let messages: Decoded<_, Mine> = Decoded::reporting(consumer, codec);
    /// # Ok::<(), thinwire_stream::ConfigError>(())
    /// ```
    pub const fn reporting(inner: S, mut codec: MessageCodec) -> Self {
        codec.on_error = OnError::Report;
        Self::new(inner, codec)
    }

    /// Returns the consumer's stream.
    ///
    /// ```
    /// # use thinwire_stream::{ClientCompressionConfig, Decoded, Label, MessageCodec};
    /// # mod mine { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mine.rs")); }
    /// # let codec = MessageCodec::new(&ClientCompressionConfig::off(), Label::IGGY)?;
    /// let messages: Decoded<_, mine::Mine> = Decoded::new("a consumer", codec);
    /// assert_eq!(*messages.get_ref(), "a consumer");
    /// # Ok::<(), thinwire_stream::ConfigError>(())
    /// ```
    pub const fn get_ref(&self) -> &S {
        &self.inner
    }

    /// Returns the consumer's stream, to commit or to seek with. A large message that is being
    /// decompressed still comes first after that.
    ///
    /// ```
    /// # use thinwire_stream::{ClientCompressionConfig, Decoded, Label, MessageCodec};
    /// # mod mine { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mine.rs")); }
    /// # let codec = MessageCodec::new(&ClientCompressionConfig::off(), Label::IGGY)?;
    /// let mut messages: Decoded<_, mine::Mine> = Decoded::new(vec!["a consumer"], codec);
    /// messages.get_mut().clear();
    /// # Ok::<(), thinwire_stream::ConfigError>(())
    /// ```
    pub const fn get_mut(&mut self) -> &mut S {
        &mut self.inner
    }

    /// Returns the codec, which counts.
    ///
    /// ```
    /// # use thinwire_stream::{ClientCompressionConfig, Decoded, Label, MessageCodec};
    /// # mod mine { include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/mine.rs")); }
    /// # let codec = MessageCodec::new(&ClientCompressionConfig::off(), Label::IGGY)?;
    /// let messages: Decoded<_, mine::Mine> = Decoded::new("a consumer", codec);
    /// assert!(messages.codec().counters().snapshot().rows.is_empty());
    /// # Ok::<(), thinwire_stream::ConfigError>(())
    /// ```
    pub const fn codec(&self) -> &MessageCodec {
        &self.codec
    }
}

impl<S, M, E> Stream for Decoded<S, M>
where
    S: Stream<Item = Result<M, E>>,
    M: Message,
{
    type Item = Result<M, StreamError<M, E>>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut this = self.project();
        for _ in 0..MAX_SKIPPED {
            if *this.is_stopped {
                return Poll::Ready(None);
            }
            let step = if let Some(restoring) = this.restoring.take() {
                match restoring.poll(this.codec, cx) {
                    Ok(restored) => Step::Done(restored),
                    Err(restoring) => {
                        *this.restoring = Some(restoring);
                        return Poll::Pending;
                    }
                }
            } else {
                if *this.in_a_row > this.codec.decode_on_runtime() {
                    break;
                }
                let Poll::Ready(item) = this.inner.as_mut().poll_next(cx) else {
                    *this.in_a_row = 0;
                    return Poll::Pending;
                };
                let (message, encoded_len) = match item {
                    None => return Poll::Ready(None),
                    Some(Err(error)) => return Poll::Ready(Some(Err(StreamError::Client(error)))),
                    Some(Ok(message)) => {
                        let len = message.payload().len();
                        (message, len)
                    }
                };
                let step = this.codec.decompress_or_start(message);
                *this.in_a_row = this.in_a_row.saturating_add(step.work(encoded_len));
                step
            };
            let bad = match step {
                Step::Started(restoring) => {
                    *this.restoring = Some(restoring);
                    continue; // to be polled
                }
                Step::Done(Ok(message)) => return Poll::Ready(Some(Ok(message))),
                Step::Done(Err(bad)) => bad,
            };
            let is_its_fault = !matches!(bad.cause, DecompressError::Stopped);
            match this.codec.on_error {
                OnError::Skip if is_its_fault => {} // counted and told where it failed
                OnError::Raw if is_its_fault => return Poll::Ready(Some(Ok(bad.into_message()))),
                on_error @ (OnError::Report | OnError::Skip | OnError::Stop | OnError::Raw) => {
                    *this.is_stopped = on_error == OnError::Stop;
                    return Poll::Ready(Some(Err(StreamError::BadMessage(bad))));
                }
            }
        }
        // So many at once: others have their turn.
        *this.in_a_row = 0;
        cx.waker().wake_by_ref();
        Poll::Pending
    }
}

impl<M: Message, E: fmt::Display> fmt::Display for StreamError<M, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(error) => write!(f, "{error}"),
            Self::BadMessage(bad) => write!(f, "{bad}"),
        }
    }
}

impl<M, E> std::error::Error for StreamError<M, E>
where
    M: Message + fmt::Debug + 'static,
    E: std::error::Error + 'static,
{
    /// What the client's error, or the bad message's, comes from: this one says what they say.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Client(error) => error.source(),
            Self::BadMessage(bad) => bad.source(),
        }
    }
}

/// How many messages in a row are skipped before others have their turn.
const MAX_SKIPPED: usize = 64;

#[cfg(test)]
mod tests {
    use thinwire::Encoding;
    use thinwire::counters::{Direction, ErrorKind};
    use tokio_stream::StreamExt;

    use super::*;
    use crate::{ClientCompressionConfig, Label};

    mod mine {
        include!("../tests/support/mine.rs");
    }

    use mine::Mine;

    #[tokio::test]
    async fn a_message_whose_thread_panicked_is_reported_whatever_was_chosen() {
        for on_error in [OnError::Report, OnError::Skip, OnError::Stop, OnError::Raw] {
            let config = ClientCompressionConfig::off().on_error(on_error);
            let codec = MessageCodec::new(&config, Label::IGGY).unwrap();
            let next = [Ok::<_, std::io::Error>(Mine::new("the next"))];
            let mut decoded = Decoded::new(tokio_stream::iter(next), codec);
            let message = Mine::new("bytes").header("iggy-compression", "zstd");
            decoded.restoring = Some(Restoring::panicking(message.clone(), Encoding::Zstd));

            match decoded.next().await {
                Some(Err(StreamError::BadMessage(bad))) => {
                    assert!(matches!(bad.reason(), DecompressError::Stopped), "{bad}");
                    assert_eq!(bad.into_message(), message);
                }
                other => panic!("{other:?}"),
            }
            let errors = decoded.codec().counters().snapshot().errors;
            assert_eq!(errors, [(Direction::Decode, ErrorKind::Other, 1)]);
            let is_there_more = decoded.next().await.is_some();
            assert_eq!(is_there_more, on_error != OnError::Stop);
        }
    }
}
