use thinwire::{DecodeError, Encoding};

use super::{assert_same, decode};

/// The whole content or an error: zero bytes are the empty payload, every proper prefix of a unit
/// is malformed, so is what has bytes after its end, and units that follow each other are all
/// decoded, where the format lets them follow.
///
/// `encoded` is one unit: a member, frame, stream or block.
///
/// # Panics
///
/// When it does not hold.
pub fn decode_gives_the_whole_content(encoding: Encoding, encoded: &[u8], payload: &[u8]) {
    let limit = payload.len() + ROOM;
    assert_eq!(decode(encoding, b"", limit), Ok(Vec::new()), "{encoding}: zero bytes");
    for len in cuts(encoded.len()) {
        let prefix = encoded.get(..len).unwrap_or_default();
        let result = decode(encoding, prefix, limit);
        let what = format!("{encoding}, {len} of {} bytes", encoded.len());
        match result {
            // The framed format has no end: at the end of a chunk nothing tells that more is to
            // come, as its specification has it.
            Ok(part) if encoding == Encoding::SnappyFramed && ends_a_chunk(prefix) => {
                assert_same(&what, &part, payload.get(..part.len()).unwrap_or_default());
            }
            Err(DecodeError::Malformed { .. }) => {}
            Ok(part) => panic!("{what}: gave {} bytes", part.len()),
            Err(error) => panic!("{what}: {error}"),
        }
    }
    junk_after_the_end_is_an_error(encoding, encoded, payload);
    units_may_follow(encoding, &[(encoded, payload), (encoded, payload)]);
}

/// Bytes after the end are malformed, whatever they are.
///
/// # Panics
///
/// When it does not hold.
pub fn junk_after_the_end_is_an_error(encoding: Encoding, encoded: &[u8], payload: &[u8]) {
    const JUNK: [&[u8]; 8] = [
        b"\0",
        b"\0\0\0\0\0\0\0\0",
        b"\n",
        b"garbage!",
        b"\xde\xad\xbe\xef",
        b"\xff",
        b"\x1f\x8b\x08",
        b"PK\x03\x04",
    ];
    for junk in JUNK {
        let result = decode(encoding, &[encoded, junk].concat(), payload.len() + ROOM);
        assert!(
            matches!(result, Err(DecodeError::Malformed { .. })),
            "{encoding}, followed by {junk:02x?}: {:?}",
            result.map(|payload| payload.len()),
        );
    }
}

/// Units one after the other are all decoded; where the format knows no such thing, they are
/// malformed.
///
/// # Panics
///
/// When it does not hold.
pub fn units_may_follow(encoding: Encoding, units: &[(&[u8], &[u8])]) {
    let joined: Vec<u8> = units.iter().flat_map(|(encoded, _)| *encoded).copied().collect();
    let payload: Vec<u8> = units.iter().flat_map(|(_, payload)| *payload).copied().collect();
    let result = decode(encoding, &joined, payload.len() + ROOM);
    let may_follow = !matches!(encoding, Encoding::Deflate | Encoding::SnappyBlock);
    match result {
        Ok(decoded) if may_follow => {
            assert_same(&format!("{encoding}, units"), &decoded, &payload);
        }
        Err(DecodeError::Malformed { .. }) if !may_follow => {}
        Ok(_) => panic!("{encoding} has no units that follow each other"),
        Err(error) => panic!("{encoding}, units: {error}"),
    }
}

/// So much is allowed above the payload that a cut is not called too long: readers of deflate may
/// go on for some zero bytes after the end, and those can be copies of 258 bytes in every bit.
const ROOM: usize = 64 * 1024;

/// Every cut of a short unit; of a long one those near its ends and a hundred between.
fn cuts(len: usize) -> impl Iterator<Item = usize> {
    const NEAR: usize = 300;
    let step = (len / 100).max(1);
    (1..len).filter(move |&cut| cut <= NEAR || len - cut <= 40 || cut % step == 0)
}

fn ends_a_chunk(mut stream: &[u8]) -> bool {
    while let [_, a, b, c, rest @ ..] = stream {
        let len = usize::from(*a) | usize::from(*b) << 8 | usize::from(*c) << 16;
        let Some(rest) = rest.get(len..) else { return false };
        stream = rest;
    }
    stream.is_empty()
}
