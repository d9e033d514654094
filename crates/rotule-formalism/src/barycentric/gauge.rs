//! Frames of nodes, moved to where equations are cheapest.
//!
//! The place of an origin on a turn's axis is free. Where the parent turns, it is put where the own
//! anchor has no component along the axis: axes that meet near the ground then share an origin that
//! never moves, and needs no forces. Elsewhere, after Denavit and Hartenberg, it is put opposite to
//! what the node carries, so that the next anchor has no component along the own axis. Which of the
//! two is cheaper depends on what is written.
//!
//! The direction of the frame of an outermost node is free, too, up to a turn about its axis: it is
//! rotated until the centre of mass is on a frame axis, which costs an addition to the angle. And
//! the unit of length is free: the most frequent offset becomes one, and factors vanish.

use crate::choices::NodeChoice;
use crate::outward::along;
use crate::spatial::Wrench;
use crate::system::Strategy;
use crate::tree::{ByNode, ElementaryMotion, NodeId, NodeSet, PlainWrench, Tree, TreeNode};
use crate::writer::Writer;
use rotule_model::mechanism::Placement;
use rotule_symbolic::elementary::{atan2, hypot};
use rotule_symbolic::{Expr, Mat3, Scalar, Vec3, Vector};

/// The purpose for which frames are moved.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Equations of motion, with offsets as far from the ground as they can be.
    Motion,
    /// Equations of motion by articulated bodies.
    Articulated,
    /// Equations of motion with offsets nearer to the ground where that makes axes meet.
    Meeting,
    /// The mass matrix.
    Mass,
    /// Derivatives.
    Derivatives,
}

/// The tree with frames moved, and the wrenches about their origins.
pub(crate) fn gauged(
    writer: Writer<'_, '_>,
    mut wrenches: ByNode<PlainWrench>,
    purpose: Purpose,
) -> (Tree, ByNode<PlainWrench>) {
    let Strategy { transformations, choices, .. } = writer.strategy;
    let mut tree = writer.tree.clone();
    let pushed = pushed(&wrenches);
    if transformations.slide {
        let shifts = slide(writer, &mut tree.nodes, &pushed, purpose);
        for (wrench, shift) in wrenches.iter_mut().zip(shifts) {
            let Wrench { force, torque } = Wrench::of(*wrench, writer);
            wrench.torque = (torque - writer.vector(shift).cross(force)).plain();
        }
    }
    if transformations.turn {
        turn(writer, &mut tree.nodes, &pushed, purpose);
    }
    if transformations.unit && purpose != Purpose::Derivatives && pushed.is_empty() {
        tree.unit = rescale(writer, &mut tree.nodes, purpose, choices.unit);
    }
    (tree, wrenches)
}

/// The nodes that forces act on.
fn pushed(wrenches: &ByNode<PlainWrench>) -> NodeSet {
    wrenches.ids().filter(|&at| wrenches[at] != PlainWrench::ZERO).collect()
}

/// Returns `true` if it makes a difference for which kind of motion frames are moved.
pub(crate) fn differ(writer: Writer<'_, '_>, wrenches: &ByNode<PlainWrench>) -> bool {
    let pushed = pushed(wrenches);
    let shifts = |purpose| slide(writer, &mut writer.tree.nodes.clone(), &pushed, purpose);
    writer.strategy.transformations.slide && shifts(Purpose::Motion) != shifts(Purpose::Meeting)
}

