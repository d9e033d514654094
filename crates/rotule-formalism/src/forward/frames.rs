//! The axes in which articulated bodies are written.
//!
//! Turning the blocks of an articulated inertia is costly, turning a body's few constants is cheap.
//! Where turns about parallel axes follow each other, all nodes but the last are written in the
//! axes of the first joint's fixed side: the blocks of the last are turned once, by the sum of the
//! angles, and nothing is turned between the others.
//!
//! With `F` the fixed rotations on the way, which keep the axis, the turns commute into one:
//! `E_1 P_2 E_2 P_3 E_3 = E(sum of angles) F` with `F = P_2 P_3`.

use crate::outward::parallel;
use crate::tree::{ElementaryMotion, Tree};
use rotule_symbolic::{Expr, Graph, Matrix, Vector};

/// The axes of a node's articulated body.
pub struct Axes {
    /// From the node's own components to these, as rotations in turn; none if they are the same.
    pub own: Vec<Matrix>,
    /// From these components to the parent's, as rotations in turn.
    pub towards: Vec<Matrix>,
    /// From the parent's origin to the node's, in the parent's components.
    pub arm: Vector,
    /// The joint's motion in these components.
    pub motion: ElementaryMotion,
}

/// Turns about parallel axes up to a node.
#[derive(Clone, Copy)]
struct Run {
    /// The axis on the first joint's fixed side.
    axis: usize,
    /// The sum of the angles.
    angle: Expr,
    /// Fixed rotations on the way, from the node's components.
    fixed: Matrix,
}

/// The axes of all nodes. Unless they are to be `held`, all have their own.
pub fn axes(tree: &mut Tree, hold: bool) -> Vec<Axes> {
    let count = tree.nodes.len();
    // Whether all that a node carries turns about its axis; other children would have to be turned
    // one by one.
    let (mut continued, mut forked) = (vec![false; count], vec![false; count]);
    for node in 1..count {
        let goes_on = hold && parallel(tree, node);
        let list = if goes_on { &mut continued } else { &mut forked };
        list[tree.nodes[node].parent] = true;
    }
    continued.iter_mut().zip(forked).for_each(|(continued, forked)| *continued &= !forked);
    let ground = Axes {
        own: Vec::new(),
        towards: Vec::new(),
        arm: Vector::ZERO,
        motion: ElementaryMotion::Ground,
    };
    let (mut all, mut runs) = (vec![ground], vec![None]);
    for node in 1..count {
        let (parent, placement) = (tree.nodes[node].parent, tree.nodes[node].placement);
        let follows = continued[parent] && parallel(tree, node);
        let (turn, slide) = tree.displacement(node);
        let run = run(tree, node, if follows { runs[parent] } else { None });
        let motion = tree.nodes[node].motion;
        let graph = &mut tree.mechanism.graph;
        let slide = placement.rotation.apply(slide, graph);
        let arm = placement.position.add(slide, graph);
        let arm = turned(arm, &all[parent].own, graph);
        let whole = |run: Option<Run>, graph: &mut Graph| match run {
            Some(Run { axis, angle, fixed }) => {
                vec![fixed, Matrix::rotation(Vector::unit(axis), angle, graph)]
            }
            None => vec![turn],
        };
        let mut towards = Vec::new();
        if !continued[node] {
            towards.extend(if follows { whole(run, graph) } else { vec![turn] });
        }
        if !follows {
            towards.push(placement.rotation);
            towards.extend(&all[parent].own);
        }
        let (own, motion) = match run {
            Some(run) if continued[node] => (whole(Some(run), graph), held(motion, &run)),
            _ => (Vec::new(), motion),
        };
        let moves = |list: Vec<Matrix>| -> Vec<Matrix> {
            list.into_iter().filter(|rotation| *rotation != Matrix::IDENTITY).collect()
        };
        all.push(Axes { own: moves(own), towards: moves(towards), arm, motion });
        runs.push(run);
    }
    all
}

/// The run that ends with a turning node, given that of its parent if it goes on.
fn run(tree: &mut Tree, node: usize, before: Option<Run>) -> Option<Run> {
    let ElementaryMotion::Revolute { axis, reversed } = tree.nodes[node].motion else {
        return None;
    };
    let q = tree.q[tree.nodes[node].coordinate];
    let q = if reversed { -q } else { q };
    let q = tree.mechanism.graph.add(q, tree.nodes[node].offset);
    let Some(before) = before else {
        return Some(Run { axis, angle: q, fixed: Matrix::IDENTITY });
    };
    let graph = &mut tree.mechanism.graph;
    let fixed = before.fixed.mul(tree.nodes[node].placement.rotation, graph);
    let against = fixed.0[before.axis][axis] != Expr::ONE;
    let angle = graph.add(before.angle, if against { -q } else { q });
    Some(Run { axis: before.axis, angle, fixed })
}

/// A turn as the first joint's fixed side sees it.
fn held(motion: ElementaryMotion, run: &Run) -> ElementaryMotion {
    match motion {
        ElementaryMotion::Revolute { axis, reversed } => {
            let against = run.fixed.0[run.axis][axis] != Expr::ONE;
            ElementaryMotion::Revolute { axis: run.axis, reversed: reversed != against }
        }
        other => other,
    }
}

/// A vector after rotations in turn.
pub fn turned(vector: Vector, rotations: &[Matrix], graph: &mut Graph) -> Vector {
    rotations.iter().fold(vector, |vector, rotation| rotation.apply(vector, graph))
}

/// A vector before rotations in turn.
pub fn returned(vector: Vector, rotations: &[Matrix], graph: &mut Graph) -> Vector {
    let back = |vector: Vector, rotation: &Matrix| rotation.transpose().apply(vector, graph);
    rotations.iter().rev().fold(vector, back)
}
