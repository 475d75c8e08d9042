//! Which candidate the advice would name on links of other speeds.

use crate::advise::advise;
use crate::report::{Corpus, Report, Sample, Settings};
use crate::unit;

/// A range of link speeds with one answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Stretch {
    /// In bits per second.
    pub(super) from: f64,
    /// In bits per second.
    pub(super) to: f64,
    /// `None`: do not compress.
    pub(super) level: Option<String>,
}

impl Stretch {
    /// Both ends as text.
    pub(super) fn range(&self) -> String {
        format!("{} to {}", unit::bit_rate(self.from), unit::bit_rate(self.to))
    }

    /// The answer as text.
    pub(super) fn answer(&self) -> &str {
        self.level.as_deref().unwrap_or("do not compress")
    }
}

/// The stretches in one sentence, for those who do not see them.
pub(super) fn sentence(stretches: &[Stretch]) -> String {
    let parts = stretches.iter().map(|part| format!("{} from {}", part.answer(), part.range()));
    format!("Best choice: {}.", parts.collect::<Vec<_>>().join("; "))
}

/// The answers from one link speed to another, in order.
pub(super) fn stretches(report: &Report, (from, to): (f64, f64)) -> Vec<Stretch> {
    let asked = Asked::new(report);
    let steps = f64::from(STEPS);
    let speed = |step: u16| from * (to / from).powf(f64::from(step) / steps);
    let mut stretches = vec![Stretch { from, to, level: asked.fastest(from) }];
    for step in 1..=STEPS {
        let level = asked.fastest(speed(step));
        let Some(last) = stretches.last_mut().filter(|last| last.level != level) else { continue };
        let border = asked.border(speed(step - 1), speed(step), &last.level);
        last.to = border;
        stretches.push(Stretch { from: border, to, level });
    }
    stretches
}

/// The question of the report without its messages: they have no say in which level is fastest,
/// and without them the answer costs microseconds.
struct Asked<'a> {
    report: &'a Report,
    corpus: Corpus,
}

impl<'a> Asked<'a> {
    fn new(report: &'a Report) -> Self {
        let sample = Sample {
            message_bytes: Vec::new(),
            message_group: Vec::new(),
            groups: Vec::new(),
            ..report.corpus.sample
        };
        let corpus =
            Corpus { paths: Vec::new(), size_classes: Vec::new(), sample, ..report.corpus };
        Self { report, corpus }
    }

    fn fastest(&self, link_bits_per_second: f64) -> Option<String> {
        let settings = Settings { link_bits_per_second, ..self.report.settings.clone() };
        advise(&settings, &self.corpus, &self.report.candidates).fastest
    }

    /// Where the answer `low` ends, between two speeds.
    fn border(&self, mut low: f64, mut high: f64, answer: &Option<String>) -> f64 {
        for _ in 0..HALVINGS {
            let middle = (low * high).sqrt();
            if self.fastest(middle) == *answer { low = middle } else { high = middle }
        }
        high
    }
}

/// A hundred per power of ten: what holds for less than that cannot be seen in the picture.
const STEPS: u16 = 400;

/// Finer than the three digits shown.
const HALVINGS: u8 = 12;
