use thinwire::DecodeError;

use super::{assert_same, decode_stays_within_limit};
use crate::vectors::{Expect, Vector};

/// What a reference tool or a specification says of some bytes is so.
///
/// # Panics
///
/// When it does not hold, with the reason to have the vector.
pub fn reference_bytes_decode(vector: &Vector) {
    let Vector { name, encoding, encoded, expect, limit, why } = vector;
    let what = format!("{name} ({why})");
    match (decode_stays_within_limit(*encoding, encoded, *limit), expect) {
        (Ok(payload), Expect::Payload(expected)) => assert_same(&what, &payload, expected),
        (
            Err(DecodeError::Malformed { .. }),
            Expect::Malformed | Expect::Refused | Expect::Error,
        )
        | (
            Err(DecodeError::Unsupported { .. }),
            Expect::Unsupported | Expect::Refused | Expect::Error,
        )
        | (Err(DecodeError::TooLong { .. }), Expect::TooLong | Expect::Error) => {}
        (Ok(payload), _) => panic!("{what}: gave {} bytes", payload.len()),
        (Err(error), _) => panic!("{what}: {error}"),
    }
}
