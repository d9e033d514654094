//! A part of the campaign of linear models; `cargo xtask campaign linear` runs all of it.

#[path = "common/linear_campaign.rs"]
mod campaign;

#[test]
fn linear_models_of_random_closed_mechanisms_agree_with_two_other_computations() {
    let tally = campaign::Tally::of(0..33);
    assert!(tally.is_good(), "{tally}");
}