/// Moves the origins; gives how far, in each node's axes.
fn slide(
    writer: Writer<'_, '_>,
    nodes: &mut ByNode<TreeNode>,
    pushed: &NodeSet,
    purpose: Purpose,
) -> ByNode<Vector> {
    let choices = &writer.strategy.choices;
    let mut children: ByNode<Vec<NodeId>> = ByNode::filled(Vec::new(), nodes.len());
    for (at, node) in nodes.pairs().skip(1) {
        children[node.parent].push(at);
    }
    // Children first: their own shift moves their anchor. None is left open.
    let mut amounts = ByNode::filled(Some(Expr::ZERO), nodes.len());
    for at in writer.tree.inward() {
        if let Some(axis) = nodes[at].motion.turns_about() {
            amounts[at] =
                called(writer, nodes, at, axis, &children[at], &amounts, pushed.contains(at));
        }
    }
    for at in writer.tree.outward() {
        let TreeNode { parent, motion, .. } = nodes[at];
        let Some(axis) = motion.turns_about() else { continue };
        let placement = nodes[at].fixed_side();
        let mut anchor = placement.position;
        if let Some(axis) = nodes[parent].motion.turns_about() {
            let amount = amounts[parent].unwrap_or(Expr::ZERO);
            anchor[axis] = (writer.scalar(anchor[axis]) - writer.scalar(amount)).expr();
        }
        let way = along(placement.rotation.column(axis));
        let back = |(way, against): (usize, bool)| if against { anchor[way] } else { -anchor[way] };
        let turns = nodes[parent].motion.turns_about().is_some();
        let meets = way.is_some_and(|way| (0..3).all(|i| i == way.0 || anchor[i] == Expr::ZERO));
        let moves = match purpose {
            Purpose::Meeting => turns && meets,
            Purpose::Mass => parent != NodeId::GROUND,
            Purpose::Motion | Purpose::Articulated | Purpose::Derivatives => turns,
        };
        let moves = moves != choices.at(NodeChoice::Slide, at);
        let follows = !pushed.contains(at) && moves && way.is_some() || amounts[at].is_none();
        amounts[at] = if follows { Some(way.map_or(Expr::ZERO, back)) } else { amounts[at] };
        if choices.at(NodeChoice::Stay, at) {
            amounts[at] = Some(Expr::ZERO);
        }
    }
    let mut shifts = writer.tree.by_node(Vector::ZERO);
    for at in writer.tree.outward() {
        let Some(axis) = nodes[at].motion.turns_about() else { continue };
        let amount = amounts[at].unwrap_or(Expr::ZERO);
        if amount == Expr::ZERO {
            continue;
        }
        let by = Vec3::along(axis, writer.scalar(amount));
        shifts[at] = by.plain();
        let one = &mut nodes[at];
        let Placement { rotation, position } = one.fixed_side();
        let moved = writer.vector(position) + writer.matrix(rotation) * by;
        one.set_origin(moved.plain());
        one.com = (writer.vector(one.com) - by).plain();
        for &child in &children[at] {
            let position = nodes[child].fixed_side().position;
            nodes[child].set_origin((writer.vector(position) - by).plain());
        }
    }
    shifts
}

/// The shift of a revolute joint's origin along its axis that suits the nodes it carries; none if
/// any shift suits them.
fn called(
    writer: Writer<'_, '_>,
    nodes: &ByNode<TreeNode>,
    at: NodeId,
    axis: usize,
    children: &[NodeId],
    amounts: &ByNode<Option<Expr>>,
    pushed: bool,
) -> Option<Expr> {
    let mut calls: Vec<(Expr, usize)> = Vec::new();
    // Whether there is an offset along the own axis already, to which that of a parallel axis can
    // be added.
    let own = nodes[at].fixed_side();
    let offset =
        along(own.rotation.column(axis)).is_some_and(|way| own.position[way.0] != Expr::ZERO);
    for &child in children {
        let (placement, motion) = (nodes[child].fixed_side(), nodes[child].motion);
        let mut place = placement.position[axis];
        match motion {
            ElementaryMotion::Revolute { axis: next, .. } => {
                let lean = placement.rotation.0[axis][next];
                match (lean == Expr::ZERO, amounts[child]) {
                    (true, _) => {}
                    (false, Some(amount)) if offset => {
                        let moved = writer.scalar(lean) * writer.scalar(amount);
                        place = (writer.scalar(place) + moved).expr();
                    }
                    (false, _) => continue,
                }
            }
            ElementaryMotion::Prismatic { axis: next, .. }
                if placement.rotation.0[axis][next] != Expr::ZERO =>
            {
                continue;
            }
            ElementaryMotion::Ground
            | ElementaryMotion::Prismatic { .. }
            | ElementaryMotion::Helical { .. }
            | ElementaryMotion::Spherical
            | ElementaryMotion::Free => {}
        }
        let many = calls.len() > MANY_SIZES;
        match calls.iter_mut().find(|call| call.0 == place) {
            Some(call) => call.1 += 1,
            None if many => {}
            None => calls.push((place, 1)),
        }
    }
    // Of equals, the place as it is, then the first. Forces that act on a node would have to be
    // moved with it.
    let still = |call: &(Expr, usize)| (call.1, call.0 == Expr::ZERO);
    let most = calls.iter().rev().max_by_key(|call| still(call)).map(|call| call.0);
    if pushed && children.len() != 1 { Some(Expr::ZERO) } else { most }
}

