//! Before anything is timed: others read what we compress.

use thinwire_snappy::Compressor;

use super::contestant::{Library, Ours, Safe, Snap};
use super::cpp::Cpp;
use super::go::Go;
use super::set::Set;

/// Has all of them decompress every message of the sets, and compares. Returns the names of those that
/// are there, and why others are not.
pub(crate) fn blocks_are_read(sets: &[Set]) -> (Vec<&'static str>, Vec<String>) {
    let mut blocks = Vec::new();
    let mut compressor = Compressor::new();
    for message in sets.iter().flat_map(|set| &set.messages) {
        let mut block = Vec::new();
        compressor.compress_into(message, &mut block).unwrap();
        blocks.push((block, message));
    }
    let (mut readers, mut missing) = (Vec::new(), Vec::new());
    read(&mut Ours::new(), &blocks, &mut readers);
    read(&mut Safe::new(), &blocks, &mut readers);
    read(&mut Snap::new(), &blocks, &mut readers);
    match Cpp::load() {
        Ok(mut cpp) => read(&mut cpp, &blocks, &mut readers),
        Err(why) => missing.push(why),
    }
    match Go::read(&blocks) {
        Ok(()) => readers.push("Go"),
        Err(why) => missing.push(why),
    }
    (readers, missing)
}

fn read<L: Library>(library: &mut L, blocks: &[(Vec<u8>, &Vec<u8>)], readers: &mut Vec<&str>) {
    for (block, message) in blocks {
        let len = library.decompress(block);
        assert!(library.room()[..len] == message[..], "{} reads otherwise", L::NAME);
    }
    readers.push(L::NAME);
}
