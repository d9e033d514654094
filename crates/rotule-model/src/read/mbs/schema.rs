//! ROBOTRAN's format, as a table.
//!
//! There is no published schema. The table was put together from the files that MBsysPad writes;
//! everything is an element with a text but for sensors and external forces, which have attributes.

use crate::read::xml::{Left, Rule, Schema};

/// The root element of the version that is known.
pub(super) const KNOWN: &str = "mbsDescR7";
/// Root elements that are read; the others with a warning.
const ROOTS: [&str; 7] =
    [KNOWN, "mbsDesc", "mbsDescR5", "mbsDescR6", "mbsDescR8", "mbsDescR9", "mbsDescR10"];

/// The schema for the version that a text has.
pub(super) fn of(text: &str) -> Schema {
    let end = |c: char| !c.is_ascii_alphanumeric();
    let found = text.find("<mbsDesc").map(|at| &text[at + 1..]);
    let name = found.map_or("", |rest| &rest[..rest.find(end).unwrap_or(rest.len())]);
    let root = ROOTS.into_iter().find(|root| *root == name).unwrap_or(KNOWN);
    Schema { format: "ROBOTRAN's format", root, rules: RULES, left_out: LEFT_OUT }
}

const DRAWING: &str = "it draws the mechanism and does not move it";

const LEFT_OUT: &[Left] = &[Left::note("graphics", DRAWING), Left::note("x3D", DRAWING)];

const fn rule(element: &'static str, children: &'static [&'static str]) -> Rule {
    Rule { element, attributes: &[], children, left_out: &[] }
}

const fn root(element: &'static str) -> Rule {
    Rule {
        element,
        attributes: &[],
        children: &[
            "mbsname",
            "mbsyspad_version",
            "base",
            "bodytree",
            "cuts",
            "links",
            "user_models",
        ],
        left_out: NOT_IN_ROOT,
    }
}

const NOT_IN_ROOT: &[Left] = &[Left::warning(
    "user_variables",
    "they belong to user functions; give them as arguments of an `[[external]]`",
)];

const RULES: &[Rule] = &[
    root(ROOTS[0]),
    root(ROOTS[1]),
    root(ROOTS[2]),
    root(ROOTS[3]),
    root(ROOTS[4]),
    root(ROOTS[5]),
    root(ROOTS[6]),
    rule("base", &["gravity", "baseBodyName", "point"]),
    rule("gravity", &["coordinates"]),
    rule("com", &["coordinates"]),
    rule("coordinates", &["x", "y", "z"]),
    rule("bodytree", &["body"]),
    rule("body", &["bodyname", "parent", "joint", "mass", "com", "inertia", "point"]),
    rule("parent", &["bodyname", "pointname"]),
    rule("endpoint1", &["bodyname", "pointname"]),
    rule("endpoint2", &["bodyname", "pointname"]),
    Rule {
        element: "joint",
        attributes: &[],
        children: &["jointname", "type", "nature", "initialvalue", "actuated"],
        left_out: &[Left::note("symbols", "coordinates have the names of their joints")],
    },
    Rule {
        element: "initialvalue",
        attributes: &[],
        children: &["q", "qd"],
        left_out: &[Left::note("qdd", "accelerations follow from the equations")],
    },
    rule("inertia", &["Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"]),
    rule("point", &["pointname", "coordinates", "sensor", "extforce"]),
    Rule {
        element: "sensor",
        attributes: &["name", "Pos", "Rot", "Vit", "Om", "Acc", "Omp", "Jac"],
        children: &[],
        left_out: &[],
    },
    Rule {
        element: "extforce",
        // The flags say what ROBOTRAN computes for the user function; here that follows from the
        // law.
        attributes: &["name", "Pos", "Rot", "Vit", "Om", "Acc", "Omp"],
        children: &[],
        left_out: &[],
    },
    rule("cuts", &["ball", "rod", "solid"]),
    rule("ball", &["name", "endpoint1", "endpoint2", "ignore"]),
    rule("rod", &["name", "endpoint1", "endpoint2", "length"]),
    rule("solid", &["name", "endpoint1", "endpoint2", "ignore"]),
    rule("ignore", &["x", "y", "z"]),
    // The reader itself refuses `link3D`.
    rule("links", &["link", "link3D"]),
    rule("link", &["name", "endpoint1", "endpoint2"]),
    rule("link3D", &["name", "endpoint1", "endpoint2"]),
    rule("user_models", &["user_model"]),
    rule("user_model", &["name", "parameter"]),
    // The reader itself refuses tables and structures.
    rule("parameter", &["name", "type", "value", "structure", "header", "lutfile"]),
];
