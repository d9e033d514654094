//! libFuzzer entry point of the `stl` target; the logic is in the library.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    rotule_fuzz::record(data);
    rotule_fuzz::stl(data);
});
