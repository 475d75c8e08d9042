//! liblz4's own reader of frames, `lz4frame.h`, and `lz4_flex`.
#![expect(unsafe_code, reason = "calls into C; the crate over it does not say where it stopped")]

use std::io::Read;
use std::ptr;

use lz4_sys::{
    LZ4F_createDecompressionContext, LZ4F_decompress, LZ4F_freeDecompressionContext, LZ4F_isError,
    LZ4FDecompressionContext,
};

use super::{LIMIT, Payload, Refused, Silent, TooLong, Verdict};

/// Decodes frame after frame.
pub(super) fn liblz4(encoded: &[u8]) -> Verdict {
    let mut context = LZ4FDecompressionContext(ptr::null_mut());
    // SAFETY: a place for the context, and the version that the declarations are of.
    let code = unsafe { LZ4F_createDecompressionContext(&mut context, LZ4F_VERSION) };
    // SAFETY: any number may be passed.
    if unsafe { LZ4F_isError(code) } != 0 {
        return Silent;
    }
    let verdict = decode_with(context, encoded);
    // SAFETY: made above, freed once.
    unsafe { LZ4F_freeDecompressionContext(context) };
    verdict
}

fn decode_with(context: LZ4FDecompressionContext, encoded: &[u8]) -> Verdict {
    let (mut payload, mut part, mut rest) = (Vec::new(), vec![0; 1 << 16], encoded);
    loop {
        let (mut read, mut written) = (rest.len(), part.len());
        // SAFETY: pointers with their true lengths, and a live context.
        let wanted = unsafe {
            LZ4F_decompress(
                context,
                part.as_mut_ptr(),
                &mut written,
                rest.as_ptr(),
                &mut read,
                ptr::null(),
            )
        };
        // SAFETY: any number may be passed.
        if unsafe { LZ4F_isError(wanted) } != 0 {
            return Refused(format!("liblz4's error {}", wanted.wrapping_neg()));
        }
        payload.extend_from_slice(part.get(..written).unwrap_or_default());
        rest = rest.get(read..).unwrap_or_default();
        if payload.len() > LIMIT {
            return TooLong;
        }
        match (rest.is_empty(), wanted) {
            // It wants nothing after the end of a frame.
            (true, 0) => return Payload(payload),
            (true, _) if written < part.len() => return Refused("cut short".to_owned()),
            _ => {}
        }
    }
}

/// Asked only about what liblz4 accepts: an end before the end mark, an empty block and four bytes
/// of anything are the end to this one.
pub(super) fn lz4_flex(encoded: &[u8]) -> Verdict {
    let (mut payload, mut part) = (Vec::new(), [0; 8192]);
    let mut decoder = lz4_flex::frame::FrameDecoder::new(encoded);
    loop {
        match decoder.read(&mut part) {
            Ok(0) if decoder.get_ref().is_empty() => return Payload(payload),
            Ok(len) => payload.extend_from_slice(part.get(..len).unwrap_or_default()),
            Err(error) if error.to_string().contains("SkippableFrame") => return Silent,
            Err(error) => return Refused(error.to_string()),
        }
    }
}

const LZ4F_VERSION: u32 = 100;
