//! How far two sets of runs may lie apart by chance.

/// Half the width of Welch's 99 % confidence interval for the difference of the logarithms' means;
/// `None` below three runs on a side, or where one is not above zero.
#[must_use]
pub(super) fn noise(a: &[f64], b: &[f64]) -> Option<f64> {
    let (a, b) = (Spread::of(a)?, Spread::of(b)?);
    let variance = a.variance_of_mean + b.variance_of_mean;
    if variance <= 0.0 {
        return Some(0.0);
    }
    // Welch and Satterthwaite: between those of the smaller side and of both together.
    let share = |it: &Spread| it.variance_of_mean.powi(2) / it.freedom;
    let freedom = variance.powi(2) / (share(&a) + share(&b));
    Some(quantile(freedom) * variance.sqrt())
}

struct Spread {
    variance_of_mean: f64,
    freedom: f64,
}

impl Spread {
    fn of(values: &[f64]) -> Option<Self> {
        if values.len() < LEAST_RUNS || values.iter().any(|&value| value.is_nan() || value <= 0.0) {
            return None;
        }
        let count = f64::from(u32::try_from(values.len()).ok()?);
        let mean = values.iter().map(|value| value.ln()).sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value.ln() - mean).powi(2)).sum();
        let freedom = count - 1.0;
        Some(Self { variance_of_mean: squares / freedom / count, freedom })
    }
}

/// The 99.5th percentile of Student's distribution; between whole degrees of freedom that of the
/// lower one, which errs on the side of noise.
fn quantile(freedom: f64) -> f64 {
    let below = QUANTILES.iter().rev().find(|(degrees, _)| *degrees <= freedom);
    below.or(QUANTILES.first()).map_or(f64::INFINITY, |(_, quantile)| *quantile)
}

/// As many as a spread has a meaning for, here as in the reports.
const LEAST_RUNS: usize = 3;

/// Degrees of freedom, and the 99.5th percentile.
const QUANTILES: [(f64, f64); 21] = [
    (1.0, 63.657),
    (2.0, 9.925),
    (3.0, 5.841),
    (4.0, 4.604),
    (5.0, 4.032),
    (6.0, 3.707),
    (7.0, 3.499),
    (8.0, 3.355),
    (9.0, 3.250),
    (10.0, 3.169),
    (11.0, 3.106),
    (12.0, 3.055),
    (13.0, 3.012),
    (14.0, 2.977),
    (15.0, 2.947),
    (17.0, 2.898),
    (20.0, 2.845),
    (25.0, 2.787),
    (30.0, 2.750),
    (60.0, 2.660),
    (120.0, 2.617),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_that_of_welch() {
        let a: [f64; 3] = [100.0, 102.0, 104.0];
        let noise = noise(&a, &a).unwrap();
        // By hand: s = ln-spread of a; s·√(2/3)·4.604.
        let logs = a.map(f64::ln);
        let mean = logs.iter().sum::<f64>() / 3.0;
        let s = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / 2.0).sqrt();
        assert!((noise - 4.604 * s * (2.0_f64 / 3.0).sqrt()).abs() < 1e-9, "{noise}");
    }

    #[test]
    fn unequal_spreads_have_fewer_degrees_of_freedom() {
        let still = [100.0; 3];
        let loud = [90.0, 100.0, 110.0];
        let both = noise(&loud, &loud).unwrap();
        let one = noise(&still, &loud).unwrap();
        // Two degrees instead of four: half the variance, yet a wider interval.
        assert!(one > both, "{one} {both}");
    }

    #[test]
    fn little_is_known_from_few_runs_and_nothing_from_two() {
        assert_eq!(noise(&[1.0, 2.0], &[1.0, 2.0, 3.0]), None);
        assert_eq!(noise(&[1.0, 2.0, 0.0], &[1.0, 2.0, 3.0]), None);
        assert_eq!(noise(&[1.0, 2.0, f64::NAN], &[1.0, 2.0, 3.0]), None);
        assert_eq!(noise(&[], &[]), None);
        assert_eq!(noise(&[2.0; 3], &[3.0; 3]), Some(0.0));
        assert!(quantile(0.5) > 60.0 && quantile(1e9) < 2.7);
    }
}
