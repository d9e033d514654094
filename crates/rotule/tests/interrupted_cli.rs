//! A part of the campaign of interrupted runs; `cargo xtask campaign interrupted` runs all of it.
#![cfg(unix)]

#[allow(dead_code, reason = "the campaign uses a part, this test another")]
mod interrupted;

use interrupted::{Arena, BLOWS, Kind, Verdict};
use std::path::Path;

#[test]
fn what_was_flushed_survives_any_signal_at_any_moment() {
    let arena = Arena::new(Path::new(env!("CARGO_BIN_EXE_rotule")));
    let mut kept = 0;
    for kind in Kind::ALL {
        for blow in BLOWS {
            for seed in 0..4 {
                let report = arena.strike(kind, blow, seed);
                assert!(!matches!(report.verdict, Verdict::Wrong(_)), "{report}");
                kept += usize::from(matches!(report.verdict, Verdict::Kept(_)));
            }
        }
    }
    assert!(kept >= 20, "{kept} of 48 runs were struck while they wrote");
}
