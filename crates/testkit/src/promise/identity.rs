use bytes::Bytes;
use thinwire::{Decoder, Encoded, Encoder, Encoding};

use crate::alloc;

/// Identity gives back the same bytes, allocates nothing, and obeys the limit.
///
/// # Panics
///
/// When it does not hold.
pub fn identity_is_never_copied(payload: &Bytes) {
    let encoder = Encoder::new(Encoding::Identity).expect("identity is always there");
    let decoder = Decoder::new(payload.len());
    let (decoded, allocations) = alloc::measure(|| {
        let encoded = encoder.encode(payload.clone()).expect("identity cannot fail");
        assert_eq!(encoded.encoding(), Encoding::Identity);
        decoder.decode(encoded)
    });
    assert_eq!(allocations.count, 0, "{} bytes: {allocations:?}", payload.len());
    let decoded = decoded.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((decoded.as_ptr(), decoded.len()), (payload.as_ptr(), payload.len()));
    if let Some(limit) = payload.len().checked_sub(1) {
        let message = Encoded::new(Encoding::Identity, payload.clone());
        assert!(Decoder::new(limit).decode(message).is_err(), "identity exceeds the limit");
    }
}
