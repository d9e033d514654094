//! Foreign functions that laws call: who calls one that is not defined.

use crate::function::ModelFunction;
use crate::problem::Problem;
use rotule_model::mechanism::Mechanism;
use rotule_program::{Operation, Program, Step, all_steps};
use rotule_symbolic::{Expr, Node};

/// The fault with a program that calls foreign functions which are not known.
pub fn foreign(
    mechanism: &Mechanism,
    function: &ModelFunction,
    program: &Program,
    known: &dyn Fn(&str) -> bool,
) -> Option<Problem> {
    let name = called(program).find(|name| !known(name))?;
    let wanted = &function.text;
    let message = format!(
        "`{wanted}` needs the external function `{name}`, which has no definition in this program"
    );
    let place = caller(mechanism, name);
    let help =
        place.map_or(String::new(), |place| format!("`{name}` is called by the law of {place}"));
    Some(Problem::new(message, help))
}

/// Names of the foreign functions that a program calls, or whose derivatives it calls.
pub fn called(program: &Program) -> impl Iterator<Item = &str> {
    all_steps(program).filter_map(|step| match step {
        Step::Statement(value) => match program.operation(value) {
            Operation::Call { function, .. } => {
                let called = program.get_function(function);
                let base = called.derivative_of.map(|partner| program.get_function(partner.of));
                Some(base.unwrap_or(called).name.as_str())
            }
            _ => None,
        },
        _ => None,
    })
}

/// The first element whose law calls an external function.
fn caller(mechanism: &Mechanism, name: &str) -> Option<String> {
    let graph = &mechanism.graph;
    let calls = |laws: &[Expr]| {
        graph.reachable(laws).into_iter().any(|expr| match graph.node(expr) {
            Node::Call(function, _) => graph.function(function).name == name,
            _ => false,
        })
    };
    let joint = mechanism.joints.iter().find(|one| calls(&one.effort));
    let line_force = mechanism.line_forces.iter().find(|one| calls(&[one.force]));
    let force = mechanism.forces.iter().find(|one| calls(&[one.force.0, one.torque.0].concat()));
    let wheel = mechanism.wheels.iter().find(|one| calls(&one.laws) || calls(&[one.ground]));
    let state = mechanism.states.iter().find(|one| calls(&[one.rate]));
    (joint.map(|one| format!("joint `{}`", one.name)))
        .or_else(|| line_force.map(|one| format!("line force `{}`", one.name)))
        .or_else(|| force.map(|one| format!("force `{}`", one.name)))
        .or_else(|| wheel.map(|one| format!("wheel `{}`", one.name)))
        .or_else(|| state.map(|one| format!("state `{}`", one.name)))
}
