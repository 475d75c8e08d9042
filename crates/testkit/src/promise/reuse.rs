use thinwire::{DecodeError, Decoder, Encoder, Level};

use super::{assert_same, compress, decode};
use crate::random::Random;

/// A used encoder and decoder cannot be told from new ones, also after errors: they give the same
/// bytes and the same errors, and nothing of an earlier message shows.
///
/// After each message comes the same one damaged, cut, and not compressed at all.
///
/// # Panics
///
/// When it does not hold.
pub fn reuse_is_invisible(level: Level, sequence: &[impl AsRef<[u8]>]) {
    let longest = sequence.iter().map(|payload| payload.as_ref().len()).max().unwrap_or(0);
    let encoder = Encoder::new(level).unwrap_or_else(|error| panic!("{level}: {error}"));
    let decoder = Decoder::new(longest);
    let mut random = Random::new(longest as u64);
    let (mut encoded, mut buffer) = (Vec::new(), Vec::new());
    for (index, payload) in sequence.iter().map(AsRef::as_ref).enumerate() {
        let what = format!("{level}, message {index}");
        encoded.clear();
        encoder.compress_into(payload, &mut encoded).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_same(&what, &encoded, &compress(level, payload));

        for bytes in [&damaged(&encoded, &mut random), &cut(&encoded), payload, &encoded] {
            buffer.clear();
            let used = decoder.decode_into(level.encoding(), bytes, &mut buffer).map(|_| &buffer);
            let new = decode(level.encoding(), bytes, longest);
            assert_alike(&what, used, new.as_ref());
        }
        assert_same(&what, &buffer, payload);
    }
}

fn assert_alike(
    what: &str,
    used: Result<&Vec<u8>, DecodeError>,
    new: Result<&Vec<u8>, &DecodeError>,
) {
    match (used, new) {
        (Ok(used), Ok(new)) => assert_same(what, used, new),
        (used, new) => assert_eq!(used.as_ref().err(), new.err(), "{what}: another error"),
    }
}

/// One bit is another.
fn damaged(encoded: &[u8], random: &mut Random) -> Vec<u8> {
    let mut copy = encoded.to_vec();
    let position = random.below(copy.len());
    if let Some(byte) = copy.get_mut(position) {
        *byte ^= 1 << random.below(8);
    }
    copy
}

fn cut(encoded: &[u8]) -> Vec<u8> {
    let (start, _) = encoded.split_at(encoded.len() / 2);
    start.to_vec()
}
