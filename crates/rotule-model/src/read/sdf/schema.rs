//! Elements of an SDF file that are taken, and why the rest is not.

use crate::read::xml::{Left, Rule, Schema, TEXT};

const CONTACT: &str = "contact is not part of a mechanism here";
const ENGINE: &str = "it tunes a physics engine";
const WORLD: &str = "surroundings have no part in the equations";

/// SDF, versions 1.4 to 1.12.
pub(super) const SCHEMA: Schema = Schema {
    format: "SDF",
    root: "sdf",
    rules: &[
        Rule {
            element: "sdf",
            attributes: &["version"],
            children: &["world", "model"],
            left_out: &[Left::note("light", WORLD), Left::note("actor", WORLD)],
        },
        Rule {
            element: "world",
            attributes: &["name"],
            children: &["gravity", "model"],
            left_out: &[
                Left::note("physics", ENGINE),
                Left::note("scene", WORLD),
                Left::note("gui", WORLD),
                Left::note("light", WORLD),
                Left::note("audio", WORLD),
                Left::note("actor", WORLD),
                Left::note("road", WORLD),
                Left::note("atmosphere", WORLD),
                Left::note("magnetic_field", WORLD),
                Left::note("spherical_coordinates", WORLD),
                Left::warning("wind", "write it as a `[[force]]` in an additional model file"),
                Left::warning("state", "the model is read as it stands at the beginning"),
                Left::warning("population", "one model is read"),
                Left::warning("include", "other files are not read"),
                Left::warning("frame", "only frames of the model are read"),
                Left::warning("joint", "only joints of the model are read"),
            ],
        },
        Rule {
            element: "model",
            attributes: &["name"],
            children: &["static", "pose", "link", "joint", "frame"],
            left_out: &[
                Left::note("@canonical_link", "every link is computed the same way"),
                Left::warning("@placement_frame", "the pose of the model is that of its own frame"),
                Left::note("self_collide", CONTACT),
                Left::note("allow_auto_disable", ENGINE),
                Left::warning(
                    "enable_wind",
                    "write it as a `[[force]]` in an additional model file",
                ),
                Left::warning("gripper", CONTACT),
            ],
        },
        Rule {
            element: "frame",
            attributes: &["name", "attached_to"],
            children: &["pose"],
            left_out: &[],
        },
        Rule {
            element: "pose",
            attributes: &[TEXT, "relative_to", "degrees", "rotation_format"],
            children: &[],
            left_out: &[Left::note("@frame", "no reader of SDF gave it a meaning")],
        },
        Rule {
            element: "link",
            attributes: &["name"],
            children: &["pose", "inertial", "gravity", "kinematic"],
            left_out: &[
                Left::note("light", WORLD),
                Left::note("projector", WORLD),
                Left::note("audio_sink", WORLD),
                Left::note("audio_source", WORLD),
                Left::note("particle_emitter", WORLD),
                Left::note("battery", WORLD),
                Left::note("self_collide", CONTACT),
                Left::note("must_be_base_link", ENGINE),
                Left::warning(
                    "velocity_decay",
                    "write it as a `[[force]]` in an additional model file",
                ),
                Left::warning(
                    "enable_wind",
                    "write it as a `[[force]]` in an additional model file",
                ),
            ],
        },
        Rule {
            element: "inertial",
            attributes: &["auto"],
            children: &["pose", "mass", "inertia"],
            left_out: &[
                Left::note("density", "mass and inertia are given"),
                Left::note("auto_inertia_params", "mass and inertia are given"),
                Left::warning("fluid_added_mass", "fluids are not part of a mechanism here"),
            ],
        },
        Rule {
            element: "inertia",
            attributes: &[],
            children: &["ixx", "iyy", "izz", "ixy", "ixz", "iyz"],
            left_out: &[],
        },
        Rule {
            element: "joint",
            attributes: &["name", "type"],
            children: &[
                "pose",
                "parent",
                "child",
                "axis",
                "axis2",
                "thread_pitch",
                "screw_thread_pitch",
                "gearbox_ratio",
                "gearbox_reference_body",
            ],
            left_out: &[Left::note("physics", ENGINE)],
        },
        AXIS,
        Rule { element: "axis2", ..AXIS },
        Rule { element: "xyz", attributes: &[TEXT, "expressed_in"], children: &[], left_out: &[] },
        Rule {
            element: "dynamics",
            attributes: &[],
            children: &["damping", "friction", "spring_reference", "spring_stiffness"],
            left_out: &[],
        },
        Rule {
            element: "limit",
            attributes: &[],
            children: &["lower", "upper", "effort", "velocity"],
            left_out: &[
                Left::note("stiffness", "limits are not enforced"),
                Left::note("dissipation", "limits are not enforced"),
            ],
        },
        Rule {
            element: "mimic",
            attributes: &["joint", "axis"],
            children: &["multiplier", "offset", "reference"],
            left_out: &[],
        },
    ],
    left_out: &[
        Left::note("collision", CONTACT),
        Left::note("sensor", "sensors of SDF have no part in the equations"),
        Left::warning("plugin", "code of a simulator is not part of the mechanism"),
    ],
};

const AXIS: Rule = Rule {
    element: "axis",
    attributes: &[],
    children: &["xyz", "dynamics", "limit", "mimic", "use_parent_model_frame"],
    left_out: &[Left::warning(
        "initial_position",
        "give it as `[initial.q]` in an additional model file",
    )],
};
