//! Ours beside `snap`, C++ and Go, in turn: `cargo bench -p thinwire-snappy`
//!
//! All but Go are in one process; C++ and Go are Debian's, and left out where they are not installed.
//!
//! In each round every contestant goes through each set of messages, all distinct, into a buffer
//! that is there; the fastest pass counts. Behind `--`, `decode` or `encode` runs one half, and any
//! other word the sets with names that have it. Blocks to decode are those of `snap`.

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

use support::contestant::{Cell, Contestant, contestants};
use support::set::{Set, sets};

fn main() {
    let words: Vec<_> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let (halves, names): (Vec<_>, Vec<_>) =
        words.iter().map(String::as_str).partition(|word| HALVES.contains(word));
    let mut sets = sets();
    sets.retain(|set| names.is_empty() || names.iter().any(|name| set.name.contains(name)));
    for half in HALVES {
        if halves.is_empty() || halves.contains(&half) {
            let inputs = inputs(half == "decode", &sets);
            let mut contestants = contestants(half == "decode", &inputs);
            let results = measure(half == "decode", &inputs, &mut contestants);
            print(half, &sets, &contestants, &results);
        }
    }
}

const HALVES: [&str; 2] = ["decode", "encode"];

/// For how long each contestant has a set, at least, in all rounds together.
const TIME: Duration = Duration::from_millis(400);

const ROUNDS: u32 = 40;

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
    for _ in 0..ROUNDS {
        for rows in groups(inputs) {
            for (column, contestant) in contestants.iter_mut().enumerate() {
                let begin = Instant::now();
                let time = TIME * u32::try_from(rows.len()).unwrap() / ROUNDS;
                loop {
                    for row in rows.clone() {
                        let cell = contestant.pass(decode, row, &inputs[row]);
                        if cell.seconds < best[row][column].seconds {
                            best[row][column] = cell;
                        }
                    }
                    if begin.elapsed() >= time {
                        break;
                    }
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

/// MB (10^6 bytes) of payload per second; how many times as fast ours is; what part of the length ours has.
fn print(half: &str, sets: &[Set], contestants: &[Box<dyn Contestant>], results: &[Vec<Cell>]) {
    let others = &contestants[1..];
    print!("\n{half:20}");
    for contestant in contestants {
        print!("{:>11}", format!("{} MB/s", contestant.name()));
    }
    for other in others {
        print!("{:>9}", format!("×{}", other.name()));
    }
    if half == "encode" {
        for other in others {
            print!("{:>11}", format!("len/{}", other.name()));
        }
    }
    println!();
    let mut logs = vec![(0.0, 0.0); others.len()];
    for (set, cells) in sets.iter().zip(results) {
        let payload_len: usize = set.messages.iter().map(Vec::len).sum();
        print!("{:20}", set.name);
        for cell in cells {
            print!("{:>11.0}", payload_len as f64 / cell.seconds / 1e6);
        }
        let ours = cells[0];
        let ratios = cells[1..]
            .iter()
            .map(|cell| (cell.seconds / ours.seconds, ours.len as f64 / cell.len as f64));
        for ((speed, len), logs) in ratios.clone().zip(&mut logs) {
            *logs = (logs.0 + speed.ln(), logs.1 + len.ln());
        }
        print_ratios(half, ratios.collect());
    }
    print!("{:w$}", "geometric mean", w = 20 + 11 * contestants.len());
    let mean = |log: f64| (log / sets.len() as f64).exp();
    print_ratios(half, logs.into_iter().map(|(speed, len)| (mean(speed), mean(len))).collect());
}

fn print_ratios(half: &str, ratios: Vec<(f64, f64)>) {
    for (speed, _) in &ratios {
        print!("{speed:>9.2}");
    }
    if half == "encode" {
        for (_, len) in ratios {
            print!("{len:>11.4}");
        }
    }
    println!();
}
