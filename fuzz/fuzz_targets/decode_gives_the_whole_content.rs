#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| thinwire_fuzz::decode_gives_the_whole_content(bytes));
