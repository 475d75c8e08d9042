//! What thinwire-snappy compresses, `snap` and itself decompress; it is the same without unsafe code
//! and whatever was compressed before, and never longer than its bound.
#![no_main]

use thinwire_snappy::{Compressor, decompress_into, max_compressed_len, safe};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&times, bytes)) = bytes.split_first() else { return };
    // Repeated, with one byte changed each time: longer, and in more than one block.
    let mut payload = bytes.to_vec();
    for round in 0..times {
        if payload.len() > 1 << 17 || bytes.is_empty() {
            break;
        }
        payload.extend_from_slice(bytes);
        let at = usize::from(round) * 7 % payload.len();
        if let Some(byte) = payload.get_mut(at) {
            *byte = byte.wrapping_add(round);
        }
    }
    let payload = payload.into_boxed_slice();
    let most = max_compressed_len(payload.len()).unwrap();
    let mut compressor = Compressor::new();
    let mut block = Vec::with_capacity(most);
    compressor.compress_into(&payload, &mut block).unwrap();
    assert!(block.len() <= most);
    let mut again = Vec::new();
    compressor.compress_into(&payload, &mut again).unwrap();
    assert_eq!(block, again);
    let mut slow = Vec::new();
    safe::Compressor::new().compress_into(&payload, &mut slow).unwrap();
    assert_eq!(block, slow);

    let block = block.into_boxed_slice();
    let mut theirs = vec![0; payload.len()];
    assert_eq!(snap::raw::Decoder::new().decompress(&block, &mut theirs), Ok(payload.len()));
    assert_eq!(theirs[..], payload[..]);
    let mut ours = Vec::new();
    decompress_into(&block, &mut ours, payload.len()).unwrap();
    assert_eq!(ours[..], payload[..]);
});
