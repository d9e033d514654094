//! Parts of the equations of motion that a recursion is to write.

use crate::forces;
use crate::tree::{Tree, Wrench};
use rotule_symbolic::{Expr, Vector};

/// The terms of `M qdd + c` that are wanted.
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
    pub(crate) fn of(self, tree: &mut Tree) -> Given {
        let zeros = vec![Expr::ZERO; tree.speeds()];
        Given {
            qd: if self.velocities { tree.qd.clone() } else { zeros.clone() },
            qdd: if self.accelerations { tree.qdd.clone() } else { zeros },
            gravity: if self.gravity { tree.mechanism.gravity } else { Vector::ZERO },
            wrenches: if self.forces {
                forces::wrenches(tree)
            } else {
                vec![Wrench::ZERO; tree.nodes.len()]
            },
        }
    }
}

/// The inputs of a recursion.
pub(crate) struct Given {
    pub qd: Vec<Expr>,
    pub qdd: Vec<Expr>,
    pub gravity: Vector,
    /// External forces and torques, one pair per node.
    pub wrenches: Vec<Wrench>,
}
