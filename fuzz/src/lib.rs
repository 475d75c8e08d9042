//! What each fuzz target does with its bytes. `crates/testkit/tests/replay.rs` includes this file
//! and runs the seeds through the same functions, on stable.
//!
//! The promises are testkit's; here bytes become their arguments.

mod input;
mod others;
mod snappy;
mod tokens;

use arbitrary::{Arbitrary, Unstructured};
use thinwire::{Encoding, Policy};
use thinwire_testkit::case::Case;
use thinwire_testkit::grpc::Call;
use thinwire_testkit::promise;

use self::input::{Cut, Message, Pair, Sequence, framed};

/// Takes whatever bytes, and panics when a promise is broken.
pub type Target = fn(&[u8]);

/// Every target and its name.
pub const TARGETS: [(&str, Target); 11] = [
    ("decode_agrees_with_others", decode_agrees_with_others),
    ("decode_gives_the_whole_content", decode_gives_the_whole_content),
    ("decode_stays_within_limit", decode_stays_within_limit),
    ("grpc_any_split", grpc_any_split),
    ("grpc_headers", grpc_headers),
    ("grpc_hostile_peer", grpc_hostile_peer),
    ("parse_tokens", parse_tokens),
    ("reuse_is_invisible", reuse_is_invisible),
    ("roundtrip", roundtrip),
    ("snappy_decompress", snappy_decompress),
    ("snappy_roundtrip", snappy_roundtrip),
];

/// Decoding undoes encoding, at any level and under any policy, and what is sent never grows.
pub fn roundtrip(bytes: &[u8]) {
    let Some(Message { level, payload }) = from(bytes) else { return };
    promise::decoding_undoes_encoding(level, &payload);
    let min_len = payload.len() / 2;
    for policy in [Policy::default(), Policy::always(), Policy::always().min_len(min_len)] {
        promise::encode_never_grows(level, policy, &payload);
    }
}

/// What comes out, and what is needed for it, stays within the limit; other encodings than the
/// one that is named take the same bytes without a panic.
pub fn decode_stays_within_limit(bytes: &[u8]) {
    let Some(Case { encoding, limit, encoded, .. }) = from(bytes) else { return };
    for encoded in [&framed(encoding, &encoded), &encoded] {
        if let Ok(payload) = promise::decode_stays_within_limit(encoding, encoded, limit) {
            promise::the_limit_is_exact(encoding, encoded, &payload);
        }
    }
    promise::decode_never_panics(&encoded, limit);
}

/// Prefixes, bytes after the end, and units that follow: of what we encoded, and of whatever else
/// is accepted.
pub fn decode_gives_the_whole_content(bytes: &[u8]) {
    let Some(pair) = from::<Pair>(bytes) else { return };
    let Pair { level, first, second, case } = pair;
    let encoding = level.encoding();
    let encoded = [&first, &second].map(|payload| promise::compress(level, payload));
    let [a, b] = &encoded;
    promise::decode_gives_the_whole_content(encoding, a, &first);
    promise::units_may_follow(encoding, &[(a, &first), (b, &second)]);

    let Case { encoding, limit, encoded, .. } = case;
    // Identity has no end, and of nothing everything is a continuation.
    if encoding != Encoding::Identity
        && !encoded.is_empty()
        && let Ok(payload) = promise::decode(encoding, &encoded, limit)
    {
        promise::junk_after_the_end_is_an_error(encoding, &encoded, &payload);
        promise::units_may_follow(encoding, &[(&encoded, &payload), (&encoded, &payload)]);
    }
}

/// Used encoders and decoders give what new ones give.
pub fn reuse_is_invisible(bytes: &[u8]) {
    let Some(Sequence { level, payloads }) = from(bytes) else { return };
    promise::reuse_is_invisible(level, &payloads);
}

/// Other decoders accept the same bytes and give the same payload.
pub fn decode_agrees_with_others(bytes: &[u8]) {
    let Some(Case { encoding, encoded, .. }) = from(bytes) else { return };
    others::decode_agrees_with_others(encoding, &framed(encoding, &encoded));
    others::decode_agrees_with_others(encoding, &encoded);
}

/// Messages, through both layers in both directions: all in one frame, as they are, and cut anywhere.
pub fn grpc_any_split(bytes: &[u8]) {
    let Some(Cut { cuts, call }) = from(bytes) else { return };
    promise::any_split_is_the_same_stream(&call, &cuts);
}

/// The headers of a call, of which a peer chooses those that come to us.
pub fn grpc_headers(bytes: &[u8]) {
    let Some(call) = from::<Call>(bytes) else { return };
    promise::a_server_speaks_what_the_client_listed(&call);
    promise::a_client_speaks_what_it_was_given(&call);
}

/// Frames that nobody should send, to either side, and from the application behind it.
pub fn grpc_hostile_peer(bytes: &[u8]) {
    let Some(call) = from::<Call>(bytes) else { return };
    promise::a_server_gets_the_whole_or_an_error(&call);
    promise::a_client_gets_the_whole_or_an_error(&call);
}

/// Any text is a token or a level, or an error that can be printed.
pub fn parse_tokens(bytes: &[u8]) {
    tokens::parse_tokens(&String::from_utf8_lossy(bytes));
}

/// thinwire-snappy accepts the blocks that `snap` accepts, and reads the same, with any room.
pub fn snappy_decompress(bytes: &[u8]) {
    snappy::snappy_decompress(bytes);
}

/// What thinwire-snappy compresses, `snap` and itself decompress; it is the same without unsafe code
/// and whatever was compressed before, and never longer than its bound.
pub fn snappy_roundtrip(bytes: &[u8]) {
    snappy::snappy_roundtrip(bytes);
}

fn from<'a, T: Arbitrary<'a>>(bytes: &'a [u8]) -> Option<T> {
    T::arbitrary_take_rest(Unstructured::new(bytes)).ok()
}
