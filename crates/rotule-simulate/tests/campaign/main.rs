//! Campaigns of random mechanisms in the size of the ordinary tests; `cargo xtask campaign` runs them in full size.
//!
//! Old defects put back by hand must be found: what each change below makes wrong or refused in 300 seeds from 0 on.
//! (To be filled in as defects are mended: a row has the change and the counts before and after.)

#[allow(dead_code, reason = "tests use a part, the example of the same name another")]
mod closed;

use closed::tally::Tally;

/// Mechanisms of each run, five of every family.
const COUNT: u64 = 150;
/// Wrong results that are known and not mended yet; to become zero.
const KNOWN_WRONG: usize = 0;
/// Early stops that are known and not mended yet; to become at most 5 % of [`COUNT`].
const KNOWN_REFUSED: usize = 0;

#[test]
fn closed_mechanisms_move_alike_in_two_forms() {
    let seeds: Vec<u64> = (0..COUNT).collect();
    let tally = Tally::new(&seeds, |_| {});
    println!("{}", tally.text());
    assert!(tally.wrong() <= KNOWN_WRONG, "{}", tally.text());
    assert!(tally.refused() <= KNOWN_REFUSED, "{}", tally.text());
}
