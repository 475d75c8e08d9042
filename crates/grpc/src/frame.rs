//! Frames under way, in memory that comes back: what a stream puts out is gathered here, and the
//! next one, of any stream of the layer, is made in the same place.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::{Bytes, BytesMut};

use crate::message::{PREFIX_LEN, prefix};

/// What a layer keeps for its frames.
#[derive(Debug, Default)]
pub(crate) struct Buffers {
    /// Where frames are made; the last used on top.
    making: Mutex<Kept<Vec<u8>>>,
    /// Where frames are that went out as copies; the one that has been out for longest, which is
    /// most likely back, in front.
    copies: Mutex<Kept<BytesMut>>,
}

/// Buffers with their capacities: at most [`MAX_KEPT`] of at most [`MAX_KEPT_BYTES`] in all.
#[derive(Debug)]
struct Kept<T> {
    buffers: VecDeque<(usize, T)>,
    bytes: usize,
}

/// How a frame leaves its buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaving {
    /// As a copy, which needs no allocation: for what is compressed, and so mostly short.
    Copied,
    /// With its buffer, which comes back when the last reader drops it: for payloads.
    Lent,
}

/// A frame that is being made.
#[derive(Debug)]
pub(crate) struct Frame {
    bytes: Vec<u8>,
    leaving: Leaving,
    buffers: Arc<Buffers>,
}

/// Where a message begins in its frame.
#[derive(Debug)]
#[must_use]
pub(crate) struct Begun {
    start: usize,
}

impl Frame {
    pub(crate) const fn new(leaving: Leaving, buffers: Arc<Buffers>) -> Self {
        Self { bytes: Vec::new(), leaving, buffers }
    }

    /// An empty one of the same kind.
    pub(crate) fn another(&self) -> Self {
        Self::new(self.leaving, self.buffers.clone())
    }

    pub(crate) const fn len(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Appends a message, prefix and all.
    pub(crate) fn append(&mut self, framed: &[u8]) {
        self.ready().extend_from_slice(framed);
    }

    /// Begins a message: what is appended to the bytes from here on is its body.
    pub(crate) fn begin(&mut self) -> (Begun, &mut Vec<u8>) {
        let bytes = self.ready();
        let begun = Begun { start: bytes.len() };
        bytes.extend_from_slice(&[0; PREFIX_LEN]);
        (begun, bytes)
    }

    /// Ends it with this flag; returns the length of its body.
    pub(crate) fn end(&mut self, begun: &Begun, flag: u8) -> usize {
        let body_len = self.bytes.len().saturating_sub(begun.start + PREFIX_LEN);
        let start = self.bytes.get_mut(begun.start..).and_then(|it| it.first_chunk_mut());
        if let Some(place) = start {
            // Bounded by the payload's own prefix, or by a limit.
            *place = prefix(flag, u32::try_from(body_len).unwrap_or(u32::MAX));
        }
        body_len
    }

    /// Takes it back.
    pub(crate) fn undo(&mut self, begun: &Begun) {
        self.bytes.truncate(begun.start);
    }

    /// Gives the buffer, one that was used before if there is one.
    fn ready(&mut self) -> &mut Vec<u8> {
        if self.bytes.capacity() == 0
            && let Some((_, kept)) = lock(&self.buffers.making).pop_back()
        {
            self.bytes = kept;
        }
        &mut self.bytes
    }

    /// Takes what has been made.
    pub(crate) fn take(&mut self) -> Bytes {
        match self.leaving {
            Leaving::Copied if self.bytes.len() > MAX_COPY_LEN => {
                Bytes::from(std::mem::take(&mut self.bytes))
            }
            Leaving::Copied => {
                let copy = self.buffers.copy(&self.bytes);
                self.let_go();
                copy
            }
            // Whoever keeps a short payload shall not keep a long buffer.
            Leaving::Lent if self.bytes.capacity() > MAX_SLACK.max(2 * self.bytes.len()) => {
                let copy = Bytes::copy_from_slice(&self.bytes);
                self.let_go();
                copy
            }
            Leaving::Lent => Bytes::from_owner(Lent {
                bytes: std::mem::take(&mut self.bytes),
                home: self.buffers.clone(),
            }),
        }
    }

    /// Gives the buffer back: a stream that waits holds none.
    pub(crate) fn let_go(&mut self) {
        self.buffers.keep(std::mem::take(&mut self.bytes));
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        self.let_go();
    }
}

impl Buffers {
    fn keep(&self, mut bytes: Vec<u8>) {
        if bytes.capacity() > 0 {
            bytes.clear();
            let refused = lock(&self.making).push_back(bytes.capacity(), bytes);
            drop(refused); // freed when the lock is
        }
    }

