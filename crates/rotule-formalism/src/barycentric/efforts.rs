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

#![allow(non_snake_case)] // symbols as in the formulas

use super::gauge::{Purpose, differ, gauged};
use super::parameters::augmented;
use crate::outward::{OutwardOptions, euler, outward_by, uses};
use crate::parts::Given;
use crate::spatial::Wrench;
use crate::tree::{ByNode, PlainWrench};
use crate::writer::Writer;
use rotule_model::index::{BySpeed, SpeedSet};
use rotule_symbolic::{Scalar, Vec3, sum};

/// The efforts that the given parts of the equations of motion need, one per speed.
pub(crate) fn efforts<'g>(writer: Writer<'_, 'g>, given: &Given) -> BySpeed<Scalar<'g>> {
    cheapest(writer, given, None).0
}

/// The efforts for accelerations that are near at hand, and these: known ones are as they are, free
/// ones, which are given as zero, are zero or chosen, whichever is cheaper.
pub(crate) fn reference<'g>(
    writer: Writer<'_, 'g>,
    given: &Given,
    free: &SpeedSet,
) -> (BySpeed<Scalar<'g>>, BySpeed<Scalar<'g>>) {
    cheapest(writer, given, Some(free))
}

/// Efforts and accelerations, written in all ways that may be the cheapest.
fn cheapest<'g>(
    writer: Writer<'_, 'g>,
    given: &Given,
    free: Option<&SpeedSet>,
) -> (BySpeed<Scalar<'g>>, BySpeed<Scalar<'g>>) {
    let writer = Writer { motion: &given.motion, ..writer };
    let transformations = writer.strategy.transformations;
    let several = writer.tree.nodes.len() <= TRY_ALL;
    let columns = transformations.columns && several;
    let chosen = free.filter(|_| transformations.reference && several);
    let mut places = vec![Purpose::Motion];
    places.extend((several && differ(writer, &given.wrenches)).then_some(Purpose::Meeting));
    let mut best: Option<(u64, BySpeed<Scalar<'g>>, BySpeed<Scalar<'g>>)> = None;
    for (number, place) in places.into_iter().enumerate() {
        let (tree, wrenches) = gauged(writer, given.wrenches.clone(), place);
        let writer = Writer { tree: &tree, ..writer };
        let uses = uses(&tree, augmented(writer, true).iter().map(|body| body.b));
        let mut ways = Vec::new();
        ways.extend(
            chosen.map(|free| OutwardOptions { columns: true, chosen: Some((&uses, free)) }),
        );
        let plain = columns && (number == 0 || chosen.is_none());
        ways.extend(plain.then_some(OutwardOptions { columns, chosen: None }));
        ways.extend((number == 0).then_some(OutwardOptions::PLAIN));
        for way in ways {
            let mut qdd = writer.qdd();
            let efforts = recursion(writer, &mut qdd, &wrenches, way);
            let found = if free.is_some() { qdd.as_slice() } else { &[] };
            let mut count = writer.operations(efforts.iter().chain(found).copied());
            let chosen = free.into_iter().flat_map(SpeedSet::iter);
            count += chosen.filter(|&at| !qdd[at].is_zero()).count() as u64;
            if best.as_ref().is_none_or(|best| count < best.0) {
                best = Some((count, efforts, qdd));
            }
        }
    }
    best.map_or_else(Default::default, |best| (best.1, best.2))
}

/// Trees with more nodes are written in one way only, to save time.
const TRY_ALL: usize = 200;

fn recursion<'g>(
    writer: Writer<'_, 'g>,
    qdd: &mut BySpeed<Scalar<'g>>,
    wrenches: &ByNode<PlainWrench>,
    way: OutwardOptions<'_>,
) -> BySpeed<Scalar<'g>> {
    let bodies = augmented(writer, true);
    let k = outward_by(writer, qdd, way);
    let mut Q = writer.by_speed(Scalar::ZERO);
    // G' and the rest of the torque that children hand on.
    let mut passed = writer.tree.by_node((Vec3::ZERO, Vec3::ZERO));
    for i in writer.tree.inward() {
        let (own, body, node) = (&k[i], bodies[i], &writer.tree.nodes[i]);
        let (applied, r) = (Wrench::of(wrenches[i], writer), writer.scalar(node.armature));
        let G = sum([own.beta * body.b, passed[i].0, -applied.force]);
        let G = writer.name("Fb", i, G);
        let L = sum([
            body.b.cross(own.alpha),
            euler(body.K, body.flat, own),
            passed[i].1,
            -applied.torque,
        ]);
        let L = writer.name("L", i, L);
        let columns = writer.columns(i);
        // The force is needed where the joint slides.
        let slides = columns.iter().any(|column| !column.psi.is_zero());
        let F = if slides { body.m * own.alpha + G } else { Vec3::ZERO };
        for column in columns {
            let s = column.speed;
            Q[s] = column.phi.dot(L) + column.psi.dot(F) + r * qdd[s];
        }
        let (parent, outer) = (node.parent, &k[node.parent]);
        let d = writer.vector(node.fixed_side().position);
        let z = own.d - d;
        let G = own.R * (G + body.m * own.own);
        let mz = body.m * z;
        let G = G + outer.beta * mz;
        let at_anchor = outer.alpha + outer.beta * d;
        let torque = [passed[parent].1, own.R * L, own.d.cross(G), mz.cross(at_anchor)];
        passed[parent] = (passed[parent].0 + G, sum(torque));
    }
    Q
}
