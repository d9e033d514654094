//! Kinematics from a reference to the tip, everything in the axes of the reference (Postiau,
//! section 1.2.1, corrected).
//!
//! ```text
//! R_i  = R_h R_hi                         rl = R_h d          d from the parent's origin to the node's
//! p_i  = p_h + rl                         W, V: the joint's relative velocities, turned by R_i
//! w_i  = w_h + W                          orl = w_h x rl
//! v_i  = v_h + orl + V
//! wd_i = wd_h + w_h x W + Wd
//! a_i  = a_h + wd_h x rl + w_h x orl + 2 w_h x V + Vd  (+ W x V where V turns with the node)
//! ```
//!
//! The reference may be any node. A joint that is passed against its direction, from a node to its
//! parent, uses the same equations solved for the parent's quantities, so that a path up to a
//! common ancestor and down again is one recursion. What was computed for a node is kept: places
//! that share a part of their paths share its equations.

use crate::tree::{ElementaryMotion, Tree};
use rotule_model::mechanism::Placement;
use rotule_symbolic::{Expr, Matrix, Vector};
use std::collections::BTreeMap;

/// The level that a recursion goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Positions and rotations.
    Position,
    /// Velocities, too.
    Velocity,
    /// Accelerations, too.
    Acceleration,
}

/// The motion of a frame relative to a reference: all in the axes of the reference, derivatives as
/// seen from it. Quantities beyond the level of the recursion are zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moving {
    /// Of the origin.
    pub position: Vector,
    /// From the frame's components to those of the reference.
    pub rotation: Matrix,
    /// Of the origin.
    pub velocity: Vector,
    /// Angular velocity.
    pub angular: Vector,
    /// Of the origin.
    pub acceleration: Vector,
    /// Angular acceleration.
    pub angular_acceleration: Vector,
}

impl Moving {
    /// A frame that rests in the reference.
    pub fn at_rest(at: Placement) -> Moving {
        Moving {
            position: at.position,
            rotation: at.rotation,
            velocity: Vector::ZERO,
            angular: Vector::ZERO,
            acceleration: Vector::ZERO,
            angular_acceleration: Vector::ZERO,
        }
    }
}

/// The motion of nodes relative to one reference, each computed once.
pub(crate) struct Frames {
    level: Level,
    /// The node that the reference is fixed to.
    origin: usize,
    /// The highest ancestor of the origin that was reached.
    top: usize,
    known: BTreeMap<usize, Moving>,
    /// For each node whose joint was passed: from its parent's origin to its own, in the axes of
    /// the reference.
    arms: BTreeMap<usize, Vector>,
}

impl Frames {
    /// The recursion from a frame that is placed in a node.
    pub fn new(tree: &mut Tree, origin: usize, placement: Placement, level: Level) -> Frames {
        let start = placement.inverse(&mut tree.mechanism.graph);
        let known = BTreeMap::from([(origin, Moving::at_rest(start))]);
        Frames { level, origin, top: origin, known, arms: BTreeMap::new() }
    }

    /// The motion of a frame that is placed in a node.
    pub fn place(&mut self, tree: &mut Tree, node: usize, placement: Placement) -> Moving {
        let own = self.node(tree, node);
        let graph = &mut tree.mechanism.graph;
        let arm = own.rotation.apply(placement.position, graph);
        let rotation = own.rotation.mul(placement.rotation, graph);
        let mut moving = Moving { rotation, ..self.carried(tree, own, arm, node) };
        moving.angular = own.angular;
        moving.angular_acceleration = own.angular_acceleration;
        moving
    }

    /// The motion of a node.
    pub fn node(&mut self, tree: &mut Tree, node: usize) -> Moving {
        // Parents come before children: whichever of the two is later cannot be the other's
        // ancestor.
        let mut below = Vec::new();
        let mut at = node;
        let mut own = loop {
            match self.known.get(&at) {
                Some(&known) => break known,
                None if at > self.top => {
                    below.push(at);
                    at = tree.nodes[at].parent;
                }
                None => self.climb(tree),
            }
        };
        while let Some(next) = below.pop() {
            own = self.descend(tree, own, next);
            self.known.insert(next, own);
        }
        own
    }

