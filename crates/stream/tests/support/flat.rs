//! A message that costs nothing by itself.

use std::convert::Infallible;

use bytes::Bytes;
use thinwire_stream::{Message, Place};

/// A message whose headers take no allocation: what is counted is the codec's.
#[derive(Clone)]
pub(crate) struct Flat {
    pub(crate) payload: Bytes,
    label: Option<Value>,
    owner: Option<Value>,
}

#[derive(Clone, Copy)]
struct Value {
    bytes: [u8; 16],
    len: usize,
}

impl Flat {
    pub(crate) const fn new(payload: Bytes) -> Self {
        Self { payload, label: None, owner: None }
    }

    const fn header(&mut self, name: &str) -> &mut Option<Value> {
        if is_owner(name) { &mut self.owner } else { &mut self.label }
    }
}

/// `Thinwire` is the shorter of the two names.
const fn is_owner(name: &str) -> bool {
    name.len() == 8
}

impl Message for Flat {
    type HeaderError = Infallible;

    fn payload(&self) -> &Bytes {
        &self.payload
    }

    fn get(&self, name: &str, each: &mut dyn FnMut(&[u8])) -> Result<(), Infallible> {
        let value = if is_owner(name) { &self.owner } else { &self.label };
        if let Some(bytes) = value.as_ref().and_then(|it| it.bytes.get(..it.len)) {
            each(bytes);
        }
        Ok(())
    }

    fn labelled(&self, payload: Bytes, headers: &[(&str, &str)]) -> Result<Self, Infallible> {
        let mut labelled = Self { payload, ..self.clone() };
        for (name, value) in headers {
            let mut bytes = [0; 16];
            bytes.iter_mut().zip(value.bytes()).for_each(|(to, from)| *to = from);
            *labelled.header(name) = Some(Value { bytes, len: value.len() });
        }
        Ok(labelled)
    }

    fn restore(&mut self, payload: Bytes, names: &[&str]) -> Result<(), Infallible> {
        names.iter().for_each(|name| *self.header(name) = None);
        self.payload = payload;
        Ok(())
    }

    fn headers_len(&self) -> usize {
        30 // there is one that is not of interest
    }

    fn place(&self) -> Place {
        Place::default()
    }
}
