//! The messages, and the calls that a client of ours or of theirs makes with them.

use std::fmt;

use bytes::Bytes;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Unary,
    ServerStream,
    ClientStream,
    Bidi,
}

impl Kind {
    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Unary => "/test.Echo/Unary",
            Self::ServerStream => "/test.Echo/ServerStream",
            Self::ClientStream => "/test.Echo/ClientStream",
            Self::Bidi => "/test.Echo/Bidi",
        }
    }
}

pub(crate) struct Call {
    pub(crate) kind: Kind,
    pub(crate) messages: Vec<Bytes>,
    pub(crate) answers: Vec<Bytes>,
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lens: Vec<usize> = self.messages.iter().map(Bytes::len).collect();
        write!(f, "{:?} of {lens:?} bytes", self.kind)
    }
}

/// Every call, in the order in which the peers make them, too: the unary ones with each payload,
/// those answered by a stream (the message, twice), the one with all payloads that is answered by
/// all of them joined, and the one in which each is answered by itself.
pub(crate) fn calls() -> Vec<Call> {
    let payloads = payloads();
    let mut calls = Vec::new();
    for (kind, times) in [(Kind::Unary, 1), (Kind::ServerStream, 2)] {
        calls.extend(payloads.iter().map(|payload| Call {
            kind,
            messages: vec![payload.clone()],
            answers: vec![payload.clone(); times],
        }));
    }
    let joined = Bytes::from(payloads.concat());
    calls.push(Call {
        kind: Kind::ClientStream,
        messages: payloads.clone(),
        answers: vec![joined],
    });
    calls.push(Call { kind: Kind::Bidi, messages: payloads.clone(), answers: payloads });
    calls
}

pub(crate) fn payloads() -> Vec<Bytes> {
    let mut random = 1u32;
    let noise = (0..NOISE_LEN).map(|_| {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        random.to_le_bytes()[0]
    });
    vec![
        Bytes::new(),
        Bytes::from_static(b"x"),
        Bytes::from(vec![b'a'; MIN_LEN - 1]),
        Bytes::from(vec![b'a'; MIN_LEN]),
        Bytes::from("{\"series\": \"up\", \"value\": 1}".repeat(400)),
        Bytes::from(noise.collect::<Vec<u8>>()),
        Bytes::from("a large message ".repeat(250_000)),
        Bytes::from_static(b"last"),
    ]
}

/// Says whether the default policy compresses it.
pub(crate) fn pays(message: &[u8]) -> bool {
    message.len() >= MIN_LEN && shrinks(message)
}

/// Says whether it is smaller in every encoding.
pub(crate) fn shrinks(message: &[u8]) -> bool {
    message.len() > "last".len() && message.len() != NOISE_LEN
}

/// The default policy's least length.
const MIN_LEN: usize = 256;

const NOISE_LEN: usize = 64 << 10;
