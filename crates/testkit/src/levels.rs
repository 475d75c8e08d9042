//! Which levels to try: all that are regular, and the ends and a few more of the negative ones.

use thinwire::{Encoding, Level};

/// Every encoding that compresses.
///
/// ```
/// assert_eq!(thinwire_testkit::levels::compressing().count(), 6);
/// ```
pub fn compressing() -> impl Iterator<Item = Encoding> {
    Encoding::ALL.into_iter().filter(|&encoding| encoding != Encoding::Identity)
}

/// The levels of one encoding; for one without levels the encoding itself.
///
/// # Panics
///
/// When an encoding refuses a level of its own range.
#[must_use]
pub fn of(encoding: Encoding) -> Vec<Level> {
    let Some(range) = Level::range(encoding) else {
        return vec![Level::from(encoding)];
    };
    let (first, last) = range.into_inner();
    let negative = [first, -1000, -50, -10, -7, -5, -3, -2, -1, 0];
    let some = negative.into_iter().filter(|&number| number >= first);
    some.chain(first.max(1)..=last)
        .map(|number| Level::new(encoding, number).expect("a level of the range"))
        .collect()
}

/// The levels of every encoding that compresses.
#[must_use]
pub fn all() -> Vec<Level> {
    compressing().flat_map(of).collect()
}

/// The default, the lowest and the highest level of every encoding that compresses, without those
/// that take long.
///
/// # Panics
///
/// When an encoding refuses a level of its own range.
#[must_use]
pub fn quick() -> Vec<Level> {
    let ends = [
        (Encoding::Gzip, [1, 6]),
        (Encoding::Deflate, [1, 6]),
        (Encoding::Zstd, [-5, 3]),
        (Encoding::Lz4, [-8, 3]),
    ];
    let ends = ends.into_iter().flat_map(|(encoding, numbers)| {
        numbers.map(|number| Level::new(encoding, number).expect("a regular level"))
    });
    let mut levels: Vec<_> = compressing().map(Level::from).chain(ends).collect();
    levels.dedup();
    levels
}
