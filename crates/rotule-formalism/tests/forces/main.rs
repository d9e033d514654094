//! Forces inside the equations: links, wheels, forces at places.

mod run;

use run::*;

#[test]
fn look() {
    let mut tree = model(&example("motorcycle.toml"));
    let p = program(&mut tree, "link(shock_absorber)");
    println!("{p}");
    let p = program(&mut tree, "wheel(rear_tyre)");
    println!("{}", p);
    let state = initial_state(&tree);
    println!("{:?}", run(&p, &state));
    let p = program(&mut tree, "forces");
    println!("{}", rotule_program::Counts::of(&p));
    println!("{:?}", run(&p, &state));
    println!("{:?}", get(&mut tree, "inverse", "effort", &state));
}
