//! libFuzzer entry point of the `input` target; the logic is in the library.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    rotule_fuzz::record(data);
    rotule_fuzz::input(data);
});
