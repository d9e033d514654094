//! Choices that are free: rules of thumb make them, and a search may make them otherwise.
//!
//! Where origins are on axes, which way frames of outermost bodies point, which columns come from
//! the parent, which accelerations are taken as a start, what the unit of length is, in which order
//! operands stand: equations are right whatever is chosen, but some are shorter. A rule of thumb
//! chooses well at once; what it misses can only be found by trying.

use crate::system::MultibodySystem;
use crate::tree::{ElementaryMotion, NodeId, NodeSet};

/// Something that is chosen at each node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeChoice {
    /// The place of a revolute joint's origin: where its own anchor is shortest, or where the next
    /// one is.
    Slide,
    /// Keeping the origin of a revolute joint where it is.
    Stay,
    /// Leaving the frame of an outermost body as it is.
    Turn,
    /// Rotating such a frame until the centre of mass is on the other axis.
    Across,
    /// Taking the angular acceleration of a revolute joint from the parent's, instead of from its
    /// axis' acceleration.
    Column,
    /// The one of two entries that vanishes by the choice of an acceleration.
    Reference,
}

impl NodeChoice {
    /// All of them.
    pub const ALL: [NodeChoice; 6] = [
        NodeChoice::Slide,
        NodeChoice::Stay,
        NodeChoice::Turn,
        NodeChoice::Across,
        NodeChoice::Column,
        NodeChoice::Reference,
    ];
}

/// Choices that differ from the rules of thumb: none, unless a search runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// For each choice, the nodes where it is made otherwise.
    other: [NodeSet; NodeChoice::ALL.len()],
    /// The unit of length: the most frequent offset, or the one after so many others.
    pub unit: usize,
    /// The number that the order of operands is mixed with.
    pub order: u32,
}

impl Choices {
    /// Returns `true` if a choice is made otherwise at a node.
    pub fn at(&self, choice: NodeChoice, node: NodeId) -> bool {
        self.other[choice as usize].contains(node)
    }

    /// Makes a choice the other way at some nodes.
    pub fn flip(&mut self, choice: NodeChoice, nodes: &[NodeId]) {
        let list = &mut self.other[choice as usize];
        for &node in nodes {
            if !list.remove(node) {
                list.insert(node);
            }
        }
    }
}

/// The nodes of a tree in groups that are likely to be alike, such as the knees of all legs: those
/// of the same motion as far from the ground and with as much beyond. What is chosen for one of
/// them is chosen for all, so that copies stay copies.
pub fn groups(tree: &MultibodySystem) -> Vec<Vec<NodeId>> {
    let tree = &tree.tree;
    let (mut depth, mut height) = (tree.by_node(0_usize), tree.by_node(0_usize));
    for at in tree.outward() {
        depth[at] = depth[tree.nodes[at].parent] + 1;
    }
    for at in tree.inward() {
        let parent = tree.nodes[at].parent;
        height[parent] = height[parent].max(height[at] + 1);
    }
    let kind = |at: NodeId| match tree.nodes[at].motion {
        ElementaryMotion::Revolute { .. } => 0,
        ElementaryMotion::Prismatic { .. } => 1,
        ElementaryMotion::Ground
        | ElementaryMotion::Helical { .. }
        | ElementaryMotion::Spherical
        | ElementaryMotion::Free => 2,
    };
    let mut order: Vec<NodeId> = tree.outward().collect();
    order.sort_by_key(|&at| (depth[at], height[at], kind(at)));
    let same = |a: &NodeId, b: &NodeId| {
        (depth[*a], height[*a], kind(*a)) == (depth[*b], height[*b], kind(*b))
    };
    order.chunk_by(same).map(<[NodeId]>::to_vec).collect()
}
