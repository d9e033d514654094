//! Rows of constraints against derivatives of their residuals along the motion, which the graph
//! takes on its own.

use rotule_formalism::Tree;
use rotule_formalism::constraint::{Constraints, Row, constraints};
use rotule_symbolic::Expr;
use rotule_testing::formalism::{agree, along_motion, evaluated, example, state, tree};

/// Models with every kind of cut, in the plane and in space; and couplings.
const MODELS: [&str; 13] = [
    "whipple_bicycle",
    "four_bar_body",
    "four_bar_joint",
    "four_bar_rod",
    "slider_crank",
    "spatial_slider_crank",
    "andrews_squeezer",
    "five_bar",
    "delta_robot",
    "stewart_platform",
    "multilink_car",
    "ba2000_bogie",
    "planar_robot_3",
];

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

fn chains(cut: &str) -> String {
    let mut text = String::from("[model]\nname = \"chains\"\n");
    for (name, x) in [("a", 0.0), ("b", 0.3)] {
        text += &format!(
            "[[body]]\nname = \"{name}1\"\nparent = \"ground\"\nposition = [{x}, 0.1, 0]\n\
             joint = {{ name = \"{name}s\", type = \"spherical\" }}\nmass = 1\ninertia = {{ xx = 1, yy = 1, zz = 1 }}\n\
             [[body]]\nname = \"{name}2\"\nparent = \"{name}1\"\nposition = [0, 0.4, 0.2]\n\
             joint = {{ name = \"{name}r\", type = \"revolute\", axis = [0.8, 0.6, 0] }}\nmass = 1\n\
             inertia = {{ xx = 1, yy = 1, zz = 1 }}\n"
        );
    }
    text + &format!("[[cut]]\nname = \"closure\"\nbetween = [\"a2\", \"b2\"]\n{cut}\n")
}

/// Returns `true` if a row's Jacobian is the derivative of its residual everywhere, not only where
/// it is closed.
fn exact(row: &Row) -> bool {
    !["rx", "ry", "rz", "screw"].iter().any(|end| row.name.contains(&format!(" {end}")))
}

/// `J v + rest`, written out.
fn applied(tree: &mut Tree, row: &Row, v: &[Expr], rest: Expr) -> Expr {
    let graph = &mut tree.mechanism.graph;
    let mut terms = vec![rest];
    for &(column, value) in &row.entries {
        terms.push(graph.mul(value, v[column]));
    }
    graph.sum(&terms)
}

fn check(label: &str, tree: &mut Tree) -> Constraints {
    let all = constraints(tree).expect(label);
    let (qd, qdd) = (tree.qd.clone(), tree.qdd.clone());
    for row in all.rows.iter().filter(|row| exact(row)) {
        let velocity = applied(tree, row, &qd, row.explicit);
        let acceleration = applied(tree, row, &qdd, row.rate);
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
    for name in MODELS {
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
