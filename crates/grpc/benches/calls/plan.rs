//! What is compared, and the shapes of calls in which it is.

use std::fmt;

/// Whose gRPC it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stack {
    /// tonic alone.
    Tonic,
    /// tonic between both layers.
    Thinwire,
    /// grpc-go.
    Go,
}

impl Stack {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Tonic => "tonic",
            Self::Thinwire => "thinwire",
            Self::Go => "grpc-go",
        }
    }
}

/// A stack with one of its encodings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) stack: Stack,
    pub(crate) encoding: &'static str,
}

impl Kind {
    /// Finds a kind by what a role is told.
    pub(crate) fn find(stack: &str, encoding: &str) -> Option<Self> {
        KINDS.into_iter().find(|it| it.stack.name() == stack && it.encoding == encoding)
    }

    /// Says whether a word of `--only` means it: a stack, an encoding, or both.
    pub(crate) fn is_meant(self, word: &str) -> bool {
        word == self.stack.name() || word == self.encoding || word == self.to_string()
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.stack.name(), self.encoding)
    }
}

const fn kind(stack: Stack, encoding: &'static str) -> Kind {
    Kind { stack, encoding }
}

/// All of them. `zstd:3` and `gzip:6` are the levels that tonic has.
pub(crate) const KINDS: [Kind; 18] = [
    kind(Stack::Tonic, "plain"),
    kind(Stack::Tonic, "gzip"),
    kind(Stack::Tonic, "zstd"),
    kind(Stack::Thinwire, "identity"),
    kind(Stack::Thinwire, "gzip"),
    kind(Stack::Thinwire, "gzip:6"),
    kind(Stack::Thinwire, "deflate"),
    kind(Stack::Thinwire, "zstd"),
    kind(Stack::Thinwire, "zstd:3"),
    kind(Stack::Thinwire, "lz4"),
    kind(Stack::Thinwire, "snappy"),
    kind(Stack::Thinwire, "snappy-block"),
    kind(Stack::Go, "identity"),
    kind(Stack::Go, "gzip"),
    kind(Stack::Go, "zstd"),
    kind(Stack::Go, "lz4"),
    kind(Stack::Go, "snappy"),
    kind(Stack::Go, "snappy-block"),
];

/// How messages travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    /// A call for each.
    Unary,
    /// Many in one call of the client's.
    Stream,
}

impl Method {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Unary => "unary",
            Self::Stream => "stream",
        }
    }
}

/// One way of calling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Kilobytes of a message, about.
    pub(crate) message_kb: usize,
    pub(crate) method: Method,
    /// Calls, or streams, at once.
    pub(crate) in_flight: usize,
    /// Messages of a round.
    pub(crate) count: usize,
}

impl Shape {
    /// Different messages, which go in turn: some 5 MB, more than a core's caches hold.
    pub(crate) const fn distinct_count(self) -> usize {
        5000 / self.message_kb
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} KB {} {}", self.message_kb, self.method.name(), self.in_flight)
    }
}

const fn shape(message_kb: usize, method: Method, in_flight: usize, count: usize) -> Shape {
    Shape { message_kb, method, in_flight, count }
}

pub(crate) const SHAPES: [Shape; 11] = [
    shape(10, Method::Unary, 1, 1000),
    shape(10, Method::Unary, 8, 2000),
    shape(10, Method::Unary, 64, 2000),
    shape(10, Method::Stream, 1, 4000),
    shape(10, Method::Stream, 8, 4000),
    shape(60, Method::Unary, 8, 800),
    shape(60, Method::Stream, 1, 1000),
    shape(60, Method::Stream, 8, 1000),
    shape(100, Method::Unary, 8, 500),
    shape(100, Method::Stream, 1, 600),
    shape(100, Method::Stream, 8, 600),
];
