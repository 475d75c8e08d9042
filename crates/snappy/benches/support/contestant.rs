//! Implementations of the format, each as its users call it.

use std::time::Instant;

use thinwire_snappy::safe::{
    Compressor as SafeCompressor, decompress_into as safe_decompress_into,
};
use thinwire_snappy::{Compressor, decompress_into};

use super::cpp::Cpp;
use super::go::Go;

/// What a contestant made of a set: how long it took, and how long the results are together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cell {
    pub(crate) seconds: f64,
    pub(crate) len: usize,
}

pub(crate) trait Contestant {
    fn name(&self) -> &'static str;

    /// Goes through a set, which is the one of this row, once.
    fn pass(&mut self, decode: bool, row: usize, messages: &[Vec<u8>]) -> Cell;
}

/// Compresses and decompresses into a buffer that stays, and returns how long the result is.
pub(crate) trait Library {
    const NAME: &'static str;
    fn compress(&mut self, src: &[u8]) -> usize;
    fn decompress(&mut self, src: &[u8]) -> usize;

    /// The buffer, which begins with the result.
    fn room(&self) -> &[u8];
}

impl<L: Library> Contestant for L {
    fn name(&self) -> &'static str {
        L::NAME
    }

    fn pass(&mut self, decode: bool, _row: usize, messages: &[Vec<u8>]) -> Cell {
        let begin = Instant::now();
        let mut len = 0;
        for message in messages {
            len += if decode { self.decompress(message) } else { self.compress(message) };
        }
        Cell { seconds: begin.elapsed().as_secs_f64(), len }
    }
}

/// Ours first; and why others are not there.
pub(crate) fn contestants(
    decode: bool,
    inputs: &[Vec<Vec<u8>>],
) -> (Vec<Box<dyn Contestant>>, Vec<String>) {
    let mut all: Vec<Box<dyn Contestant>> =
        vec![Box::new(Ours::new()), Box::new(Snap::new()), Box::new(Safe::new())];
    let mut missing = Vec::new();
    match Cpp::load() {
        Ok(cpp) => all.push(Box::new(cpp)),
        Err(why) => missing.push(why),
    }
    match Go::start(decode, inputs) {
        Ok(go) => all.push(Box::new(go)),
        Err(why) => missing.push(why),
    }
    (all, missing)
}

/// No message of a set is longer.
pub(crate) const ROOM: usize = 4 << 20;

pub(crate) struct Ours {
    compressor: Compressor,
    room: Vec<u8>,
}

impl Ours {
    pub(crate) fn new() -> Self {
        Self { compressor: Compressor::new(), room: Vec::with_capacity(ROOM) }
    }
}

impl Library for Ours {
    const NAME: &'static str = "ours";

    fn compress(&mut self, src: &[u8]) -> usize {
        self.room.clear();
        self.compressor.compress_into(src, &mut self.room).unwrap()
    }

    fn decompress(&mut self, src: &[u8]) -> usize {
        self.room.clear();
        decompress_into(src, &mut self.room, ROOM).unwrap()
    }

    fn room(&self) -> &[u8] {
        &self.room
    }
}

pub(crate) struct Safe {
    compressor: SafeCompressor,
    room: Vec<u8>,
}

impl Safe {
    pub(crate) fn new() -> Self {
        Self { compressor: SafeCompressor::new(), room: Vec::with_capacity(ROOM) }
    }
}

impl Library for Safe {
    const NAME: &'static str = "safe";

    fn compress(&mut self, src: &[u8]) -> usize {
        self.room.clear();
        self.compressor.compress_into(src, &mut self.room).unwrap()
    }

    fn decompress(&mut self, src: &[u8]) -> usize {
        self.room.clear();
        safe_decompress_into(src, &mut self.room, ROOM).unwrap()
    }

    fn room(&self) -> &[u8] {
        &self.room
    }
}

pub(crate) struct Snap {
    encoder: snap::raw::Encoder,
    room: Vec<u8>,
}

impl Snap {
    pub(crate) fn new() -> Self {
        Self { encoder: snap::raw::Encoder::new(), room: vec![0; ROOM] }
    }
}

impl Library for Snap {
    const NAME: &'static str = "snap";

    fn compress(&mut self, src: &[u8]) -> usize {
        self.encoder.compress(src, &mut self.room).unwrap()
    }

    fn decompress(&mut self, src: &[u8]) -> usize {
        snap::raw::Decoder::new().decompress(src, &mut self.room).unwrap()
    }

    fn room(&self) -> &[u8] {
        &self.room
    }
}
