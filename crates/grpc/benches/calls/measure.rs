//! Rounds, and what was measured in them.

use std::path::Path;

use crate::link::wire_bytes;
use crate::messages;
use crate::plan::{Kind, Shape};
use crate::program::Pair;

/// What one kind took in one shape.
#[derive(Debug)]
pub(crate) struct Cell {
    pub(crate) kind: Kind,
    pub(crate) shape: Shape,
    /// One a round, in the order of the rounds.
    pub(crate) samples: Vec<Sample>,
    /// Of the client and of the server, per message; nothing where they are not counted.
    pub(crate) allocations: Option<(f64, f64)>,
}

/// A round.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sample {
    /// Of payload.
    pub(crate) mb_per_second: f64,
    /// CPU-seconds per GB of payload.
    pub(crate) client: f64,
    pub(crate) server: f64,
    /// Bytes on the wire per byte of payload.
    pub(crate) wire: f64,
}

impl Cell {
    pub(crate) fn median(&self, of: impl Fn(&Sample) -> f64) -> f64 {
        quantile(self.samples.iter().map(of).collect(), 0.5)
    }

    /// Others may use the interface too, so the least is the nearest to the truth.
    pub(crate) fn wire(&self) -> f64 {
        self.samples.iter().map(|it| it.wire).fold(f64::INFINITY, f64::min)
    }

    /// Half of the range of the middle half of the rounds, relative to the median.
    pub(crate) fn spread(&self, of: impl Fn(&Sample) -> f64) -> f64 {
        let all: Vec<_> = self.samples.iter().map(of).collect();
        (quantile(all.clone(), 0.75) - quantile(all.clone(), 0.25)) / 2.0 / quantile(all, 0.5)
    }
}

impl Sample {
    pub(crate) fn cpu(&self) -> f64 {
        self.client + self.server
    }
}

/// Sorts, and takes the value at that part of the way, between its neighbours if need be.
pub(crate) fn quantile(mut values: Vec<f64>, at: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let place = at * (values.len() - 1) as f64;
    let (low, high) = (values[place.floor() as usize], values[place.ceil() as usize]);
    low + (high - low) * place.fract()
}

/// How often, and with what.
#[derive(Debug)]
pub(crate) struct Rounds<'a> {
    pub(crate) count: usize,
    /// Remote-write requests.
    pub(crate) bodies: &'a Path,
    /// A file to pass messages on in.
    pub(crate) file: &'a Path,
    pub(crate) interface: &'a str,
}

impl Rounds<'_> {
    /// One shape in all kinds: a round to get warm, then the rounds, the kinds in turn. `count` may
    /// say how many messages for a kind.
    pub(crate) fn measure(
        &self,
        pairs: &mut [Pair],
        shape: Shape,
        count: impl Fn(Kind) -> usize,
    ) -> Vec<Cell> {
        let messages =
            messages::requests(self.bodies, shape.message_kb * 1000, shape.distinct_count());
        messages::write(&messages, self.file);
        let mut cells = Vec::new();
        for pair in &mut *pairs {
            pair.client.ask(&format!("messages {}", self.file.display()));
            let (kind, samples) = (pair.kind, Vec::new());
            cells.push(Cell { kind, shape, samples, allocations: None });
        }
        let kinds = pairs.len();
        for round in 0..=self.count {
            for at in 0..kinds {
                let at = (at + round) % kinds; // another begins each time
                let sample = self.sample(&mut pairs[at], shape, count(cells[at].kind));
                if round > 0 {
                    cells[at].samples.push(sample);
                }
            }
        }
        cells
    }

    fn sample(&self, pair: &mut Pair, shape: Shape, count: usize) -> Sample {
        let (server, client) = (pair.server.cpu_seconds(), pair.client.cpu_seconds());
        let wire = wire_bytes(self.interface);
        let done = pair.client.ask(&command(shape, count));
        let wire = wire_bytes(self.interface) - wire;
        let client = pair.client.cpu_seconds() - client;
        let server = pair.server.cpu_seconds() - server;
        let payload = done["payload_bytes"].as_f64().unwrap();
        let seconds = done["wall_ns"].as_f64().unwrap() / 1e9;
        Sample {
            mb_per_second: payload / 1e6 / seconds,
            client: client / (payload / 1e9),
            server: server / (payload / 1e9),
            wire: wire as f64 / payload,
        }
    }
}

/// Counts allocations, in a round of its own since counting takes time.
pub(crate) fn count_allocations(pairs: &mut [Pair], cells: &mut [Cell]) {
    for (pair, cell) in pairs.iter_mut().zip(cells) {
        cell.allocations = per_message(pair, cell.shape);
    }
}

fn per_message(pair: &mut Pair, shape: Shape) -> Option<(f64, f64)> {
    let (client, server) = (pair.client.allocations()?, pair.server.allocations()?);
    pair.client.ask(&command(shape, shape.count));
    let count = shape.count as f64;
    let client = (pair.client.allocations()? - client) / count;
    Some((client, (pair.server.allocations()? - server) / count))
}

fn command(shape: Shape, count: usize) -> String {
    format!("run {} {} {count}", shape.method.name(), shape.in_flight)
}
