//! When the SDK will ask the server for more.

/// How much of a polled batch was given, as far as that can be known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Batch {
    length: u32,
    given: u32,
    is_over: bool,
}

impl Batch {
    /// The SDK's.
    pub(crate) const DEFAULT_LENGTH: u32 = 1000;

    /// A batch of so many messages at most.
    pub(crate) const fn of(length: u32) -> Self {
        Self { length, given: 0, is_over: false }
    }

    /// Says what was given, and what was the newest when the batch was polled.
    pub(crate) const fn gave(&mut self, offset: u64, newest: u64) {
        self.given = self.given.saturating_add(1);
        self.is_over = offset >= newest || self.given >= self.length;
    }

    pub(crate) const fn is_over(self) -> bool {
        self.is_over
    }

    pub(crate) const fn next(&mut self) {
        *self = Self::of(self.length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_over_when_it_is_full_or_nothing_newer_was_there() {
        let mut batch = Batch::of(3);
        for (offset, is_over) in [(5, false), (6, false), (7, true)] {
            batch.gave(offset, 100);
            assert_eq!(batch.is_over(), is_over);
        }
        batch.next();
        assert!(!batch.is_over());
        batch.gave(99, 100);
        assert!(!batch.is_over());
        batch.gave(100, 100);
        assert!(batch.is_over());
    }
}