    /// The node that the reference is fixed to.
    pub fn origin(&self) -> usize {
        self.origin
    }

    /// From the parent's origin to the node's, once the joint between them was passed; in the axes
    /// of the reference.
    pub fn arm(&self, node: usize) -> Vector {
        self.arms.get(&node).copied().unwrap_or(Vector::ZERO)
    }

    /// From a node to a child.
    fn descend(&mut self, tree: &mut Tree, parent: Moving, node: usize) -> Moving {
        let placed = tree.nodes[node].placement;
        let (turn, slide) = tree.displacement(node);
        let graph = &mut tree.mechanism.graph;
        let side = parent.rotation.mul(placed.rotation, graph);
        let rotation = side.mul(turn, graph);
        let fixed = parent.rotation.apply(placed.position, graph);
        let along = side.apply(slide, graph);
        let arm = fixed.add(along, graph);
        let rotation = self.named_matrix(tree, node, rotation);
        let arm = self.named(tree, "arm", node, arm);
        self.arms.insert(node, arm);
        let carried = self.carried(tree, parent, arm, node);
        let joint = self.joint(tree, node, rotation, parent.angular);
        let graph = &mut tree.mechanism.graph;
        let next = Moving {
            rotation,
            position: carried.position,
            angular: parent.angular.add(joint.angular, graph),
            velocity: carried.velocity.add(joint.linear, graph),
            angular_acceleration: parent.angular_acceleration.add(joint.angular_rate, graph),
            acceleration: carried.acceleration.add(joint.linear_rate, graph),
        };
        self.finished(tree, node, next)
    }

    /// From the highest node so far to its parent.
    fn climb(&mut self, tree: &mut Tree) {
        let node = self.top;
        let own = self.known[&node];
        let placed = tree.nodes[node].placement;
        let (turn, slide) = tree.displacement(node);
        let parent = tree.nodes[node].parent;
        let graph = &mut tree.mechanism.graph;
        let side = own.rotation.mul(turn.transpose(), graph);
        let rotation = side.mul(placed.rotation.transpose(), graph);
        let along = side.apply(slide, graph);
        let rotation = self.named_matrix(tree, parent, rotation);
        let graph = &mut tree.mechanism.graph;
        let fixed = rotation.apply(placed.position, graph);
        let arm = fixed.add(along, graph);
        let arm = self.named(tree, "arm", node, arm);
        self.arms.insert(node, arm);
        // The parent's angular velocity comes first: the joint's terms are seen from the parent.
        let angular = if self.level >= Level::Velocity {
            let (relative, _) = self.turned(tree, node, own.rotation, Rate::Speeds);
            own.angular.sub(relative, &mut tree.mechanism.graph)
        } else {
            Vector::ZERO
        };
        let angular = self.named(tree, "w", parent, angular);
        let joint = self.joint(tree, node, own.rotation, angular);
        let graph = &mut tree.mechanism.graph;
        let angular_acceleration = own.angular_acceleration.sub(joint.angular_rate, graph);
        let angular_acceleration = self.named(tree, "wd", parent, angular_acceleration);
        let at = Moving { angular, angular_acceleration, ..own };
        let carried = self.carried(tree, at, -arm, parent);
        let graph = &mut tree.mechanism.graph;
        let next = Moving {
            rotation,
            position: carried.position,
            angular,
            velocity: carried.velocity.sub(joint.linear, graph),
            angular_acceleration,
            acceleration: carried.acceleration.sub(joint.linear_rate, graph),
        };
        let next = self.finished(tree, parent, next);
        self.known.insert(parent, next);
        self.top = parent;
    }

    /// The motion of a point at an arm from a frame's origin, at rest in that frame; the arm in the
    /// axes of the reference. The node is for names.
    fn carried(&self, tree: &mut Tree, frame: Moving, arm: Vector, node: usize) -> Moving {
        let graph = &mut tree.mechanism.graph;
        let mut moving = frame;
        moving.position = frame.position.add(arm, graph);
        if self.level >= Level::Velocity {
            let turning = frame.angular.cross(arm, graph);
            moving.velocity = frame.velocity.add(turning, graph);
            if self.level >= Level::Acceleration {
                let turning = self.named(tree, "orl", node, turning);
                let graph = &mut tree.mechanism.graph;
                let parts = [
                    frame.acceleration,
                    frame.angular_acceleration.cross(arm, graph),
                    frame.angular.cross(turning, graph),
                ];
                moving.acceleration = Vector::sum(&parts, graph);
            }
        }
        moving
    }

