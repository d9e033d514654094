//! Labels of the rows and columns of every output, so that numbers can be shown with names.
//!
//! They follow from the shape in the table of functions. A derivative has the rows of what it is
//! taken of, and the speeds or the parameters as columns.

use crate::function::OutputShape::{Matrix, Scalar, Vector};
use crate::function::{By, FunctionOutput, Side};
use crate::kinematics::terminals::{Terminal, terminals};
use crate::switches::differences;
use crate::{ModelFunction, normalise, parameter_names};
use Side::{
    Axes, Bodies, Constraints, Contact, Coordinates, Cuts, Events, Inputs, Outputs, Parameters,
    Rods, Speeds, States, Switches, TerminalAxes, TerminalTwists, Terminals, Twist, Values, Wrench,
};
use rotule_model::mechanism::{Action, Cut, CutKind, EventTarget, Mechanism};
use rotule_symbolic::Expr;

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

/// The names of an output of a function; nothing if the function does not have it.
pub fn labels(mechanism: &Mechanism, function: &ModelFunction, output: &str) -> Option<Labels> {
    Some(of_output(mechanism, &function.output(mechanism, output)?))
}

fn of_output(mechanism: &Mechanism, output: &FunctionOutput) -> Labels {
    match output {
        FunctionOutput::Own(output) => match output.shape {
            Scalar => Labels::Scalar,
            Vector(rows) => Labels::Vector(names(mechanism, rows)),
            Matrix(rows, columns) => {
                Labels::Matrix(names(mechanism, rows), names(mechanism, columns))
            }
        },
        FunctionOutput::Derivative(of, by) => {
            let rows = of_output(mechanism, of);
            match by {
                By::Parameters(symbols) => {
                    let name = |&symbol: &Expr| mechanism.graph.text(symbol);
                    let columns = symbols.iter().map(name).collect();
                    Labels::Matrix(entries(rows, &of.name(mechanism)), columns)
                }
                By::Time | By::Parameter(_) => match rows {
                    Labels::Vector(rows) => Labels::Matrix(rows, vec![by.name(&mechanism.graph)]),
                    same => same,
                },
                By::States => {
                    Labels::Matrix(entries(rows, &of.name(mechanism)), names(mechanism, States))
                }
                By::Inputs => {
                    let columns = mechanism.inputs.iter().map(|one| one.name.clone()).collect();
                    Labels::Matrix(entries(rows, &of.name(mechanism)), columns)
                }
                _ => Labels::Matrix(entries(rows, &of.name(mechanism)), names(mechanism, Speeds)),
            }
        }
    }
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
        Outputs => mechanism.outputs.iter().map(|one| one.name.clone()).collect(),
        Values => values(mechanism),
        Switches => {
            let system = normalise(mechanism.clone());
            let sheet = system.sheet();
            let found = differences(system.writer(&sheet)).unwrap_or_default().into_iter();
            let text = |expr| sheet.graph.read(|graph| graph.text_limited(expr, 60));
            found.enumerate().map(|(at, one)| text(one).unwrap_or((at + 1).to_string())).collect()
        }
        Terminals => terminals(mechanism).into_iter().map(|one| one.name).collect(),
        TerminalAxes => at_terminals(mechanism, Axes),
        TerminalTwists => at_terminals(mechanism, Twist),
        States => mechanism.states.iter().map(|one| one.name.clone()).collect(),
        Inputs => mechanism.inputs.iter().map(|one| one.name.clone()).collect(),
        Constraints => crate::constraint::names(mechanism),
        Cuts => mechanism.cuts.iter().map(|cut| cut.name.clone()).collect(),
        Rods => {
            let rod = |cut: &&Cut| matches!(cut.kind, CutKind::Rod { .. });
            mechanism.cuts.iter().filter(rod).map(|cut| cut.name.clone()).collect()
        }
    }
}

