//! From measurements and constraints to advice. Pure: no clock, no files, no printing.

use serde::{Deserialize, Serialize};

use crate::min_len::{self, MinLen};
use crate::mixture::{self, Mixture};
use crate::report::{Candidate, Corpus, Row, Settings, SizeClass};

/// What follows from a report's rows for its link and prices.
///
/// Wherever a level is `None`, the answer is: do not compress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Advice {
    /// The level that moves most payload per second over the link; `None`: do not compress.
    pub fastest: Option<String>,
    /// The level that costs least; `None` inside: do not compress. Absent without prices, and when
    /// only the baseline was measured.
    pub cheapest: Option<Cheapest>,
    /// The fastest link on which any level pays; `None`: none ever does.
    pub pays_up_to: Option<PaysUpTo>,
    /// Every candidate on the link, in the order of the report, `identity` included.
    pub options: Vec<LinkOption>,
    /// From which length on to compress with `fastest`; `None` when not to compress.
    pub min_len: Option<MinLen>,
    /// The answer for each size class, in the order of the report.
    pub classes: Vec<ClassAdvice>,
    /// True when the classes' answers differ, so that one setting does not suit all.
    pub classes_differ: bool,
    /// Set when part of the bytes shrinks well and part does not at all.
    pub mixture: Option<Mixture>,
    /// What the measurement cannot tell, in sentences, adapted to this run.
    pub cannot_know: Vec<String>,
}

/// One candidate on the link: how much payload it moves and what stops it from moving more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkOption {
    /// The candidate.
    pub level: String,
    /// Payload per second with encoding, sending and decoding side by side, one core each.
    pub payload_mb_per_second: Option<f64>,
    /// The same as a multiple of what the link moves uncompressed.
    pub times_uncompressed: Option<f64>,
    /// What it waits for.
    pub limited_by: Option<Bottleneck>,
    /// True when it moves so much only with `min_len` set.
    pub rests_on_min_len: bool,
    /// From which length on to compress with it on this link; `None`: no message pays.
    pub min_len: Option<MinLen>,
    /// Link speed above which sending uncompressed is faster than compressing all messages;
    /// `None`: compression never pays.
    pub pays_below_bits_per_second: Option<f64>,
    /// CPU on both sides plus network per 10^9 payload bytes; `None` without prices.
    pub cost_per_gb: Option<f64>,
}

/// Where compression stops paying: on a faster link sending uncompressed moves more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PaysUpTo {
    /// The level that lasts longest.
    pub level: String,
    /// Link speed.
    pub bits_per_second: f64,
}

/// The slowest of the three that work side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Bottleneck {
    /// The encoding core.
    Encode,
    /// The link.
    Link,
    /// The decoding core.
    Decode,
}

/// The answer to the prices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cheapest {
    /// `None`: sending uncompressed costs least.
    pub level: Option<String>,
    /// Cost of the answer per 10^9 payload bytes.
    pub cost_per_gb: f64,
    /// Cost of sending uncompressed.
    pub uncompressed_cost_per_gb: f64,
}

/// The answer for one size class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClassAdvice {
    /// Most payload per second; `None`: do not compress.
    pub fastest: Option<String>,
    /// What it moves.
    pub payload_mb_per_second: Option<f64>,
    /// Its ratio.
    pub ratio: f64,
}

/// Derives the advice. The first candidate has to be the uncompressed baseline.
#[must_use]
pub fn advise(settings: &Settings, corpus: &Corpus, candidates: &[Candidate]) -> Advice {
    let link = settings.link_bits_per_second / BITS_PER_MB;
    let totals: Vec<&Row> = candidates.iter().map(|candidate| &candidate.total).collect();
    let options: Vec<LinkOption> =
        candidates.iter().map(|candidate| option(candidate, corpus, link, settings)).collect();
    let rates: Vec<_> = options.iter().map(|option| option.payload_mb_per_second).collect();
    let fastest = fastest(&rates, &totals, link);
    let classes = classes(corpus, candidates, fastest, link);
    Advice {
        fastest: name(candidates, fastest),
        cheapest: cheapest(&options, settings),
        pays_up_to: pays_up_to(&options),
        min_len: fastest.and_then(|index| options.get(index)?.min_len.clone()),
        classes_differ: classes.iter().any(|class| class.fastest != name(candidates, fastest)),
        classes,
        mixture: mixture::detect(corpus, candidates),
        cannot_know: cannot_know(corpus, candidates),
        options,
    }
}

