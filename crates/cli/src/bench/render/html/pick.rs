//! What of a report a page looks at: roles by name, the run in the middle, actors of a role.

use crate::bench::report::{
    Actor, EncodingResult, Report, Role, RoleName, RoleSummary, Run, Summary,
};

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Sending,
    Receiving,
}

impl Side {
    pub(super) const ALL: [Self; 2] = [Self::Sending, Self::Receiving];

    /// Whether any encoding has it.
    pub(super) fn is_in(self, report: &Report) -> bool {
        report.encodings.iter().any(|result| self.summary(&result.summary).is_some())
    }

    /// Who does it.
    pub(super) fn actors(self, report: &Report) -> &'static str {
        match self {
            Self::Receiving => "consumers",
            Self::Sending if report.settings.pairs > 0 => "pairs",
            Self::Sending => "producers",
        }
    }

    pub(super) fn summary(self, summary: &Summary) -> Option<&RoleSummary> {
        match self {
            Self::Sending => summary.sending.as_ref(),
            Self::Receiving => summary.receiving.as_ref(),
        }
    }

    pub(super) fn role(self, run: &Run) -> Option<&Role> {
        match self {
            Self::Sending => run.sending.as_ref(),
            Self::Receiving => run.receiving.as_ref(),
        }
    }

    pub(super) fn has(self, actor: &Actor) -> bool {
        (actor.role == RoleName::Consumer) == (self == Self::Receiving)
    }
}

/// The side by which encodings are judged, as the headline does: what was received, if anybody
/// received.
pub(super) fn judged(summary: &Summary) -> Option<&RoleSummary> {
    summary.receiving.as_ref().or(summary.sending.as_ref())
}

/// The run whose throughput is the median.
pub(super) fn middle_run(result: &EncodingResult) -> Option<&Run> {
    let rate = |run: &Run| {
        let role = run.receiving.as_ref().or(run.sending.as_ref());
        role.and_then(|role| role.mb_per_second).unwrap_or_default()
    };
    let mut runs: Vec<&Run> = result.runs.iter().filter(|run| !run.actors.is_empty()).collect();
    runs.sort_by(|a, b| rate(a).total_cmp(&rate(b)));
    runs.get(runs.len() / 2).copied()
}

/// The longest name of an encoding.
pub(super) fn longest_level(report: &Report) -> &str {
    let levels = report.encodings.iter().map(|result| result.level.as_str());
    levels.max_by_key(|level| level.chars().count()).unwrap_or_default()
}
