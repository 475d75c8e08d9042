//! What bytes look like, for error messages only: nothing is ever decoded by its looks.

use crate::encoding::Encoding;

/// Names the format that bytes begin like, if it is another one than `encoding`.
pub(crate) fn looks_like(encoding: Encoding, src: &[u8]) -> Option<&'static str> {
    let (_, found, name) = SIGNATURES.iter().find(|(magic, ..)| src.starts_with(magic))?;
    (*found != Some(encoding)).then_some(*name)
}

/// The longer ones first where one could begin like another.
const SIGNATURES: &[(&[u8], Option<Encoding>, &str)] = &[
    (b"\xff\x06\x00\x00sNaPpY", Some(Encoding::SnappyFramed), "framed Snappy, encoding `snappy`"),
    (b"\x82SNAPPY\x00", None, "the Snappy framing of xerial's Java library, which is no encoding"),
    (b"\x28\xb5\x2f\xfd", Some(Encoding::Zstd), "a zstd frame, encoding `zstd`"),
    (b"\x04\x22\x4d\x18", Some(Encoding::Lz4), "an LZ4 frame, encoding `lz4`"),
    (b"\x02\x21\x4c\x18", None, "a legacy LZ4 frame, which is no encoding"),
    (b"\x1f\x8b\x08", Some(Encoding::Gzip), "gzip"),
    // CMF and FLG of the usual window with the four presets; a multiple of 31 both.
    (b"\x78\x01", Some(Encoding::Deflate), "a zlib stream, encoding `deflate`"),
    (b"\x78\x5e", Some(Encoding::Deflate), "a zlib stream, encoding `deflate`"),
    (b"\x78\x9c", Some(Encoding::Deflate), "a zlib stream, encoding `deflate`"),
    (b"\x78\xda", Some(Encoding::Deflate), "a zlib stream, encoding `deflate`"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_under_its_own_name_is_no_surprise() {
        for (magic, encoding, name) in SIGNATURES {
            for under in Encoding::ALL {
                let expected = (Some(under) != *encoding).then_some(*name);
                assert_eq!(looks_like(under, magic), expected, "{name} under {under}");
            }
        }
        assert_eq!(looks_like(Encoding::Gzip, b""), None);
        assert_eq!(looks_like(Encoding::Gzip, b"{}"), None);
    }
}
