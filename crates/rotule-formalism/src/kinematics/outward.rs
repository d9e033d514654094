//! Kinematics from a reference to the tip, everything in the axes of the reference (Postiau,
//! section 1.2.1, corrected).
//!
//! ```text
//! R_i  = R_h R_hi                         rl = R_h d          d from the parent's origin to the node's
//! p_i  = p_h + rl                         W, V: the joint's relative velocities, rotated by R_i
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

#![allow(non_snake_case)] // symbols as in the formulas

use crate::joint_motion::Place;
use crate::tree::NodeId;
use crate::writer::{Named, Writer};
use rotule_symbolic::{Mat3, Vec3, sum};
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
pub(crate) struct Moving<'g> {
    /// Position of the origin.
    pub p: Vec3<'g>,
    /// From the frame's components to those of the reference.
    pub R: Mat3<'g>,
    /// Velocity of the origin.
    pub v: Vec3<'g>,
    /// Angular velocity.
    pub w: Vec3<'g>,
    /// Acceleration of the origin.
    pub a: Vec3<'g>,
    /// Angular acceleration.
    pub wd: Vec3<'g>,
}

impl<'g> Moving<'g> {
    /// A frame that rests in the reference.
    pub fn at_rest(R: Mat3<'g>, p: Vec3<'g>) -> Moving<'g> {
        Moving { p, R, v: Vec3::ZERO, w: Vec3::ZERO, a: Vec3::ZERO, wd: Vec3::ZERO }
    }
}

/// The motion of nodes relative to one reference, each computed once.
pub(crate) struct Frames<'g> {
    level: Level,
    /// The node that the reference is fixed to.
    origin: NodeId,
    /// The highest ancestor of the origin that was reached.
    top: NodeId,
    known: BTreeMap<NodeId, Moving<'g>>,
    /// For each node whose joint was passed: from its parent's origin to its own, in the axes of
    /// the reference.
    arms: BTreeMap<NodeId, Vec3<'g>>,
}

impl<'g> Frames<'g> {
    /// The recursion from a frame that is fixed to a node.
    pub fn new(origin: Place<'g>, level: Level) -> Frames<'g> {
        let back = origin.R.transpose();
        let start = Moving::at_rest(back, -(back * origin.d));
        let known = BTreeMap::from([(origin.node, start)]);
        Frames { level, origin: origin.node, top: origin.node, known, arms: BTreeMap::new() }
    }

    /// The motion of a frame that is fixed to a node.
    pub fn place(&mut self, writer: Writer<'_, 'g>, place: Place<'g>) -> Moving<'g> {
        let own = self.node(writer, place.node);
        let rl = own.R * place.d;
        let R = own.R * place.R;
        let carried = self.carried(writer, own, rl, place.node);
        Moving { R, w: own.w, wd: own.wd, ..carried }
    }

    /// The motion of a node.
    pub fn node(&mut self, writer: Writer<'_, 'g>, node: NodeId) -> Moving<'g> {
        // Parents come before children: whichever of the two is later cannot be the other's
        // ancestor.
        let mut below = Vec::new();
        let mut at = node;
        let mut own = loop {
            match self.known.get(&at) {
                Some(&known) => break known,
                None if at > self.top => {
                    below.push(at);
                    at = writer.tree.nodes[at].parent;
                }
                None => self.climb(writer),
            }
        };
        while let Some(next) = below.pop() {
            own = self.descend(writer, own, next);
            self.known.insert(next, own);
        }
        own
    }

    /// The node that the reference is fixed to.
    pub fn origin(&self) -> NodeId {
        self.origin
    }

    /// From the parent's origin to the node's, once the joint between them was passed; in the axes
    /// of the reference.
    pub fn arm(&self, node: NodeId) -> Vec3<'g> {
        self.arms.get(&node).copied().unwrap_or(Vec3::ZERO)
    }

