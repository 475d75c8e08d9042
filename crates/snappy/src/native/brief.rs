//! Elements of a short block, one branch for each question.

use super::element::{exact_copy, exact_literal, unusual};
use super::entry::{LEN, entry, offset};
use super::{Out, copy, load_u32};
use crate::tag::{LITERAL, LONG_LITERAL};

/// Reads all elements from `ip` to `end`; says whether they fill `out` from `base` to `end`.
///
/// # Safety
///
/// Input; nothing behind `end` is read. Output, with an `op` at its base, and
/// `out.last == out.end`.
#[inline(always)]
pub(super) unsafe fn brief(mut ip: *const u8, end: *const u8, out: &Out) -> bool {
    let mut op = out.base;
    // SAFETY: for all of the loop, at its top `left` bytes are readable from `ip`, at least one,
    // and `op` is not behind `last`, so that 64 bytes are writable. A literal of at most `N`
    // bytes behind its tag is copied as `N` bytes if `left > N`. For a copy 64 bytes are copied
    // from `from`, if it is not unusual: `len <= offset`, and all these bytes are
    // initialized; `offset <= written`, so that it is not before `base`; the 64 bytes from there end
    // before those that are written do, and the `len` of them that matter before `op`. Unless
    // `left > 8`, which is as much as `unusual` wants, nothing is read that was not asked for.
    unsafe {
        while ip < end && op <= out.last {
            let tag = *ip;
            let left = end.addr() - ip.addr();
            if tag & 3 == LITERAL {
                let len = usize::from(tag >> 2) + 1;
                let data = ip.add(1);
                if len <= 16 && left > 16 {
                    copy::<16>(data, op);
                } else if len <= LONG_LITERAL && left > 64 {
                    copy::<64>(data, op);
                } else {
                    (ip, op) = exact_literal((ip, op), end, out);
                    if ip.is_null() {
                        return false;
                    }
                    continue;
                }
                ip = data.add(len);
                op = op.add(len);
                continue;
            }
            let kind = usize::from(tag & 3);
            if left <= 8 {
                (ip, op) = exact_copy((ip, op), end, out);
                if ip.is_null() {
                    return false;
                }
                continue;
            }
            let entry = entry(u32::from(tag));
            let offset = offset(u32::from(tag), entry, load_u32(ip.add(1)));
            let len = (entry & LEN) as usize;
            let written = op.addr() - out.base.addr();
            if offset < len || offset > written {
                (ip, op) = unusual((ip, op), end, out);
                if ip.is_null() {
                    return false;
                }
                continue;
            }
            let from = op.sub(offset);
            copy::<32>(from, op);
            if len > 32 {
                copy::<32>(from.add(32), op.add(32));
            }
            ip = ip.add(1 + kind);
            op = op.add(len);
        }
    }
    ip == end && op == out.end
}
