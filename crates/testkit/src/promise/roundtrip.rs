use bytes::Bytes;
use thinwire::{Decoder, Encoder, Level, Policy};

use super::{assert_same, compress, decode};

/// What was encoded decodes to the payload, through both calls, and is appended to what is there.
///
/// # Panics
///
/// When it does not hold.
pub fn decoding_undoes_encoding(level: Level, payload: &[u8]) {
    let what = format!("{level}, {} bytes", payload.len());
    let encoding = level.encoding();
    let encoded = compress(level, payload);
    match decode(encoding, &encoded, payload.len()) {
        Ok(decoded) => assert_same(&what, &decoded, payload),
        Err(error) => panic!("{what}: {error}"),
    }
    appends(level, payload, &encoded);

    let encoder = Encoder::new(level).expect("made before").policy(Policy::always());
    let payload = Bytes::copy_from_slice(payload);
    let message = encoder.encode(payload.clone()).unwrap_or_else(|error| panic!("{what}: {error}"));
    if message.encoding() == encoding {
        assert_same(&what, message.bytes(), &encoded);
    }
    let decoded = Decoder::new(payload.len()).decode(message);
    assert_same(&what, &decoded.unwrap_or_else(|error| panic!("{what}: {error}")), &payload);
}

fn appends(level: Level, payload: &[u8], encoded: &[u8]) {
    let what = format!("{level}, {} bytes, appended", payload.len());
    let before = b"what was there";
    let mut buffer = before.to_vec();
    let encoder = Encoder::new(level).expect("made before").policy(Policy::always());
    encoder.compress_into(payload, &mut buffer).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_same(&what, &buffer, &[before, encoded].concat());

    buffer.truncate(before.len());
    let sent = encoder.encode_into(payload, &mut buffer).unwrap_or_else(|e| panic!("{what}: {e}"));
    let expected = if sent == level.encoding() { encoded } else { payload };
    assert_same(&what, &buffer, &[before, expected].concat());

    buffer.truncate(before.len());
    let decoder = Decoder::new(payload.len());
    match decoder.decode_into(level.encoding(), encoded, &mut buffer) {
        Ok(payload_len) => assert_eq!(payload_len, payload.len(), "{what}"),
        Err(error) => panic!("{what}: {error}"),
    }
    assert_same(&what, &buffer, &[&before[..], payload].concat());
}
