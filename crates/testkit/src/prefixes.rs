//! How encoded bytes begin: random bytes after such a start get past the magic numbers.

use thinwire::Encoding;

/// Valid beginnings, the empty one among them.
#[must_use]
pub fn prefixes(encoding: Encoding) -> &'static [&'static [u8]] {
    match encoding {
        Encoding::Gzip => &[
            b"",
            b"\x1f\x8b\x08\0\0\0\0\0\0\xff",
            b"\x1f\x8b\x08\x02\0\0\0\0\0\xff",
            b"\x1f\x8b\x08\x1c\0\0\0\0\0\xff\x02\0ab",
        ],
        Encoding::Deflate => &[b"", b"\x78\x9c", b"\x78\x01", b"\x78\xbb", b"\x08\x1d"],
        Encoding::Zstd => &[
            b"",
            b"\x28\xb5\x2f\xfd",
            b"\x28\xb5\x2f\xfd\0\x38",      // a window, no size
            b"\x28\xb5\x2f\xfd\x20\x40",    // a single segment of 64 bytes
            b"\x28\xb5\x2f\xfd\x04\x38",    // a checksum
            b"\x28\xb5\x2f\xfd\x60\0\x10",  // a single segment of 4352 bytes
            b"\x50\x2a\x4d\x18\x01\0\0\0!", // a skippable frame
        ],
        Encoding::Lz4 => &[
            b"",
            b"\x04\x22\x4d\x18",
            b"\x04\x22\x4d\x18\x60\x40\x82", // independent blocks of 64 KiB
            b"\x04\x22\x4d\x18\x40\x40\xc0", // linked blocks
            b"\x04\x22\x4d\x18\x70\x40\xad", // a checksum after each block
            b"\x04\x22\x4d\x18\x64\x40\xa7", // a checksum of the content
            b"\x50\x2a\x4d\x18\x01\0\0\0!",  // a skippable frame
        ],
        Encoding::SnappyFramed => &[
            b"",
            b"\xff\x06\0\0sNaPpY",
            b"\xff\x06\0\0sNaPpY\x01",
            b"\xff\x06\0\0sNaPpY\x01\x09\0\0\xbb\x1f\x1c\x19hello",
        ],
        Encoding::SnappyBlock => &[b"", b"\x20", b"\x80\x20", b"\x80\x80\x04", b"\x10\x0cabcd"],
        Encoding::Identity | _ => &[b""],
    }
}
