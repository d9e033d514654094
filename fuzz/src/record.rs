//! A copy of the input being tried, on disk.
//!
//! libFuzzer saves the input of a panic, but a stack overflow kills the process before it can. So
//! the binaries write every input to the file that `ROTULE_FUZZ_CURRENT` names, if it is set,
//! before they try it: a few microseconds each, and no finding is lost.

use std::fs::File;
use std::io::{Seek, Write};
use std::sync::OnceLock;

static CURRENT: OnceLock<Option<File>> = OnceLock::new();

/// Writes the input over the one before it.
pub fn record(data: &[u8]) {
    let open = || File::create(std::env::var_os("ROTULE_FUZZ_CURRENT")?).ok();
    let Some(mut file) = CURRENT.get_or_init(open).as_ref() else { return };
    // A full disk must not stop the fuzzer: the copy is a convenience.
    let _ = file
        .rewind()
        .and_then(|()| file.write_all(data))
        .and_then(|()| file.set_len(data.len() as u64));
}