    /// The velocities and accelerations that a joint adds to those of its parent, which rotates
    /// with `w`.
    fn joint(&self, tree: &mut Tree, node: usize, rotation: Matrix, w: Vector) -> Joint {
        let mut joint = Joint::default();
        if self.level < Level::Velocity {
            return joint;
        }
        (joint.angular, joint.linear) = self.turned(tree, node, rotation, Rate::Speeds);
        if self.level < Level::Acceleration {
            return joint;
        }
        let (angular, linear) = self.turned(tree, node, rotation, Rate::Accelerations);
        let free = tree.nodes[node].motion == ElementaryMotion::Free;
        let graph = &mut tree.mechanism.graph;
        let turning = w.cross(joint.angular, graph);
        joint.angular_rate = turning.add(angular, graph);
        let two = graph.number(2);
        let coriolis = w.cross(joint.linear, graph).scale(two, graph);
        let own = if free { joint.angular.cross(joint.linear, graph) } else { Vector::ZERO };
        joint.linear_rate = Vector::sum(&[coriolis, own, linear], graph);
        joint
    }

    /// A joint's speeds or accelerations in the axes of the reference.
    fn turned(
        &self,
        tree: &mut Tree,
        node: usize,
        rotation: Matrix,
        rate: Rate,
    ) -> (Vector, Vector) {
        let first = tree.nodes[node].speed;
        let list = match rate {
            Rate::Speeds => &tree.qd,
            Rate::Accelerations => &tree.qdd,
        };
        let count = tree.nodes[node].motion.speeds();
        let values: Vec<Expr> = list[first..first + count].to_vec();
        let (angular, linear) = tree.rates(node, &values);
        let graph = &mut tree.mechanism.graph;
        let (angular, linear) = (rotation.apply(angular, graph), rotation.apply(linear, graph));
        match rate {
            // Used several times beyond this.
            Rate::Speeds => {
                let angular = self.named(tree, "wj", node, angular);
                (angular, self.named(tree, "V", node, linear))
            }
            Rate::Accelerations => (angular, linear),
        }
    }

    fn finished(&self, tree: &mut Tree, node: usize, moving: Moving) -> Moving {
        Moving {
            rotation: moving.rotation,
            position: self.named(tree, "p", node, moving.position),
            angular: self.named(tree, "w", node, moving.angular),
            velocity: self.named(tree, "v", node, moving.velocity),
            angular_acceleration: self.named(tree, "wd", node, moving.angular_acceleration),
            acceleration: self.named(tree, "a", node, moving.acceleration),
        }
    }

    fn named(&self, tree: &mut Tree, what: &str, node: usize, vector: Vector) -> Vector {
        let label = self.label(tree, what, node);
        vector.name(&label, &mut tree.mechanism.graph)
    }

    fn named_matrix(&self, tree: &mut Tree, node: usize, matrix: Matrix) -> Matrix {
        let label = self.label(tree, "R", node);
        matrix.name(&label, &mut tree.mechanism.graph)
    }

    fn label(&self, tree: &Tree, what: &str, node: usize) -> String {
        format!("{what}[{},{}]", tree.nodes[self.origin].name, tree.nodes[node].name)
    }
}

/// A joint's speeds or its accelerations.
#[derive(Clone, Copy)]
enum Rate {
    Speeds,
    Accelerations,
}

/// A joint's relative velocities, and its part of the accelerations.
struct Joint {
    angular: Vector,
    linear: Vector,
    angular_rate: Vector,
    linear_rate: Vector,
}

impl Default for Joint {
    fn default() -> Joint {
        let zero = Vector::ZERO;
        Joint { angular: zero, linear: zero, angular_rate: zero, linear_rate: zero }
    }
}
