//! From values to places: linear and logarithmic scales with ticks at round numbers.

/// Maps a range of values onto a range of places.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    is_log: bool,
    domain: (f64, f64),
    range: (f64, f64),
}

impl Scale {
    pub(crate) fn linear(domain: (f64, f64), range: (f64, f64)) -> Self {
        Self { is_log: false, domain: sane(domain, 0.0), range }
    }

    /// For positive values that differ by factors.
    pub(crate) fn log(domain: (f64, f64), range: (f64, f64)) -> Self {
        Self { is_log: true, domain: sane(domain, f64::MIN_POSITIVE), range }
    }

    pub(crate) fn domain(&self) -> (f64, f64) {
        self.domain
    }

    /// The place of a value. Values outside the domain, NaN among them, land on its border, so
    /// that a picture never holds a number that is none.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let (low, high) = (self.project(self.domain.0), self.project(self.domain.1));
        let share = (self.project(value.max(self.domain.0)) - low) / (high - low);
        self.range.0 + share.clamp(0.0, 1.0) * (self.range.1 - self.range.0)
    }

    /// Round values inside the domain: as many as there may be, fewer if that is rounder.
    pub(crate) fn ticks(&self, most: usize) -> Vec<f64> {
        let most = most.max(2);
        if self.is_log {
            let ladders: [(&[i32], i32); 7] = [
                (&[1, 2, 5], 1),
                (&[1, 3], 1),
                (&[1], 1),
                (&[1], 2),
                (&[1], 3),
                (&[1], 4),
                (&[1], 6),
            ];
            let choices = ladders.into_iter().map(|(ladder, every)| self.rungs(ladder, every));
            if let Some(ticks) = choices.into_iter().find(|ticks| ticks.len() <= most)
                && ticks.len() >= 2
            {
                return ticks;
            }
        }
        self.steps(most)
    }

    /// The ladder's numbers in every `every`-th power of ten.
    fn rungs(&self, ladder: &[i32], every: i32) -> Vec<f64> {
        let powers = (-15..=15).filter(|power| power % every == 0);
        let values = powers
            .flat_map(|power| ladder.iter().map(move |&rung| times_ten_to(f64::from(rung), power)));
        values.filter(|&value| self.holds(value)).collect()
    }

    /// Multiples of 1, 2 or 5 times a power of ten.
    fn steps(&self, most: usize) -> Vec<f64> {
        let width = self.domain.1 - self.domain.0;
        let choices = (-9..=15).flat_map(|power| [1.0, 2.0, 5.0].map(|step| (step, power)));
        let fits = |&(step, power): &(f64, i32)| {
            width / times_ten_to(step, power) <= most.saturating_sub(1) as f64
        };
        let Some((step, power)) = choices.into_iter().find(fits) else { return Vec::new() };
        let first = (self.domain.0 / times_ten_to(step, power)).ceil();
        let values = (0..=most).map(|index| times_ten_to((first + index as f64) * step, power));
        values.filter(|&value| self.holds(value)).collect()
    }

    /// With some slack for the ends, in the scale's own measure.
    fn holds(&self, value: f64) -> bool {
        let [value, low, high] = [value, self.domain.0, self.domain.1].map(|it| self.project(it));
        let slack = 1e-9 * (high - low);
        value >= low - slack && value <= high + slack
    }

    fn project(&self, value: f64) -> f64 {
        if self.is_log { value.ln() } else { value }
    }
}

/// Exact where the result has few digits, so that it also prints with few.
fn times_ten_to(value: f64, power: i32) -> f64 {
    if power < 0 { value / 10_f64.powi(-power) } else { value * 10_f64.powi(power) }
}

/// A domain of some width, made of numbers.
fn sane((low, high): (f64, f64), least: f64) -> (f64, f64) {
    let low = if low.is_finite() { low.max(least) } else { least.max(1.0) };
    let high = if high.is_finite() { high } else { low };
    if high > low { (low, high) } else { (low, low * 2.0 + f64::from(u8::from(low == 0.0))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let log = |low, high, most| Scale::log((low, high), (0.0, 1.0)).ticks(most);
        assert_eq!(log(40.0, 2500.0, 8), [50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0]);
        assert_eq!(log(1e7, 1e11, 6), [1e7, 1e8, 1e9, 1e10, 1e11]);
        assert_eq!(log(1e-6, 1e8, 4), [1e-4, 1.0, 1e4, 1e8]);
        assert_eq!(log(2.1, 4.2, 6), [2.5, 3.0, 3.5, 4.0]);
        let linear = |low, high, most| Scale::linear((low, high), (0.0, 1.0)).ticks(most);
        assert_eq!(linear(0.0, 0.45, 6), [0.0, 0.1, 0.2, 0.3, 0.4]);
        assert_eq!(linear(1.0, 3.4, 6), [1.0, 1.5, 2.0, 2.5, 3.0]);
    }

    #[test]
    fn every_value_has_a_place() {
        for scale in [
            Scale::log((1.0, 100.0), (0.0, 10.0)),
            Scale::linear((0.0, 0.0), (0.0, 10.0)),
            Scale::log((f64::NAN, f64::INFINITY), (0.0, 10.0)),
        ] {
            for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0, 1e300, 10.0] {
                let place = scale.at(value);
                assert!((0.0..=10.0).contains(&place), "{value} at {place} in {scale:?}");
            }
        }
        assert!((Scale::log((1.0, 100.0), (0.0, 10.0)).at(10.0) - 5.0).abs() < 1e-9);
    }
}
