//! Samples of latency, in as little memory as they need.
//!
//! Actors are many and each has its own: a histogram that is all there from the beginning takes
//! 280 kB for each, whatever comes. Here the counts stand in pages, of which there are those that
//! something was counted in. The slots are those of the histogram with `DIGITS` digits, so that
//! nothing changes when one becomes the other.

use hdrhistogram::Histogram;

/// Latencies of one actor, in ns; longer ones than an hour count as an hour.
#[derive(Debug, Clone, Default)]
pub struct Samples {
    /// Where each page is in `pages`, from 1; 0 where there is none.
    places: Vec<u16>,
    pages: Vec<[u64; PAGE]>,
    min: u64,
    max: u64,
    len: u64,
}

impl Samples {
    /// Counts a latency; none counts as 1 ns.
    pub fn record(&mut self, ns: u64) {
        let ns = ns.clamp(1, HOUR_NS);
        self.min = if self.len == 0 { ns } else { self.min.min(ns) };
        self.max = self.max.max(ns);
        self.len += 1;
        if let Some(count) = self.slot(index(ns)) {
            *count += 1;
        }
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Says whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds all of them to a histogram, as if they had been recorded there.
    pub fn add_to(&self, histogram: &mut Histogram<u64>) {
        for (at, &place) in self.places.iter().enumerate() {
            let page = usize::from(place).checked_sub(1).and_then(|place| self.pages.get(place));
            for (slot, &count) in page.into_iter().flatten().enumerate() {
                self.add_slot(at * PAGE + slot, count, histogram);
            }
        }
    }

    /// The same as a histogram.
    #[must_use]
    pub fn histogram(&self) -> Histogram<u64> {
        let mut histogram = histogram();
        self.add_to(&mut histogram);
        histogram
    }

    /// Bytes of memory that they take.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>()
            + self.places.capacity() * size_of::<u16>()
            + self.pages.capacity() * size_of::<[u64; PAGE]>()
    }

    /// The least and the greatest are known exactly; they go to the histogram as they are.
    fn add_slot(&self, slot: usize, mut count: u64, histogram: &mut Histogram<u64>) {
        for extreme in [self.min, self.max] {
            if count > 0 && index(extreme) == slot {
                histogram.saturating_record(extreme);
                count -= 1;
            }
        }
        if count > 0 {
            histogram.saturating_record_n(value(slot), count);
        }
    }

    fn slot(&mut self, index: usize) -> Option<&mut u64> {
        let at = index / PAGE;
        if self.places.len() <= at {
            self.places.reserve_exact(at + 1 - self.places.len());
            self.places.resize(at + 1, 0);
        }
        let place = self.places.get_mut(at)?;
        if *place == 0 {
            self.pages.push([0; PAGE]);
            *place = u16::try_from(self.pages.len()).ok()?; // there are at most 34 * 64
        }
        self.pages.get_mut(usize::from(*place) - 1)?.get_mut(index % PAGE)
    }
}

/// An empty histogram: three digits, from 1 ns to an hour; what is longer counts as an hour.
#[must_use]
pub fn histogram() -> Histogram<u64> {
    Histogram::new_with_bounds(1, HOUR_NS, DIGITS).unwrap_or_else(|_| smallest())
}

/// The bounds above are right, so this is never made.
fn smallest() -> Histogram<u64> {
    #[expect(clippy::unwrap_used, reason = "one digit is always allowed")]
    Histogram::new(1).unwrap()
}

/// The slot of a value: each value below 2 * [`HALF`] has its own; from there on each doubling has
/// [`HALF`] slots.
fn index(value: u64) -> usize {
    let shift = (u64::BITS - value.leading_zeros()).saturating_sub(SLOT_BITS);
    usize::try_from(u64::from(shift) * HALF + (value >> shift)).unwrap_or(usize::MAX)
}

/// The least value of a slot.
fn value(index: usize) -> u64 {
    let index = index as u64;
    let shift = (index / HALF).saturating_sub(1);
    (index - shift * HALF) << shift
}

const HOUR_NS: u64 = 3_600_000_000_000;

const DIGITS: u8 = 3;

/// Three digits need 2000 slots for values that have no more.
const SLOT_BITS: u32 = 11;

const HALF: u64 = 1 << (SLOT_BITS - 1);

/// Slots of a page: 128 bytes.
const PAGE: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_what_a_histogram_says() {
        let mut random = fastrand::Rng::with_seed(7);
        for bits in [4, 11, 12, 20, 30, 41] {
            let (mut samples, mut expected) = (Samples::default(), histogram());
            for _ in 0..5000 {
                let most = 1 << random.u32(1..=bits);
                let ns = random.u64(..most);
                samples.record(ns);
                expected.saturating_record(ns.max(1));
            }
            let found = samples.histogram();
            assert_eq!(samples.len(), 5000);
            assert_eq!(found, expected, "{bits} bits");
            assert_eq!((found.min(), found.max()), (expected.min(), expected.max()));
            assert_eq!((found.mean(), found.stdev()), (expected.mean(), expected.stdev()));
            for percentile in [0.0, 1.0, 50.0, 99.0, 99.99, 100.0] {
                let at = |histogram: &Histogram<u64>| histogram.value_at_percentile(percentile);
                assert_eq!(at(&found), at(&expected), "{bits} bits, {percentile} %");
            }
        }
    }

    #[test]
    fn slots_begin_where_those_before_end() {
        for slot in 1..34 * 1024 {
            assert_eq!(index(value(slot)), slot);
            assert_eq!(index(value(slot) - 1), slot - 1);
        }
    }

    #[test]
    fn few_samples_take_little_memory_and_many_no_more_than_a_histogram() {
        assert!(Samples::default().memory_bytes() < 100);
        let (mut few, mut usual, mut all) =
            (Samples::default(), Samples::default(), Samples::default());
        (0..20).for_each(|at| few.record(1_000_000 + at * 500_000));
        assert!(few.memory_bytes() < 6_000, "{}", few.memory_bytes());
        (0..1_000_000).for_each(|at| usual.record(200_000 + at));
        assert!(usual.memory_bytes() < 50_000, "{}", usual.memory_bytes());
        (1..34 * 1024).for_each(|slot| all.record(value(slot)));
        let dense = histogram().distinct_values() * size_of::<u64>();
        assert!(all.memory_bytes() < 2 * dense, "{} and {dense}", all.memory_bytes());
    }
}
