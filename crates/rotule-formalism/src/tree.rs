//! The tree that recursions run on.
//!
//! Every node has an elementary joint along or about an axis of its own frame, or a joint with a
//! quaternion. The frame of a node is chosen for cheap equations; where the user's bodies are in
//! it, [`Tree::bodies`] says.

use rotule_model::index::{BitSet, ByBody, CoordinateId, IndexVec, SpeedId, ids};
use rotule_model::mechanism::Placement;
use rotule_model::typed_index;
use rotule_symbolic::{Expr, Matrix, Vector};
use std::ops::Range;

typed_index! {
    /// A node, by its position in [`Tree::nodes`]; the ground is zero.
    NodeId;
}

impl NodeId {
    /// The ground.
    pub const GROUND: NodeId = NodeId(0);
}

/// A value for each node.
pub type ByNode<T> = IndexVec<NodeId, T>;
/// Some of the nodes.
pub type NodeSet = BitSet<NodeId>;

/// A tree of nodes; node zero is the ground.
#[derive(Clone)]
pub struct Tree {
    /// The nodes, parents before children.
    pub nodes: ByNode<TreeNode>,
    /// For each body of the mechanism: its node, and where the body's frame is in the node's.
    pub bodies: ByBody<(NodeId, Placement)>,
    /// The factor of lengths: one, or the inverse of a length that is the unit in this tree.
    pub(crate) unit: Expr,
}

impl Tree {
    /// All nodes but the ground, parents before children.
    pub fn outward(
        &self,
    ) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + Clone + use<> {
        ids(1..self.nodes.len())
    }

    /// All nodes but the ground, children before parents.
    pub fn inward(&self) -> impl ExactSizeIterator<Item = NodeId> + use<> {
        self.outward().rev()
    }

    /// A value for each node, at first equal.
    pub fn by_node<T: Clone>(&self, value: T) -> ByNode<T> {
        ByNode::filled(value, self.nodes.len())
    }
}

/// A force and a torque on a node, about its origin and in its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlainWrench {
    /// The force.
    pub force: Vector,
    /// The torque.
    pub torque: Vector,
}

impl PlainWrench {
    /// No force and no torque.
    pub const ZERO: PlainWrench = PlainWrench { force: Vector::ZERO, torque: Vector::ZERO };
}

/// A rigid body, possibly made of several, and the joint that moves it.
#[derive(Clone, Debug)]
pub struct TreeNode {
    /// A name for variables.
    pub name: String,
    /// The node that carries it; the ground carries itself.
    pub parent: NodeId,
    /// Where the joint's fixed side is in the parent's frame.
    pub placement: NodePlacement,
    /// The motion of the joint.
    pub motion: ElementaryMotion,
    /// A fixed angle that is added to that of a turn.
    pub offset: Expr,
    /// The first of its coordinates.
    pub coordinate: CoordinateId,
    /// The first of its speeds.
    pub speed: SpeedId,
    /// Inertia of drives, seen at the joint.
    pub armature: Expr,
    /// Mass.
    pub mass: Expr,
    /// Centre of mass.
    pub com: Vector,
    /// Inertia about the centre of mass.
    pub inertia: Matrix,
}

/// Where a joint's fixed side is in its parent's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NodePlacement {
    /// At a place of a rigid parent.
    Constant(Placement),
}

impl TreeNode {
    /// Where the joint's fixed side is in the parent's frame. All that depends on whether the
    /// parent is rigid is here.
    pub fn fixed_side(&self) -> Placement {
        match self.placement {
            NodePlacement::Constant(placement) => placement,
        }
    }

    /// The parts of its coordinates, each with the positions of these and of its speeds.
    pub fn parts(&self) -> impl Iterator<Item = (MotionPart, Range<usize>, Range<usize>)> + use<> {
        let (mut coordinate, mut speed) = (self.coordinate.index(), self.speed.index());
        self.motion.parts().iter().map(move |&part| {
            let own = (coordinate, speed);
            (coordinate, speed) = (coordinate + part.coordinates(), speed + part.speeds());
            (part, own.0..coordinate, own.1..speed)
        })
    }

