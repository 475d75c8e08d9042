use bytes::Bytes;
use thinwire::{Encoder, Encoding, Level, Policy};

use super::assert_same;

/// What is sent is never longer than the payload: either it is compressed and shorter, or it is
/// the very payload, not a copy, under identity. An empty payload has no label.
///
/// # Panics
///
/// When it does not hold.
pub fn encode_never_grows(level: Level, policy: Policy, payload: &Bytes) {
    let what = format!("{level}, {} bytes", payload.len());
    let encoder = Encoder::new(level).unwrap_or_else(|error| panic!("{level}: {error}"));
    let encoder = encoder.policy(policy);
    let encoded = encoder.encode(payload.clone()).unwrap_or_else(|error| panic!("{what}: {error}"));
    let encoded_len = encoded.bytes().len();
    if encoded.encoding() == Encoding::Identity {
        assert_eq!(encoded.bytes().as_ptr(), payload.as_ptr(), "{what}: copied");
        assert_eq!(encoded_len, payload.len(), "{what}");
    } else {
        assert_eq!(encoded.encoding(), level.encoding(), "{what}");
        assert!(encoded_len < payload.len(), "{what}: grew to {encoded_len}");
        assert!(policy.should_compress(payload.len()), "{what}: too short to compress");
        assert!(policy.should_keep(payload.len(), encoded_len), "{what}: does not pay");
    }
    let mut buffer = Vec::new();
    let encoding = encoder.encode_into(payload, &mut buffer);
    assert_eq!(encoding.as_ref(), Ok(&encoded.encoding()), "{what}: the calls disagree");
    assert_same(&what, &buffer, encoded.bytes());
}

/// `min_len` is the shortest that is compressed, and a result is kept from `min_saving_percent` on,
/// the label counted: at each boundary, one before and one after.
///
/// # Panics
///
/// When it does not hold.
pub fn policy_boundaries(min_len: usize, percent: u8, label_len: usize) {
    let policy =
        Policy::default().min_len(min_len).min_saving_percent(percent).label_len(label_len);
    for payload_len in [min_len.saturating_sub(1), min_len, min_len.saturating_add(1)] {
        let expected = payload_len > 0 && payload_len >= min_len;
        assert_eq!(policy.should_compress(payload_len), expected, "{policy:?}, {payload_len}");
    }
    for payload_len in [1, 99, 100, 101, 1000, 12_345] {
        // In hundredths, so that nothing is rounded; one byte at least must be saved.
        let needed = (payload_len * usize::from(percent)).div_ceil(100).max(1);
        let Some(longest) = payload_len.checked_sub(needed + label_len) else {
            assert!(!policy.should_keep(payload_len, 0), "{policy:?}, {payload_len}: 0");
            continue;
        };
        for encoded_len in [longest.saturating_sub(1), longest] {
            assert!(policy.should_keep(payload_len, encoded_len), "{policy:?}, {payload_len}");
        }
        assert!(!policy.should_keep(payload_len, longest + 1), "{policy:?}, {payload_len}");
    }
}
