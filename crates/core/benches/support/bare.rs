//! The bare library calls: kept state, one shot, into a buffer that is there and long enough,
//! nothing checked. What Thinwire's promises cost is the difference to these.
#![expect(unsafe_code, reason = "liblz4 has no safe binding with these calls")]

use std::ffi::c_int;

use thinwire::Encoding;

/// Compresses `src` into `dst`, and back, and returns how many bytes were written.
pub(crate) trait Bare {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> usize;
    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> usize;
}

/// Returns the bare calls for an encoding at its default level; identity has none.
///
/// For `lz4` that is the block without the frame, for `snappy` the block for each 64 KiB and its
/// checksum: no library has a call for the framed formats with kept state.
pub(crate) fn bare(encoding: Encoding) -> Option<Box<dyn Bare>> {
    Some(match encoding {
        Encoding::Gzip => Box::new(Gzip(compressor(), libdeflater::Decompressor::new())),
        Encoding::Deflate => Box::new(Zlib(compressor(), libdeflater::Decompressor::new())),
        Encoding::Zstd => Box::new(Zstd::new()),
        Encoding::Lz4 => Box::new(Lz4Block),
        Encoding::SnappyFramed => Box::new(SnappyChunks(snap::raw::Encoder::new())),
        Encoding::SnappyBlock => Box::new(SnappyBlock(snap::raw::Encoder::new())),
        Encoding::Identity | _ => return None,
    })
}

fn compressor() -> libdeflater::Compressor {
    libdeflater::Compressor::new(libdeflater::CompressionLvl::new(1).unwrap())
}

struct Gzip(libdeflater::Compressor, libdeflater::Decompressor);

impl Bare for Gzip {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        self.0.gzip_compress(src, dst).unwrap()
    }

    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        self.1.gzip_decompress(src, dst).unwrap()
    }
}

struct Zlib(libdeflater::Compressor, libdeflater::Decompressor);

impl Bare for Zlib {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        self.0.zlib_compress(src, dst).unwrap()
    }

    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        self.1.zlib_decompress(src, dst).unwrap()
    }
}

struct Zstd(zstd_safe::CCtx<'static>, zstd_safe::DCtx<'static>);

impl Zstd {
    fn new() -> Self {
        let mut compressor = zstd_safe::CCtx::create();
        compressor.set_parameter(zstd_safe::CParameter::CompressionLevel(1)).unwrap();
        Self(compressor, zstd_safe::DCtx::create())
    }
}

impl Bare for Zstd {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        self.0.compress2(dst, src).unwrap()
    }

    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        self.1.decompress(dst, src).unwrap()
    }
}

struct Lz4Block;

impl Bare for Lz4Block {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        // SAFETY: pointers and lengths of the two slices.
        let written = unsafe {
            lz4_sys::LZ4_compress_default(
                src.as_ptr().cast(),
                dst.as_mut_ptr().cast(),
                c_int::try_from(src.len()).unwrap(),
                c_int::try_from(dst.len()).unwrap(),
            )
        };
        usize::try_from(written).unwrap()
    }

    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        // SAFETY: pointers and lengths of the two slices.
        let written = unsafe {
            lz4_sys::LZ4_decompress_safe(
                src.as_ptr().cast(),
                dst.as_mut_ptr().cast(),
                c_int::try_from(src.len()).unwrap(),
                c_int::try_from(dst.len()).unwrap(),
            )
        };
        usize::try_from(written).unwrap()
    }
}

struct SnappyBlock(snap::raw::Encoder);

impl Bare for SnappyBlock {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        self.0.compress(src, dst).unwrap()
    }

    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        snap::raw::Decoder::new().decompress(src, dst).unwrap()
    }
}

/// Block after block, each behind its length, with the checksums that the frame would have.
struct SnappyChunks(snap::raw::Encoder);

impl Bare for SnappyChunks {
    fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        let mut end = 0;
        for chunk in src.chunks(1 << 16) {
            let crc = crc32c::crc32c(chunk);
            let len = self.0.compress(chunk, &mut dst[end + 8..]).unwrap();
            dst[end..end + 4].copy_from_slice(&u32::try_from(len).unwrap().to_le_bytes());
            dst[end + 4..end + 8].copy_from_slice(&crc.to_le_bytes());
            end += 8 + len;
        }
        end
    }

    fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> usize {
        let (mut rest, mut end) = (src, 0);
        while let Some((header, after)) = rest.split_first_chunk::<8>() {
            let len = u32::from_le_bytes(*header.first_chunk().unwrap()) as usize;
            let (data, after) = after.split_at(len);
            rest = after;
            let len = snap::raw::Decoder::new().decompress(data, &mut dst[end..]).unwrap();
            assert_eq!(&crc32c::crc32c(&dst[end..end + len]).to_le_bytes(), &header[4..]);
            end += len;
        }
        end
    }
}
