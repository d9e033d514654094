//! Rows of constraints against derivatives of their residuals along the motion, which the graph
//! takes on its own.

use rotule_formalism::MultibodySystem;
use rotule_formalism::constraint::{Constraints, Row, constraints};
use rotule_symbolic::Expr;
use rotule_testing::formalism::{
    CLOSED, agree, along_motion, chains, evaluated, example, on_sheet, state, tree,
};

/// Models with every kind of cut, in the plane and in space; and couplings.
fn models() -> impl Iterator<Item = &'static str> {
    CLOSED.into_iter().chain(["whipple_bicycle", "multilink_car"])
}

/// One of every cut between two chains that can reach each other in any way.
const CUTS: [&str; 9] = [
    "type = \"body\"",
    "type = \"ball\"",
    "type = \"rod\"\nlength = 0.7",
    "type = \"revolute\"\naxis = [0.6, 0, 0.8]",
    "type = \"prismatic\"\naxis = \"y\"",
    "type = \"cylindrical\"\naxis = \"z\"",
    "type = \"universal\"\naxes = [\"x\", \"y\"]",
    "type = \"planar\"\naxis = \"x\"",
    "type = \"helical\"\naxis = \"z\"\npitch = 0.2",
];

/// Returns `true` if a row's Jacobian is the derivative of its residual everywhere, not only where
/// it is closed.
fn exact(row: &Row) -> bool {
    !["rx", "ry", "rz", "screw"].iter().any(|end| row.name.contains(&format!(" {end}")))
}

/// `J v + rest`, written out.
fn applied(tree: &mut MultibodySystem, row: &Row, v: &[Expr], rest: Expr) -> Expr {
    let graph = &mut tree.mechanism.graph;
    let mut terms = vec![rest];
    for &(column, value) in &row.entries {
        terms.push(graph.mul(value, v[column]));
    }
    graph.sum(&terms)
}

fn check(label: &str, tree: &mut MultibodySystem) -> Constraints {
    let all = on_sheet(tree, constraints).expect(label);
    let (qd, qdd) = (tree.motion.qd.clone(), tree.motion.qdd.clone());
    for row in all.rows.iter().filter(|row| exact(row)) {
        let velocity = applied(tree, row, qd.as_slice(), row.explicit);
        let acceleration = applied(tree, row, qdd.as_slice(), row.rate);
        let first = row.residual.map_or(velocity, |h| along_motion(tree, &[h])[0]);
        let second = along_motion(tree, &[velocity])[0];
        for seed in 1..4 {
            let state = state(tree, seed);
            let found = evaluated(tree, &[velocity, acceleration], &state);
            let expected = evaluated(tree, &[first, second], &state);
            agree(&format!("{label}: {}", row.name), &found, &expected, 1e-11);
        }
    }
    all
}

#[test]
fn rows_of_examples_are_derivatives_of_residuals() {
    for name in models() {
        let all = check(name, &mut tree(&example(&format!("{name}.toml"))));
        assert!(!all.rows.is_empty(), "{name}");
    }
}

#[test]
fn rows_of_every_cut_are_derivatives_of_residuals() {
    for cut in CUTS {
        check(cut, &mut tree(&chains(cut)));
    }
}
