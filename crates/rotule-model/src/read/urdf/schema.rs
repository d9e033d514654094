//! Elements of a URDF file that are taken, and why the rest is not.

use crate::read::xml::{Left, Rule, Schema};

/// URDF, with the proposed `<constraint>`.
pub(super) const SCHEMA: Schema = Schema {
    format: "URDF",
    root: "robot",
    rules: &[
        Rule {
            element: "robot",
            attributes: &["name", "version"],
            children: &["link", "joint", "constraint"],
            left_out: &[
                Left::note("transmission", "joints are driven by their efforts directly"),
                Left::note("ros2_control", "joints are driven by their efforts directly"),
                Left::note("sensor", "sensors of URDF have no part in the equations"),
                Left::warning("loop", "a loop is written as `<constraint>`"),
                Left::warning("coupling", "a coupling is written as `<mimic>`"),
            ],
        },
        Rule {
            element: "link",
            attributes: &["name"],
            children: &["inertial"],
            left_out: &[
                Left::note("@type", "every link is a rigid body"),
                Left::note("sensor", "sensors of URDF have no part in the equations"),
                Left::note("self_collision_checking", "contact is not part of a mechanism here"),
            ],
        },
        Rule {
            element: "inertial",
            attributes: &[],
            children: &["origin", "mass", "inertia"],
            left_out: &[],
        },
        Rule { element: "mass", attributes: &["value"], children: &[], left_out: &[] },
        Rule {
            element: "inertia",
            attributes: &["ixx", "iyy", "izz", "ixy", "ixz", "iyz"],
            children: &[],
            left_out: &[],
        },
        ORIGIN,
        Rule { element: "parent_origin", ..ORIGIN },
        Rule { element: "child_origin", ..ORIGIN },
        Rule {
            element: "joint",
            attributes: &["name", "type"],
            children: &["origin", "parent", "child", "axis", "limit", "dynamics", "mimic"],
            left_out: &[
                Left::note("safety_controller", "it belongs to the controller"),
                Left::note("calibration", "it belongs to the controller"),
            ],
        },
        Rule { element: "joint/parent", attributes: &["link"], children: &[], left_out: &[] },
        Rule { element: "joint/child", attributes: &["link"], children: &[], left_out: &[] },
        AXIS,
        Rule { element: "parent_axis", ..AXIS },
        Rule { element: "child_axis", ..AXIS },
        Rule {
            element: "limit",
            attributes: &["lower", "upper", "velocity", "effort"],
            children: &[],
            left_out: &[
                Left::note("@acceleration", "accelerations have no limit here"),
                Left::note("@deceleration", "accelerations have no limit here"),
                Left::note("@jerk", "accelerations have no limit here"),
            ],
        },
        Rule {
            element: "dynamics",
            attributes: &["damping", "friction"],
            children: &[],
            left_out: &[],
        },
        Rule {
            element: "mimic",
            attributes: &["joint", "multiplier", "offset"],
            children: &[],
            left_out: &[],
        },
        Rule {
            element: "constraint",
            attributes: &["name", "type"],
            children: &[
                "parent",
                "child",
                "parent_origin",
                "child_origin",
                "axis",
                "parent_axis",
                "child_axis",
            ],
            left_out: &[],
        },
        Rule { element: "constraint/parent", ..END },
        Rule { element: "constraint/child", ..END },
    ],
    left_out: &[
        Left::note("collision", "contact is not part of a mechanism here"),
        Left::warning("gazebo", "settings of a simulator are not part of the robot"),
    ],
};

const ORIGIN: Rule = Rule {
    element: "origin",
    attributes: &["xyz", "rpy", "quat_xyzw"],
    children: &[],
    left_out: &[],
};

const AXIS: Rule = Rule { element: "axis", attributes: &["xyz"], children: &[], left_out: &[] };

const END: Rule = Rule {
    element: "constraint/parent",
    attributes: &["link", "xyz", "rpy", "quat_xyzw"],
    children: &["origin"],
    left_out: &[],
};