fn name(candidates: &[Candidate], index: Option<usize>) -> Option<String> {
    candidates.get(index?).map(|candidate| candidate.level.clone())
}

/// Payload MB per second through three stages side by side, and the slowest of them.
fn through(row: &Row, link: f64) -> Option<(f64, Bottleneck)> {
    let stages = [
        (row.encode.mb_per_second?, Bottleneck::Encode),
        (row.decode.mb_per_second?, Bottleneck::Decode),
        (link * row.ratio, Bottleneck::Link),
    ];
    stages.into_iter().min_by(|a, b| a.0.total_cmp(&b.0))
}

/// How a candidate serves the messages of a row best, and from which length on it compresses then.
///
/// Leaving short messages alone spares the cores; trying all of them may send a little less.
fn way(
    candidate: &Candidate,
    row: &Row,
    corpus: &Corpus,
    class: Option<&SizeClass>,
    link: f64,
) -> Way {
    if candidate.encoding == RAW {
        // What is not compressed is not copied either: only the link limits it.
        return Way { rate: Some((link, Bottleneck::Link)), ..Way::default() };
    }
    let Some(all) = through(row, link) else { return Way::default() };
    let cut = min_len::cut(candidate, corpus, class, link);
    let least = cut.as_ref().map(|cut| cut.min_len.clone());
    match cut {
        Some(cut) if cut.mb_per_second > all.0 => Way {
            rate: Some((cut.mb_per_second, cut.limited_by)),
            rests_on_min_len: !cut.min_len.shortest_measured,
            min_len: least,
        },
        // No length gains message by message, yet the whole gains with all of them tried.
        None if all.0 >= link * CLEARLY => {
            let min_len = Some(MinLen::all(&corpus.sample));
            Way { rate: Some(all), min_len, rests_on_min_len: false }
        }
        _ => Way { rate: Some(all), min_len: least, rests_on_min_len: false },
    }
}

/// How to use a candidate on the link, and what comes of it.
#[derive(Debug, Default)]
struct Way {
    /// Payload MB per second, and what stops it from being more.
    rate: Option<(f64, Bottleneck)>,
    min_len: Option<MinLen>,
    /// True when the rate is reached only with `min_len` set.
    rests_on_min_len: bool,
}

fn option(candidate: &Candidate, corpus: &Corpus, link: f64, settings: &Settings) -> LinkOption {
    let row = &candidate.total;
    let is_raw = candidate.encoding == RAW;
    let Way { rate, min_len, rests_on_min_len } = way(candidate, row, corpus, None, link);
    let cores = row.encode.mb_per_second.zip(row.decode.mb_per_second);
    let cpu_seconds = if is_raw { Some(0.0) } else { row.cpu_seconds_per_gb };
    let prices = settings.cpu_price_per_core_hour.zip(settings.network_price_per_gb);
    LinkOption {
        level: candidate.level.clone(),
        payload_mb_per_second: rate.map(|(rate, _)| rate),
        times_uncompressed: rate.map(|(rate, _)| rate / link),
        limited_by: rate.map(|(_, bottleneck)| bottleneck),
        rests_on_min_len,
        min_len,
        pays_below_bits_per_second: cores
            .filter(|_| !is_raw && row.ratio >= CLEARLY)
            .map(|(encode, decode)| encode.min(decode) * BITS_PER_MB),
        cost_per_gb: prices.zip(cpu_seconds).map(|((core_hour, gb), seconds)| {
            core_hour * seconds / SECONDS_PER_HOUR + gb / row.ratio
        }),
    }
}

/// The one that moves most, the baseline apart; among equals the one that needs least CPU.
/// `None`: none is clearly faster than the bare link.
fn fastest(rates: &[Option<f64>], rows: &[&Row], link: f64) -> Option<usize> {
    let rates: Vec<f64> = rates.iter().map(|rate| rate.unwrap_or_default()).collect();
    let best = rates.iter().skip(1).copied().max_by(f64::total_cmp)?;
    let equals = rates.iter().zip(rows).enumerate().skip(1);
    let least = (best / CLEARLY).max(link * CLEARLY);
    let equals = equals.filter(|(_, (rate, _))| **rate >= least);
    let (index, _) = equals.min_by(|(_, (_, a)), (_, (_, b))| work(a).total_cmp(&work(b)))?;
    Some(index)
}

