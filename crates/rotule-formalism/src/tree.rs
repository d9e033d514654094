//! The tree that recursions run on.
//!
//! Every node has an elementary joint along or about an axis of its own frame, or a joint with a
//! quaternion. The frame of a node is chosen for cheap equations; where the user's bodies are in
//! it, [`Tree::bodies`] says.

use crate::choices::Choices;
use crate::constraint::closed::PartitionChoice;
use crate::forces::Contact;
use crate::program_cache::ProgramCache;
use crate::transformations::Transformations;
use rotule_model::mechanism::{Frame, Mechanism, Placement};
use rotule_program::lower::Solve;
use rotule_symbolic::{Direction, Expr, Graph, Matrix, Vector};
use std::collections::BTreeMap;

/// A tree of nodes; node zero is the ground.
#[derive(Clone)]
pub struct Tree {
    /// The mechanism, with what is known of locked and driven joints put into its laws. All
    /// expressions are in its graph.
    pub mechanism: Mechanism,
    /// The nodes, parents before children.
    pub nodes: Vec<TreeNode>,
    /// For each body of the mechanism: its node, and where the body's frame is in the node's.
    pub bodies: Vec<(usize, Placement)>,
    /// All coordinates in the mechanism's order: symbols, or what they are where a joint is locked
    /// or driven.
    pub q: Vec<Expr>,
    /// All speeds, likewise.
    pub qd: Vec<Expr>,
    /// All accelerations, likewise.
    pub qdd: Vec<Expr>,
    /// The efforts of joint laws, one per speed.
    pub laws: Vec<Expr>,
    /// Forces and torques of line forces, wheels and the like, once they were asked for.
    pub(crate) wrenches: Option<Vec<Wrench>>,
    /// Contacts of wheels, those that were asked for.
    pub(crate) contacts: Vec<Option<Contact>>,
    /// Iterations that find symbols which expressions use: contacts on general ground. One may use
    /// what those before it find.
    pub solves: Vec<Solve>,
    /// For solves with more unknowns than residuals, the directions that the unknowns can go: as
    /// many as residuals. Those of joints with quaternions that follow.
    pub(crate) tangents: BTreeMap<usize, Vec<Direction>>,
    /// The coordinate partition, if it is not to be chosen at the initial state.
    pub choice: Option<PartitionChoice>,
    /// The cache of programs, if trees of other numbers need them, too.
    pub program_cache: Option<ProgramCache>,
    /// The model transformations that make equations cheaper before recursions run.
    pub transformations: Transformations,
    /// The choices that differ from the rules of thumb.
    pub choices: Choices,
    /// The factor of lengths while a recursion runs: one, or the inverse of a length that is the
    /// unit then.
    pub(crate) unit: Expr,
    /// The results of recursions, in their order: used to count operations part by part.
    pub marks: Vec<SectionMark>,
}

/// A mark at the end of a part of the equations.
#[derive(Clone, Debug)]
pub struct SectionMark {
    /// The part.
    pub part: &'static str,
    /// The expressions that it has found.
    pub found: Vec<Expr>,
}

/// A force and a torque on a node, about its origin and in its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrench {
    /// The force.
    pub force: Vector,
    /// The torque.
    pub torque: Vector,
}

impl Wrench {
    /// No force and no torque.
    pub const ZERO: Wrench = Wrench { force: Vector::ZERO, torque: Vector::ZERO };

    /// The sum.
    pub(crate) fn add(self, other: Wrench, graph: &mut Graph) -> Wrench {
        Wrench {
            force: self.force.add(other.force, graph),
            torque: self.torque.add(other.torque, graph),
        }
    }

    /// The wrench in the axes and about the origin of the frame in which its own is placed.
    pub(crate) fn carried(self, rotation: Matrix, arm: Vector, graph: &mut Graph) -> Wrench {
        let force = rotation.apply(self.force, graph);
        let torque = rotation.apply(self.torque, graph);
        let lever = arm.cross(force, graph);
        Wrench { force, torque: torque.add(lever, graph) }
    }

    /// Names the components.
    pub(crate) fn name(self, name: &str, graph: &mut Graph) -> Wrench {
        Wrench {
            force: self.force.name(&format!("{name}.f"), graph),
            torque: self.torque.name(&format!("{name}.t"), graph),
        }
    }
}

/// A rigid body, possibly made of several, and the joint that moves it.
#[derive(Clone, Debug)]
pub struct TreeNode {
    /// A name for variables.
    pub name: String,
    /// The node that carries it; the ground carries itself.
    pub parent: usize,
    /// Where the joint's fixed side is in the parent's frame.
    pub placement: Placement,
    /// The motion of the joint.
    pub motion: ElementaryMotion,
    /// A fixed angle that is added to that of a turn.
    pub offset: Expr,
    /// The first of its coordinates.
    pub coordinate: usize,
    /// The first of its speeds.
    pub speed: usize,
    /// Inertia of drives, seen at the joint.
    pub armature: Expr,
    /// Mass.
    pub mass: Expr,
    /// Centre of mass.
    pub com: Vector,
    /// Inertia about the centre of mass.
    pub inertia: Matrix,
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

impl ElementaryMotion {
    /// The number of speeds.
    pub fn speeds(self) -> usize {
        match self {
            ElementaryMotion::Ground => 0,
            ElementaryMotion::Revolute { .. }
            | ElementaryMotion::Prismatic { .. }
            | ElementaryMotion::Helical { .. } => 1,
            ElementaryMotion::Spherical => 3,
            ElementaryMotion::Free => 6,
        }
    }
}

impl Tree {
    /// Marks the end of a part of the equations.
    pub(crate) fn mark(&mut self, part: &'static str, found: Vec<Expr>) {
        self.marks.push(SectionMark { part, found });
    }

