//! Singular positions (Morette, chapter 5): another choice of independent coordinates goes through them.

mod common;

use common::{example, motion, plant};
use rotule_simulate::methods::fixed::{Fixed, RK4};
use rotule_simulate::ode::Ode;
use rotule_simulate::run::{End, Threshold};

#[test]
fn a_slider_crank_with_the_piston_independent_passes_both_alignments() {
    let text = example("slider_crank.toml").replace(
        "joint = { name = \"q3\", type = \"prismatic\", axis = \"x\" }",
        "joint = { name = \"q3\", type = \"prismatic\", axis = \"x\", partition = \"independent\" }",
    );
    let mut plant = plant(&text);
    assert_eq!(plant.independent(), ["q3"]);
    let mut method = Fixed::new(&RK4, 1e-4, plant.size());
    let (outcome, kept) = motion(&mut plant, &mut method, 2.0, 0.01, Threshold::AUTOMATIC);
    println!("{outcome:?}");
    assert_eq!(outcome.end, End::Reached);
    assert_eq!(kept.times.len(), 201);
    assert_eq!(outcome.switches.len(), 1);
}
