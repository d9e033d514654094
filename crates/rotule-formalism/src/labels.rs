//! Labels of the rows and columns of every output, so that numbers can be shown with names.
//!
//! One table says it for each function and output; counts are never looked at, because six columns
//! may be six joints or a force and a torque. A derivative has the rows of what it is taken of, and
//! the speeds or the parameter as columns.

use crate::function::{Argument, By};
use crate::switches::differences;
use crate::{ModelFunction, normalise, parameter_names};
use rotule_model::mechanism::{Action, Cut, CutKind, EventTarget, Mechanism};

/// The meaning of a row or a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The speeds, by the names of their joints.
    Speeds,
    /// The coordinates.
    Coordinates,
    /// The bodies, without the ground and the massless steps of chains.
    Bodies,
    /// Directions in space.
    Axes,
    /// Directions at a wheel's contact.
    Contact,
    /// Displacements, then turns.
    Twist,
    /// Force, then torque.
    Wrench,
    /// Parameters of the bodies and armatures.
    Parameters,
    /// Constraints that say something.
    Constraints,
    /// States besides coordinates and speeds.
    States,
    /// Events.
    Events,
    /// Numbers that actions of events use.
    Values,
    /// The differences that laws compare.
    Switches,
    /// Cuts.
    Cuts,
    /// Cuts that are rods.
    Rods,
}

/// The shape of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Scalar,
    Vector(Side),
    Matrix(Side, Side),
}

use Shape::{Matrix, Scalar, Vector};
use Side::{
    Axes, Bodies, Constraints, Contact, Coordinates, Cuts, Events, Parameters, Rods, Speeds,
    States, Switches, Twist, Values, Wrench,
};

/// Every output: the function, or nothing if the output means the same in all that have it; its
/// name; its shape.
pub(crate) const OUTPUTS: &[(&str, &str, Shape)] = &[
    // Dynamics.
    ("", "effort", Vector(Speeds)),
    ("", "qdd", Vector(Speeds)),
    ("", "M", Matrix(Speeds, Speeds)),
    ("", "c", Vector(Speeds)),
    ("gravity", "gravity", Vector(Speeds)),
    ("coriolis", "coriolis", Vector(Speeds)),
    ("coriolis_matrix", "C", Matrix(Speeds, Speeds)),
    ("inverse_mass", "inverse_mass", Matrix(Speeds, Speeds)),
    ("operational_inertia", "inertia", Matrix(Twist, Twist)),
    ("operational_inertia", "inverse_inertia", Matrix(Twist, Twist)),
    ("reactions", "reactions", Matrix(Bodies, Wrench)),
    ("tangent", "G", Matrix(Speeds, Speeds)),
    ("tangent", "K", Matrix(Speeds, Speeds)),
    ("forward_tangent", "qdd_by_q", Matrix(Speeds, Speeds)),
    ("forward_tangent", "qdd_by_qd", Matrix(Speeds, Speeds)),
    ("forward_tangent", "qdd_by_effort", Matrix(Speeds, Speeds)),
    ("regressor", "Y", Matrix(Speeds, Parameters)),
    ("parameters", "parameters", Vector(Parameters)),
    // Constraints.
    ("constraints", "h", Vector(Constraints)),
    ("constraints", "J", Matrix(Constraints, Speeds)),
    ("constraints", "e", Vector(Constraints)),
    ("constraints", "b", Vector(Constraints)),
    ("all_coordinates", "Q", Vector(Speeds)),
    ("all_coordinates", "h", Vector(Constraints)),
    ("all_coordinates", "J", Matrix(Constraints, Speeds)),
    ("all_coordinates", "e", Vector(Constraints)),
    ("all_coordinates", "b", Vector(Constraints)),
    ("reduction", "S", Matrix(Speeds, Speeds)),
    ("closure", "q", Vector(Coordinates)),
    ("closure", "qd", Vector(Speeds)),
    ("multipliers", "lambda", Vector(Constraints)),
    ("motion", "q", Vector(Coordinates)),
    ("motion", "qd", Vector(Speeds)),
    ("motion", "qdot", Vector(Coordinates)),
    ("motion", "qdd", Vector(Speeds)),
    ("motion", "rate", Vector(States)),
    ("states", "rate", Vector(States)),
    ("events", "when", Vector(Events)),
    ("events", "value", Vector(Values)),
    ("switches", "difference", Vector(Switches)),
    ("augmented", "lambda", Vector(Constraints)),
    ("closed_inverse", "missing", Vector(Speeds)),
    ("actuation", "Psi", Vector(Speeds)),
    ("actuation", "Ga", Matrix(Speeds, Speeds)),
    ("closure_reactions", "force", Matrix(Cuts, Axes)),
    ("closure_reactions", "torque", Matrix(Cuts, Axes)),
    ("closure_reactions", "tension", Vector(Rods)),
    ("closed_reactions", "reactions", Matrix(Bodies, Wrench)),
    // Forces.
    ("line_force", "length", Scalar),
    ("line_force", "rate", Scalar),
    ("line_force", "force", Scalar),
    ("wheel", "depth", Scalar),
    ("wheel", "depth_rate", Scalar),
    ("wheel", "camber", Scalar),
    ("wheel", "slip", Scalar),
    ("wheel", "side_slip", Scalar),
    ("wheel", "spin", Scalar),
    ("wheel", "speed", Scalar),
    ("wheel", "force", Vector(Contact)),
    ("wheel", "torque", Vector(Contact)),
    ("wheel", "point", Vector(Axes)),
    // Kinematics.
    ("", "position", Vector(Axes)),
    ("", "rotation", Matrix(Axes, Axes)),
    ("", "velocity", Vector(Axes)),
    ("", "angular_velocity", Vector(Axes)),
    ("", "acceleration", Vector(Axes)),
    ("", "angular_acceleration", Vector(Axes)),
    ("", "J", Matrix(Twist, Speeds)),
    ("rates", "qdot", Vector(Coordinates)),
    ("kinematic_map", "N", Matrix(Coordinates, Speeds)),
    // Mass in motion.
    ("com", "com", Vector(Axes)),
    ("com_velocity", "com_velocity", Vector(Axes)),
    ("momentum", "linear", Vector(Axes)),
    ("momentum", "angular", Vector(Axes)),
    ("kinetic_energy", "kinetic_energy", Scalar),
    ("potential_energy", "potential_energy", Scalar),
    ("power", "power", Scalar),
];

