//! Origins of turning nodes, moved along their axes to where equations are cheapest.
//!
//! The place of an origin on a turn's axis is free. After Denavit and Hartenberg it is put opposite to
//! the next joint's axis, so that the next anchor has no component along the own axis; of two axes that meet,
//! both origins come to their common point. Only turns about axes at right angles are looked at: elsewhere
//! the user's choice stays.

use crate::tree::{Motion, Node, Tree, Wrench};
use rotule_symbolic::{Expr, Graph, Vector};

/// Runs a recursion on gauged nodes. The wrenches are taken about the origins of the tree as it was.
pub fn gauged<T>(
    tree: &mut Tree,
    mut wrenches: Vec<Wrench>,
    run: impl FnOnce(&mut Tree, &[Wrench]) -> T,
) -> T {
    let mut nodes = tree.nodes.clone();
    let shifts = gauge(&mut nodes, &mut tree.mechanism.graph);
    for (wrench, shift) in wrenches.iter_mut().zip(shifts) {
        let lever = shift.cross(wrench.force, &mut tree.mechanism.graph);
        wrench.torque = wrench.torque.sub(lever, &mut tree.mechanism.graph);
    }
    std::mem::swap(&mut tree.nodes, &mut nodes);
    let result = run(tree, &wrenches);
    tree.nodes = nodes;
    result
}

/// Moves the origins; gives how far, in each node's axes.
fn gauge(nodes: &mut [Node], graph: &mut Graph) -> Vec<Vector> {
    let mut children = vec![0_u32; nodes.len()];
    nodes.iter().skip(1).for_each(|node| children[node.parent] += 1);
    let mut shifts = vec![Vector::ZERO; nodes.len()];
    // Children first: their own shift moves their anchor.
    for child in (1..nodes.len()).rev() {
        let node = nodes[child].parent;
        if let Some(shift) = shift(&nodes[node], &nodes[child], children[node]) {
            let mut by = Vector::ZERO;
            by[shift.0] = shift.1;
            shifts[node] = by;
            let moved = nodes[node].placement.rotation.apply(by, graph);
            let one = &mut nodes[node];
            one.placement.position = one.placement.position.add(moved, graph);
            one.com = one.com.sub(by, graph);
            nodes[child].placement.position = nodes[child].placement.position.sub(by, graph);
        }
    }
    shifts
}

/// The axis of a node and how far its origin goes along it.
fn shift(node: &Node, child: &Node, children: u32) -> Option<(usize, Expr)> {
    let (Motion::Revolute { axis, .. }, Motion::Revolute { axis: next, .. }) =
        (node.motion, child.motion)
    else {
        return None;
    };
    let right_angle = child.placement.rotation.0[axis][next] == Expr::ZERO;
    let offset = child.placement.position[axis];
    (children == 1 && right_angle && offset != Expr::ZERO).then_some((axis, offset))
}
