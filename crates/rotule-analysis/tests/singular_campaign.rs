//! A part of the campaign of singular positions; `cargo xtask campaign singular` runs all of it.

#[path = "common/singular_campaign.rs"]
mod campaign;

use campaign::{Spoiled, Tally};

#[test]
fn singular_positions_of_random_mechanisms_lose_rank_in_plain_kinematics() {
    let tally = Tally::of(0..120, Spoiled::Nothing);
    println!("{tally}");
    assert!(tally.is_good(), "{tally}");
    assert!(tally.counts[0] >= 70, "{tally}");
}

/// Poses beside singular ones, and poses that are left out, are noticed.
#[test]
fn wrong_poses_are_noticed() {
    for spoiled in [Spoiled::Moved, Spoiled::LeftOut] {
        let tally = Tally::of([11, 13, 41, 43, 71, 73].into_iter(), spoiled);
        assert!(tally.counts[2] >= 2, "{spoiled:?}: {tally}");
    }
}
