//! Inverse dynamics with augmented bodies. After the outward pass, with `m`, `b`, `K` of the
//! augmented body, `d` the anchor and `z` the displacement of a child, and `a` the acceleration
//! that its slide makes:
//!
//! ```text
//! G = beta b + sum G'_j                             F = m alpha + G
//! L = b x alpha + K wd + w x K w + sum (R_j L_j + (d + z) x G'_j + m_j z x (alpha + beta d))
//! G'_j = R_j (G_j + m_j a_j) + m_j beta z
//! ```
//!
//! The weight and inertia force of a child's mass at its anchor are in `b` and `K` already; only
//! what the slide adds remains.

use super::gauge::{Purpose, differ, gauged};
use super::parameters::augmented;
use crate::outward::{OutwardOptions, euler, outward_by, uses};
use crate::parts::{Given, Parts};
use crate::tree::{ElementaryMotion, Tree, Wrench};
use rotule_symbolic::{Expr, Vector};

/// The efforts that the chosen parts of the equations of motion need, one per speed.
pub fn efforts(tree: &mut Tree, parts: Parts) -> Vec<Expr> {
    let given = parts.of(tree);
    cheapest(tree, given, None).0
}

/// The efforts for accelerations that are near at hand, and these: known ones are as they are, free
/// ones zero or chosen, whichever is cheaper.
pub(crate) fn reference(tree: &mut Tree, free: &[bool]) -> (Vec<Expr>, Vec<Expr>) {
    let mut given = Parts::ALL.of(tree);
    for (value, _) in given.qdd.iter_mut().zip(free).filter(|(_, free)| **free) {
        *value = Expr::ZERO;
    }
    cheapest(tree, given, Some(free))
}

/// Efforts and accelerations, written in all ways that may be the cheapest.
fn cheapest(tree: &mut Tree, given: Given, free: Option<&[bool]>) -> (Vec<Expr>, Vec<Expr>) {
    let Given { qd, qdd, gravity, wrenches } = given;
    let several = tree.nodes.len() <= TRY_ALL;
    let (columns, reference) =
        (tree.transformations.columns && several, tree.transformations.reference && several);
    let chosen = free.filter(|_| reference);
    let mut places = vec![Purpose::Motion];
    places.extend((several && differ(tree, &wrenches)).then_some(Purpose::Meeting));
    let mut best: Option<(u64, Vec<Expr>, Vec<Expr>)> = None;
    for (number, place) in places.into_iter().enumerate() {
        gauged(tree, wrenches.clone(), place, |tree, wrenches| {
            let gravity = gravity.scale(tree.unit, &mut tree.mechanism.graph);
            let moments: Vec<Vector> =
                augmented(tree, true).iter().map(|body| body.moment).collect();
            let uses = uses(tree, &moments);
            let mut ways = Vec::new();
            ways.extend(
                chosen.map(|free| OutwardOptions { columns: true, chosen: Some((&uses, free)) }),
            );
            let plain = columns && (number == 0 || chosen.is_none());
            ways.extend(plain.then_some(OutwardOptions { columns, chosen: None }));
            ways.extend((number == 0).then_some(OutwardOptions::PLAIN));
            for way in ways {
                let mut qdd = qdd.clone();
                let efforts = recursion(tree, &qd, &mut qdd, gravity, wrenches, way);
                let all =
                    if free.is_some() { [&efforts[..], &qdd].concat() } else { efforts.clone() };
                let mut count = tree.mechanism.graph.evaluation_counts(&all).total();
                for (&value, _) in qdd.iter().zip(free.unwrap_or_default()).filter(|one| *one.1) {
                    count += u64::from(value != Expr::ZERO);
                }
                if best.as_ref().is_none_or(|best| count < best.0) {
                    best = Some((count, efforts, qdd));
                }
            }
        });
    }
    best.map_or_else(Default::default, |best| (best.1, best.2))
}

/// Trees with more nodes are written in one way only, to save time.
const TRY_ALL: usize = 200;

fn recursion(
    tree: &mut Tree,
    qd: &[Expr],
    qdd: &mut [Expr],
    gravity: Vector,
    wrenches: &[Wrench],
    way: OutwardOptions<'_>,
) -> Vec<Expr> {
    let bodies = augmented(tree, true);
    let outward = outward_by(tree, qd, qdd, gravity, way);
    let mut efforts = vec![Expr::ZERO; qd.len()];
    let mut passed = vec![(Vector::ZERO, Vector::ZERO); tree.nodes.len()];
    for node in (1..tree.nodes.len()).rev() {
        let (own, body, applied) = (&outward[node], bodies[node], wrenches[node]);
        let name = tree.nodes[node].name.clone();
        let graph = &mut tree.mechanism.graph;
        let spun = own.beta.apply(body.moment, graph);
        let rest = Vector::sum(&[spun, passed[node].0, -applied.force], graph)
            .name(&format!("Fb[{name}]"), graph);
        let torque = Vector::sum(
            &[
                body.moment.cross(own.alpha, graph),
                euler(body.inertia, body.flat, own, graph),
                passed[node].1,
                -applied.torque,
            ],
            graph,
        )
        .name(&format!("L[{name}]"), graph);
        // The force is needed where the joint slides.
        let force = match tree.nodes[node].motion {
            ElementaryMotion::Revolute { .. }
            | ElementaryMotion::Spherical
            | ElementaryMotion::Ground => Vector::ZERO,
            ElementaryMotion::Prismatic { .. }
            | ElementaryMotion::Helical { .. }
            | ElementaryMotion::Free => own.alpha.scale(body.mass, graph).add(rest, graph),
        };
        let speed = tree.nodes[node].speed;
        let armature = tree.nodes[node].armature;
        for (at, effort) in tree.project(node, force, torque).into_iter().enumerate() {
            let drive = tree.mechanism.graph.mul(armature, qdd[speed + at]);
            efforts[speed + at] = tree.mechanism.graph.add(effort, drive);
        }
        let (parent, anchor) = (tree.nodes[node].parent, tree.nodes[node].placement.position);
        let graph = &mut tree.mechanism.graph;
        let slide = own.arm.sub(anchor, graph);
        let pushed = own.own.scale(body.mass, graph);
        let rest = own.rotation.apply(rest.add(pushed, graph), graph);
        let heavy = slide.scale(body.mass, graph);
        let outer = &outward[parent];
        let moved = outer.beta.apply(heavy, graph);
        let rest = rest.add(moved, graph);
        let at_anchor = outer.beta.apply(anchor, graph);
        let at_anchor = outer.alpha.add(at_anchor, graph);
        let parts = [
            passed[parent].1,
            own.rotation.apply(torque, graph),
            own.arm.cross(rest, graph),
            heavy.cross(at_anchor, graph),
        ];
        passed[parent].0 = passed[parent].0.add(rest, graph);
        passed[parent].1 = Vector::sum(&parts, graph);
    }
    efforts
}
