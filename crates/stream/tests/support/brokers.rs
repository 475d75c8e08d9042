//! Messages with the headers of NATS and of Iggy, to the byte.

use std::collections::BTreeMap;
use std::fmt;

use bytes::Bytes;
use thinwire_stream::{Label, Message, Place};

/// A message as tests make it.
pub(crate) trait Broker:
    Message<HeaderError = Fault> + Clone + PartialEq + fmt::Debug + Send + Sync + 'static
{
    const LABEL: Label;
    /// What the broker refuses above.
    const MAX_HEADERS_LEN: usize;
    const MAX_PAYLOAD_LEN: usize;

    fn new(payload: impl Into<Bytes>) -> Self;
    fn header(self, name: &str, value: impl AsRef<[u8]>) -> Self;
    /// The same with another payload.
    fn carrying(&self, payload: Bytes) -> Self;
    /// Makes one of the calls fail.
    fn failing(self, fails: Fails) -> Self;
    fn at(self, place: Place) -> Self;
    /// The names of its headers.
    fn names(&self) -> Vec<&str>;

    /// Payload and headers on the wire.
    fn wire_len(&self) -> usize {
        self.payload().len() + self.headers_len()
    }
}

/// Which call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fails {
    Get,
    Label,
    Restore,
}

/// Why a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    Asked(Fails),
    NotText,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a fault: {self:?}")
    }
}

impl std::error::Error for Fault {}

fn check(fails: Option<Fails>, call: Fails) -> Result<(), Fault> {
    if fails == Some(call) { Err(Fault::Asked(call)) } else { Ok(()) }
}

/// Headers as lines: several with one name, in any letter case.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Nats {
    pub(crate) payload: Bytes,
    pub(crate) headers: Vec<(String, Vec<u8>)>,
    place: Place,
    fails: Option<Fails>,
}

impl Message for Nats {
    type HeaderError = Fault;

    fn payload(&self) -> &Bytes {
        &self.payload
    }

    fn get(&self, name: &str, each: &mut dyn FnMut(&[u8])) -> Result<(), Fault> {
        check(self.fails, Fails::Get)?;
        let named = self.headers.iter().filter(|(it, _)| it.eq_ignore_ascii_case(name));
        named.for_each(|(_, value)| each(value));
        Ok(())
    }

    fn labelled(&self, payload: Bytes, headers: &[(&str, &str)]) -> Result<Self, Fault> {
        check(self.fails, Fails::Label)?;
        let mut labelled = self.carrying(payload);
        for (name, value) in headers {
            labelled.headers.retain(|(it, _)| !it.eq_ignore_ascii_case(name));
            labelled = labelled.header(name, value);
        }
        Ok(labelled)
    }

    fn restore(&mut self, payload: Bytes, names: &[&str]) -> Result<(), Fault> {
        check(self.fails, Fails::Restore)?;
        self.headers.retain(|(it, _)| !names.iter().any(|name| it.eq_ignore_ascii_case(name)));
        self.payload = payload;
        Ok(())
    }

    /// `NATS/1.0`, a line for each, and an empty one.
    fn headers_len(&self) -> usize {
        if self.headers.is_empty() {
            return 0;
        }
        let lines =
            self.headers.iter().map(|(name, value)| name.len() + ": \r\n".len() + value.len());
        "NATS/1.0\r\n".len() + lines.sum::<usize>() + "\r\n".len()
    }

    fn place(&self) -> Place {
        self.place.clone()
    }
}

impl Broker for Nats {
    const LABEL: Label = Label::CONTENT_ENCODING;
    const MAX_HEADERS_LEN: usize = 65_535;
    const MAX_PAYLOAD_LEN: usize = 64 << 20;

    fn new(payload: impl Into<Bytes>) -> Self {
        Self { payload: payload.into(), headers: Vec::new(), place: Place::default(), fails: None }
    }

    fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.push((name.to_owned(), value.as_ref().to_vec()));
        self
    }

    fn carrying(&self, payload: Bytes) -> Self {
        Self { payload, ..self.clone() }
    }

    fn failing(mut self, fails: Fails) -> Self {
        self.fails = Some(fails);
        self
    }

    fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    fn names(&self) -> Vec<&str> {
        self.headers.iter().map(|(name, _)| name.as_str()).collect()
    }
}

/// Headers as a map, each with a kind and a length before name and value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Iggy {
    pub(crate) payload: Bytes,
    pub(crate) headers: BTreeMap<String, Value>,
    place: Place,
    fails: Option<Fails>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Text(Vec<u8>),
    Number(u32),
}

impl Iggy {
    pub(crate) fn number(mut self, name: &str, value: u32) -> Self {
        self.headers.insert(name.to_owned(), Value::Number(value));
        self
    }
}

impl Message for Iggy {
    type HeaderError = Fault;

    fn payload(&self) -> &Bytes {
        &self.payload
    }

    fn get(&self, name: &str, each: &mut dyn FnMut(&[u8])) -> Result<(), Fault> {
        check(self.fails, Fails::Get)?;
        match self.headers.get(name) {
            None => {}
            Some(Value::Text(text)) => each(text),
            Some(Value::Number(_)) => return Err(Fault::NotText),
        }
        Ok(())
    }

    fn labelled(&self, payload: Bytes, headers: &[(&str, &str)]) -> Result<Self, Fault> {
        check(self.fails, Fails::Label)?;
        let labelled = self.carrying(payload);
        Ok(headers.iter().fold(labelled, |it, (name, value)| it.header(name, value)))
    }

    fn restore(&mut self, payload: Bytes, names: &[&str]) -> Result<(), Fault> {
        check(self.fails, Fails::Restore)?;
        self.headers.retain(|name, _| !names.contains(&name.as_str()));
        self.payload = payload;
        Ok(())
    }

    fn headers_len(&self) -> usize {
        let len = |value: &Value| match value {
            Value::Text(text) => text.len(),
            Value::Number(_) => 4,
        };
        self.headers.iter().map(|(name, value)| 1 + 4 + name.len() + 1 + 4 + len(value)).sum()
    }

    fn place(&self) -> Place {
        self.place.clone()
    }
}

impl Broker for Iggy {
    const LABEL: Label = Label::IGGY;
    const MAX_HEADERS_LEN: usize = 100_000;
    const MAX_PAYLOAD_LEN: usize = 64_000_000;

    fn new(payload: impl Into<Bytes>) -> Self {
        Self {
            payload: payload.into(),
            headers: BTreeMap::new(),
            place: Place::default(),
            fails: None,
        }
    }

    fn header(mut self, name: &str, value: impl AsRef<[u8]>) -> Self {
        self.headers.insert(name.to_owned(), Value::Text(value.as_ref().to_vec()));
        self
    }

    fn carrying(&self, payload: Bytes) -> Self {
        Self { payload, ..self.clone() }
    }

    fn failing(mut self, fails: Fails) -> Self {
        self.fails = Some(fails);
        self
    }

    fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    fn names(&self) -> Vec<&str> {
        self.headers.keys().map(String::as_str).collect()
    }
}
