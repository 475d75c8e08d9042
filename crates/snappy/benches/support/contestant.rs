//! Implementations of the format, each as its users call it.
#![expect(unsafe_code, reason = "a library in C++ by its interface for C")]

use std::ffi::{CStr, c_char, c_int};
use std::ptr;
use std::time::Instant;

use thinwire_snappy::safe::{
    Compressor as SafeCompressor, decompress_into as safe_decompress_into,
};
use thinwire_snappy::{Compressor, decompress_into};

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
trait Library {
    const NAME: &'static str;
    fn compress(&mut self, src: &[u8]) -> usize;
    fn decompress(&mut self, src: &[u8]) -> usize;
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

/// Ours first.
pub(crate) fn contestants(decode: bool, inputs: &[Vec<Vec<u8>>]) -> Vec<Box<dyn Contestant>> {
    let mut all: Vec<Box<dyn Contestant>> = vec![
        Box::new(Ours { compressor: Compressor::new(), room: Vec::with_capacity(ROOM) }),
        Box::new(Snap { encoder: snap::raw::Encoder::new(), room: vec![0; ROOM] }),
        Box::new(Safe { compressor: SafeCompressor::new(), room: Vec::with_capacity(ROOM) }),
    ];
    match Cpp::load() {
        Some(cpp) => all.push(Box::new(cpp)),
        None => println!("no libsnappy.so.1: C++ is left out"),
    }
    if let Some(go) = Go::start(decode, inputs) {
        all.push(Box::new(go));
    }
    all
}

const ROOM: usize = 4 << 20;

struct Ours {
    compressor: Compressor,
    room: Vec<u8>,
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
}

struct Safe {
    compressor: SafeCompressor,
    room: Vec<u8>,
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
}

struct Snap {
    encoder: snap::raw::Encoder,
    room: Vec<u8>,
}

impl Library for Snap {
    const NAME: &'static str = "snap";

    fn compress(&mut self, src: &[u8]) -> usize {
        self.encoder.compress(src, &mut self.room).unwrap()
    }

    fn decompress(&mut self, src: &[u8]) -> usize {
        snap::raw::Decoder::new().decompress(src, &mut self.room).unwrap()
    }
}

/// Found when it runs, so that nothing here needs it to be built.
struct Cpp {
    compress: Call,
    uncompress: Call,
    room: Vec<u8>,
}

type Call = unsafe extern "C" fn(*const c_char, usize, *mut c_char, *mut usize) -> c_int;

impl Cpp {
    fn load() -> Option<Self> {
        // SAFETY: a name that ends in a zero.
        let library = unsafe { libc::dlopen(c"libsnappy.so.1".as_ptr(), libc::RTLD_NOW) };
        if library.is_null() {
            return None;
        }
        let find = |name: &CStr| {
            // SAFETY: the library is there, and stays.
            let place = unsafe { libc::dlsym(library, name.as_ptr()) };
            // SAFETY: both functions have this type, in snappy-c.h.
            (!place.is_null())
                .then(|| unsafe { std::mem::transmute::<*mut libc::c_void, Call>(place) })
        };
        Some(Self {
            compress: find(c"snappy_compress")?,
            uncompress: find(c"snappy_uncompress")?,
            room: vec![0; ROOM],
        })
    }

    fn call(&mut self, call: Call, src: &[u8]) -> usize {
        let mut len = self.room.len();
        // SAFETY: pointers and lengths of the two.
        let status = unsafe {
            call(
                src.as_ptr().cast(),
                src.len(),
                self.room.as_mut_ptr().cast(),
                ptr::from_mut(&mut len),
            )
        };
        assert_eq!(status, 0);
        len
    }
}

impl Library for Cpp {
    const NAME: &'static str = "C++";

    fn compress(&mut self, src: &[u8]) -> usize {
        self.call(self.compress, src)
    }

    fn decompress(&mut self, src: &[u8]) -> usize {
        self.call(self.uncompress, src)
    }
}