    /// The number of speeds.
    pub fn speeds(&self) -> usize {
        self.qd.len()
    }

    /// Where a node's frame is in its parent's, displacement of the joint included.
    pub fn placed(&mut self, node: usize) -> Placement {
        let (rotation, position) = self.displacement(node);
        let placement = self.nodes[node].placement;
        placement.then(Placement { position, rotation }, &mut self.mechanism.graph)
    }

    /// The node of a frame that is fixed to a body, and where the frame is in the node's.
    pub fn locate(&mut self, frame: Frame) -> (usize, Placement) {
        let (node, body) = self.bodies[frame.body.index()];
        (node, body.then(frame.placement, &mut self.mechanism.graph))
    }

    /// The rotation from the node's components to those of the joint's fixed side, and the
    /// displacement in the latter.
    pub fn displacement(&mut self, node: usize) -> (Matrix, Vector) {
        let TreeNode { motion, coordinate, offset, .. } = self.nodes[node];
        let q = &self.q[coordinate..];
        match motion {
            ElementaryMotion::Ground => (Matrix::IDENTITY, Vector::ZERO),
            ElementaryMotion::Revolute { axis, reversed } => {
                let graph = &mut self.mechanism.graph;
                let angle = graph.add(signed(q[0], reversed), offset);
                (Matrix::rotation(Vector::unit(axis), angle, graph), Vector::ZERO)
            }
            ElementaryMotion::Prismatic { axis, reversed } => {
                let mut slide = Vector::ZERO;
                slide[axis] = signed(q[0], reversed);
                (Matrix::IDENTITY, slide)
            }
            ElementaryMotion::Helical { axis, reversed, pitch } => {
                let angle = signed(q[0], reversed);
                let mut slide = Vector::ZERO;
                slide[axis] = self.mechanism.graph.mul(pitch, angle);
                (Matrix::rotation(Vector::unit(axis), angle, &mut self.mechanism.graph), slide)
            }
            ElementaryMotion::Spherical => (self.turned(coordinate), Vector::ZERO),
            ElementaryMotion::Free => {
                let slide = Vector([q[0], q[1], q[2]]).scale(self.unit, &mut self.mechanism.graph);
                (self.turned(coordinate + 3), slide)
            }
        }
    }

    /// The rotation of a quaternion, whose first coordinate is given. A free joint's has unit
    /// length; what a file says of a locked or driven joint may not.
    fn turned(&mut self, first: usize) -> Matrix {
        let parts = [0, 1, 2, 3].map(|i| self.q[first + i]);
        let graph = &mut self.mechanism.graph;
        let free = parts.iter().all(|&part| graph.symbol_of(part).is_some());
        let squares = if free {
            Expr::ONE
        } else {
            let squares = parts.map(|part| graph.square(part));
            graph.sum(&squares)
        };
        Matrix::of_quaternion(parts, squares, graph)
    }

    /// A node's own speeds or accelerations as an angular and a linear vector in the node's axes.
    pub fn rates(&mut self, node: usize, v: &[Expr]) -> (Vector, Vector) {
        let motion = self.nodes[node].motion;
        let along = |axis: usize, value: Expr| {
            let mut vector = Vector::ZERO;
            vector[axis] = value;
            vector
        };
        match motion {
            ElementaryMotion::Ground => (Vector::ZERO, Vector::ZERO),
            ElementaryMotion::Revolute { axis, reversed } => {
                (along(axis, signed(v[0], reversed)), Vector::ZERO)
            }
            ElementaryMotion::Prismatic { axis, reversed } => {
                (Vector::ZERO, along(axis, signed(v[0], reversed)))
            }
            ElementaryMotion::Helical { axis, reversed, pitch } => {
                let rate = signed(v[0], reversed);
                (along(axis, rate), along(axis, self.mechanism.graph.mul(pitch, rate)))
            }
            ElementaryMotion::Spherical => (Vector([v[0], v[1], v[2]]), Vector::ZERO),
            ElementaryMotion::Free => {
                let linear = Vector([v[0], v[1], v[2]]);
                let linear = linear.scale(self.unit, &mut self.mechanism.graph);
                (Vector([v[3], v[4], v[5]]), linear)
            }
        }
    }

    /// The efforts of a joint that transmits a force and a torque, in the node's axes.
    pub fn project(&mut self, node: usize, force: Vector, torque: Vector) -> Vec<Expr> {
        match self.nodes[node].motion {
            ElementaryMotion::Ground => Vec::new(),
            ElementaryMotion::Revolute { axis, reversed } => vec![signed(torque[axis], reversed)],
            ElementaryMotion::Prismatic { axis, reversed } => vec![signed(force[axis], reversed)],
            ElementaryMotion::Helical { axis, reversed, pitch } => {
                let along = self.mechanism.graph.mul(pitch, force[axis]);
                vec![signed(self.mechanism.graph.add(torque[axis], along), reversed)]
            }
            ElementaryMotion::Spherical => torque.0.to_vec(),
            ElementaryMotion::Free => {
                let force = force.scale(self.unit, &mut self.mechanism.graph);
                [force.0, torque.0].concat()
            }
        }
    }
}

fn signed(value: Expr, reversed: bool) -> Expr {
    if reversed { -value } else { value }
}
