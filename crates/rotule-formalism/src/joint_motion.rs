//! Elementary joints as recursions see them: a displacement, and the columns of the motion
//! subspace.
//!
//! A column is the angular velocity `phi` and the linear velocity `psi` of the node's frame, in its
//! own axes, for a unit of one speed. Recursions are written with columns and never look at the
//! type of a joint:
//!
//! ```text
//! relative velocity   W = sum phi qd     V = sum psi qd            effort   Q = phi . L + psi . F
//! ```

use crate::tree::{ElementaryMotion, NodeId, TreeNode};
use crate::writer::Writer;
use rotule_model::index::{BySpeed, CoordinateId, SpeedId};
use rotule_model::mechanism::{BodyId, Frame, Placement};
use rotule_symbolic::{Expr, Mat3, Matrix, Scalar, Vec3, sum};

/// A column of the motion subspace of a node's joint.
#[derive(Clone, Copy, Debug)]
pub struct JointColumn<'g> {
    /// The speed.
    pub speed: SpeedId,
    /// Angular velocity.
    pub phi: Vec3<'g>,
    /// Linear velocity.
    pub psi: Vec3<'g>,
}

/// A frame that is fixed to a node: its rotation and position there.
#[derive(Clone, Copy, Debug)]
#[allow(non_snake_case)] // symbols as in the formulas
pub(crate) struct Place<'g> {
    pub node: NodeId,
    pub R: Mat3<'g>,
    pub d: Vec3<'g>,
}

#[allow(non_snake_case)]
impl<'g> Place<'g> {
    /// The frame of a node itself.
    pub fn of_node(node: NodeId) -> Place<'g> {
        Place { node, R: Mat3::IDENTITY, d: Vec3::ZERO }
    }

    /// The frame at this point with the axes of the node.
    pub fn in_axes_of_node(self) -> Place<'g> {
        Place { R: Mat3::IDENTITY, ..self }
    }
}

