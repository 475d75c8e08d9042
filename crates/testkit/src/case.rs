//! What fuzz targets start from.

use arbitrary::{Arbitrary, Result, Unstructured};
use thinwire::Encoding;

use crate::prefixes::prefixes;

/// Bytes under an encoding, with a limit. The bytes begin as those of the encoding do, mostly, so
/// that a fuzzer starts behind the magic numbers and checksums of headers.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Case {
    /// The encoding that the bytes are said to be in.
    pub encoding: Encoding,
    /// The longest payload to allow, in bytes: up to 1 MiB.
    pub limit: usize,
    /// The encoded bytes.
    pub encoded: Vec<u8>,
}

impl<'a> Arbitrary<'a> for Case {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let encoding = *u.choose(&Encoding::ALL)?;
        let limit = 1_usize << u.int_in_range(0..=20)?;
        let prefix = *u.choose(prefixes(encoding))?;
        let rest = u.bytes(u.len())?;
        Ok(Self { encoding, limit, encoded: [prefix, rest].concat() })
    }
}
