//! Operations of kinematics and Jacobians of a serial arm (Postiau, tables 1.1 and 1.2, test C6).
//!
//! The arm of those tables is not documented; this one has its axes in the order of a PUMA's first
//! five (z x x z x) and offsets as a real arm has them, all of them parameters.

use rotule_formalism::{Formalism, MultibodySystem};
use rotule_testing::formalism;
use rotule_testing::formalism::tree;

const ARM: &str = r#"
[model]
name = "arm"

[parameters]
h = 0.6
a = 0.1
b = 0.15
c = 0.4
d = 0.02
e = 0.4
f = 0.1
g = 0.05

[[body]]
name = "trunk"
parent = "ground"
position = [0, 0, "h"]
joint = { name = "q1", type = "revolute", axis = "z" }
mass = 1

[[body]]
name = "upper"
parent = "trunk"
position = ["a", 0, 0]
joint = { name = "q2", type = "revolute", axis = "x" }
mass = 1

[[body]]
name = "fore"
parent = "upper"
position = ["b", 0, "c"]
joint = { name = "q3", type = "revolute", axis = "x" }
mass = 1

[[body]]
name = "wrist"
parent = "fore"
position = [0, "d", "e"]
joint = { name = "q4", type = "revolute", axis = "z" }
mass = 1

[[body]]
name = "hand"
parent = "wrist"
joint = { name = "q5", type = "revolute", axis = "x" }
mass = 1
points.tip = [0, "g", "f"]
"#;

/// The arm with a sensor of these measures at its tip.
fn sensing(measures: &[&str]) -> MultibodySystem {
    let list: Vec<String> = measures.iter().map(|measure| format!("\"{measure}\"")).collect();
    let list = list.join(", ");
    let sensor = format!("[[sensor]]\nname = \"tip\"\nat = \"hand.tip\"\nmeasures = [{list}]\n");
    tree(&format!("{ARM}\n{sensor}"))
}

/// Operations at each evaluation, trigonometric ones included.
fn operations(measures: &[&str], formalism: Formalism) -> u64 {
    // A fresh tree for each, so that no name of one recursion serves another.
    formalism::operations(&mut sensing(measures), "sensor(tip)", formalism)
}

/// Measures, and the most operations of three formalisms.
type Row = (&'static [&'static str], [u64; 3]);

/// Golden figures: fewer is welcome, more is a loss.
#[rustfmt::skip]
const ROWS: &[Row] = &[
    (&["position"], [73, 41, 73]),
    (&["rotation"], [45, 61, 45]),
    (&["position", "rotation"], [80, 92, 80]),
    (&["position", "velocity"], [131, 77, 131]),
    (&["position", "rotation", "velocity", "angular_velocity"], [131, 148, 131]),
    (&["position", "rotation", "velocity", "angular_velocity", "acceleration", "angular_acceleration"], [258, 265, 258]),
    (&["jacobian"], [118, 111, 111]),
    (&["position", "jacobian"], [118, 144, 112]),
    (&["position", "velocity", "angular_velocity", "jacobian"], [174, 200, 163]),
];

#[test]
fn operations_of_the_arm() {
    let formalisms = [Formalism::Outward, Formalism::Inward, Formalism::Mixed];
    let mut report = String::new();
    let mut worse = false;
    for (measures, most) in ROWS {
        let found = formalisms.map(|formalism| operations(measures, formalism));
        worse |= found.iter().zip(most).any(|(found, most)| found > most);
        report += &format!("{measures:?}: {found:?}, at most {most:?}\n");
    }
    assert!(!worse, "\n{report}");
}

/// Postiau, test C6: a position alone is cheapest from tip to base, a Jacobian alone with arms from
/// tip to base; with the rotation matrix the recursion from base to tip wins.
#[test]
fn each_recursion_has_its_use() {
    use Formalism::{Inward, Mixed, Outward};
    let position = ["position"];
    assert!(operations(&position, Inward) < operations(&position, Outward));
    let frame = ["position", "rotation"];
    assert!(operations(&frame, Outward) < operations(&frame, Inward));
    for jacobian in [&["jacobian"][..], &["position", "jacobian"]] {
        assert!(operations(jacobian, Mixed) < operations(jacobian, Outward));
    }
}
