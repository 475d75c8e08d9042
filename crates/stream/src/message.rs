//! What the codec has to know of a broker's message.

use std::error::Error;
use std::fmt;

use bytes::Bytes;

/// A broker's message: a payload and headers.
///
/// ```
/// use std::collections::BTreeMap;
/// use std::convert::Infallible;
///
/// use bytes::Bytes;
/// use thinwire_stream::{Message, Place};
///
/// #[derive(Clone)]
/// struct Mine {
///     payload: Bytes,
///     headers: BTreeMap<String, Bytes>,
/// }
///
/// impl Message for Mine {
///     type HeaderError = Infallible;
///
///     fn payload(&self) -> &Bytes {
///         &self.payload
///     }
///
///     fn with_payload(&self, payload: Bytes) -> Self {
///         Self { payload, headers: self.headers.clone() }
///     }
///
///     fn get(&self, name: &str) -> Result<Vec<Bytes>, Infallible> {
///         Ok(self.headers.get(name).cloned().into_iter().collect())
///     }
///
///     fn set(&mut self, name: &str, value: &str) -> Result<(), Infallible> {
///         self.headers.insert(name.to_owned(), Bytes::copy_from_slice(value.as_bytes()));
///         Ok(())
///     }
///
///     fn remove(&mut self, name: &str) -> Result<(), Infallible> {
///         self.headers.remove(name);
///         Ok(())
///     }
///
///     fn headers_len(&self) -> usize {
///         self.headers.iter().map(|(name, value)| name.len() + value.len()).sum()
///     }
///
///     fn place(&self) -> Place {
///         Place::default()
///     }
/// }
/// ```
pub trait Message: Sized {
    /// Why headers can't be read or written.
    type HeaderError: Error + Send + Sync + 'static;

    /// Returns the payload.
    fn payload(&self) -> &Bytes;

    /// Makes another message with this payload and the same headers, cheaply.
    fn with_payload(&self, payload: Bytes) -> Self;

    /// Returns each value that the headers have under a name, none if there is none.
    ///
    /// # Errors
    ///
    /// When the headers, or a value, can't be read as such: damaged, or of another type.
    fn get(&self, name: &str) -> Result<Vec<Bytes>, Self::HeaderError>;

    /// Sets a header, in place of those that have its name.
    ///
    /// # Errors
    ///
    /// When the broker's client does not allow it.
    fn set(&mut self, name: &str, value: &str) -> Result<(), Self::HeaderError>;

    /// Removes the headers with a name.
    ///
    /// # Errors
    ///
    /// When the headers can't be read.
    fn remove(&mut self, name: &str) -> Result<(), Self::HeaderError>;

    /// Returns how many bytes the headers are on the wire, 0 if there are none.
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
