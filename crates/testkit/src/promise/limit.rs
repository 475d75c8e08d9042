use bytes::Bytes;
use thinwire::{DecodeError, Decoder, Encoded, Encoding};

use super::assert_same;
use crate::alloc::{self, COUNTS_RUST};

/// What decoding may need beside the payload, in bytes: the documentation of `Decoder` says so.
pub const MAX_STATE_LEN: usize = 200_000;

/// Above this a roomy buffer is roomy enough.
const MOST_ROOM: usize = 8 << 20;

/// What the allocator adds: a page for a large block, some bytes for a small one.
const ROUNDING: usize = 16 * 1024;

/// No payload is longer than the limit, and decoding needs no more memory than the limit and
/// [`MAX_STATE_LEN`]; `decode`, which gives the payload a buffer of its own, as much again.
///
/// Room in the buffer makes no difference. Gives back what came out, or the error.
///
/// # Errors
///
/// Those of the decoder: both calls agree on them, and leave nothing behind.
///
/// # Panics
///
/// When it does not hold.
pub fn decode_stays_within_limit(
    encoding: Encoding,
    encoded: &[u8],
    limit: usize,
) -> Result<Vec<u8>, DecodeError> {
    let what = format!("{encoding}, {} bytes, limit {limit}", encoded.len());
    let (decoder, mut payload) = (Decoder::new(limit), Vec::new());
    let (result, needed) = alloc::measure(|| decoder.decode_into(encoding, encoded, &mut payload));
    assert!(payload.len() <= limit, "{what}: {} bytes came out", payload.len());
    assert_at_most(&what, needed.peak_bytes, limit);
    match &result {
        Ok(payload_len) => assert_eq!(*payload_len, payload.len(), "{what}"),
        Err(_) => assert!(payload.is_empty(), "{what}: left {} bytes behind", payload.len()),
    }

    let decoder = Decoder::new(limit);
    let message = Encoded::new(encoding, Bytes::copy_from_slice(encoded));
    let (bytes, needed) = alloc::measure(|| decoder.decode(message));
    assert_at_most(&what, needed.peak_bytes, limit.saturating_mul(2));
    match (&bytes, &result) {
        (Ok(bytes), Ok(_)) => assert_same(&what, bytes, &payload),
        (bytes, result) => assert_eq!(bytes.as_ref().err(), result.as_ref().err(), "{what}"),
    }
    let mut roomy = Vec::with_capacity(limit.min(MOST_ROOM));
    let again = decoder.decode_into(encoding, encoded, &mut roomy);
    assert_eq!(again, result, "{what}: another answer with room in the buffer");
    assert_same(&what, &roomy, &payload);
    result.map(|_| payload)
}

/// A payload is decoded under a limit of its very length, and is too long under one less.
///
/// # Panics
///
/// When it does not hold.
pub fn the_limit_is_exact(encoding: Encoding, encoded: &[u8], payload: &[u8]) {
    let payload_len = payload.len();
    let what = format!("{encoding}, payload of {payload_len} bytes");
    for limit in [payload_len, payload_len + 1] {
        match decode_stays_within_limit(encoding, encoded, limit) {
            Ok(decoded) => assert_same(&what, &decoded, payload),
            Err(error) => panic!("{what}, limit {limit}: {error}"),
        }
    }
    for limit in [payload_len.checked_sub(1), Some(payload_len / 2), Some(0)] {
        let Some(limit) = limit.filter(|&limit| limit < payload_len) else { continue };
        let error = decode_stays_within_limit(encoding, encoded, limit)
            .expect_err("a payload that is longer than the limit");
        assert_too_long(&error, encoding, encoded.len(), payload_len, limit);
    }
}

/// Memory follows what comes in and what comes out, not the limit and not what is declared.
///
/// # Panics
///
/// When it does not hold.
pub fn memory_grows_from_the_input(encoding: Encoding, encoded: &[u8]) {
    // Large, but not so large that a wrong decoder would harm the machine.
    const LIMIT: usize = 256 << 20;
    let (decoder, mut payload) = (Decoder::new(LIMIT), Vec::new());
    let ((), needed) =
        alloc::measure(|| drop(decoder.decode_into(encoding, encoded, &mut payload)));
    // Four bytes of zstd can be a block of 128 KiB, two bits of deflate a copy of 258.
    let max_ratio = if encoding == Encoding::Zstd { 32 << 10 } else { 1032 };
    let likely = payload.len().max(encoded.len().saturating_mul(max_ratio));
    // A buffer that doubles ends at twice of what is in it.
    let allowed = likely.saturating_mul(2).saturating_add(MAX_STATE_LEN + ROUNDING);
    assert!(
        needed.peak_bytes <= allowed as u64,
        "{encoding}: {} bytes that gave {} took {}",
        encoded.len(),
        payload.len(),
        needed.peak_bytes,
    );
}

fn assert_too_long(
    error: &DecodeError,
    encoding: Encoding,
    encoded_len: usize,
    payload_len: usize,
    limit: usize,
) {
    let DecodeError::TooLong {
        encoding: named, encoded_len: came, at_least, limit: allowed, ..
    } = *error
    else {
        panic!("{encoding}, limit {limit}: {error}");
    };
    assert_eq!((named, came, allowed), (encoding, encoded_len, limit));
    let at_least = usize::try_from(at_least).expect("a length in memory");
    assert!(limit < at_least && at_least <= payload_len, "{error} for {payload_len} bytes");
}

fn assert_at_most(what: &str, peak_bytes: u64, limit: usize) {
    let allowed = limit.saturating_add(MAX_STATE_LEN + ROUNDING) as u64;
    assert!(!COUNTS_RUST || peak_bytes <= allowed, "{what}: took {peak_bytes} bytes of memory");
}
