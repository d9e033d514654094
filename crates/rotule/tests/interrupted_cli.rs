//! A part of the campaign of interrupted runs; `cargo xtask campaign interrupted` runs all of it.
#![cfg(unix)]

#[allow(dead_code, reason = "the campaign uses a part, this test another")]
mod interrupted;

use interrupted::{Arena, BLOWS, Kind, Verdict};
use std::path::Path;

#[test]
fn what_was_flushed_survives_any_signal_at_any_moment() {
    let arena = Arena::new(Path::new(env!("CARGO_BIN_EXE_rotule")));
    let (mut kept, mut share) = (0, 0.0);
    for kind in Kind::ALL {
        for blow in BLOWS {
            for seed in 0..4 {
                let report = arena.strike(kind, blow, seed);
                assert!(!matches!(report.verdict, Verdict::Wrong(_)), "{report}");
                if let Verdict::Kept(part) = report.verdict {
                    kept += 1;
                    share += part;
                }
            }
        }
    }
    assert!(kept >= 20, "{kept} of 48 runs were struck while they wrote");
    assert!(share > 0.1 * f64::from(kept), "{share} of {kept}");
}
