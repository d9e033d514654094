//! The chains Robot2-i on which Moore (2000) counts temporaries, and the functions that his tables
//! are about.

use super::{example, tree};
use rotule_formalism::{ModelFunction, MultibodySystem};
use rotule_numeric::{generate, generate_group};
use rotule_program::Program;
use rotule_program::passes::{Bounds, inline};

/// Moore's tables 3.1 to 3.4 for Robot2-i: i, temporaries before and after the reduction, and
/// seconds for everything, for the linearisation and for the reduction, all by SYMOFROS 4.0.
pub const MOORE: [(usize, [usize; 2], [f64; 3]); 5] = [
    (2, [2386, 526], [25.6, 5.0, 4.6]),
    (3, [5839, 1171], [51.5, 14.3, 16.3]),
    (4, [9815, 1969], [86.2, 26.4, 34.1]),
    (5, [15192, 3030], [152.6, 46.5, 74.3]),
    (6, [25889, 5262], [363.6, 99.0, 225.4]),
];

/// Moore's functions of a chain: kinematics of the tip, energies, weights, dynamics, and the
/// linearised dynamics, which stand last.
pub const FUNCTIONS: [&str; 7] = [
    "kinematics(TIP)",
    "jacobian(TIP)",
    "kinetic_energy",
    "potential_energy",
    "gravity",
    "mass_bias",
    "tangent",
];

/// A chain of so many members.
pub fn robot2(members: usize) -> MultibodySystem {
    tree(&example(&format!("seeds/robot2_{members}.toml")))
}

/// A function of a chain.
fn function(tree: &MultibodySystem, function: &str) -> ModelFunction {
    let tip = format!("member{}.tip", tree.mechanism.joints.len());
    ModelFunction::parse(&function.replace("TIP", &tip), tree).expect("a function")
}

/// The program of a function of a chain.
pub fn program(tree: &MultibodySystem, name: &str) -> Program {
    generate(tree, &function(tree, name), None).expect("a chain has all of them").program
}

/// The program of all functions of a chain, which share what they can, as in Moore's one table.
pub fn together(tree: &MultibodySystem) -> Program {
    let functions = FUNCTIONS.map(|name| function(tree, name));
    let written = generate_group(tree, &functions, None).expect("a chain has all of them");
    written.part(&(0..functions.len()).collect::<Vec<usize>>()).0
}

/// The values of a program, and those that are left when every other is written inside its only
/// user, which is Moore's reduction.
pub fn temporaries(program: &Program) -> [usize; 2] {
    let inlined = inline(program, Bounds { size: u32::MAX, depth: u32::MAX });
    let values = || program.stages().flat_map(|(_, stage)| stage);
    [values().count(), values().filter(|value| !inlined[value.index()]).count()]
}
