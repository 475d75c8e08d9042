//! What is to be reached, and how far it is.

use crate::measure::{Cell, Sample, quantile};
use crate::plan::{Kind, Method, Shape, Stack};

/// Ours beside another, as their quotient.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) ours: Kind,
    pub(crate) theirs: Kind,
    pub(crate) shape: Shape,
    /// The median of the rounds' quotients of CPU-seconds, and their middle half.
    pub(crate) quotient: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) at_most: f64,
    /// The quotient of bytes on the wire.
    pub(crate) wire: f64,
    pub(crate) wire_at_most: f64,
}

impl Target {
    pub(crate) fn is_met(&self) -> bool {
        self.quotient <= self.at_most && self.wire <= self.wire_at_most
    }
}

/// All of those for which both sides were measured.
pub(crate) fn targets(cells: &[Cell]) -> Vec<Target> {
    let mut targets = Vec::new();
    for rule in RULES {
        let (Some(ours), Some(theirs)) =
            (Kind::find("thinwire", rule.ours), Kind::find(rule.stack.name(), rule.theirs))
        else {
            continue;
        };
        for cell in cells.iter().filter(|it| it.kind == ours) {
            let beside = cells.iter().find(|it| it.kind == theirs && it.shape == cell.shape);
            if let (Some(at_most), Some(beside)) = ((rule.at_most)(cell.shape), beside) {
                targets.push(target(cell, beside, at_most, rule.wire_at_most));
            }
        }
    }
    targets
}

fn target(ours: &Cell, theirs: &Cell, at_most: f64, wire_at_most: f64) -> Target {
    // A round's two were measured close to each other, on the same machine in the same mood.
    let rounds = ours.samples.iter().zip(&theirs.samples);
    let quotients: Vec<_> = rounds.map(|(ours, theirs)| ours.cpu() / theirs.cpu()).collect();
    Target {
        ours: ours.kind,
        theirs: theirs.kind,
        shape: ours.shape,
        quotient: quantile(quotients.clone(), 0.5),
        low: quantile(quotients.clone(), 0.25),
        high: quantile(quotients, 0.75),
        at_most,
        wire: ours.wire() / theirs.wire(),
        wire_at_most,
    }
}

struct Rule {
    ours: &'static str,
    stack: Stack,
    theirs: &'static str,
    /// In these shapes, of CPU-seconds.
    at_most: fn(Shape) -> Option<f64>,
    wire_at_most: f64,
}

const fn rule(
    ours: &'static str,
    stack: Stack,
    theirs: &'static str,
    at_most: fn(Shape) -> Option<f64>,
) -> Rule {
    Rule { ours, stack, theirs, at_most, wire_at_most: f64::INFINITY }
}

const RULES: [Rule; 9] = [
    rule("snappy-block", Stack::Go, "snappy-block", |shape| {
        match (shape.method, shape.message_kb) {
            (Method::Stream, _) => Some(0.4),
            (Method::Unary, 10) => Some(0.8),
            (Method::Unary, 100) => Some(0.7),
            (Method::Unary, _) => None,
        }
    }),
    Rule { wire_at_most: 1.1, ..rule("gzip", Stack::Tonic, "gzip", |_| Some(0.5)) },
    rule("zstd:3", Stack::Tonic, "zstd", |shape| match shape.message_kb {
        10 => Some(0.75),
        100 => Some(1.0),
        _ => None,
    }),
    rule("zstd", Stack::Tonic, "zstd", |shape| (shape.message_kb == 100).then_some(0.7)),
    rule("snappy", Stack::Go, "snappy", beside_go),
    rule("lz4", Stack::Go, "lz4", beside_go),
    rule("zstd", Stack::Go, "zstd", beside_go),
    rule("snappy-block", Stack::Tonic, "plain", |shape| {
        (shape.method == Method::Stream).then_some(1.0)
    }),
    rule("identity", Stack::Tonic, "plain", |_| Some(1.03)),
];

fn beside_go(shape: Shape) -> Option<f64> {
    Some(if shape.method == Method::Stream { 0.5 } else { 0.7 })
}

/// CPU-seconds per GB of both sides.
pub(crate) fn cpu(sample: &Sample) -> f64 {
    sample.cpu()
}
