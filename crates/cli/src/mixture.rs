//! Tells a corpus of unlike parts, for which one answer is no answer.

#![expect(clippy::cast_precision_loss, reason = "shares are shown in whole per cent")]

use serde::{Deserialize, Serialize};

use crate::report::{Candidate, Corpus};

/// The two parts; what saves something in between belongs to neither.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mixture {
    /// The candidate that was used to tell: the one that sends fewest bytes.
    pub level: String,
    /// The part that saves at least 20 %.
    pub shrinks: Part,
    /// The part that saves less than 3 %.
    pub resists: Part,
    /// True when the kinds of files tell the parts apart.
    pub told_by_groups: bool,
}

/// One part of a mixture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Messages in it.
    pub messages: u64,
    /// Their share of the sample's payload bytes, 0 to 1.
    pub share_of_bytes: f64,
    /// The kinds of files that it consists of, mostly.
    pub groups: Vec<String>,
    /// True when every message of the part is of one of `groups`.
    pub only_groups: bool,
}

/// Looks for two parts that differ by far in what they save.
#[must_use]
pub fn detect(corpus: &Corpus, candidates: &[Candidate]) -> Option<Mixture> {
    let strongest = candidates.iter().min_by_key(|candidate| candidate.total.encoded_bytes)?;
    let lens = &corpus.sample.message_bytes;
    let savings = lens.iter().zip(&strongest.samples.encoded_bytes);
    let savings: Vec<f64> = savings.map(|(&len, &sent)| 1.0 - sent as f64 / len as f64).collect();

    let shrinks: Vec<bool> = savings.iter().map(|&saving| saving >= SHRINKS).collect();
    let resists: Vec<bool> = savings.iter().map(|&saving| saving < RESISTS).collect();
    let parts = [part(corpus, &shrinks), part(corpus, &resists)];
    if parts.iter().any(|part| part.share_of_bytes < SUBSTANTIAL) {
        return None;
    }
    let [shrinks, resists] = parts;
    let told = shrinks.groups.len() + resists.groups.len();
    let told_by_groups = told == corpus.sample.groups.len()
        && !shrinks.groups.is_empty()
        && !resists.groups.is_empty();
    Some(Mixture { level: strongest.level.clone(), shrinks, resists, told_by_groups })
}

fn part(corpus: &Corpus, inside: &[bool]) -> Part {
    let sample = &corpus.sample;
    let bytes_of = |group: Option<usize>, only_inside: bool| -> u64 {
        let messages = sample.message_bytes.iter().zip(&sample.message_group).zip(inside);
        messages
            .filter(|((_, of), inside)| {
                group.is_none_or(|group| group == **of) && (!only_inside || **inside)
            })
            .map(|((len, _), _)| len)
            .sum()
    };
    let is_mostly_inside = |group: usize| {
        let all = bytes_of(Some(group), false);
        all > 0 && bytes_of(Some(group), true) as f64 >= MOSTLY * all as f64
    };
    let mostly: Vec<bool> = (0..sample.groups.len()).map(is_mostly_inside).collect();
    let in_groups = |group: &usize| mostly.get(*group).copied().unwrap_or_default();
    let mut messages = sample.message_group.iter().zip(inside);
    let groups = sample.groups.iter().zip(&mostly);
    Part {
        only_groups: messages.all(|(group, inside)| !inside || in_groups(group)),
        messages: inside.iter().filter(|&&inside| inside).count() as u64,
        share_of_bytes: bytes_of(None, true) as f64 / sample.payload_bytes.max(1) as f64,
        groups: groups.filter(|(_, mostly)| **mostly).map(|(name, _)| name.clone()).collect(),
    }
}

/// Saving that nobody would give up.
const SHRINKS: f64 = 0.20;

/// Saving that is not worth the receiver's time.
const RESISTS: f64 = 0.03;

/// Share of bytes that a part needs for the corpus to be called a mixture.
const SUBSTANTIAL: f64 = 0.15;

/// Share of a group's bytes that have to lie in one part for its name to tell.
const MOSTLY: f64 = 0.9;