    /// From a node to a child.
    fn descend(&mut self, writer: Writer<'_, 'g>, h: Moving<'g>, i: NodeId) -> Moving<'g> {
        let (fixed, d) = writer.anchored(i);
        let (turn, z) = writer.displacement(i);
        let side = h.R * fixed;
        let R = side * turn;
        let rl = h.R * d + side * z;
        let R = self.named(writer, "R", i, R);
        let rl = self.named(writer, "arm", i, rl);
        self.arms.insert(i, rl);
        let carried = self.carried(writer, h, rl, i);
        let joint = self.joint(writer, i, R, h.w);
        let next = Moving {
            R,
            p: carried.p,
            w: h.w + joint.W,
            v: carried.v + joint.V,
            wd: h.wd + joint.Wd,
            a: carried.a + joint.Vd,
        };
        self.finished(writer, i, next)
    }

    /// From the highest node so far to its parent.
    fn climb(&mut self, writer: Writer<'_, 'g>) {
        let i = self.top;
        let own = self.known[&i];
        let (fixed, d) = writer.anchored(i);
        let (turn, z) = writer.displacement(i);
        let parent = writer.tree.nodes[i].parent;
        let side = own.R * turn.transpose();
        let R = side * fixed.transpose();
        let along = side * z;
        let R = self.named(writer, "R", parent, R);
        let rl = self.named(writer, "arm", i, R * d + along);
        self.arms.insert(i, rl);
        // The parent's angular velocity comes first: the joint's terms are relative to the parent.
        let w = if self.level >= Level::Velocity {
            own.w - self.speeds(writer, i, own.R).0
        } else {
            Vec3::ZERO
        };
        let w = self.named(writer, "w", parent, w);
        let joint = self.joint(writer, i, own.R, w);
        let wd = self.named(writer, "wd", parent, own.wd - joint.Wd);
        let carried = self.carried(writer, Moving { w, wd, ..own }, -rl, parent);
        let next =
            Moving { R, p: carried.p, w, v: carried.v - joint.V, wd, a: carried.a - joint.Vd };
        let next = self.finished(writer, parent, next);
        self.known.insert(parent, next);
        self.top = parent;
    }

    /// The motion of a point at an arm from a frame's origin, at rest in that frame; the arm in the
    /// axes of the reference. The node is for names.
    fn carried(
        &self,
        writer: Writer<'_, 'g>,
        h: Moving<'g>,
        rl: Vec3<'g>,
        node: NodeId,
    ) -> Moving<'g> {
        let mut moving = h;
        moving.p = h.p + rl;
        if self.level >= Level::Velocity {
            let orl = h.w.cross(rl);
            moving.v = h.v + orl;
            if self.level >= Level::Acceleration {
                let orl = self.named(writer, "orl", node, orl);
                moving.a = sum([h.a, h.wd.cross(rl), h.w.cross(orl)]);
            }
        }
        moving
    }

    /// The velocities and accelerations that a joint adds to those of its parent, which rotates
    /// with `w`.
    fn joint(&self, writer: Writer<'_, 'g>, i: NodeId, R: Mat3<'g>, w: Vec3<'g>) -> Joint<'g> {
        let mut joint = Joint { W: Vec3::ZERO, V: Vec3::ZERO, Wd: Vec3::ZERO, Vd: Vec3::ZERO };
        if self.level < Level::Velocity {
            return joint;
        }
        (joint.W, joint.V) = self.speeds(writer, i, R);
        if self.level < Level::Acceleration {
            return joint;
        }
        let (Wd, Vd) = writer.accelerations(i);
        let (Wd, Vd) = (R * Wd, R * Vd);
        let turns_with_node = writer.tree.nodes[i].motion.translates_in_own_axes();
        joint.Wd = w.cross(joint.W) + Wd;
        let two = writer.number(2);
        let coriolis = two * w.cross(joint.V);
        let own = if turns_with_node { joint.W.cross(joint.V) } else { Vec3::ZERO };
        joint.Vd = sum([coriolis, own, Vd]);
        joint
    }

    /// A joint's velocities in the axes of the reference. Named, because they are used several
    /// times.
    fn speeds(&self, writer: Writer<'_, 'g>, i: NodeId, R: Mat3<'g>) -> (Vec3<'g>, Vec3<'g>) {
        let (W, V) = writer.velocities(i);
        let (W, V) = (R * W, R * V);
        (self.named(writer, "wj", i, W), self.named(writer, "V", i, V))
    }

    fn finished(&self, writer: Writer<'_, 'g>, node: NodeId, moving: Moving<'g>) -> Moving<'g> {
        Moving {
            R: moving.R,
            p: self.named(writer, "p", node, moving.p),
            w: self.named(writer, "w", node, moving.w),
            v: self.named(writer, "v", node, moving.v),
            wd: self.named(writer, "wd", node, moving.wd),
            a: self.named(writer, "a", node, moving.a),
        }
    }

    /// Names a quantity of a node relative to the reference: `w[ground,arm]`.
    fn named<T: Named>(&self, writer: Writer<'_, 'g>, symbol: &str, node: NodeId, value: T) -> T {
        let [origin, own] = [self.origin, node].map(|at| &writer.tree.nodes[at].name);
        value.named(&format!("{symbol}[{origin},{own}]"))
    }
}

/// A joint's relative velocities, and its part of the accelerations.
struct Joint<'g> {
    W: Vec3<'g>,
    V: Vec3<'g>,
    Wd: Vec3<'g>,
    Vd: Vec3<'g>,
}
