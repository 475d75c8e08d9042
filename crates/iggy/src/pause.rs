//! How long to wait after errors in a row.

use std::time::Duration;

/// 10 ms after the first of a row, twice as long after each, a second at most.
pub(crate) fn pause_after(errors: u32) -> Duration {
    Duration::from_millis(10 << errors.min(7)).min(Duration::from_secs(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_a_second() {
        let pauses: Vec<_> = (0..9).map(|errors| pause_after(errors).as_millis()).collect();
        assert_eq!(pauses, [10, 20, 40, 80, 160, 320, 640, 1000, 1000]);
        assert_eq!(pause_after(u32::MAX), Duration::from_secs(1));
    }
}
