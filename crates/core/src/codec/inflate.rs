//! What gzip and deflate share: libdeflate, and the room that its output needs.

use super::room::Bounds;
use super::{Compress, Fault, NO_MEMORY, Refusal};
use crate::level::Level;
use crate::native::libdeflate::{Container, Deflater, Inflated, Inflater};

/// libdeflate has no function that tells; a test compares this to the lock file.
pub(crate) fn library() -> Option<String> {
    Some("libdeflate 1.26".to_owned())
}

/// Compresses into one member or stream.
pub(crate) struct DeflateCompressor {
    container: Container,
    level: i32,
    deflater: Deflater,
}

impl DeflateCompressor {
    pub(crate) fn boxed(container: Container, level: Level) -> Result<Box<dyn Compress>, Refusal> {
        let level = level.number().unwrap_or(1);
        let deflater = Deflater::new(level).ok_or(Refusal::Failed(NO_MEMORY))?;
        Ok(Box::new(Self { container, level, deflater }))
    }
}

impl Compress for DeflateCompressor {
    fn compress(&mut self, src: &[u8], dst: &mut Vec<u8>) -> Result<(), Refusal> {
        if self.deflater.deflate(self.container, src, dst) {
            Ok(())
        } else {
            Err(Refusal::Failed("the output is longer than libdeflate's bound"))
        }
    }

    fn kept_len(&self) -> usize {
        // libdeflate does not tell: what it asked for when these were counted, on 64 bits.
        match self.level {
            ..=1 => 202_759,
            2..=9 => 668_295,
            _ => 9_011_751,
        }
    }
}

/// Decompresses member after member into room that grows from the input.
#[derive(Debug, Default)]
pub(crate) struct GrowingInflater {
    inflater: Option<Inflater>,
}

impl GrowingInflater {
    /// Appends the first member of `src`, within `bounds`, and returns its encoded length.
    ///
    /// The room is what is there already, or `hint`. When that was too little it is four times as
    /// much, and at least [`likely_len`]: each try reads the input anew, so that they had better
    /// be few.
    pub(crate) fn inflate(
        &mut self,
        container: Container,
        src: &[u8],
        dst: &mut Vec<u8>,
        bounds: Bounds,
        hint: usize,
    ) -> Result<usize, Fault> {
        let inflater = match &mut self.inflater {
            Some(inflater) => inflater,
            none => none.insert(Inflater::new().ok_or(Fault::Malformed(NO_MEMORY))?),
        };
        let left = bounds.left(dst);
        let most = left.min(src.len().saturating_mul(MAX_RATIO));
        let mut room = hint.max(dst.capacity() - dst.len()).min(most);
        loop {
            bounds.reserve(dst, room);
            match inflater.inflate(container, src, dst, room) {
                Inflated::Whole { src_len } => return Ok(src_len),
                Inflated::Malformed => return Err(DAMAGED),
                Inflated::NoRoom if room < most => {
                    let more = room.saturating_mul(4).max(likely_len(src));
                    room = more.min(most);
                }
                // More than so few bytes can hold: libdeflate went on with zeros past their end.
                Inflated::NoRoom if most < left => return Err(DAMAGED),
                Inflated::NoRoom => return Err(bounds.too_long(dst, left + 1)),
            }
        }
    }

    pub(crate) fn kept_len(&self) -> usize {
        // As above.
        self.inflater.as_ref().map_or(0, |_| 11_568)
    }
}

const DAMAGED: Fault = Fault::Malformed("cut short, damaged, or a wrong checksum");

/// Returns how long the payload of a stream may be if nothing says so: few messages shrink to
/// less than a quarter.
pub(crate) fn likely_len(src: &[u8]) -> usize {
    src.len().saturating_mul(4).max(1024)
}

/// A copy of 258 bytes takes two bits at least.
pub(crate) const MAX_RATIO: usize = 258 * 4;
