//! Linkages with closed forms, driven at 100 rad/s over 1000 turns with the default method and
//! tolerances: the end is right to 1e-6 of the loop's size in positions, speeds and accelerations,
//! and no sample, at a step or between steps, is on another branch. `cargo xtask bench linkages`
//! prints all variants.

use rotule_simulate::method::Accuracy;
use rotule_testing::simulate::linkage::linkages;
use rotule_testing::simulate::loops::{GOLDEN, Setup, Wrong};
use std::f64::consts::TAU;

const OMEGA: f64 = 100.0;

/// Errors of the end and of all samples, in parts of the loop's size.
const BOUND: f64 = 1e-6;

#[test]
fn driven_linkages_follow_their_closed_forms_for_a_thousand_turns() {
    let mut wrong = Wrong::default();
    for linkage in linkages().iter().filter(|one| one.ordinary) {
        let found = linkage.follow(OMEGA, 1000.0);
        let row = found.row(&linkage.name);
        println!("{row}");
        wrong.unless(found.within(BOUND), row);
    }
    wrong.none();
}

#[test]
fn every_variant_follows_its_closed_form_for_some_turns() {
    let mut wrong = Wrong::default();
    for linkage in linkages() {
        let found = linkage.follow(OMEGA, 5.0);
        let row = found.row(&linkage.name);
        println!("{row}");
        wrong.unless(found.within(BOUND), row);
    }
    wrong.none();
}

#[test]
fn closed_forms_hold_at_small_fixed_steps() {
    // At steps so small that predictions are near, the present position is the closed one: a row
    // that fails here has a wrong formula or a wrong model.
    let mut wrong = Wrong::default();
    let turn = TAU / OMEGA;
    for linkage in linkages() {
        let fine = Setup::new(1.3 * turn, 0.1 * GOLDEN * turn);
        let found = linkage.follow_with(OMEGA, fine.by("rk4", Accuracy::Fixed(1e-3 * turn)));
        let row = found.row(&linkage.name);
        println!("{row}");
        wrong.unless(found.within(BOUND), row);
    }
    wrong.none();
}
