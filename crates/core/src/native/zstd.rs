//! The end of a `Vec` as an output of libzstd, through zstd-safe's own trait.

use zstd_safe::WriteBuf;

use super::append_written;

/// At most `room` bytes of a `Vec`'s spare capacity; what is written there is appended.
///
/// zstd-safe offers the whole spare capacity, or zeroed bytes; a limit needs the one without the
/// other.
#[derive(Debug)]
pub(crate) struct Room<'a> {
    dst: &'a mut Vec<u8>,
    room: usize,
}

impl<'a> Room<'a> {
    /// Offers no more than there is.
    pub(crate) fn new(dst: &'a mut Vec<u8>, room: usize) -> Self {
        let room = room.min(dst.capacity() - dst.len());
        Self { dst, room }
    }
}

// SAFETY: `as_mut_ptr` points to `capacity()` writable bytes, since `dst` is borrowed mutably and
// `new` checked that its spare capacity is as long; `filled_until` appends just those.
unsafe impl WriteBuf for Room<'_> {
    fn as_slice(&self) -> &[u8] {
        &[]
    }

    fn capacity(&self) -> usize {
        self.room
    }

    fn as_mut_ptr(&mut self) -> *mut u8 {
        self.dst.spare_capacity_mut().as_mut_ptr().cast()
    }

    unsafe fn filled_until(&mut self, written: usize) {
        self.room -= written;
        // SAFETY: by the trait's contract the first `written` bytes are initialized.
        unsafe { append_written(self.dst, written) }
    }
}
