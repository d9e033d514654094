//! Parts of the equations of motion that a recursion is to write.

use crate::forces;
use crate::system::MotionInput;
use crate::tree::{ByNode, PlainWrench};
use crate::writer::Writer;
use rotule_symbolic::{Expr, Vector};

/// The terms of `M qdd + c` that are requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts {
    /// `M qdd`.
    pub accelerations: bool,
    /// Centrifugal and Coriolis terms.
    pub velocities: bool,
    /// Weights.
    pub gravity: bool,
    /// Line forces, wheels and forces at places.
    pub forces: bool,
}

impl Parts {
    /// Nothing.
    pub const NONE: Parts =
        Parts { accelerations: false, velocities: false, gravity: false, forces: false };
    /// `M qdd + c`
    pub const ALL: Parts =
        Parts { accelerations: true, velocities: true, gravity: true, forces: true };
    /// `c`
    pub const BIAS: Parts = Parts { accelerations: false, ..Parts::ALL };
    /// The part of `c` that weights make.
    pub const GRAVITY: Parts =
        Parts { accelerations: false, velocities: false, gravity: true, forces: false };
    /// The part of `c` that is quadratic in the speeds.
    pub const CORIOLIS: Parts = Parts { gravity: false, forces: false, ..Parts::BIAS };

    /// The inputs of a recursion: zeros for the parts that are not requested.
    pub(crate) fn of(self, writer: Writer<'_, '_>) -> Given {
        let zeros = writer.by_speed(Expr::ZERO);
        let mut motion = writer.motion.clone();
        if !self.velocities {
            motion.qd = zeros.clone();
        }
        if !self.accelerations {
            motion.qdd = zeros;
        }
        if !self.gravity {
            motion.gravity = Vector::ZERO;
        }
        let wrenches = if self.forces {
            forces::on_nodes(writer)
        } else {
            writer.tree.by_node(PlainWrench::ZERO)
        };
        Given { motion, wrenches }
    }
}

/// The inputs of a recursion.
pub(crate) struct Given {
    /// Coordinates, speeds, accelerations and gravity.
    pub motion: MotionInput,
    /// External forces and torques, one pair per node.
    pub wrenches: ByNode<PlainWrench>,
}