/// The names of directions at each terminal frame.
fn at_terminals(mechanism: &Mechanism, side: Side) -> Vec<String> {
    let directions = names(mechanism, side);
    let at =
        |one: Terminal| directions.iter().map(move |of| format!("{}.{of}", one.name)).collect();
    terminals(mechanism).into_iter().flat_map(|one| -> Vec<String> { at(one) }).collect()
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
                Action::Lock(_)
                | Action::Unlock(_)
                | Action::Engage(_)
                | Action::Release(_)
                | Action::End => continue,
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
    use super::{Labels, labels};
    use crate::function::{FUNCTIONS, FunctionKind, Takes, outputs};
    use crate::{ModelFunction, MultibodySystem, generate, normalise};
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

[[output]]
name = "jolt"
value = "roll.dd*eye.x"

[[input]]
name = "torque"

[[sensor]]
name = "eye"
at = "rim"
measures = ["position", "rotation", "velocity", "angular_velocity", "acceleration", "angular_acceleration", "jacobian"]
"#;

    fn tree() -> MultibodySystem {
        normalise(load_text("model", MODEL, &ReadOptions::default()).expect("a valid model"))
    }

    /// The text of a function of the model.
    fn text(row: &crate::function::FunctionRow) -> String {
        let argument = match row.takes.first() {
            None => "",
            Some(Takes::Sensor) => "(eye)",
            Some(Takes::LineForce) => "(spring)",
            Some(Takes::Wheel) => "(tyre)",
            Some(Takes::Function) => "(inverse)",
            Some(Takes::Engaged) => "",
            Some(_) => "(rim)",
        };
        format!("{}{argument}", row.name)
    }

    /// Programs have the outputs of their row in its order, with as many names as numbers, and so
    /// have derivatives.
    #[test]
    fn programs_have_the_outputs_of_their_rows() {
        let tree = tree();
        let check = |text: &str| {
            let function = ModelFunction::parse(text, &tree).expect(text);
            let formalism = function.formalisms()[0];
            let made = generate(&tree, &function, Some(formalism)).expect(text);
            let mechanism = &tree.mechanism;
            let expected: Vec<String> =
                function.outputs().iter().map(|output| output.name(mechanism)).collect();
            let found: Vec<&str> =
                made.program.outputs().iter().map(|output| output.name.as_str()).collect();
            assert_eq!(found, expected, "{text}: the program and the row in `FUNCTIONS`");
            for output in made.program.outputs() {
                let size = (output.rows as usize, output.columns as usize);
                let expected = match labels(mechanism, &function, &output.name).expect(text) {
                    Labels::Scalar => (1, 1),
                    Labels::Vector(rows) => (rows.len(), 1),
                    Labels::Matrix(rows, columns) => (rows.len(), columns.len()),
                };
                assert_eq!(size, expected, "{text}: {}", output.name);
            }
        };
        for row in FUNCTIONS.iter().filter(|row| row.id != FunctionKind::Derivative) {
            check(&text(row));
        }
        for text in ["wheel(tyre)", "mass", "line_force(spring)", "derivative(com, q)"] {
            check(&format!("derivative({text}, q)"));
            check(&format!("derivative({text}, m)"));
            check(&format!("derivative({text}, [*])"));
            check(&format!("derivative({text}, t)"));
            check(&format!("derivative({text}, state)"));
            check(&format!("derivative({text}, input)"));
            check(&format!("derivative({text}, torque)"));
        }
    }

    /// Outputs of which no function has one are mistakes, and so are two of a name in a function.
    #[test]
    fn every_output_belongs_to_a_function() {
        let used: BTreeSet<String> =
            FUNCTIONS.iter().flat_map(|row| row.outputs).map(|one| format!("{one:?}")).collect();
        for output in outputs::ALL {
            assert!(used.contains(&format!("{output:?}")), "no function has {output:?}");
        }
        for row in FUNCTIONS {
            let names: BTreeSet<&str> = row.outputs.iter().map(|output| output.name).collect();
            assert_eq!(names.len(), row.outputs.len(), "{}", row.name);
        }
    }

    /// A word means one function.
    #[test]
    fn names_and_aliases_of_functions_are_apart() {
        let words = FUNCTIONS.iter().flat_map(|row| row.aliases.iter().chain([&row.name]));
        let mut seen = BTreeSet::new();
        for word in words {
            assert!(seen.insert(word), "`{word}` stands for two functions");
            assert_eq!(FUNCTIONS.iter().filter(|row| row.is_named(word)).count(), 1, "{word}");
        }
    }
}
