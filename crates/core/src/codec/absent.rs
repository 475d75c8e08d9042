//! The items of a codec module, for an encoding that is not built in. Encoder and decoder refuse
//! such an encoding before they would get here.

use super::{Compress, Fault, Refusal};
use crate::level::Level;

pub(crate) fn library() -> Option<String> {
    None
}

pub(crate) const fn payload_len(_src: &[u8]) -> Option<usize> {
    None
}

pub(crate) fn compressor(_level: Level) -> Result<Box<dyn Compress>, Refusal> {
    Err(Refusal::Failed(NOT_BUILT_IN))
}

#[derive(Debug, Default)]
pub(crate) struct Decompressor;

impl Decompressor {
    pub(crate) fn decompress(
        &self,
        _src: &[u8],
        _dst: &mut Vec<u8>,
        _limit: usize,
    ) -> Result<(), Fault> {
        Err(Fault::Malformed(NOT_BUILT_IN))
    }

    pub(crate) const fn kept_len(&self) -> usize {
        0
    }
}

const NOT_BUILT_IN: &str = "not built in";
