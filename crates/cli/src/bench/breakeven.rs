//! On which links an encoding would pass more than others, from what was measured without one. Pure.
//!
//! An encoding that moves R payload bytes per second here, at a ratio of q, passes the lesser of R
//! and q × L on a link of L bytes per second. Of all these the uppermost is the best.

use super::report::{EncodingResult, Report};

/// The best encoding for all links up to a rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reign<'a> {
    /// Which is best.
    pub level: &'a str,
    /// On links slower than this, and faster than what the one before is best for; `None`: on all
    /// that are faster.
    pub below_bits_per_second: Option<f64>,
}

/// Who passes most on which links, from the slowest on; where raw does so at all, it is the last
/// one. Empty where it can't be told: with a link between, at a set rate, without raw, where more
/// than sending was timed, and where no encoding makes messages shorter.
#[must_use]
pub fn reigns(report: &Report) -> Vec<Reign<'_>> {
    let Report { settings, transport, encodings, .. } = report;
    let is_linked = transport.link_bits_per_second.is_some() || transport.link_delay_ns.is_some();
    let is_open =
        settings.rate_bytes_per_second.is_some() || settings.rate_messages_per_second.is_some();
    let is_more_than_sending = settings.consumers > 0 || settings.pairs > 0;
    if is_linked || is_open || is_more_than_sending || !transport.is_local {
        return Vec::new();
    }
    let mut lines: Vec<Line<'_>> = encodings.iter().filter_map(Line::of).collect();
    lines.retain(|line| line.level == RAW || line.ratio >= LEAST_RATIO);
    if lines.len() < 2 || lines.iter().all(|line| line.level != RAW) {
        return Vec::new();
    }
    let mut reigns: Vec<Reign<'_>> = Vec::new();
    let mut reached = 0.0;
    // Once it moves all that it can, whoever moves more and has the best ratio overtakes it first.
    while let Some(best) = best(&lines, reached) {
        if let Some(last) = reigns.last_mut() {
            last.below_bits_per_second = Some(reached / best.ratio * 8.0);
        }
        reigns.push(Reign { level: best.level, below_bits_per_second: None });
        reached = best.rate;
    }
    reigns
}

/// Of those that move more than `reached` the one with the best ratio.
fn best<'a>(lines: &[Line<'a>], reached: f64) -> Option<Line<'a>> {
    let more = lines.iter().filter(|line| line.rate > reached);
    more.copied().max_by(|a, b| a.ratio.total_cmp(&b.ratio).then(a.rate.total_cmp(&b.rate)))
}

/// Of an encoding, what it passes on any link.
#[derive(Debug, Clone, Copy)]
struct Line<'a> {
    level: &'a str,
    ratio: f64,
    /// Payload bytes per second without a link.
    rate: f64,
}

impl<'a> Line<'a> {
    fn of(result: &'a EncodingResult) -> Option<Self> {
        let rate = result.summary.sending.as_ref()?.mb_per_second? * 1e6;
        let ratio = if result.level == RAW { 1.0 } else { result.summary.ratio? };
        (rate > 0.0).then_some(Self { level: &result.level, ratio, rate })
    }
}

const RAW: &str = "raw";

/// Below, hardly anything is saved on any link; as in the advice of `thinwire advise`.
const LEAST_RATIO: f64 = 1.05;
