//! `flate2` over zlib-rs.

use flate2::bufread::GzDecoder;
use flate2::read::ZlibDecoder;

use super::{LIMIT, Payload, Refused, TooLong, Verdict, read};

pub(super) fn gzip(encoded: &[u8]) -> Verdict {
    // Member by member: the decoder for all of them does not say where it stopped.
    let (mut rest, mut payload) = (encoded, Vec::new());
    while !rest.is_empty() {
        let mut decoder = GzDecoder::new(&mut rest);
        if let Err(error) = read(&mut decoder, &mut payload) {
            return Refused(error);
        }
        if payload.len() > LIMIT {
            return TooLong;
        }
    }
    Payload(payload)
}

pub(super) fn zlib(encoded: &[u8]) -> Verdict {
    let mut payload = Vec::new();
    let mut decoder = ZlibDecoder::new(encoded);
    match read(&mut decoder, &mut payload) {
        Err(error) => Refused(error),
        Ok(()) if payload.len() > LIMIT => TooLong,
        Ok(()) if decoder.total_in() < encoded.len() as u64 => Refused("more follows".to_owned()),
        Ok(()) => Payload(payload),
    }
}
