#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| thinwire_fuzz::decode_stays_within_limit(bytes));
