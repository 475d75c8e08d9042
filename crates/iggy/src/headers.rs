//! User headers as they are on the wire, read in place.
//!
//! An entry is a key and a value, each with its kind (one byte), its length (four, little-endian)
//! and its bytes. The SDK's own reading makes a map of all entries; to find one, and to take the
//! last one off, needs none.

use bytes::{BufMut, Bytes, BytesMut};
use thiserror::Error;

/// Why user headers can't be read or written.
///
/// ```
/// use iggy::prelude::IggyMessage;
/// use thinwire_iggy::{HeaderError, Iggy};
/// use thinwire_stream::Message;
///
/// let damaged = IggyMessage { user_headers: Some("?".into()), ..IggyMessage::default() };
/// let error = Iggy(damaged).get("iggy-compression", &mut |_| {}).unwrap_err();
/// assert!(matches!(error, HeaderError::Malformed { at: 0, len: 1, .. }));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// The message can't be decrypted: it is not encrypted, with another key, or damaged.
    #[error("the message can't be decrypted")]
    Encrypted,
    /// They are not what Iggy writes: damaged, or encrypted and not decrypted.
    #[error("{len} bytes of user headers are malformed at byte {at}")]
    #[non_exhaustive]
    Malformed {
        /// How many bytes there are.
        len: usize,
        /// Where the entry begins that is malformed.
        at: usize,
    },
    /// A value that should be text is something else.
    #[error("the value is of kind {kind}, not a string")]
    #[non_exhaustive]
    NotText {
        /// The code of its kind.
        kind: u8,
    },
}

/// A key and its value.
pub(crate) struct Entry<'a> {
    pub(crate) key: Field<'a>,
    pub(crate) value: Field<'a>,
    /// All of it.
    bytes: &'a [u8],
}

pub(crate) struct Field<'a> {
    kind: u8,
    bytes: &'a [u8],
}

impl Entry<'_> {
    pub(crate) fn is(&self, name: &str) -> bool {
        self.key.kind == TEXT && self.key.bytes == name.as_bytes()
    }
}

impl<'a> Field<'a> {
    pub(crate) const fn text(&self) -> Result<&'a [u8], HeaderError> {
        if self.kind == TEXT {
            Ok(self.bytes)
        } else {
            Err(HeaderError::NotText { kind: self.kind })
        }
    }

    /// Reads one from the front; `None` if there is none.
    fn split(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let (&kind, bytes) = bytes.split_first()?;
        let (len, bytes) = bytes.split_first_chunk()?;
        let len = usize::try_from(u32::from_le_bytes(*len)).ok()?;
        let (bytes, rest) = bytes.split_at_checked(len)?;
        Some((Self { kind, bytes }, rest))
    }
}

/// The entries of headers, in their order.
pub(crate) struct Entries<'a> {
    rest: &'a [u8],
    len: usize,
}

impl<'a> Entries<'a> {
    pub(crate) const fn of(headers: &'a [u8]) -> Self {
        Self { rest: headers, len: headers.len() }
    }

    fn split(&self) -> Option<(Entry<'a>, &'a [u8])> {
        let (key, rest) = Field::split(self.rest)?;
        let (value, rest) = Field::split(rest)?;
        let bytes = self.rest.get(..self.rest.len() - rest.len())?;
        Some((Entry { key, value, bytes }, rest))
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<Entry<'a>, HeaderError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let Some((entry, rest)) = self.split() else {
            let at = self.len - self.rest.len();
            self.rest = &[];
            return Some(Err(HeaderError::Malformed { len: self.len, at }));
        };
        self.rest = rest;
        Some(Ok(entry))
    }
}

/// Returns the headers with these, in place of those that have their names, at the end.
pub(crate) fn with(headers: &[u8], new: &[(&str, &str)]) -> Result<Bytes, HeaderError> {
    let new_len: usize = new.iter().map(|(name, value)| OVERHEAD + name.len() + value.len()).sum();
    let mut all = BytesMut::with_capacity(headers.len() + new_len);
    for entry in Entries::of(headers) {
        let entry = entry?;
        if !new.iter().any(|(name, _)| entry.is(name)) {
            all.put_slice(entry.bytes);
        }
    }
    for (name, value) in new {
        put(&mut all, name);
        put(&mut all, value);
    }
    Ok(all.freeze())
}

/// Returns the headers without those of these names.
pub(crate) fn without(headers: &Bytes, names: &[&str]) -> Result<Bytes, HeaderError> {
    let is_named = |entry: &Entry<'_>| names.iter().any(|name| entry.is(name));
    // Where a producer put its label: nothing is copied then.
    let (mut kept, mut is_split, mut is_kept_after) = (0, false, false);
    for entry in Entries::of(headers) {
        let entry = entry?;
        if is_named(&entry) {
            is_split = true;
        } else if is_split {
            is_kept_after = true;
        } else {
            kept += entry.bytes.len();
        }
    }
    if !is_kept_after {
        return Ok(headers.slice(..kept));
    }
    let mut others = BytesMut::with_capacity(headers.len());
    for entry in Entries::of(headers).flatten().filter(|entry| !is_named(entry)) {
        others.put_slice(entry.bytes);
    }
    Ok(others.freeze())
}