/// Turns the frames of outermost nodes whose centre of mass is off the frame axes.
fn turn(writer: Writer<'_, '_>, nodes: &mut ByNode<TreeNode>, pushed: &NodeSet, purpose: Purpose) {
    let choices = &writer.strategy.choices;
    let carrying: NodeSet = nodes.iter().skip(1).map(|node| node.parent).collect();
    for at in writer.tree.outward() {
        let node = &mut nodes[at];
        let Some(axis) = node.motion.turns_about() else { continue };
        let left = choices.at(NodeChoice::Turn, at);
        if carrying.contains(at) || pushed.contains(at) || node.mass == Expr::ZERO || left {
            continue;
        }
        let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);
        let value = |expr: Expr| writer.number_of(expr);
        let (Some(x), Some(y)) = (value(node.com[first]), value(node.com[second])) else {
            continue;
        };
        if x == 0.0 || y == 0.0 {
            continue;
        }
        // It can be on either axis. Articulated bodies have rather been shorter with the first,
        // others with the second.
        let on_first = choices.at(NodeChoice::Across, at) != (purpose == Purpose::Articulated);
        let size = hypot(x, y);
        let (up, along) = if on_first { (y, x) } else { (-x, y) };
        let (sine, cosine) = (writer.number(up / size), writer.number(along / size));
        let mut back = Mat3::IDENTITY;
        (back[first][first], back[second][second]) = (cosine, cosine);
        (back[first][second], back[second][first]) = (sine, -sine);
        node.inertia = back.congruent(writer.matrix(node.inertia)).plain();
        let (on, off) = if on_first { (first, second) } else { (second, first) };
        (node.com[on], node.com[off]) = (writer.number(size).expr(), Expr::ZERO);
        node.offset = writer.number(atan2(up, along)).expr();
    }
}

/// A length that occurs among offsets.
#[derive(Clone, Copy)]
struct Size {
    size: f64,
    /// Products that it saves as the unit of length.
    saved: usize,
    /// The parent and the axis where it occurred last.
    last: Option<(NodeId, usize)>,
}

/// Measures lengths by the most frequent offset; gives what they were multiplied by. Torques and
/// inertias stay.
fn rescale(
    writer: Writer<'_, '_>,
    nodes: &mut ByNode<TreeNode>,
    purpose: Purpose,
    choice: usize,
) -> Expr {
    let mut sizes: Vec<Size> = Vec::new();
    let mut free = 0;
    for node in nodes.iter().skip(1) {
        match node.motion {
            ElementaryMotion::Free if purpose != Purpose::Mass => free += 1,
            ElementaryMotion::Revolute { .. } | ElementaryMotion::Spherical => {}
            ElementaryMotion::Ground
            | ElementaryMotion::Prismatic { .. }
            | ElementaryMotion::Helical { .. }
            | ElementaryMotion::Free => return Expr::ONE,
        }
        if node.parent == NodeId::GROUND {
            continue;
        }
        for (axis, offset) in node.fixed_side().position.0.into_iter().enumerate() {
            let Some(size) = writer.number_of(offset).map(f64::abs) else {
                continue;
            };
            if size != 0.0 {
                let at = match sizes.iter().position(|known| known.size == size) {
                    Some(at) => at,
                    None => {
                        sizes.push(Size { size, saved: 0, last: None });
                        sizes.len() - 1
                    }
                };
                // The lever of a force, and how the anchor accelerates, which children share but
                // for articulated inertias.
                let (known, place) = (&mut sizes[at], Some((node.parent, axis)));
                let shared = known.last == place && purpose != Purpose::Articulated;
                known.saved += if shared { 2 } else { 5 };
                known.last = place;
            }
        }
        if sizes.len() > MANY_SIZES {
            return Expr::ONE;
        }
    }
    // Stable: of those that save as much, the first.
    sizes.sort_by_key(|size| std::cmp::Reverse(size.saved));
    let Some(&Size { size, saved, .. }) = sizes.get(choice) else {
        return Expr::ONE;
    };
    // A free joint takes nine factors.
    if size == 1.0 || saved <= 9 * free {
        return Expr::ONE;
    }
    let size = writer.number(size);
    let unit = Scalar::ONE / size;
    let square = size.square();
    for node in nodes.iter_mut().skip(1) {
        let position = node.fixed_side().position;
        node.set_origin((unit * writer.vector(position)).plain());
        node.com = (unit * writer.vector(node.com)).plain();
        node.mass = (writer.scalar(node.mass) * square).expr();
    }
    unit.expr()
}

/// More different offsets are not compared, so that looking for the most frequent one stays cheap.
const MANY_SIZES: usize = 100;
