//! Parts of the campaigns of modes and equilibria; `cargo xtask campaign modes` and `equilibrium`
//! run all of them.

mod equilibrium;
mod judge;
mod modes;

/// Seeds of modes, three of every family, and of equilibria, two of every family.
const MODES: u64 = 90;
const EQUILIBRIA: u64 = 60;

#[test]
fn modes_of_random_closed_mechanisms_are_those_of_differences() {
    let found = judge::tally(0..MODES, modes::judge_modes);
    println!("{}", found.text);
    assert!(found.is_good(), "{}", found.text);
}

#[test]
fn equilibria_of_random_closed_mechanisms_are_those_of_forward_dynamics() {
    let found = judge::tally(0..EQUILIBRIA, equilibrium::judge_equilibrium);
    println!("{}", found.text);
    assert!(found.is_good(), "{}", found.text);
}
