//! A small seeded generator: the same numbers on every machine and in every version.

/// `SplitMix64` (<https://prng.di.unimi.it/splitmix64.c>): 64 bits of state, any seed will do.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Starts the sequence that belongs to `seed`.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits.
    pub const fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `0..end`; 0 when `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        match end as u64 {
            0 => 0,
            end => usize::try_from(self.next() % end).unwrap_or(0),
        }
    }

    /// One of `choices`.
    ///
    /// # Panics
    ///
    /// When there are none.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        choices.get(self.below(choices.len())).expect("nothing to pick from")
    }
}
