//! `grpc-encoding` and `grpc-accept-encoding`: read, write, choose. Pure.
//!
//! What a peer writes is read leniently (any ASCII case, white space, empty items, several lines,
//! bytes that are not text) and never trusted; what we write is one line of plain tokens.

use std::fmt::Write as _;

use http::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use thinwire::{Decoder, Encoding, UnknownEncoding};

/// `grpc-encoding`: the encoding of the messages with flag 1.
pub(crate) const GRPC_ENCODING: HeaderName = HeaderName::from_static("grpc-encoding");

/// `grpc-accept-encoding`: what the sender of this header can decode.
pub(crate) const GRPC_ACCEPT_ENCODING: HeaderName = HeaderName::from_static("grpc-accept-encoding");

/// `grpc-status`, in trailers, or in headers of a reply that has only those.
pub(crate) const GRPC_STATUS: HeaderName = HeaderName::from_static("grpc-status");

/// `grpc-message`, percent-encoded.
pub(crate) const GRPC_MESSAGE: HeaderName = HeaderName::from_static("grpc-message");

/// Says whether these are the headers of a gRPC call: `application/grpc`, maybe with `+proto` or
/// parameters; not gRPC-Web.
pub(crate) fn is_grpc(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(CONTENT_TYPE) else { return false };
    let Some((start, rest)) = value.as_bytes().split_at_checked(GRPC_TYPE.len()) else {
        return false;
    };
    start.eq_ignore_ascii_case(GRPC_TYPE) && matches!(rest.first(), None | Some(b'+' | b';' | b' '))
}

/// Reads the encoding of a stream; identity if it is not said.
pub(crate) fn encoding(headers: &HeaderMap) -> Result<Encoding, UnknownEncoding> {
    let lines = headers.get_all(GRPC_ENCODING).iter();
    let texts = lines.map(|line| String::from_utf8_lossy(line.as_bytes()));
    let mut tokens = texts.filter(|text| !text.trim().is_empty());
    let Some(token) = tokens.next() else { return Ok(Encoding::Identity) };
    match tokens.next() {
        None => token.trim().parse(),
        // More than one line is more than one encoding, which no peer sends and nobody decodes.
        Some(_) => format!("{}, …", token.trim()).parse(),
    }
}

/// What a peer said that it can decode. Identity is always in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Accepted(u8);

impl Accepted {
    /// Identity alone.
    pub(crate) const NOTHING: Self = Self(0);

    /// Reads all lines; `None` if there is none.
    pub(crate) fn read(headers: &HeaderMap) -> Option<Self> {
        let mut values = headers.get_all(GRPC_ACCEPT_ENCODING).iter().peekable();
        values.peek()?;
        let accepted = values
            .flat_map(|value| value.as_bytes().split(|&byte| byte == b','))
            .filter_map(|item| str::from_utf8(item).ok()?.trim().parse::<Encoding>().ok())
            .fold(Self::NOTHING, Self::with);
        Some(accepted)
    }

    /// What a decoder accepts.
    pub(crate) fn of(decoder: &Decoder) -> Self {
        Encoding::ALL
            .into_iter()
            .filter(|encoding| decoder.accepts(*encoding))
            .fold(Self::NOTHING, Self::with)
    }

    pub(crate) const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    pub(crate) const fn bits(self) -> u8 {
        self.0
    }

    const fn with(self, encoding: Encoding) -> Self {
        Self(self.0 | 1 << encoding as u8)
    }

    pub(crate) fn contains(self, encoding: Encoding) -> bool {
        encoding == Encoding::Identity || self.0 & 1 << encoding as u8 != 0
    }

    /// The header's value, in the order of [`Encoding::ALL`] with identity last, as others write
    /// it.
    pub(crate) fn to_value(self) -> HeaderValue {
        let mut text = String::new();
        for encoding in Encoding::ALL {
            if encoding != Encoding::Identity && self.contains(encoding) {
                // Writing to a string does not fail.
                let _ = write!(text, "{encoding},");
            }
        }
        text.push_str(Encoding::Identity.name());
        HeaderValue::try_from(text).unwrap_or(IDENTITY)
    }
}

