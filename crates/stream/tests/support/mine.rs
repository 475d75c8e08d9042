use std::collections::BTreeMap;
use std::convert::Infallible;

use bytes::Bytes;
use thinwire_stream::{Message, Place};

/// The simplest message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Mine {
    pub(crate) payload: Bytes,
    pub(crate) headers: BTreeMap<String, String>,
}

impl Mine {
    pub(crate) fn new(payload: impl Into<Bytes>) -> Self {
        Self { payload: payload.into(), headers: BTreeMap::new() }
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.insert(name.to_owned(), value.to_owned());
        self
    }
}

impl Message for Mine {
    type HeaderError = Infallible;

    fn payload(&self) -> &Bytes {
        &self.payload
    }

    fn get(&self, name: &str, each: &mut dyn FnMut(&[u8])) -> Result<(), Infallible> {
        self.headers.get(name).into_iter().for_each(|value| each(value.as_bytes()));
        Ok(())
    }

    fn labelled(&self, payload: Bytes, headers: &[(&str, &str)]) -> Result<Self, Infallible> {
        let labelled = Self { payload, headers: self.headers.clone() };
        Ok(headers.iter().fold(labelled, |it, (name, value)| it.header(name, value)))
    }

    fn restore(&mut self, payload: Bytes, names: &[&str]) -> Result<(), Infallible> {
        self.headers.retain(|name, _| !names.contains(&name.as_str()));
        self.payload = payload;
        Ok(())
    }

    fn headers_len(&self) -> usize {
        self.headers.iter().map(|(name, value)| name.len() + value.len()).sum()
    }

    fn place(&self) -> Place {
        Place { stream: "mine".into(), ..Place::default() }
    }
}
