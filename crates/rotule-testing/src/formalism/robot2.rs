//! The chains Robot2-i on which Moore (2000) counts temporaries, and the functions that his tables
//! are about.

use super::{example, tree};
use rotule_formalism::{ModelFunction, Tree, generate};
use rotule_program::passes::{Bounds, inline};
use rotule_program::{Block, Program};

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
pub fn robot2(members: usize) -> Tree {
    tree(&example(&format!("seeds/robot2_{members}.toml")))
}

/// The program of a function of a chain.
pub fn program(tree: &Tree, function: &str) -> Program {
    let tip = format!("member{}.tip", tree.mechanism.joints.len());
    let function = ModelFunction::parse(&function.replace("TIP", &tip), tree).expect("a function");
    generate(tree, &function, None).expect("a chain has all of them").program
}

/// The values of a program, and those that are left when every other is written inside its only
/// user, which is Moore's reduction.
pub fn temporaries(program: &Program) -> [usize; 2] {
    let inlined = inline(program, Bounds { size: u32::MAX, depth: u32::MAX });
    let values = || {
        let blocks = [Block::Setup, Block::Body].into_iter();
        blocks.flat_map(|block| program.block(block))
    };
    [values().count(), values().filter(|value| !inlined[value.index()]).count()]
}
