//! A set of numbers that come nearly in order, in little memory.

use std::collections::BTreeMap;

/// A set of numbers. It takes at most two bits for each number below the highest, whatever is
/// missing, and next to nothing where none is.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Blocks of which every number is there: from the first of each range to the first one behind
    /// it; no two touch.
    full: BTreeMap<u64, u64>,
    /// Blocks of which some are.
    begun: BTreeMap<u64, [u64; WORDS]>,
}

impl Numbers {
    /// Returns false if it was there.
    pub(super) fn insert(&mut self, number: u64) -> bool {
        let block = number / BLOCK;
        if self.is_full(block) {
            return false;
        }
        let bits = self.begun.entry(block).or_insert([0; WORDS]);
        let (word, bit) = place(number);
        let Some(word) = bits.get_mut(word) else { return false };
        if *word & bit != 0 {
            return false;
        }
        *word |= bit;
        if bits.iter().all(|&word| word == u64::MAX) {
            self.begun.remove(&block);
            self.fill(block);
        }
        true
    }

    /// How many are below a bound.
    pub(super) fn count_below(&self, bound: u64) -> u64 {
        let last = bound / BLOCK;
        let full = self.full.range(..last).map(|(begin, end)| end.min(&last) - begin);
        let whole: u64 = full.sum::<u64>() * BLOCK;
        let begun = self.begun.range(..last).map(|(_, bits)| count(bits));
        let (whole, rest) = (whole + begun.sum::<u64>(), bound % BLOCK);
        let in_last = match self.begun.get(&last) {
            Some(bits) => count(&below(bits, rest)),
            None if self.is_full(last) => rest,
            None => 0,
        };
        whole + in_last
    }

    fn is_full(&self, block: u64) -> bool {
        self.full.range(..=block).next_back().is_some_and(|(_, &end)| block < end)
    }

    fn fill(&mut self, block: u64) {
        let before = self.full.range(..block).next_back().filter(|(_, end)| **end == block);
        let begin = before.map_or(block, |(&begin, _)| begin);
        let end = self.full.remove(&(block + 1)).unwrap_or(block + 1);
        self.full.insert(begin, end);
    }

    #[cfg(test)]
    fn memory_bytes(&self) -> usize {
        self.full.len() * 16 + self.begun.len() * (8 + WORDS * 8)
    }
}

fn place(number: u64) -> (usize, u64) {
    let at = number % BLOCK;
    (usize::try_from(at / 64).unwrap_or(WORDS), 1 << (at % 64))
}

fn count(bits: &[u64; WORDS]) -> u64 {
    bits.iter().map(|word| u64::from(word.count_ones())).sum()
}

/// Those of a block that are below a bound within it.
fn below(bits: &[u64; WORDS], bound: u64) -> [u64; WORDS] {
    let mut kept = *bits;
    for (at, word) in (0_u64..).zip(&mut kept) {
        let most = bound.saturating_sub(at * 64);
        if most < 64 {
            *word &= (1 << most) - 1;
        }
    }
    kept
}

const WORDS: usize = 8;

/// Numbers of a block.
const BLOCK: u64 = 64 * WORDS as u64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_any_order_are_counted_once() {
        let mut numbers = Numbers::default();
        let shuffled: Vec<u64> = (0..4096).map(|at| (at * 617) % 4096).collect();
        assert!(shuffled.iter().all(|&number| numbers.insert(number)));
        assert!(shuffled.iter().all(|&number| !numbers.insert(number)));
        assert_eq!((numbers.full.len(), numbers.begun.len()), (1, 0));
        assert_eq!(numbers.count_below(4096), 4096);
        assert!(numbers.insert(10_000));
        assert_eq!(numbers.count_below(500), 500);
        assert_eq!(numbers.count_below(10_000), 4096);
        assert_eq!(numbers.count_below(10_001), 4097);
        assert_eq!(numbers.count_below(u64::MAX), 4097);
    }

    #[test]
    fn it_is_what_a_plain_set_is() {
        let mut random = fastrand::Rng::with_seed(3);
        for most in [70, 1_500, 20_000] {
            let (mut numbers, mut set) = (Numbers::default(), std::collections::BTreeSet::new());
            for _ in 0..20_000 {
                let number = random.u64(..most);
                assert_eq!(numbers.insert(number), set.insert(number));
            }
            for bound in (0..most + 600).step_by(61) {
                assert_eq!(numbers.count_below(bound), set.range(..bound).count() as u64);
            }
        }
    }

    #[test]
    fn what_is_missing_takes_two_bits_at_most() {
        let mut lossless = Numbers::default();
        (0..1 << 20).for_each(|number| assert!(lossless.insert(number)));
        assert_eq!(lossless.memory_bytes(), 16);
        for step in [2, 3, 512] {
            let mut numbers = Numbers::default();
            (0..1 << 20).step_by(step).for_each(|number| assert!(numbers.insert(number)));
            assert!(numbers.memory_bytes() * 8 <= 2 << 20, "every {step}th");
        }
    }
}