    /// The positions of its speeds.
    pub fn speeds(&self) -> Range<usize> {
        self.speed.index()..self.speed.index() + self.motion.speeds()
    }

    /// The coordinates of its quaternion, if it has one.
    pub fn quaternion(&self) -> Option<Range<usize>> {
        self.parts().find(|part| part.0 == MotionPart::Rotation).map(|part| part.1)
    }

    /// Moves the origin of the joint's fixed side.
    pub(crate) fn set_origin(&mut self, position: Vector) {
        let placement = Placement { position, ..self.fixed_side() };
        self.placement = NodePlacement::Constant(placement);
    }
}

/// The motion of a node's frame relative to the joint's fixed side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ElementaryMotion {
    /// None: the ground.
    Ground,
    /// A turn about a frame axis (0, 1, 2), against it if reversed.
    Revolute {
        /// The axis.
        axis: usize,
        /// `true` if the coordinate counts against the axis.
        reversed: bool,
    },
    /// A slide along a frame axis.
    Prismatic {
        /// The axis.
        axis: usize,
        /// `true` if the coordinate counts against the axis.
        reversed: bool,
    },
    /// A screw about a frame axis.
    Helical {
        /// The axis.
        axis: usize,
        /// `true` if the coordinate counts against the axis.
        reversed: bool,
        /// Slide per turn.
        pitch: Expr,
    },
    /// Any turn, by a unit quaternion; the speeds are the angular velocity in the node's axes.
    Spherical,
    /// Any motion: position and quaternion; the speeds are velocity and angular velocity in the
    /// node's axes.
    Free,
}

/// A part of a joint's coordinates, which its own speeds change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionPart {
    /// A distance.
    Length,
    /// An angle.
    Angle,
    /// A position; its speeds are the velocity in the axes of the rotation that follows.
    Position,
    /// A quaternion; its speeds are the angular velocity in the node's axes.
    Rotation,
}

impl MotionPart {
    /// Number of coordinates.
    pub fn coordinates(self) -> usize {
        match self {
            MotionPart::Length | MotionPart::Angle => 1,
            MotionPart::Position => 3,
            MotionPart::Rotation => 4,
        }
    }

    /// Number of speeds.
    pub fn speeds(self) -> usize {
        match self {
            MotionPart::Length | MotionPart::Angle => 1,
            MotionPart::Position | MotionPart::Rotation => 3,
        }
    }

    /// Returns `true` if its coordinates are lengths.
    pub fn is_length(self) -> bool {
        match self {
            MotionPart::Length | MotionPart::Position => true,
            MotionPart::Angle | MotionPart::Rotation => false,
        }
    }
}

impl ElementaryMotion {
    /// The parts of its coordinates, in order. What coordinates mean follows from these.
    pub fn parts(self) -> &'static [MotionPart] {
        match self {
            ElementaryMotion::Ground => &[],
            ElementaryMotion::Prismatic { .. } => &[MotionPart::Length],
            ElementaryMotion::Revolute { .. } | ElementaryMotion::Helical { .. } => {
                &[MotionPart::Angle]
            }
            ElementaryMotion::Spherical => &[MotionPart::Rotation],
            ElementaryMotion::Free => &[MotionPart::Position, MotionPart::Rotation],
        }
    }

    /// The frame axis of a rotation that does not translate, and whether the coordinate counts
    /// against it.
    pub fn turn(self) -> Option<(usize, bool)> {
        match self {
            ElementaryMotion::Revolute { axis, reversed } => Some((axis, reversed)),
            ElementaryMotion::Ground
            | ElementaryMotion::Prismatic { .. }
            | ElementaryMotion::Helical { .. }
            | ElementaryMotion::Spherical
            | ElementaryMotion::Free => None,
        }
    }

    /// The frame axis of a rotation that does not translate.
    pub fn turns_about(self) -> Option<usize> {
        self.turn().map(|(axis, _)| axis)
    }

    /// Returns `true` if its linear velocity is counted in the axes of the node, which turn.
    pub fn translates_in_own_axes(self) -> bool {
        self.parts().contains(&MotionPart::Position)
    }

    /// The number of speeds.
    pub fn speeds(self) -> usize {
        self.parts().iter().map(|part| part.speeds()).sum()
    }
}
