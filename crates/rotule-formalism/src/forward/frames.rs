//! The axes in which articulated bodies are written.
//!
//! Turning the blocks of an articulated inertia is costly, turning a body's few constants is cheap.
//! Where turns about parallel axes follow each other, all nodes but the last are written in the
//! axes of the first joint's fixed side: the blocks of the last are rotated once, by the sum of the
//! angles, and nothing is rotated between the others.
//!
//! With `F` the fixed rotations on the way, which keep the axis, the turns commute into one:
//! `E_1 P_2 E_2 P_3 E_3 = E(sum of angles) F` with `F = P_2 P_3`.

#![allow(non_snake_case)] // symbols as in the formulas

use crate::outward::parallel;
use crate::tree::{ByNode, ElementaryMotion, NodeId, NodeSet};
use crate::writer::Writer;
use rotule_symbolic::{Mat3, Scalar, Vec3};

/// The axes of a node's articulated body.
pub(crate) struct Axes<'g> {
    /// From the node's own components to these, as rotations in turn; none if they are the same.
    pub own: Vec<Mat3<'g>>,
    /// From these components to the parent's, as rotations in turn.
    pub towards: Vec<Mat3<'g>>,
    /// From the parent's origin to the node's, in the parent's components.
    pub d: Vec3<'g>,
    /// The joint's motion in these components.
    pub motion: ElementaryMotion,
}

/// Turns about parallel axes up to a node.
#[derive(Clone, Copy)]
struct Run<'g> {
    /// The axis on the first joint's fixed side.
    axis: usize,
    /// The sum of the angles.
    angle: Scalar<'g>,
    /// Fixed rotations on the way, from the node's components.
    F: Mat3<'g>,
}

impl<'g> Run<'g> {
    /// The rotations of the whole run, in turn.
    fn whole(&self) -> Vec<Mat3<'g>> {
        vec![self.F, Mat3::rotation(Vec3::unit(self.axis), self.angle)]
    }
}

/// The axes of all nodes. Unless they are to be `held`, all have their own.
pub(crate) fn axes<'g>(writer: Writer<'_, 'g>, hold: bool) -> ByNode<Axes<'g>> {
    let tree = writer.tree;
    // Whether all that a node carries turns about its axis; other children would have to be rotated
    // one by one.
    let (mut continued, mut forked) = (NodeSet::new(), NodeSet::new());
    for node in tree.outward() {
        let goes_on = hold && parallel(tree, node);
        let set = if goes_on { &mut continued } else { &mut forked };
        set.insert(tree.nodes[node].parent);
    }
    for node in forked.iter() {
        continued.remove(node);
    }
    let ground = Axes {
        own: Vec::new(),
        towards: Vec::new(),
        d: Vec3::ZERO,
        motion: ElementaryMotion::Ground,
    };
    let (mut all, mut runs) = (ByNode::from(vec![ground]), ByNode::from(vec![None]));
    for node in tree.outward() {
        let parent = tree.nodes[node].parent;
        let follows = continued.contains(parent) && parallel(tree, node);
        let (R, z) = writer.displacement(node);
        let run = run(writer, node, if follows { runs[parent] } else { None });
        let motion = tree.nodes[node].motion;
        let (fixed, anchor) = writer.anchored(node);
        let d = rotated(anchor + fixed * z, &all[parent].own);
        let mut towards = Vec::new();
        if !continued.contains(node) {
            towards.extend(match run {
                Some(run) if follows => run.whole(),
                _ => vec![R],
            });
        }
        if !follows {
            towards.push(fixed);
            towards.extend(&all[parent].own);
        }
        let (own, motion) = match run {
            Some(run) if continued.contains(node) => (run.whole(), held(motion, &run)),
            _ => (Vec::new(), motion),
        };
        let moves = |list: Vec<Mat3<'g>>| -> Vec<Mat3<'g>> {
            list.into_iter().filter(|rotation| *rotation != Mat3::IDENTITY).collect()
        };
        all.push(Axes { own: moves(own), towards: moves(towards), d, motion });
        runs.push(run);
    }
    all
}

/// The run that ends with a turning node, given that of its parent if it goes on.
fn run<'g>(writer: Writer<'_, 'g>, node: NodeId, before: Option<Run<'g>>) -> Option<Run<'g>> {
    let one = &writer.tree.nodes[node];
    let (axis, reversed) = one.motion.turn()?;
    let q = writer.scalar(writer.motion.q[one.coordinate]).negated_if(reversed);
    let q = q + writer.scalar(one.offset);
    let Some(before) = before else {
        return Some(Run { axis, angle: q, F: Mat3::IDENTITY });
    };
    let F = before.F * writer.anchored(node).0;
    let against = F[before.axis][axis] != Scalar::ONE;
    Some(Run { axis: before.axis, angle: before.angle + q.negated_if(against), F })
}

/// A turn as the first joint's fixed side sees it.
fn held(motion: ElementaryMotion, run: &Run<'_>) -> ElementaryMotion {
    let Some((axis, reversed)) = motion.turn() else { return motion };
    let against = run.F[run.axis][axis] != Scalar::ONE;
    ElementaryMotion::Revolute { axis: run.axis, reversed: reversed != against }
}

/// A vector after rotations in turn.
pub(crate) fn rotated<'g>(vector: Vec3<'g>, rotations: &[Mat3<'g>]) -> Vec3<'g> {
    rotations.iter().fold(vector, |vector, &R| R * vector)
}

/// A vector before rotations in turn.
pub(crate) fn returned<'g>(vector: Vec3<'g>, rotations: &[Mat3<'g>]) -> Vec3<'g> {
    rotations.iter().rev().fold(vector, |vector, R| R.transpose() * vector)
}
