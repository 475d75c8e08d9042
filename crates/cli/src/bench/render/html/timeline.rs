//! An actor's series as a line: neighbouring intervals are joined until each holds a few batches,
//! since a line through single acknowledgements would show their size and nothing else.

use crate::bench::report::{Actor, Run};

/// One stretch of time of one actor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    /// Its middle, in seconds since the run began.
    pub(super) at: f64,
    pub(super) mb_per_second: f64,
    /// Mean latency in ms; `None` where no sample ended.
    pub(super) mean_ms: Option<f64>,
    /// The longest.
    pub(super) max_ms: Option<f64>,
}

/// How many intervals of a run become one point, and until when they count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grain {
    pub(super) interval_ns: u64,
    pub(super) joined: usize,
    pub(super) end_ns: u64,
}

impl Grain {
    /// At most `most` points, and fewer where there were few batches.
    pub(super) fn of(run: &Run, messages_per_batch: u64, most: usize) -> Self {
        let intervals = run.actors.iter().map(|actor| actor.series.payload_bytes.len()).max();
        let intervals = intervals.unwrap_or(0).max(1);
        let batches = run.actors.iter().map(|actor| actor.messages / messages_per_batch.max(1));
        let batches = usize::try_from(batches.max().unwrap_or(0)).unwrap_or(usize::MAX);
        let points = (batches / BATCHES).clamp(LEAST.min(most), most);
        let end_ns = run.actors.iter().map(|actor| actor.elapsed_ns).max().unwrap_or(0);
        let interval_ns = run.actors.iter().map(|actor| actor.series.interval_ns).max();
        Self {
            interval_ns: interval_ns.unwrap_or(1).max(1),
            joined: intervals.div_ceil(points),
            end_ns,
        }
    }

    /// Length of what becomes one point.
    pub(super) fn ns(self) -> u64 {
        self.interval_ns.saturating_mul(self.joined as u64)
    }

    /// The points of an actor. The last one ends when the actor did, and is left out where it is
    /// less than half as long as the others.
    pub(super) fn points(self, actor: &Actor) -> Vec<Point> {
        let series = &actor.series;
        let intervals = series.payload_bytes.len();
        let last_ns = self.end_ns.min(actor.elapsed_ns);
        let mut points = Vec::new();
        for begin in (0..intervals).step_by(self.joined.max(1)) {
            let range = begin..(begin + self.joined).min(intervals);
            let begin_ns = self.interval_ns.saturating_mul(begin as u64);
            let end_ns = begin_ns.saturating_add(self.ns()).min(last_ns.max(begin_ns));
            let ns = end_ns - begin_ns;
            if ns == 0 || (ns < self.ns() / 2 && !points.is_empty()) {
                continue;
            }
            let bytes: u64 = part(&series.payload_bytes, &range).iter().sum();
            let samples = part(&series.samples, &range);
            let means = part(&series.mean_ns, &range);
            let all: u64 = samples.iter().sum();
            let sum: f64 = samples
                .iter()
                .zip(means)
                .map(|(&samples, mean)| samples as f64 * mean.unwrap_or(0) as f64)
                .sum();
            points.push(Point {
                at: (begin_ns as f64 + ns as f64 / 2.0) / 1e9,
                mb_per_second: bytes as f64 * 1e3 / ns as f64,
                mean_ms: (all > 0).then(|| sum / all as f64 / 1e6),
                max_ms: part(&series.max_ns, &range)
                    .iter()
                    .flatten()
                    .max()
                    .map(|&ns| ns as f64 / 1e6),
            });
        }
        points
    }
}

/// What there is of a range.
fn part<'a, T>(values: &'a [T], range: &std::ops::Range<usize>) -> &'a [T] {
    values.get(range.start.min(values.len())..range.end.min(values.len())).unwrap_or_default()
}

/// Fewer acknowledgements in a point make a comb of the line.
const BATCHES: usize = 6;

/// Fewer points are no line.
const LEAST: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::report::{Latency, LatencyOf, RoleName, Series};

    fn actor(payload_bytes: Vec<u64>, elapsed_ns: u64) -> Actor {
        let len = payload_bytes.len();
        Actor {
            role: RoleName::Producer,
            index: 0,
            messages: 1000,
            payload_bytes: payload_bytes.iter().sum(),
            elapsed_ns,
            mb_per_second: None,
            messages_per_second: None,
            latency: Latency {
                of: LatencyOf::Send,
                samples: 0,
                min_ns: None,
                p50_ns: None,
                p90_ns: None,
                p95_ns: None,
                p99_ns: None,
                p99_9_ns: None,
                p99_99_ns: None,
                max_ns: None,
                mean_ns: None,
                stdev_ns: None,
            },
            series: Series {
                interval_ns: 10,
                messages: vec![1; len],
                samples: vec![1; len],
                mean_ns: vec![Some(2_000_000); len],
                max_ns: vec![Some(3_000_000); len],
                payload_bytes,
            },
        }
    }

    #[test]
    fn joined_intervals_keep_rate_and_mean() {
        let grain = Grain { interval_ns: 10, joined: 2, end_ns: 40 };
        let points = grain.points(&actor(vec![10, 30, 20, 20], 40));
        assert_eq!(points.iter().map(|it| it.mb_per_second).collect::<Vec<_>>(), [2e3, 2e3]);
        assert!(points.iter().all(|it| it.mean_ms == Some(2.0) && it.max_ms == Some(3.0)));
    }

    #[test]
    fn a_run_that_ends_within_an_interval_does_not_seem_to_slow_down() {
        let grain = Grain { interval_ns: 10, joined: 2, end_ns: 35 };
        let points = grain.points(&actor(vec![10, 10, 10, 5], 35));
        assert_eq!(points.iter().map(|it| it.mb_per_second).collect::<Vec<_>>(), [1e3, 1e3]);
        let short = Grain { end_ns: 23, ..grain };
        assert_eq!(short.points(&actor(vec![10, 10, 3], 23)).len(), 1);
    }

    #[test]
    fn series_of_unequal_lengths_are_no_trouble() {
        let grain = Grain { interval_ns: 10, joined: 3, end_ns: 60 };
        let mut odd = actor(vec![1; 6], 60);
        odd.series.mean_ns.truncate(1);
        odd.series.max_ns.clear();
        odd.series.samples.truncate(4);
        assert_eq!(grain.points(&odd).len(), 2);
    }
}
