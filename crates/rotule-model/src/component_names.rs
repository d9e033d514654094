//! Names of the quantities of a joint: its own name if there is one, components of position,
//! quaternion and velocity for free and spherical joints, numbers for others.
//!
//! ```text
//! free        base.x base.y base.z base.qw base.qx base.qy base.qz    base.vx base.vy base.vz base.wx base.wy base.wz
//! spherical   ball.qw ball.qx ball.qy ball.qz                         ball.wx ball.wy ball.wz
//! others      leg[1] leg[2]                                           leg.d[1] leg.d[2]
//! ```
//!
//! The numbers remain other names of the components: `base[4]` is `base.qw`, `base.d[4]` is
//! `base.wx`.

use crate::draft::JointType;

/// The quantities that a joint has for each of its degrees of freedom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComponentQuantity {
    /// A coordinate.
    Coordinate,
    /// A speed.
    Speed,
    /// The derivative of a speed.
    Acceleration,
    /// The effort along a speed.
    Effort,
}

/// Components of free joints; those of spherical joints are the last ones.
const COORDINATES: [&str; 7] = ["x", "y", "z", "qw", "qx", "qy", "qz"];
const SPEEDS: [&str; 6] = ["vx", "vy", "vz", "wx", "wy", "wz"];
const EFFORTS: [&str; 6] = ["fx", "fy", "fz", "tx", "ty", "tz"];

/// The name of a quantity.
pub fn component_name(
    kind: JointType,
    joint: &str,
    quantity: ComponentQuantity,
    index: usize,
) -> String {
    let Some(first) = kind.quaternion() else {
        return numbered_name(kind, joint, quantity, index);
    };
    let at = 3 - first + index;
    match quantity {
        ComponentQuantity::Coordinate => format!("{joint}.{}", COORDINATES[at]),
        ComponentQuantity::Speed => format!("{joint}.{}", SPEEDS[at]),
        ComponentQuantity::Acceleration => format!("{joint}.{}.d", SPEEDS[at]),
        ComponentQuantity::Effort => format!("{joint}.{}", EFFORTS[at]),
    }
}

/// The name of a quantity by its number in the joint, which every joint with several has.
pub fn numbered_name(
    kind: JointType,
    joint: &str,
    quantity: ComponentQuantity,
    index: usize,
) -> String {
    let stem = match quantity {
        ComponentQuantity::Coordinate => joint.to_owned(),
        ComponentQuantity::Speed => format!("{joint}.d"),
        ComponentQuantity::Acceleration => format!("{joint}.dd"),
        ComponentQuantity::Effort => format!("{joint}.effort"),
    };
    match kind.speeds() {
        1 => stem,
        _ => format!("{stem}[{}]", index + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_have_the_order_of_coordinates_and_speeds() {
        let all = |kind: JointType, quantity: ComponentQuantity, count: usize| {
            let names = (0..count).map(|at| component_name(kind, "b", quantity, at));
            names.collect::<Vec<_>>().join(" ")
        };
        let (free, ball) = (JointType::Free, JointType::Spherical);
        assert_eq!(all(free, ComponentQuantity::Coordinate, 7), "b.x b.y b.z b.qw b.qx b.qy b.qz");
        assert_eq!(all(free, ComponentQuantity::Speed, 6), "b.vx b.vy b.vz b.wx b.wy b.wz");
        assert_eq!(all(free, ComponentQuantity::Effort, 6), "b.fx b.fy b.fz b.tx b.ty b.tz");
        assert_eq!(all(ball, ComponentQuantity::Coordinate, 4), "b.qw b.qx b.qy b.qz");
        assert_eq!(all(ball, ComponentQuantity::Acceleration, 3), "b.wx.d b.wy.d b.wz.d");
        assert_eq!(all(JointType::Universal, ComponentQuantity::Speed, 2), "b.d[1] b.d[2]");
        assert_eq!(all(JointType::Revolute, ComponentQuantity::Acceleration, 1), "b.dd");
        assert_eq!(numbered_name(free, "b", ComponentQuantity::Effort, 2), "b.effort[3]");
    }
}