fn pays_up_to(options: &[LinkOption]) -> Option<PaysUpTo> {
    let speeds = options.iter().filter_map(|option| {
        let bits_per_second = option.pays_below_bits_per_second?;
        Some(PaysUpTo { level: option.level.clone(), bits_per_second })
    });
    speeds.max_by(|a, b| a.bits_per_second.total_cmp(&b.bits_per_second))
}

/// Seconds of both cores per MB.
fn work(row: &Row) -> f64 {
    let seconds = |rate: Option<f64>| rate.map_or(f64::INFINITY, |rate| 1.0 / rate);
    seconds(row.encode.mb_per_second) + seconds(row.decode.mb_per_second)
}

fn cheapest(options: &[LinkOption], settings: &Settings) -> Option<Cheapest> {
    settings.cpu_price_per_core_hour?;
    let uncompressed_cost_per_gb = settings.network_price_per_gb?;
    let cost = |option: &LinkOption| option.cost_per_gb.unwrap_or(f64::INFINITY);
    let best = options.iter().skip(1).min_by(|a, b| cost(a).total_cmp(&cost(b)))?;
    // Where nothing costs anything, nothing is saved.
    let saves = cost(best) < uncompressed_cost_per_gb;
    let best = Some(best).filter(|_| saves && cost(best) * CLEARLY <= uncompressed_cost_per_gb);
    Some(Cheapest {
        level: best.map(|best| best.level.clone()),
        cost_per_gb: best.map_or(uncompressed_cost_per_gb, cost),
        uncompressed_cost_per_gb,
    })
}

/// Keeps the overall answer where another way to compress would be hardly better.
fn classes(
    corpus: &Corpus,
    candidates: &[Candidate],
    overall: Option<usize>,
    link: f64,
) -> Vec<ClassAdvice> {
    let of_class = |(index, class): (usize, &SizeClass)| {
        let rows: Vec<&Row> =
            candidates.iter().filter_map(|candidate| candidate.classes.get(index)).collect();
        let ways = candidates.iter().zip(&rows).map(|(candidate, row)| {
            way(candidate, row, corpus, Some(class), link).rate.map(|(rate, _)| rate)
        });
        let rates: Vec<Option<f64>> = ways.collect();
        let rate = |index: Option<usize>| match index {
            None => Some(link),
            Some(index) => rates.get(index).copied().flatten(),
        };
        let best = fastest(&rates, &rows, link);
        let keep = rate(overall) >= rate(best).map(|best| best / HARDLY_BETTER);
        let chosen = if best.is_some() && keep { overall } else { best };
        ClassAdvice {
            fastest: name(candidates, chosen),
            payload_mb_per_second: rate(chosen),
            ratio: chosen.and_then(|index| rows.get(index)).map_or(1.0, |row| row.ratio),
        }
    };
    corpus.size_classes.iter().enumerate().map(of_class).collect()
}

fn cannot_know(corpus: &Corpus, candidates: &[Candidate]) -> Vec<String> {
    let sample = &corpus.sample;
    let mut sentences = vec![
        "The other machine: both sides were measured on one core of this one.".to_owned(),
        "Latency, loss and other traffic: the model is a link that is always busy, with one core \
         encoding and one decoding beside it."
            .to_owned(),
        "Other work on the same cores and caches: it slows some encodings more than others."
            .to_owned(),
        "Your next messages: these were the ones at hand.".to_owned(),
    ];
    if sample.messages < corpus.messages {
        sentences.push(format!(
            "The {} messages that were not chosen: {} were measured, a random choice.",
            corpus.messages - sample.messages,
            sample.messages
        ));
    }
    if sample.median_bytes < DICTIONARIES_HELP_BELOW {
        sentences.push(
            "Dictionaries: they were not tried, and help most where messages are as short as these."
                .to_owned(),
        );
    }
    if candidates.iter().any(|candidate| candidate.total.cpu_seconds_per_gb.is_none()) {
        sentences.push("CPU time: this system has no clock for one thread.".to_owned());
    }
    sentences
}

/// Token of the baseline.
const RAW: &str = "identity";

const BITS_PER_MB: f64 = 8e6;

const SECONDS_PER_HOUR: f64 = 3600.0;

/// A factor below which two rates or sizes are called equal: runs differ by as much, and nobody
/// should spend CPU on less.
pub(crate) const CLEARLY: f64 = 1.05;

/// What another setting for one size class has to bring.
const HARDLY_BETTER: f64 = 1.10;

/// From 4 KiB up a message brings its own repetitions.
const DICTIONARIES_HELP_BELOW: u64 = 4096;
