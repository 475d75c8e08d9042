use thinwire::{Decoder, Encoding};

/// Any bytes give a payload or an error, under every encoding; an error can be printed, is short,
/// and leaves the buffer as it was.
///
/// # Panics
///
/// When it does not hold.
pub fn decode_never_panics(encoded: &[u8], limit: usize) {
    let before = b"what was there";
    for encoding in Encoding::ALL {
        let mut buffer = before.to_vec();
        let result = Decoder::new(limit).decode_into(encoding, encoded, &mut buffer);
        assert!(buffer.starts_with(before), "{encoding}: changed what was there");
        let added = buffer.len() - before.len();
        match result {
            Ok(payload_len) => assert!(payload_len == added && added <= limit, "{encoding}"),
            Err(error) => {
                assert_eq!(added, 0, "{encoding}: an error left {added} bytes behind");
                let text = error.to_string();
                assert!(text.len() < 400, "{encoding}: {text}");
                assert!(text.is_ascii(), "{encoding}: {text}");
            }
        }
    }
}