#[allow(non_snake_case)] // symbols as in the formulas
impl<'g> Writer<'_, 'g> {
    /// The columns of a node's joint, one per speed.
    pub fn columns(self, node: NodeId) -> Vec<JointColumn<'g>> {
        let TreeNode { motion, speed, .. } = self.tree.nodes[node];
        let sign = |reversed: bool| Scalar::ONE.negated_if(reversed);
        let column = |at: usize, phi: Vec3<'g>, psi: Vec3<'g>| JointColumn {
            speed: speed.after(at),
            phi,
            psi,
        };
        match motion {
            ElementaryMotion::Ground => Vec::new(),
            ElementaryMotion::Revolute { axis, reversed } => {
                vec![column(0, Vec3::along(axis, sign(reversed)), Vec3::ZERO)]
            }
            ElementaryMotion::Prismatic { axis, reversed } => {
                vec![column(0, Vec3::ZERO, Vec3::along(axis, sign(reversed)))]
            }
            ElementaryMotion::Helical { axis, reversed, pitch } => {
                let phi = Vec3::along(axis, sign(reversed));
                vec![column(0, phi, self.scalar(pitch) * phi)]
            }
            ElementaryMotion::Spherical => {
                (0..3).map(|axis| column(axis, Vec3::unit(axis), Vec3::ZERO)).collect()
            }
            ElementaryMotion::Free => {
                let unit = self.scalar(self.tree.unit);
                let slides = (0..3).map(|axis| column(axis, Vec3::ZERO, Vec3::along(axis, unit)));
                let turns = (0..3).map(|axis| column(3 + axis, Vec3::unit(axis), Vec3::ZERO));
                slides.chain(turns).collect()
            }
        }
    }

    /// A node's own speeds or accelerations as an angular and a linear vector in its axes; those of
    /// all nodes are given.
    pub(crate) fn rates(self, node: NodeId, v: &BySpeed<Scalar<'g>>) -> (Vec3<'g>, Vec3<'g>) {
        self.rates_by(node, |speed| v[speed])
    }

    /// A node's own velocities `W` and `V`.
    pub(crate) fn velocities(self, node: NodeId) -> (Vec3<'g>, Vec3<'g>) {
        self.rates_by(node, |speed| self.scalar(self.motion.qd[speed]))
    }

    /// A node's own accelerations `Wd` and `Vd`.
    pub(crate) fn accelerations(self, node: NodeId) -> (Vec3<'g>, Vec3<'g>) {
        self.rates_by(node, |speed| self.scalar(self.motion.qdd[speed]))
    }

    fn rates_by(self, node: NodeId, v: impl Fn(SpeedId) -> Scalar<'g>) -> (Vec3<'g>, Vec3<'g>) {
        let columns = self.columns(node);
        (
            sum(columns.iter().map(|column| v(column.speed) * column.phi)),
            sum(columns.iter().map(|column| v(column.speed) * column.psi)),
        )
    }

    /// The rotation `R` from the node's components to its parent's and the position `d` of its
    /// origin there, displacement of the joint included.
    pub(crate) fn placed(self, node: NodeId) -> (Mat3<'g>, Vec3<'g>) {
        let (fixed, anchor) = self.anchored(node);
        let (R, z) = self.displacement(node);
        let d = anchor + fixed * z;
        (fixed * R, d)
    }

    /// Where a node's frame is in its parent's, displacement of the joint included.
    pub fn placement(self, node: NodeId) -> Placement {
        let (rotation, position) = self.placed(node);
        Placement { rotation: rotation.plain(), position: position.plain() }
    }

    /// The rotation and the position of the joint's fixed side in the parent.
    pub(crate) fn anchored(self, node: NodeId) -> (Mat3<'g>, Vec3<'g>) {
        let Placement { rotation, position } = self.tree.nodes[node].fixed_side();
        (self.matrix(rotation), self.vector(position))
    }

    /// The frame of a body.
    pub(crate) fn body(self, body: BodyId) -> Place<'g> {
        let (node, Placement { rotation, position }) = self.tree.bodies[body];
        Place { node, R: self.matrix(rotation), d: self.vector(position) }
    }

    /// A frame that is fixed to a body.
    pub(crate) fn locate(self, frame: Frame) -> Place<'g> {
        let Place { node, R, d } = self.body(frame.body);
        let Placement { rotation, position } = frame.placement;
        let d = d + R * self.vector(position);
        Place { node, R: R * self.matrix(rotation), d }
    }

    /// The rotation from the node's components to those of the joint's fixed side, and the
    /// displacement in the latter.
    pub(crate) fn displacement(self, node: NodeId) -> (Mat3<'g>, Vec3<'g>) {
        let TreeNode { motion, coordinate, offset, .. } = self.tree.nodes[node];
        let q = |at: usize| self.scalar(self.motion.q[coordinate.after(at)]);
        match motion {
            ElementaryMotion::Ground => (Mat3::IDENTITY, Vec3::ZERO),
            ElementaryMotion::Revolute { axis, reversed } => {
                let angle = q(0).negated_if(reversed) + self.scalar(offset);
                (Mat3::rotation(Vec3::unit(axis), angle), Vec3::ZERO)
            }
            ElementaryMotion::Prismatic { axis, reversed } => {
                (Mat3::IDENTITY, Vec3::along(axis, q(0).negated_if(reversed)))
            }
            ElementaryMotion::Helical { axis, reversed, pitch } => {
                let angle = q(0).negated_if(reversed);
                let z = Vec3::along(axis, self.scalar(pitch) * angle);
                (Mat3::rotation(Vec3::unit(axis), angle), z)
            }
            ElementaryMotion::Spherical => (self.quaternion(coordinate), Vec3::ZERO),
            ElementaryMotion::Free => {
                let z = self.scalar(self.tree.unit) * Vec3([q(0), q(1), q(2)]);
                (self.quaternion(coordinate.after(3)), z)
            }
        }
    }

    /// The rotation of a quaternion, whose first coordinate is given. A free joint's has unit
    /// length; what a file says of a locked or driven joint may not.
    fn quaternion(self, first: CoordinateId) -> Mat3<'g> {
        let parts = [0, 1, 2, 3].map(|at| self.motion.q[first.after(at)]);
        self.matrix(self.edit(|graph| {
            let free = parts.iter().all(|&part| graph.symbol_of(part).is_some());
            let squares = if free {
                Expr::ONE
            } else {
                let squares = parts.map(|part| graph.square(part));
                graph.sum(&squares)
            };
            Matrix::of_quaternion(parts, squares, graph)
        }))
    }
}