    fn copy(&self, bytes: &[u8]) -> Bytes {
        let first = lock(&self.copies).pop_front();
        // One that is too small is let go: its place is for one that is not.
        let mut first = first.filter(|(capacity, _)| *capacity >= bytes.len());
        let back = first.take_if(|(_, it)| it.try_reclaim(bytes.len()));
        let (capacity, mut buffer) = back.unwrap_or_else(|| {
            let capacity = bytes.len().max(MIN_COPY_LEN).next_power_of_two();
            (capacity, BytesMut::with_capacity(capacity))
        });
        buffer.extend_from_slice(bytes);
        let copy = buffer.split().freeze();
        let mut copies = lock(&self.copies);
        let refused = [
            first.and_then(|(capacity, still_out)| copies.push_back(capacity, still_out)),
            copies.push_back(capacity, buffer),
        ];
        drop(copies);
        drop(refused);
        copy
    }
}

impl<T> Kept<T> {
    /// Gives a buffer back that would exceed a bound.
    fn push_back(&mut self, capacity: usize, buffer: T) -> Option<T> {
        let bytes = self.bytes.saturating_add(capacity);
        if self.buffers.len() >= MAX_KEPT || bytes > MAX_KEPT_BYTES {
            return Some(buffer);
        }
        self.buffers.push_back((capacity, buffer));
        self.bytes = bytes;
        None
    }

    fn pop_front(&mut self) -> Option<(usize, T)> {
        self.buffers.pop_front().inspect(|(capacity, _)| self.bytes -= capacity)
    }

    fn pop_back(&mut self) -> Option<(usize, T)> {
        self.buffers.pop_back().inspect(|(capacity, _)| self.bytes -= capacity)
    }
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { buffers: VecDeque::new(), bytes: 0 }
    }
}

/// A buffer on loan.
struct Lent {
    bytes: Vec<u8>,
    home: Arc<Buffers>,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.home.keep(std::mem::take(&mut self.bytes));
    }
}

/// Nothing between lock and unlock can panic and leave a list half changed.
fn lock<T>(list: &Mutex<T>) -> MutexGuard<'_, T> {
    list.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Enough for as many calls in flight.
const MAX_KEPT: usize = 64;

/// And for the frames of as many, or for sixteen messages that are nearly worked on beside the
/// runtime.
const MAX_KEPT_BYTES: usize = 16 << 20;

/// A lent buffer may be so long, or twice as long as what is in it.
const MAX_SLACK: usize = 64 << 10;

/// To copy more takes the runtime too long.
const MAX_COPY_LEN: usize = 1 << 20;

/// Most compressed frames are shorter, so that nearly every buffer fits nearly every frame.
const MIN_COPY_LEN: usize = 16 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    fn made(frame: &mut Frame, text: &str) -> Bytes {
        frame.append(text.as_bytes());
        frame.take()
    }

    #[test]
    fn a_lent_buffer_comes_back_when_its_last_reader_is_done() {
        let buffers = Arc::new(Buffers::default());
        let mut frame = Frame::new(Leaving::Lent, buffers.clone());
        let first = made(&mut frame, "first");
        let place = first.as_ptr();
        let part = first.slice(1..3);
        drop(first);
        assert!(buffers.making.lock().unwrap().buffers.is_empty());
        assert_eq!(part, "ir");
        drop(part);
        assert_eq!(made(&mut frame, "again").as_ptr(), place);
    }

    #[test]
    fn a_copy_is_made_where_an_earlier_one_was_once_that_is_gone() {
        let mut frame = Frame::new(Leaving::Copied, Arc::default());
        let whole = "x".repeat(MIN_COPY_LEN);
        let first = made(&mut frame, &whole);
        let second = made(&mut frame, &whole);
        let place = first.as_ptr();
        assert_ne!(second.as_ptr(), place);
        drop(first);
        assert_eq!(made(&mut frame, "third").as_ptr(), place);
        assert_eq!(second, whole);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let buffers = Arc::new(Buffers::default());
        let kept = |buffers: &Buffers| {
            let making = buffers.making.lock().unwrap();
            let copies = buffers.copies.lock().unwrap();
            [(making.buffers.len(), making.bytes), (copies.buffers.len(), copies.bytes)]
        };
        for _ in 0..3 * MAX_KEPT {
            buffers.keep(Vec::with_capacity(10));
        }
        let out: Vec<_> = (0..3 * MAX_KEPT).map(|_| buffers.copy(&[7; MIN_COPY_LEN])).collect();
        assert!(out.iter().all(|copy| copy[..] == [7; MIN_COPY_LEN]));
        let bytes = MAX_KEPT * MIN_COPY_LEN;
        assert_eq!(kept(&buffers), [(MAX_KEPT, MAX_KEPT * 10), (MAX_KEPT, bytes)]);

        let buffers = Buffers::default();
        let large = || Vec::with_capacity(MAX_KEPT_BYTES / 3);
        for bytes in [large(), large(), large(), large(), Vec::with_capacity(MAX_KEPT_BYTES + 1)] {
            buffers.keep(bytes);
        }
        assert_eq!(kept(&buffers)[0], (3, MAX_KEPT_BYTES / 3 * 3));
    }
}
