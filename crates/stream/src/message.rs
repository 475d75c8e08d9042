//! What the codec has to know of a broker's message.

use std::error::Error;
use std::fmt;

use bytes::Bytes;

/// A broker's message: a payload and headers.
///
/// [`get`](Self::get) is called for every message that has headers, once or twice each way, so it
/// should be quick. A producer's message is only read, and [`labelled`](Self::labelled) makes the
/// one that is sent in its place; a consumer's is changed by [`restore`](Self::restore), so that
/// nothing of it is copied.
///
/// ```
#[doc = include_str!("../tests/support/mine.rs")]
/// ```
pub trait Message: Sized {
    /// Why headers can't be read or written.
    type HeaderError: Error + Send + Sync + 'static;

    /// Returns the payload.
    fn payload(&self) -> &Bytes;

    /// Calls `each` with every value that the headers have under a name, not at all if there is
    /// none.
    ///
    /// Where the names of a broker's headers are the same in any letter case, they are here, in
    /// [`labelled`](Self::labelled) and in [`restore`](Self::restore).
    ///
    /// # Errors
    ///
    /// When the headers, or a value, can't be read as such: damaged, or of another type.
    fn get(&self, name: &str, each: &mut dyn FnMut(&[u8])) -> Result<(), Self::HeaderError>;

    /// Makes another message in the same place, with this payload and with the same headers but
    /// for these, names and values, each in place of those that have its name.
    ///
    /// # Errors
    ///
    /// When the broker's client does not allow it, or the headers can't be read.
    fn labelled(&self, payload: Bytes, headers: &[(&str, &str)])
    -> Result<Self, Self::HeaderError>;

    /// Puts this payload in place of the message's, and removes the headers with these names.
    ///
    /// # Errors
    ///
    /// When the headers can't be read. The message is as it was: do what can fail first.
    fn restore(&mut self, payload: Bytes, names: &[&str]) -> Result<(), Self::HeaderError>;

    /// Returns how many bytes the headers are on the wire, 0 only if there are none.
    fn headers_len(&self) -> usize;

    /// Says where the message was, for errors.
    fn place(&self) -> Place;
}

/// Where a message is in its stream.
///
/// ```
/// use thinwire_stream::Place;
///
/// let place = Place { stream: "orders".into(), partition: Some(3), offset: Some(41) };
/// assert_eq!(place.to_string(), "orders, partition 3, offset 41");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[expect(
    clippy::exhaustive_structs,
    reason = "adapters make it, and these are the parts of a place"
)]
pub struct Place {
    /// The stream and topic, or the subject.
    pub stream: String,
    /// The partition, where there are any.
    pub partition: Option<u32>,
    /// The offset in it, or the stream's sequence number.
    pub offset: Option<u64>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.stream.is_empty() { "a stream" } else { &self.stream })?;
        if let Some(partition) = self.partition {
            write!(f, ", partition {partition}")?;
        }
        if let Some(offset) = self.offset {
            write!(f, ", offset {offset}")?;
        }
        Ok(())
    }
}