fn put(headers: &mut BytesMut, text: &str) {
    headers.put_u8(TEXT);
    // Names and values of ours are short.
    headers.put_u32_le(u32::try_from(text.len()).unwrap_or(u32::MAX));
    headers.put_slice(text.as_bytes());
}

/// Two kinds and two lengths.
const OVERHEAD: usize = 10;

/// The code of text.
const TEXT: u8 = 2;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use iggy::prelude::{HeaderKey, HeaderKind, HeaderValue, IggyMessage};
    use proptest::prelude::*;

    use super::*;

    fn message(headers: &[(&str, HeaderValue)]) -> IggyMessage {
        let key = |name: &str| HeaderKey::try_from(name).unwrap();
        let map: BTreeMap<_, _> =
            headers.iter().map(|(name, value)| (key(name), value.clone())).collect();
        IggyMessage::builder().payload("payload".into()).user_headers(map).build().unwrap()
    }

    /// As the SDK reads them.
    fn map_of(headers: Bytes) -> BTreeMap<HeaderKey, HeaderValue> {
        let message = IggyMessage { user_headers: Some(headers), ..IggyMessage::default() };
        message.user_headers_map().unwrap().unwrap()
    }

    #[test]
    fn text_is_what_the_sdk_calls_a_string() {
        assert_eq!(HeaderKind::String.as_code(), TEXT);
    }

    #[test]
    fn what_is_set_is_what_the_sdk_reads_and_the_others_stay() {
        let theirs = message(&[("a", HeaderValue::from(7_u64)), ("z", true.into())]);
        let headers = theirs.user_headers.clone().unwrap();
        let labelled = with(&headers, &[("m", "new")]).unwrap();
        let mut expected = theirs.user_headers_map().unwrap().unwrap();
        expected.insert(HeaderKey::try_from("m").unwrap(), HeaderValue::try_from("new").unwrap());
        assert_eq!(map_of(labelled.clone()), expected);

        let again = with(&labelled, &[("m", "newer")]).unwrap();
        expected.insert(HeaderKey::try_from("m").unwrap(), HeaderValue::try_from("newer").unwrap());
        assert_eq!(map_of(again), expected);
    }

    #[test]
    fn the_last_header_is_taken_off_without_a_copy_and_any_other_with_one() {
        let headers = with(&[], &[("a", "1"), ("b", "2"), ("c", "3")]).unwrap();
        let two = without(&headers, &["c"]).unwrap();
        assert_eq!(two, with(&[], &[("a", "1"), ("b", "2")]).unwrap());
        assert_eq!(two.as_ptr(), headers.as_ptr());
        assert_eq!(
            without(&headers, &["a"]).unwrap(),
            with(&[], &[("b", "2"), ("c", "3")]).unwrap()
        );
        assert_eq!(without(&headers, &["b", "c"]).unwrap(), with(&[], &[("a", "1")]).unwrap());
        assert_eq!(without(&headers, &["a", "b", "c"]).unwrap(), Bytes::new());
        assert_eq!(without(&headers, &["d"]).unwrap(), headers);
        let twice = [headers.as_ref(), headers.as_ref()].concat().into();
        assert_eq!(
            without(&twice, &["a", "c"]).unwrap(),
            with(&[], &[("b", "2")]).unwrap().repeat(2)
        );
    }

    #[test]
    fn a_name_of_another_kind_is_another_name() {
        let raw = HeaderKey::from_raw(HeaderKind::Raw, b"m").unwrap();
        let value = HeaderValue::try_from("v").unwrap();
        let message = IggyMessage::builder()
            .payload("payload".into())
            .user_headers(BTreeMap::from([(raw, value)]))
            .build()
            .unwrap();
        let headers = message.user_headers.unwrap();
        assert!(!Entries::of(&headers).next().unwrap().unwrap().is("m"));
        assert_eq!(without(&headers, &["m"]).unwrap(), headers);
    }

    #[test]
    fn headers_cut_anywhere_between_entries_are_malformed() {
        let headers = with(&[], &[("a", "1"), ("b", "2")]).unwrap();
        let entry = headers.len() / 2;
        for len in (1..headers.len()).filter(|len| len % entry != 0) {
            let at = if len < entry { 0 } else { entry };
            let malformed = HeaderError::Malformed { len, at };
            let cut = headers.slice(..len);
            assert_eq!(Entries::of(&cut).find_map(Result::err), Some(malformed.clone()));
            assert_eq!(with(&cut, &[("c", "3")]), Err(malformed.clone()));
            assert_eq!(without(&cut, &["c"]), Err(malformed));
        }
    }

    #[test]
    fn a_length_that_exceeds_what_there_is_reserves_nothing() {
        let mut headers = vec![TEXT];
        headers.extend(u32::MAX.to_le_bytes());
        headers.extend(b"key");
        assert!(Entries::of(&headers).next().unwrap().is_err());
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_to_an_end(bytes: Vec<u8>, name in "[a-z]{0,3}") {
            let headers = Bytes::from(bytes);
            let read = Entries::of(&headers).collect::<Result<Vec<_>, _>>();
            match without(&headers, &[&name]) {
                Ok(others) => {
                    prop_assert!(read.is_ok() && others.len() <= headers.len());
                    prop_assert!(!Entries::of(&others).any(|entry| entry.unwrap().is(&name)));
                }
                Err(_) => prop_assert!(read.is_err()),
            }
        }
    }
}
