//! Frames of nodes, moved to where equations are cheapest.
//!
//! The place of an origin on a turn's axis is free. Where the parent turns, it is put where the own
//! anchor has no component along the axis: axes that meet near the ground then share an origin that
//! never moves, and needs no forces. Elsewhere, after Denavit and Hartenberg, it is put opposite to
//! what the node carries, so that the next anchor has no component along the own axis. Which of the
//! two is cheaper depends on what is written.
//!
//! The direction of the frame of an outermost node is free, too, up to a turn about its axis: it is
//! turned until the centre of mass is on a frame axis, which costs an addition to the angle. And
//! the unit of length is free: the most frequent offset becomes one, and factors vanish.

use crate::choices::{Choices, NodeChoice};
use crate::outward::along;
use crate::tree::{ElementaryMotion, Tree, TreeNode, Wrench};
use rotule_symbolic::elementary::{atan2, hypot};
use rotule_symbolic::{Expr, Graph, Matrix, Number, Vector};

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

/// Runs a recursion on gauged nodes. The wrenches are taken about the origins of the tree as it
/// was.
pub fn gauged<T>(
    tree: &mut Tree,
    mut wrenches: Vec<Wrench>,
    purpose: Purpose,
    run: impl FnOnce(&mut Tree, &[Wrench]) -> T,
) -> T {
    let mut nodes = tree.nodes.clone();
    let graph = &mut tree.mechanism.graph;
    let pushed: Vec<bool> =
        (0..nodes.len()).map(|at| wrenches.get(at).is_some_and(|w| *w != Wrench::ZERO)).collect();
    if tree.transformations.slide {
        let shifts = slide(&mut nodes, &pushed, purpose, &tree.choices, graph);
        for (wrench, shift) in wrenches.iter_mut().zip(shifts) {
            let lever = shift.cross(wrench.force, graph);
            wrench.torque = wrench.torque.sub(lever, graph);
        }
    }
    if tree.transformations.turn {
        turn(&mut nodes, &pushed, purpose, &tree.choices, graph);
    }
    if tree.transformations.unit && purpose != Purpose::Derivatives && !pushed.contains(&true) {
        tree.unit = rescale(&mut nodes, purpose, tree.choices.unit, graph);
    }
    std::mem::swap(&mut tree.nodes, &mut nodes);
    let result = run(tree, &wrenches);
    (tree.nodes, tree.unit) = (nodes, Expr::ONE);
    result
}

/// Returns `true` if it makes a difference for which kind of motion frames are moved.
pub fn differ(tree: &mut Tree, wrenches: &[Wrench]) -> bool {
    let pushed: Vec<bool> = wrenches.iter().map(|wrench| *wrench != Wrench::ZERO).collect();
    let graph = &mut tree.mechanism.graph;
    let mut shifts =
        |purpose| slide(&mut tree.nodes.clone(), &pushed, purpose, &tree.choices, graph);
    tree.transformations.slide && shifts(Purpose::Motion) != shifts(Purpose::Meeting)
}

/// Moves the origins; gives how far, in each node's axes.
fn slide(
    nodes: &mut [TreeNode],
    pushed: &[bool],
    purpose: Purpose,
    choices: &Choices,
    graph: &mut Graph,
) -> Vec<Vector> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); nodes.len()];
    for (at, node) in nodes.iter().enumerate().skip(1) {
        children[node.parent].push(at);
    }
    // Children first: their own shift moves their anchor. None is left open.
    let mut amounts: Vec<Option<Expr>> = vec![Some(Expr::ZERO); nodes.len()];
    for at in (1..nodes.len()).rev() {
        if let ElementaryMotion::Revolute { axis, .. } = nodes[at].motion {
            amounts[at] = called(nodes, at, axis, &children[at], &amounts, pushed[at], graph);
        }
    }
    for at in 1..nodes.len() {
        let TreeNode { parent, placement, motion, .. } = nodes[at];
        let ElementaryMotion::Revolute { axis, .. } = motion else { continue };
        let mut anchor = placement.position;
        if let ElementaryMotion::Revolute { axis, .. } = nodes[parent].motion {
            anchor[axis] = graph.sub(anchor[axis], amounts[parent].unwrap_or(Expr::ZERO));
        }
        let way = along(placement.rotation.column(axis));
        let back = |(way, against): (usize, bool)| if against { anchor[way] } else { -anchor[way] };
        let turns = matches!(nodes[parent].motion, ElementaryMotion::Revolute { .. });
        let meets = way.is_some_and(|way| (0..3).all(|i| i == way.0 || anchor[i] == Expr::ZERO));
        let moves = match purpose {
            Purpose::Meeting => turns && meets,
            Purpose::Mass => parent != 0,
            Purpose::Motion | Purpose::Articulated | Purpose::Derivatives => turns,
        };
        let moves = moves != choices.at(NodeChoice::Slide, at);
        let follows = !pushed[at] && moves && way.is_some() || amounts[at].is_none();
        amounts[at] = if follows { Some(way.map_or(Expr::ZERO, back)) } else { amounts[at] };
        if choices.at(NodeChoice::Stay, at) {
            amounts[at] = Some(Expr::ZERO);
        }
    }
    let mut shifts = vec![Vector::ZERO; nodes.len()];
    for at in 1..nodes.len() {
        let ElementaryMotion::Revolute { axis, .. } = nodes[at].motion else { continue };
        let amount = amounts[at].unwrap_or(Expr::ZERO);
        if amount == Expr::ZERO {
            continue;
        }
        let mut by = Vector::ZERO;
        by[axis] = amount;
        shifts[at] = by;
        let moved = nodes[at].placement.rotation.apply(by, graph);
        let one = &mut nodes[at];
        one.placement.position = one.placement.position.add(moved, graph);
        one.com = one.com.sub(by, graph);
        for &child in &children[at] {
            nodes[child].placement.position = nodes[child].placement.position.sub(by, graph);
        }
    }
    shifts
}

