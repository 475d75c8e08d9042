//! Room for output: grown from what comes out, never past the limit.

use super::Fault;

/// Where a payload begins in its buffer, and how long it may become.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    start: usize,
    limit: usize,
}

impl Bounds {
    pub(crate) const fn new(dst: &[u8], limit: usize) -> Self {
        Self { start: dst.len(), limit }
    }

    /// Returns how many bytes of the payload are there.
    pub(crate) const fn done(self, dst: &[u8]) -> usize {
        dst.len() - self.start
    }

    /// Returns how many bytes may still come.
    pub(crate) const fn left(self, dst: &[u8]) -> usize {
        self.limit - self.done(dst)
    }

    /// The fault of `more` bytes, of which there may not be as many.
    pub(crate) const fn too_long(self, dst: &[u8], more: usize) -> Fault {
        Fault::TooLong { at_least: self.done(dst) as u64 + more as u64 }
    }

    /// Makes room for `more` bytes, of which there are at most [`left`](Self::left): twice the
    /// buffer, so that many small steps do not copy it as often, but nothing beyond the limit.
    pub(crate) fn reserve(self, dst: &mut Vec<u8>, more: usize) {
        let need = dst.len() + more;
        if need > dst.capacity() {
            let most = self.start.saturating_add(self.limit);
            let target = dst.capacity().saturating_mul(2).min(most).max(need);
            dst.reserve_exact(target - dst.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_doubles_but_not_past_the_limit() {
        let mut dst = Vec::with_capacity(100);
        dst.extend_from_slice(&[0; 60]);
        let bounds = Bounds::new(&dst, 200);
        assert_eq!((bounds.done(&dst), bounds.left(&dst)), (0, 200));
        bounds.reserve(&mut dst, 40);
        assert_eq!(dst.capacity(), 100, "it is there");
        bounds.reserve(&mut dst, 41);
        assert_eq!(dst.capacity(), 200);
        bounds.reserve(&mut dst, 141);
        assert_eq!(dst.capacity(), 260, "60 before, 200 at most");
        dst.extend_from_slice(&[0; 150]);
        assert_eq!((bounds.done(&dst), bounds.left(&dst)), (150, 50));
    }
}
