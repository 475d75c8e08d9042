//! Compressors and decompressors at rest: memory kept, bounded in count and in bytes.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// How much an [`Encoder`](crate::Encoder) or a [`Decoder`](crate::Decoder) keeps between calls.
///
/// Whatever is in use is not counted: a call needs one item for as long as it runs, and at most
/// as many run at once as there are threads. What would exceed a bound is freed when its call
/// ends.
///
/// ```
/// use thinwire::{Encoder, Encoding, PoolLimits};
///
/// let small = PoolLimits::default().max_idle(2).max_idle_bytes(1 << 20);
/// let encoder = Encoder::new(Encoding::Gzip)?.pool_limits(small);
/// # Ok::<(), thinwire::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PoolLimits {
    max_idle: usize,
    max_idle_bytes: usize,
}

impl PoolLimits {
    /// Sets how many idle items are kept at most. The default is 64.
    ///
    /// ```
    /// # use thinwire::PoolLimits;
    /// let limits = PoolLimits::default().max_idle(4);
    /// ```
    #[must_use]
    pub const fn max_idle(mut self, count: usize) -> Self {
        self.max_idle = count;
        self
    }

    /// Sets how many bytes the idle items hold at most, in all. The default is 64 MiB.
    ///
    /// ```
    /// # use thinwire::PoolLimits;
    /// let limits = PoolLimits::default().max_idle_bytes(8 << 20);
    /// ```
    #[must_use]
    pub const fn max_idle_bytes(mut self, bytes: usize) -> Self {
        self.max_idle_bytes = bytes;
        self
    }
}

impl Default for PoolLimits {
    /// 64 items, enough for as many threads, and 64 MiB: 64 zstd compressors at level 1 with
    /// their buffers, or the state of one at level 19 and then some.
    fn default() -> Self {
        Self { max_idle: 64, max_idle_bytes: 64 << 20 }
    }
}

/// What a pool keeps.
pub(crate) trait Reusable {
    /// Returns the bytes that it holds while idle.
    fn kept_len(&self) -> usize;

    /// Frees what it can do without, to hold at most `max_len` bytes if that is possible.
    fn shrink(&mut self, max_len: usize);
}

/// Idle items, the last used on top: its memory is the most likely to be in the cache.
#[derive(Debug)]
pub(crate) struct Pool<T> {
    limits: PoolLimits,
    idle: Mutex<Idle<T>>,
}

#[derive(Debug)]
struct Idle<T> {
    items: Vec<(usize, T)>,
    bytes: usize,
}

impl<T: Reusable> Pool<T> {
    pub(crate) const fn new(limits: PoolLimits) -> Self {
        Self { limits, idle: Mutex::new(Idle { items: Vec::new(), bytes: 0 }) }
    }

    /// Takes the item that was put back last.
    pub(crate) fn take(&self) -> Option<T> {
        let mut idle = self.lock();
        let (kept_len, item) = idle.items.pop()?;
        idle.bytes -= kept_len;
        Some(item)
    }

    /// Keeps an item for the next call, or frees it if a bound would be exceeded.
    pub(crate) fn put(&self, mut item: T) {
        if item.kept_len() > self.limits.max_idle_bytes {
            item.shrink(self.limits.max_idle_bytes);
        }
        let kept_len = item.kept_len();
        let mut idle = self.lock();
        let fits = idle.items.len() < self.limits.max_idle
            && kept_len <= self.limits.max_idle_bytes - idle.bytes;
        if fits {
            idle.bytes += kept_len;
            idle.items.push((kept_len, item));
        } else {
            drop(idle); // unlock before freeing
        }
    }

    /// Nothing between lock and unlock can panic, so a poisoned pool is still whole.
    fn lock(&self) -> MutexGuard<'_, Idle<T>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Block(usize);

    impl Reusable for Block {
        fn kept_len(&self) -> usize {
            self.0
        }

        fn shrink(&mut self, max_len: usize) {
            self.0 = self.0.min(max_len.max(10));
        }
    }

    fn pool(max_idle: usize, max_idle_bytes: usize) -> Pool<Block> {
        Pool::new(PoolLimits::default().max_idle(max_idle).max_idle_bytes(max_idle_bytes))
    }

    fn fill(pool: &Pool<Block>, lens: &[usize]) {
        for &len in lens {
            pool.put(Block(len));
        }
    }

    fn drain(pool: &Pool<Block>) -> Vec<usize> {
        std::iter::from_fn(|| pool.take()).map(|block| block.0).collect()
    }

    #[test]
    fn the_last_put_back_is_the_first_taken() {
        let pool = pool(3, 100);
        fill(&pool, &[1, 2, 3]);
        assert_eq!(drain(&pool), [3, 2, 1]);
    }

    #[test]
    fn the_count_is_bounded() {
        let pool = pool(2, 100);
        fill(&pool, &[1, 2, 3]);
        assert_eq!(drain(&pool), [2, 1]);
    }

    #[test]
    fn the_bytes_are_bounded_at_the_very_byte() {
        let pool = pool(9, 100);
        fill(&pool, &[60, 40, 1]);
        assert_eq!(drain(&pool), [40, 60]);
        pool.put(Block(100));
        assert_eq!(drain(&pool), [100], "what was taken no longer counts");
    }

    #[test]
    fn an_oversized_item_is_shrunk_before_it_is_given_up() {
        let pool = pool(9, 50);
        pool.put(Block(1000));
        assert_eq!(drain(&pool), [50]);
        let tiny = self::pool(9, 5);
        tiny.put(Block(1000));
        assert!(drain(&tiny).is_empty());
    }
}
