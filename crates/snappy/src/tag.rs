//! What the first byte of an element says.
//!
//! ```text
//! nnnnnn00                                 literal of n + 1 bytes
//! 1111bb00 length - 1 in b - 59 bytes      literal, if n is 60 or more
//! ooonnn01 oooooooo                        copy of n + 4 bytes, offset of 11 bits
//! nnnnnn10 oooooooo oooooooo               copy of n + 1 bytes, offset of 16 bits
//! nnnnnn11 oooooooo (four times)           copy of n + 1 bytes, offset of 32 bits
//! ```

/// The two low bits of a literal's tag.
pub(crate) const LITERAL: u8 = 0b00;
/// Those of a copy with an offset of 11 bits.
pub(crate) const COPY_1: u8 = 0b01;
/// Those of a copy with an offset of 16 bits.
pub(crate) const COPY_2: u8 = 0b10;

/// From this on, the upper six bits of a literal's tag say how many bytes its length has.
pub(crate) const LONG_LITERAL: usize = 60;
