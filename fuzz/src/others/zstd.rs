//! libzstd's streaming calls.

use zstd_safe::zstd_sys::ZSTD_ErrorCode::ZSTD_error_frameParameter_windowTooLarge;
use zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, is_error_kind};

use super::{LIMIT, Payload, Refused, Silent, TooLong, Verdict};

pub(super) fn zstd(encoded: &[u8]) -> Verdict {
    // A window beyond this would be allocated; ours needs none.
    const WINDOW_LOG: u32 = 23;
    let mut decoder = DCtx::create();
    if decoder.set_parameter(DParameter::WindowLogMax(WINDOW_LOG)).is_err() {
        return Silent;
    }
    let (mut payload, mut room) = (Vec::new(), vec![0; 1 << 17]);
    let mut input = InBuffer::around(encoded);
    loop {
        let mut output = OutBuffer::around(&mut room[..]);
        let wanted = match decoder.decompress_stream(&mut output, &mut input) {
            Ok(wanted) => wanted,
            Err(code) if is_error_kind(code, ZSTD_error_frameParameter_windowTooLarge) => {
                return Silent;
            }
            Err(code) => return Refused(zstd_safe::get_error_name(code).to_owned()),
        };
        let is_full = output.pos() == output.capacity(); // and then there may be more
        payload.extend_from_slice(output.as_slice());
        if payload.len() > LIMIT {
            return TooLong;
        }
        match (input.pos() == encoded.len(), wanted) {
            (true, 0) => return Payload(payload),
            (true, _) if !is_full => return Refused("cut short".to_owned()),
            _ => {}
        }
    }
}
