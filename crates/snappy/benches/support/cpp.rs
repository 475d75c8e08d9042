//! google/snappy, as the system has it.
#![expect(unsafe_code, reason = "a library in C++ by its interface for C")]

use std::ffi::{CStr, c_char, c_int};
use std::ptr;

use super::contestant::{Library, ROOM};

/// Found when it runs, so that nothing here needs it to be built.
pub(crate) struct Cpp {
    compress: Call,
    uncompress: Call,
    room: Vec<u8>,
}

type Call = unsafe extern "C" fn(*const c_char, usize, *mut c_char, *mut usize) -> c_int;

impl Cpp {
    /// Returns it, or why it is not there.
    pub(crate) fn load() -> Result<Self, String> {
        // SAFETY: a name that ends in a zero.
        let library = unsafe { libc::dlopen(c"libsnappy.so.1".as_ptr(), libc::RTLD_NOW) };
        if library.is_null() {
            return Err("C++: there is no libsnappy.so.1 (Debian: libsnappy1v5)".to_owned());
        }
        let find = |name: &CStr| {
            // SAFETY: the library is there, and stays.
            let place = unsafe { libc::dlsym(library, name.as_ptr()) };
            // SAFETY: both functions have this type, in snappy-c.h.
            (!place.is_null())
                .then(|| unsafe { std::mem::transmute::<*mut libc::c_void, Call>(place) })
                .ok_or_else(|| format!("C++: libsnappy.so.1 has no {}", name.to_string_lossy()))
        };
        Ok(Self {
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

    fn room(&self) -> &[u8] {
        &self.room
    }
}