/// The shift of a revolute joint's origin along its axis that suits the nodes it carries; none if
/// any shift suits them.
fn called(
    nodes: &[TreeNode],
    at: usize,
    axis: usize,
    children: &[usize],
    amounts: &[Option<Expr>],
    pushed: bool,
    graph: &mut Graph,
) -> Option<Expr> {
    let mut calls: Vec<(Expr, usize)> = Vec::new();
    // Whether there is an offset along the own axis already, to which that of a parallel axis can
    // be added.
    let own = nodes[at].placement;
    let offset =
        along(own.rotation.column(axis)).is_some_and(|way| own.position[way.0] != Expr::ZERO);
    for &child in children {
        let TreeNode { placement, motion, .. } = nodes[child];
        let mut place = placement.position[axis];
        match motion {
            ElementaryMotion::Revolute { axis: next, .. } => {
                let lean = placement.rotation.0[axis][next];
                match (lean == Expr::ZERO, amounts[child]) {
                    (true, _) => {}
                    (false, Some(amount)) if offset => {
                        let moved = graph.mul(lean, amount);
                        place = graph.add(place, moved);
                    }
                    (false, _) => continue,
                }
            }
            ElementaryMotion::Prismatic { axis: next, .. }
                if placement.rotation.0[axis][next] != Expr::ZERO =>
            {
                continue;
            }
            _ => {}
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
fn turn(
    nodes: &mut [TreeNode],
    pushed: &[bool],
    purpose: Purpose,
    choices: &Choices,
    graph: &mut Graph,
) {
    let mut outermost = vec![true; nodes.len()];
    for node in nodes.iter().skip(1) {
        outermost[node.parent] = false;
    }
    for (at, node) in nodes.iter_mut().enumerate().skip(1) {
        let ElementaryMotion::Revolute { axis, .. } = node.motion else { continue };
        let left = choices.at(NodeChoice::Turn, at);
        if !outermost[at] || pushed[at] || node.mass == Expr::ZERO || left {
            continue;
        }
        let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);
        let value = |expr: Expr| graph.number_of(expr).map(Number::to_f64);
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
        let (sine, cosine) = (graph.number(up / size), graph.number(along / size));
        let mut back = Matrix::IDENTITY;
        (back.0[first][first], back.0[second][second]) = (cosine, cosine);
        (back.0[first][second], back.0[second][first]) = (sine, -sine);
        node.inertia = back.congruent(node.inertia, graph);
        let (on, off) = if on_first { (first, second) } else { (second, first) };
        (node.com[on], node.com[off]) = (graph.number(size), Expr::ZERO);
        node.offset = graph.number(atan2(up, along));
    }
}

/// A length that occurs among offsets.
#[derive(Clone, Copy)]
struct Size {
    size: f64,
    /// Products that it saves as the unit of length.
    saved: usize,
    /// The parent and the axis where it occurred last.
    last: Option<(usize, usize)>,
}

/// Measures lengths by the most frequent offset; gives what they were multiplied by. Torques and
/// inertias stay.
fn rescale(nodes: &mut [TreeNode], purpose: Purpose, choice: usize, graph: &mut Graph) -> Expr {
    let mut sizes: Vec<Size> = Vec::new();
    let mut free = 0;
    for node in nodes.iter().skip(1) {
        match node.motion {
            ElementaryMotion::Free if purpose != Purpose::Mass => free += 1,
            ElementaryMotion::Revolute { .. } | ElementaryMotion::Spherical => {}
            _ => return Expr::ONE,
        }
        if node.parent == 0 {
            continue;
        }
        for (axis, offset) in node.placement.position.0.into_iter().enumerate() {
            let Some(size) = graph.number_of(offset).map(|number| number.to_f64().abs()) else {
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
    let size = graph.number(size);
    let unit = graph.div(Expr::ONE, size);
    let square = graph.square(size);
    for node in nodes.iter_mut().skip(1) {
        let position = node.placement.position;
        node.placement.position = position.scale(unit, graph);
        node.com = node.com.scale(unit, graph);
        node.mass = graph.mul(node.mass, square);
    }
    unit
}

/// More different offsets are not compared, so that looking for the most frequent one stays cheap.
const MANY_SIZES: usize = 100;