/// The names of an output's rows and columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Labels {
    /// A single number has none.
    Scalar,
    /// Of a column of numbers, the rows.
    Vector(Vec<String>),
    /// Rows and columns.
    Matrix(Vec<String>, Vec<String>),
}

/// The names of a function's output; nothing if the table does not know it.
pub fn labels(mechanism: &Mechanism, function: &ModelFunction, output: &str) -> Option<Labels> {
    if let [Argument::Function(inner), Argument::By(by)] = function.arguments.as_slice() {
        let variable = match by {
            By::Coordinates => "q",
            By::Speeds => "qd",
            By::Accelerations => "qdd",
            By::Efforts => "effort",
            By::States => "state",
            By::Parameter(symbol) => &mechanism.graph.text(*symbol),
        };
        let of = output.strip_suffix(variable)?.strip_suffix("_by_")?;
        let inner = labels(mechanism, inner, of)?;
        return Some(match by {
            By::Parameter(_) => match inner {
                Labels::Vector(rows) => Labels::Matrix(rows, vec![variable.to_owned()]),
                same => same,
            },
            By::States => Labels::Matrix(entries(inner, of), names(mechanism, States)),
            _ => Labels::Matrix(entries(inner, of), names(mechanism, Speeds)),
        });
    }
    let found = |owner: &str| {
        OUTPUTS.iter().find(|(function, name, _)| *function == owner && *name == output)
    };
    let (_, _, shape) = found(function.row.name).or_else(|| found(""))?;
    Some(match *shape {
        Scalar => Labels::Scalar,
        Vector(rows) => Labels::Vector(names(mechanism, rows)),
        Matrix(rows, columns) => Labels::Matrix(names(mechanism, rows), names(mechanism, columns)),
    })
}

/// The outputs that a function has of its own in the table, in order.
pub fn own_outputs(function: &str) -> impl Iterator<Item = &'static str> {
    OUTPUTS.iter().filter(move |row| row.0 == function).map(|row| row.1)
}

/// The entries of an output, by rows.
fn entries(labels: Labels, output: &str) -> Vec<String> {
    match labels {
        Labels::Scalar => vec![output.to_owned()],
        Labels::Vector(rows) => rows,
        Labels::Matrix(rows, columns) => {
            let places = rows.iter().flat_map(|row| columns.iter().map(move |one| (row, one)));
            places.map(|(row, column)| format!("{row},{column}")).collect()
        }
    }
}

fn names(mechanism: &Mechanism, side: Side) -> Vec<String> {
    let fixed = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    match side {
        Speeds => speed_names(mechanism),
        Coordinates => mechanism.coordinates.iter().map(|one| one.name.clone()).collect(),
        Bodies => {
            let bodies = mechanism.bodies.iter().skip(1).filter(|body| !body.fictitious);
            bodies.map(|body| body.name.clone()).collect()
        }
        Axes => fixed(&["x", "y", "z"]),
        Contact => fixed(&["forward", "left", "normal"]),
        Twist => fixed(&["x", "y", "z", "rx", "ry", "rz"]),
        Wrench => fixed(&["Fx", "Fy", "Fz", "Tx", "Ty", "Tz"]),
        Parameters => parameter_names(mechanism),
        Events => mechanism.events.iter().map(|one| one.name.clone()).collect(),
        Values => values(mechanism),
        Switches => {
            let mut tree = normalise(mechanism.clone());
            let found = differences(&mut tree).unwrap_or_default().into_iter();
            let text = |expr| tree.mechanism.graph.text_limited(expr, 60);
            found.enumerate().map(|(at, one)| text(one).unwrap_or((at + 1).to_string())).collect()
        }
        States => mechanism.states.iter().map(|one| one.name.clone()).collect(),
        Constraints => crate::constraint::names(mechanism),
        Cuts => mechanism.cuts.iter().map(|cut| cut.name.clone()).collect(),
        Rods => {
            let rod = |cut: &&Cut| matches!(cut.kind, CutKind::Rod { .. });
            mechanism.cuts.iter().filter(rod).map(|cut| cut.name.clone()).collect()
        }
    }
}

