//! Ours beside `snap`, C++ and Go, in turn: `cargo bench -p thinwire-snappy`
//!
//! All but Go are in one process. C++ and Go are Debian's (`libsnappy1v5`; `golang-go` and
//! `golang-github-golang-snappy-dev`); it says at the end what was left out, and why.
//!
//! Every contestant in turn goes twice through a set of messages, all distinct, into a buffer that is
//! there, again and again, and the fastest pass counts: more times in a row, and the processor would
//! know by heart which branch comes next. Behind `--`, `decode` or `encode` runs one half, and any
//! other word the sets with names that have it. Blocks to decode are those of `snap`; before any is
//! timed, all contestants read those of ours. `cargo test` does one round.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_precision_loss,
    reason = "a program that prints tables, and may stop where it fails"
)]

mod support;

use std::ops::Range;
use std::time::{Duration, Instant};

use support::check;
use support::contestant::{Cell, Contestant, contestants};
use support::set::{Set, sets};

fn main() {
    let words: Vec<_> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let (halves, names): (Vec<_>, Vec<_>) =
        words.iter().map(String::as_str).partition(|word| HALVES.contains(word));
    let (mut sets, mut missing) = sets();
    sets.retain(|set| names.is_empty() || names.iter().any(|name| set.name.contains(name)));
    let (readers, none) = check::blocks_are_read(&sets);
    missing.extend(none);
    println!("The blocks of thinwire-snappy are read by: {}.", readers.join(", "));
    for half in HALVES {
        if halves.is_empty() || halves.contains(&half) {
            let inputs = inputs(half == "decode", &sets);
            let (mut contestants, _) = contestants(half == "decode", &inputs);
            let results = measure(half == "decode", &inputs, &mut contestants);
            print(half, &sets, &contestants, &results);
        }
    }
    if rounds() == 1 {
        println!("\nOne round, which says whether it works, and nothing of speed.");
    }
    for what in missing {
        println!("LEFT OUT: {what}");
    }
}

const HALVES: [&str; 2] = ["decode", "encode"];

/// For how long each contestant has a set in all rounds together, were they all as fast.
const TIME: Duration = Duration::from_millis(400);

fn rounds() -> u32 {
    if std::env::args().any(|arg| arg == "--bench") { 40 } else { 1 }
}

/// The messages of each set, or their blocks.
fn inputs(decode: bool, sets: &[Set]) -> Vec<Vec<Vec<u8>>> {
    let input = |message: &Vec<u8>| if decode { encoded(message) } else { message.clone() };
    sets.iter().map(|set| set.messages.iter().map(input).collect()).collect()
}

fn encoded(message: &[u8]) -> Vec<u8> {
    snap::raw::Encoder::new().compress_vec(message).unwrap()
}

/// Returns a row for each set, with a cell for each contestant.
fn measure(
    decode: bool,
    inputs: &[Vec<Vec<u8>>],
    contestants: &mut [Box<dyn Contestant>],
) -> Vec<Vec<Cell>> {
    let mut best = vec![vec![Cell { seconds: f64::MAX, len: 0 }; contestants.len()]; inputs.len()];
    let rounds = rounds();
    for _ in 0..rounds {
        for rows in groups(inputs) {
            let begin = Instant::now();
            let cells = u32::try_from(rows.len() * contestants.len()).unwrap();
            loop {
                for (column, contestant) in contestants.iter_mut().enumerate() {
                    // The first time it may find its code and the messages in no cache.
                    for row in rows.clone().chain(rows.clone()) {
                        let cell = contestant.pass(decode, row, &inputs[row]);
                        if cell.seconds < best[row][column].seconds {
                            best[row][column] = cell;
                        }
                    }
                }
                if rounds == 1 || begin.elapsed() >= TIME * cells / rounds {
                    break;
                }
            }
        }
    }
    best
}

/// The sets, each for itself; but those of one message, which are last, one after the other: so
/// that none is in the nearest cache only because another contestant has just had it.
fn groups(inputs: &[Vec<Vec<u8>>]) -> Vec<Range<usize>> {
    let single = inputs.iter().take_while(|messages| messages.len() > 1).count();
    let mut groups: Vec<_> = (0..single).map(|row| row..row + 1).collect();
    groups.push(single..inputs.len());
    groups
}

/// A table in Markdown: MB (10^6 bytes) of payload per second; how many times as fast ours is; how
/// long its blocks are, in parts of those of others.
fn print(half: &str, sets: &[Set], contestants: &[Box<dyn Contestant>], results: &[Vec<Cell>]) {
    let others = &contestants[1..];
    print!("\n| {half} | MB/s |");
    for other in others {
        print!(" × {} |", other.name());
    }
    let compared: Vec<_> = (0..others.len())
        .filter(|&at| half == "encode" && LENGTHS.contains(&others[at].name()))
        .collect();
    for &at in &compared {
        print!(" length / {} |", others[at].name());
    }
    println!("\n|---{}", "|---:".repeat(1 + others.len() + compared.len()) + "|");
    let mut rows = Vec::new();
    for (set, cells) in sets.iter().zip(results) {
        let payload_len: usize = set.messages.iter().map(Vec::len).sum();
        let ours = cells[0];
        let ratios = cells[1..]
            .iter()
            .map(|cell| (cell.seconds / ours.seconds, ours.len as f64 / cell.len as f64));
        let row: Vec<_> = ratios.collect();
        let speed = format!("{:.0}", payload_len as f64 / ours.seconds / 1e6);
        print_row(&set.name, &speed, &row, &compared);
        rows.push(row);
    }
    let column = |at: usize| -> (Vec<f64>, Vec<f64>) { rows.iter().map(|row| row[at]).unzip() };
    let columns = |of_speeds: fn(&[f64]) -> f64, of_lengths: fn(&[f64]) -> f64| -> Vec<_> {
        let columns = (0..others.len()).map(column);
        columns.map(|(speeds, lengths)| (of_speeds(&speeds), of_lengths(&lengths))).collect()
    };
    print_row("**geometric mean**", "", &columns(mean, mean), &compared);
    print_row("**worst**", "", &columns(least, most), &compared);
}

/// Those whose blocks are compared with ours in length: Go's are as long as snap's, and those of the
/// code without unsafe are the same as ours.
const LENGTHS: [&str; 2] = ["snap", "C++"];

fn mean(values: &[f64]) -> f64 {
    (values.iter().map(|value| value.ln()).sum::<f64>() / values.len() as f64).exp()
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

fn print_row(name: &str, speed: &str, ratios: &[(f64, f64)], compared: &[usize]) {
    print!("| {name} | {speed} |");
    for (speed, _) in ratios {
        print!(" {speed:.2} |");
    }
    for &at in compared {
        print!(" {:.4} |", ratios[at].1);
    }
    println!();
}
