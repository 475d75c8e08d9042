//! What is promised. Each function checks one promise for the arguments that it is given, and
//! panics with a message when it does not hold.

#[cfg(feature = "grpc")]
mod grpc_headers;
#[cfg(feature = "grpc")]
mod grpc_stream;
mod identity;
mod limit;
mod panics;
mod policy;
mod reuse;
mod roundtrip;
mod tokens;
mod vector;
mod whole;

use thinwire::{DecodeError, Decoder, Encoder, Encoding, Level};

#[cfg(feature = "grpc")]
pub use grpc_headers::{a_client_speaks_what_it_was_given, a_server_speaks_what_the_client_listed};
#[cfg(feature = "grpc")]
pub use grpc_stream::{
    a_client_gets_the_whole_or_an_error, a_server_gets_the_whole_or_an_error,
    any_split_is_the_same_stream,
};
pub use identity::identity_is_never_copied;
pub use limit::{
    MAX_STATE_LEN, decode_stays_within_limit, memory_grows_from_the_input, the_limit_is_exact,
};
pub use panics::decode_never_panics;
pub use policy::{encode_never_grows, policy_boundaries};
pub use reuse::reuse_is_invisible;
pub use roundtrip::decoding_undoes_encoding;
pub use tokens::{levels_are_checked, tokens_are_stable};
pub use vector::reference_bytes_decode;
pub use whole::{decode_gives_the_whole_content, junk_after_the_end_is_an_error, units_may_follow};

/// Compresses a payload, whether it pays or not.
///
/// # Panics
///
/// When the encoder refuses.
#[must_use]
pub fn compress(level: Level, payload: &[u8]) -> Vec<u8> {
    let encoder = Encoder::new(level).unwrap_or_else(|error| panic!("{level}: {error}"));
    let mut encoded = Vec::new();
    if let Err(error) = encoder.compress_into(payload, &mut encoded) {
        panic!("{level}: {error}");
    }
    encoded
}

/// Decodes with a decoder that nobody used before.
///
/// # Errors
///
/// Those of the decoder.
pub fn decode(encoding: Encoding, encoded: &[u8], limit: usize) -> Result<Vec<u8>, DecodeError> {
    let mut payload = Vec::new();
    Decoder::new(limit).decode_into(encoding, encoded, &mut payload).map(|_| payload)
}

/// Compares without printing payloads: their lengths and the first difference.
///
/// # Panics
///
/// When they differ.
#[track_caller]
pub fn assert_same(what: &str, actual: &[u8], expected: &[u8]) {
    if actual != expected {
        let same = actual.iter().zip(expected).take_while(|(a, b)| a == b).count();
        let (actual_len, expected_len) = (actual.len(), expected.len());
        panic!("{what}: {actual_len} bytes for {expected_len}, the first {same} are the same");
    }
}
