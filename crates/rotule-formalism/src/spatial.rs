//! Wrenches and twists: a force with a torque, an angular with a linear velocity.
//!
//! Both are about the origin of a frame and in its axes; [`Wrench::carried`] brings a wrench from a
//! child's frame to its parent's.

use crate::tree::PlainWrench;
use crate::writer::{Named, Writer};
use rotule_symbolic::{Mat3, Scalar, Vec3};
use std::ops::{Add, AddAssign, Mul, Neg, Sub};

/// A force and a torque.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Wrench<'g> {
    pub force: Vec3<'g>,
    pub torque: Vec3<'g>,
}

/// An angular and a linear velocity, or acceleration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Twist<'g> {
    pub angular: Vec3<'g>,
    pub linear: Vec3<'g>,
}

impl<'g> Wrench<'g> {
    /// No force and no torque.
    pub const ZERO: Wrench<'static> = Wrench { force: Vec3::ZERO, torque: Vec3::ZERO };

    /// A stored wrench.
    pub fn of(plain: PlainWrench, writer: Writer<'_, 'g>) -> Wrench<'g> {
        Wrench { force: writer.vector(plain.force), torque: writer.vector(plain.torque) }
    }

    /// The wrench for storage.
    pub fn plain(self) -> PlainWrench {
        PlainWrench { force: self.force.plain(), torque: self.torque.plain() }
    }

    /// The wrench in the axes and about the origin of the frame in which its own has the rotation
    /// `R` and the position `d`.
    #[allow(non_snake_case)]
    pub fn carried(self, R: Mat3<'g>, d: Vec3<'g>) -> Wrench<'g> {
        let force = R * self.force;
        Wrench { force, torque: R * self.torque + d.cross(force) }
    }
}

impl<'g> Twist<'g> {
    /// The power of a wrench at this twist.
    pub fn dot(self, wrench: Wrench<'g>) -> Scalar<'g> {
        self.angular.dot(wrench.torque) + self.linear.dot(wrench.force)
    }

    /// The motion that this one makes of another that it carries along.
    pub fn cross(self, other: Twist<'g>) -> Twist<'g> {
        let linear = [self.angular.cross(other.linear), self.linear.cross(other.angular)];
        Twist { angular: self.angular.cross(other.angular), linear: linear[0] + linear[1] }
    }

    /// The wrench that this motion makes of one that it carries along.
    pub fn cross_wrench(self, wrench: Wrench<'g>) -> Wrench<'g> {
        Wrench {
            force: self.angular.cross(wrench.force),
            torque: self.angular.cross(wrench.torque) + self.linear.cross(wrench.force),
        }
    }
}

impl Named for Wrench<'_> {
    fn named(self, name: &str) -> Self {
        Wrench {
            force: self.force.named(&format!("{name}.f")),
            torque: self.torque.named(&format!("{name}.t")),
        }
    }
}

impl Named for Twist<'_> {
    fn named(self, name: &str) -> Self {
        Twist {
            angular: self.angular.named(&format!("{name}.a")),
            linear: self.linear.named(&format!("{name}.l")),
        }
    }
}

impl<'g> Add for Wrench<'g> {
    type Output = Wrench<'g>;
    fn add(self, other: Wrench<'g>) -> Wrench<'g> {
        Wrench { force: self.force + other.force, torque: self.torque + other.torque }
    }
}

impl AddAssign for Wrench<'_> {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl<'g> Sub for Wrench<'g> {
    type Output = Wrench<'g>;
    fn sub(self, other: Wrench<'g>) -> Wrench<'g> {
        Wrench { force: self.force - other.force, torque: self.torque - other.torque }
    }
}

impl<'g> Neg for Wrench<'g> {
    type Output = Wrench<'g>;
    fn neg(self) -> Wrench<'g> {
        Wrench { force: -self.force, torque: -self.torque }
    }
}

impl<'g> Add for Twist<'g> {
    type Output = Twist<'g>;
    fn add(self, other: Twist<'g>) -> Twist<'g> {
        Twist { angular: self.angular + other.angular, linear: self.linear + other.linear }
    }
}

impl<'g> Mul<Twist<'g>> for Scalar<'g> {
    type Output = Twist<'g>;
    fn mul(self, twist: Twist<'g>) -> Twist<'g> {
        Twist { angular: self * twist.angular, linear: self * twist.linear }
    }
}
