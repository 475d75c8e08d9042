//! No transport at all: what encoding and decoding alone allow.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use thinwire::counters::{Counters, Direction, ErrorKind};
use thinwire::{DecodeError, Decoder, Encoded, Encoder, Encoding, Policy};

use super::queue::Queue;
use super::{BoxFuture, Consume, Fault, Produce, ServerFacts, Session, Setup, Transport};
use crate::bench::counts::Counts;
use crate::bench::report;

/// Queues in this process's memory.
#[derive(Debug)]
pub struct Memory;

impl Transport for Memory {
    fn describe(&self) -> report::Transport {
        report::Transport {
            name: "memory".to_owned(),
            server: None,
            is_local: true,
            link_bits_per_second: None,
            link_delay_ns: None,
        }
    }

    fn open(&self, setup: Setup) -> BoxFuture<'_, Result<Box<dyn Session>, Fault>> {
        Box::pin(async move {
            let encoder = Encoder::new(setup.level).map_err(|why| Fault::new("connect", why))?;
            let ends = Ends {
                encoder: encoder.policy(Policy::default().min_len(setup.min_size)),
                decoder: Decoder::new(setup.max_len),
                counters: Arc::default(),
                prompt_len: setup.level.prompt_len(),
            };
            let Setup { purpose, destinations, .. } = setup;
            let queues = (0..destinations).map(|_| Arc::new(Queue::new(purpose, destinations)));
            let session: Box<dyn Session> =
                Box::new(MemorySession { ends, queues: queues.collect() });
            Ok(session)
        })
    }
}

#[derive(Debug)]
struct MemorySession {
    ends: Ends,
    queues: Vec<Arc<Queue<Encoded>>>,
}

/// What both ends of a queue share.
#[derive(Debug, Clone)]
struct Ends {
    encoder: Encoder,
    decoder: Decoder,
    counters: Arc<Counters>,
    /// Longer payloads would keep the runtime too long.
    prompt_len: usize,
}

#[derive(Debug)]
struct End {
    ends: Ends,
    queue: Arc<Queue<Encoded>>,
}

impl MemorySession {
    fn end(&self, destination: u32) -> Result<End, Fault> {
        let queue = self.queues.get(destination as usize).cloned();
        let queue = queue.ok_or_else(|| Fault::new("connect", "there is no such destination"))?;
        Ok(End { ends: self.ends.clone(), queue })
    }
}

impl Session for MemorySession {
    fn begin(&self, _: u64) -> BoxFuture<'_, Result<(), Fault>> {
        for queue in &self.queues {
            queue.clear();
        }
        Box::pin(std::future::ready(Ok(())))
    }

    fn producer(&self, destination: u32) -> BoxFuture<'_, Result<Box<dyn Produce>, Fault>> {
        Box::pin(async move {
            let end: Box<dyn Produce> = Box::new(self.end(destination)?);
            Ok(end)
        })
    }

    fn consumer(&self, destination: u32) -> BoxFuture<'_, Result<Box<dyn Consume>, Fault>> {
        Box::pin(async move {
            let end: Box<dyn Consume> = Box::new(self.end(destination)?);
            Ok(end)
        })
    }

    fn counts(&self) -> Counts {
        Counts::of(&self.ends.counters)
    }

    fn server(&self) -> BoxFuture<'_, ServerFacts> {
        let not_kept = self.queues.iter().map(|queue| queue.not_kept()).sum();
        Box::pin(std::future::ready(ServerFacts { not_kept, ..ServerFacts::default() }))
    }

    fn end(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

impl Produce for End {
    fn send(&mut self, batch: Vec<Bytes>) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async move {
            let mut messages = Vec::with_capacity(batch.len());
            let mut in_a_row = 0;
            for payload in batch {
                let len = payload.len();
                let ends = self.ends.clone();
                let encoded = beside_if(len > ends.prompt_len, move || ends.encode(payload)).await;
                messages.push(encoded?);
                self.ends.give_way(&mut in_a_row, len).await;
            }
            self.queue.send(messages).await;
            tokio::task::yield_now().await; // nothing else here ever waits
            Ok(())
        })
    }
}

impl Consume for End {
    fn receive(&mut self, most: usize, wait: Duration) -> BoxFuture<'_, Result<Vec<Bytes>, Fault>> {
        Box::pin(async move {
            let mut payloads = Vec::new();
            let mut in_a_row = 0;
            for encoded in self.queue.receive(most, wait).await {
                let is_long = encoded.bytes().len() > self.ends.prompt_len;
                let ends = self.ends.clone();
                let payload = beside_if(is_long, move || ends.decode(encoded)).await?;
                self.ends.give_way(&mut in_a_row, payload.len()).await;
                payloads.push(payload);
            }
            tokio::task::yield_now().await;
            Ok(payloads)
        })
    }
}

/// What takes long is done on a thread for that, as layers and adapters do.
async fn beside_if<T: Send + 'static>(
    is_long: bool,
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    if !is_long {
        return work();
    }
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|why| Err(Fault::new("panic", why)))
}

impl Ends {
    /// Lets others have their turn after as many bytes as keep the runtime for a moment.
    async fn give_way(&self, in_a_row: &mut usize, len: usize) {
        *in_a_row += len;
        if *in_a_row > self.prompt_len {
            *in_a_row = 0;
            tokio::task::yield_now().await;
        }
    }

    fn encode(&self, payload: Bytes) -> Result<(Encoded, usize), Fault> {
        let (payload_len, begin) = (payload.len(), Instant::now());
        let encoded = self.encoder.encode(payload).map_err(|why| {
            self.counters.failed(Direction::Encode, ErrorKind::Other);
            Fault::new("send", why)
        })?;
        let len = encoded.bytes().len();
        let time = self.codec_time(begin, encoded.encoding());
        self.counters.passed(Direction::Encode, encoded.encoding(), payload_len, len, time);
        if let Some(reason) = encoded.raw_reason() {
            self.counters.kept_raw(reason);
        }
        Ok((encoded, len))
    }

    fn decode(&self, encoded: Encoded) -> Result<Bytes, Fault> {
        let (len, encoding, begin) = (encoded.bytes().len(), encoded.encoding(), Instant::now());
        let payload = self.decoder.decode(encoded).map_err(|why| {
            self.counters.failed(Direction::Decode, kind(&why));
            Fault::new("receive", why)
        })?;
        let time = self.codec_time(begin, encoding);
        self.counters.passed(Direction::Decode, encoding, payload.len(), len, time);
        Ok(payload)
    }

    /// Payloads that go as they are cost no time in a codec.
    fn codec_time(&self, begin: Instant, encoding: Encoding) -> Duration {
        let is_raw = encoding == Encoding::Identity && self.encoder.encoding() == encoding;
        if is_raw { Duration::ZERO } else { begin.elapsed() }
    }
}

const fn kind(error: &DecodeError) -> ErrorKind {
    match error {
        DecodeError::TooLong { .. } => ErrorKind::TooLong,
        DecodeError::Malformed { .. } => ErrorKind::Malformed,
        DecodeError::Unsupported { .. } => ErrorKind::Unsupported,
        _ => ErrorKind::Other,
    }
}