/// The value of `grpc-encoding`.
pub(crate) const fn value(encoding: Encoding) -> HeaderValue {
    HeaderValue::from_static(encoding.name())
}

const IDENTITY: HeaderValue = value(Encoding::Identity);

const GRPC_TYPE: &[u8] = b"application/grpc";

#[cfg(test)]
mod tests {
    use super::*;

    fn accept(lines: &[&[u8]]) -> HeaderMap {
        lines
            .iter()
            .map(|line| (GRPC_ACCEPT_ENCODING, HeaderValue::from_bytes(line).unwrap()))
            .collect()
    }

    fn read(lines: &[&[u8]]) -> Vec<&'static str> {
        let accepted = Accepted::read(&accept(lines)).unwrap();
        Encoding::ALL
            .into_iter()
            .filter(|it| *it != Encoding::Identity && accepted.contains(*it))
            .map(Encoding::name)
            .collect()
    }

    #[test]
    fn an_accept_list_survives_what_peers_write() {
        assert_eq!(read(&[b"gzip,zstd"]), ["gzip", "zstd"]);
        assert_eq!(read(&[b" gzip , zstd\t"]), ["gzip", "zstd"]);
        assert_eq!(read(&[b"gzip,,zstd,"]), ["gzip", "zstd"]);
        assert_eq!(read(&[b"gzip", b"snappy-block"]), ["gzip", "snappy-block"]);
        assert_eq!(read(&[b"GZip,gzip,br"]), ["gzip"]);
        assert_eq!(read(&[b"\xff\xfe,lz4,\x80"]), ["lz4"]);
        assert_eq!(read(&[b""]), [""; 0]);
        assert_eq!(Accepted::read(&HeaderMap::new()), None);
    }

    #[test]
    fn our_accept_list_is_what_the_decoder_accepts() {
        let all = Accepted::of(&Decoder::new(1)).to_value();
        assert_eq!(all, "gzip,deflate,zstd,lz4,snappy,snappy-block,identity");
        let none = Accepted::of(&Decoder::new(1).accept([])).to_value();
        assert_eq!(none, "identity");
    }

    #[test]
    fn the_encoding_is_one_token() {
        let encoding = |lines: &[&[u8]]| {
            let headers: HeaderMap = lines
                .iter()
                .map(|line| (GRPC_ENCODING, HeaderValue::from_bytes(line).unwrap()))
                .collect();
            encoding(&headers)
        };
        assert_eq!(encoding(&[]), Ok(Encoding::Identity));
        assert_eq!(encoding(&[b""]), Ok(Encoding::Identity));
        assert_eq!(encoding(&[b"identity"]), Ok(Encoding::Identity));
        assert_eq!(encoding(&[b" Snappy-Block "]), Ok(Encoding::SnappyBlock));
        for unknown in [&b"gzip, gzip"[..], b"br", b"x-gzip", b"\xff"] {
            assert!(encoding(&[unknown]).is_err(), "{unknown:?}");
        }
        assert!(encoding(&[b"gzip", b"gzip"]).is_err());
        assert_eq!(encoding(&[b"", b"gzip", b" "]), Ok(Encoding::Gzip));
        assert!(encoding(&[b"", b"br"]).is_err());
    }

    #[test]
    fn grpc_is_told_by_its_content_type() {
        let is_grpc = |value: &'static str| {
            is_grpc(&HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static(value))]))
        };
        for grpc in ["application/grpc", "application/grpc+proto", "Application/gRPC; v=1"] {
            assert!(is_grpc(grpc), "{grpc}");
        }
        for other in ["application/grpc-web", "application/grpc-web+proto", "text/html", "appl"] {
            assert!(!is_grpc(other), "{other}");
        }
    }
}
