//! Histograms in figures: percentiles, as far as there are samples for them. Pure.

#![expect(clippy::cast_precision_loss, reason = "counts of samples below 2^53 are exact floats")]

use hdrhistogram::Histogram;

use super::report::{CurvePoint, Latency, LatencyOf};

/// A percentile that fewer samples than this would make up is left out.
pub(super) fn latency(of: LatencyOf, histogram: &Histogram<u64>) -> Latency {
    let samples = histogram.len();
    let some = samples > 0;
    let at = |percentile: f64, needed: u64| {
        (samples >= needed).then(|| histogram.value_at_percentile(percentile))
    };
    Latency {
        of,
        samples,
        min_ns: some.then(|| histogram.min()),
        p50_ns: at(50.0, 1),
        p90_ns: at(90.0, 10),
        p95_ns: at(95.0, 20),
        p99_ns: at(99.0, 100),
        p99_9_ns: at(99.9, 1_000),
        p99_99_ns: at(99.99, 10_000),
        max_ns: some.then(|| histogram.max()),
        mean_ns: some.then(|| histogram.mean()),
        stdev_ns: (samples > 1).then(|| histogram.stdev()),
    }
}

/// Whole percents, then tenths of the last one, and so on, as far as there are samples.
pub(super) fn curve(histogram: &Histogram<u64>) -> Vec<CurvePoint> {
    let samples = histogram.len();
    if samples == 0 {
        return Vec::new();
    }
    let mut points = Vec::new();
    let mut point = |percentile: f64| {
        let percentile = (percentile * 1e6).round() / 1e6; // what steps of a thousandth leave
        points.push(CurvePoint { percentile, ns: histogram.value_at_percentile(percentile) });
    };
    (0..100).for_each(|percent| point(f64::from(percent)));
    let mut step = 0.1;
    while 1.0 / samples as f64 <= step / 100.0 && step > 1e-4 {
        (1..10).for_each(|count| point(100.0 - 10.0 * step + f64::from(count) * step));
        step /= 10.0;
    }
    points.push(CurvePoint { percentile: 100.0, ns: histogram.max() });
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::samples::histogram;

    #[test]
    fn percentiles_of_a_curve_are_decimal_fractions() {
        let mut samples = histogram();
        (1..=1_000_000).for_each(|ns| samples.saturating_record(ns));
        let curve = curve(&samples);
        assert!(curve.iter().any(|point| point.percentile == 99.91));
        assert!(curve.iter().any(|point| point.percentile == 99.999));
        assert!(curve.iter().all(|point| point.percentile.to_string().len() <= "99.999999".len()));
        assert!(curve.windows(2).all(|pair| pair[0].percentile < pair[1].percentile));
    }
}