/// The numbers that actions of events use, by what they are for.
fn values(mechanism: &Mechanism) -> Vec<String> {
    let mut names = Vec::new();
    for event in &mechanism.events {
        for action in &event.actions {
            let of = match action {
                Action::Set { target: EventTarget::Coordinate(at), .. } => {
                    &mechanism.coordinates[*at].name
                }
                Action::Set { target: EventTarget::Speed(at), .. } => &mechanism.speeds[*at].name,
                Action::Set { target: EventTarget::State(at), .. } => &mechanism.states[*at].name,
                Action::Impact { .. } => "restitution",
                Action::Stick { .. } => "limit",
                Action::Lock(_) | Action::Unlock(_) | Action::End => continue,
            };
            names.push(format!("{}.{of}", event.name));
        }
    }
    names
}

/// The speeds by the names of their joints, numbered where a joint has several: what stands in such
/// a row is not the speed itself.
pub fn speed_names(mechanism: &Mechanism) -> Vec<String> {
    let name = |speed: &str| match speed.rsplit_once(".d") {
        Some((joint, number)) => format!("{joint}{number}"),
        None => speed.to_owned(),
    };
    mechanism.speeds.iter().map(|speed| name(&speed.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Labels, OUTPUTS, labels};
    use crate::function::{FUNCTIONS, Takes};
    use crate::{ModelFunction, Tree, generate, normalise};
    use rotule_model::{ReadOptions, load_text};
    use std::collections::BTreeSet;

    /// A model with one of everything: its seven speeds and eight coordinates must not be taken for
    /// something else.
    const MODEL: &str = r#"
[model]
name = "all"

[parameters]
m = 2

[[body]]
name = "hull"
parent = "ground"
joint = { name = "float", type = "free" }
mass = "m"
inertia = { xx = 1, yy = 2, zz = 2.5 }

[[body]]
name = "rim"
parent = "hull"
joint = { name = "roll", type = "revolute", axis = "y" }
mass = 1
inertia = { xx = 0.1, yy = 0.2, zz = 0.1 }

[[line_force]]
name = "spring"
between = ["ground", "rim"]
force = "3*Z"

[[wheel]]
name = "tyre"
body = "rim"
radius = 0.3
vertical = "10*depth"

[[event]]
name = "full"
when = "charge - 1"
set = { "roll.d" = 0, charge = "eye.x" }
end = true

[[state]]
name = "charge"
rate = "2 - charge"

[[state]]
name = "heat"
rate = "eye.x"

[[sensor]]
name = "eye"
at = "rim"
measures = ["position", "rotation", "jacobian"]
"#;

    fn tree() -> Tree {
        normalise(load_text("model", MODEL, &ReadOptions::default()).expect("a valid model"))
    }

    /// Every output of every function is in the table, with as many names as numbers, and so are
    /// derivatives.
    #[test]
    fn every_output_has_its_names() {
        let tree = tree();
        let mut seen = BTreeSet::new();
        let mut check = |text: &str| {
            let function = ModelFunction::parse(text, &tree).expect(text);
            let formalism = function.formalisms()[0];
            let made = generate(&tree, &function, Some(formalism)).expect(text);
            for output in made.program.outputs() {
                let size = (output.rows as usize, output.columns as usize);
                let found = labels(&tree.mechanism, &function, &output.name);
                let missing = || panic!("{text}: `{}` is not in OUTPUTS", output.name);
                let found = found.unwrap_or_else(missing);
                let expected = match &found {
                    Labels::Scalar => (1, 1),
                    Labels::Vector(rows) => (rows.len(), 1),
                    Labels::Matrix(rows, columns) => (rows.len(), columns.len()),
                };
                assert_eq!(size, expected, "{text}: {}", output.name);
                seen.insert(output.name.clone());
            }
        };
        for row in FUNCTIONS.iter().filter(|row| row.name != "derivative") {
            let argument = match row.takes.first() {
                None => "",
                Some(Takes::Sensor) => "(eye)",
                Some(Takes::LineForce) => "(spring)",
                Some(Takes::Wheel) => "(tyre)",
                Some(_) => "(rim)",
            };
            check(&format!("{}{argument}", row.name));
        }
        for text in ["wheel(tyre)", "mass", "line_force(spring)", "derivative(com, q)"] {
            check(&format!("derivative({text}, q)"));
            check(&format!("derivative({text}, m)"));
            check(&format!("derivative({text}, state)"));
        }
        // Nothing stands in the table that no function gives.
        for (_, output, _) in OUTPUTS {
            assert!(seen.contains(*output), "{output}");
        }
    }
}
