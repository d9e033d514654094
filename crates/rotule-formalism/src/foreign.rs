//! Foreign functions that laws call: who calls one that is not defined.

use crate::function::ModelFunction;
use crate::problem::Problem;
use crate::states::expressions_of;
use rotule_model::mechanism::{Mechanism, Role};
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
    Some(undefined(mechanism, &format!("`{}` needs", function.text), name))
}

/// The fault with expressions, with a verb for them, that call foreign functions which are not
/// known.
pub fn foreign_in(
    mechanism: &Mechanism,
    (what, exprs): (&str, &[Expr]),
    known: &dyn Fn(&str) -> bool,
) -> Option<Problem> {
    let graph = &mechanism.graph;
    let name = graph.reachable(exprs).into_iter().find_map(|expr| match graph.node(expr) {
        Node::Call(function, _) => {
            Some(graph.function(function).name.as_str()).filter(|name| !known(name))
        }
        _ => None,
    })?;
    Some(undefined(mechanism, what, name))
}

fn undefined(mechanism: &Mechanism, what: &str, name: &str) -> Problem {
    let message =
        format!("{what} the external function `{name}`, which has no definition in this program");
    let place = caller(mechanism, name);
    let place =
        place.map_or(String::new(), |place| format!("; `{name}` is called by the law of {place}"));
    let help = format!("supply it by --laws{place}");
    Problem::new(message, help)
}

/// Names of the foreign functions that a program calls, or whose derivatives it calls.
pub fn called(program: &Program) -> impl Iterator<Item = &str> {
    all_steps(program).filter_map(|step| match step {
        Step::Statement(value) => match program.operation(value) {
            Operation::Call { function, .. } => {
                let mut called = program.get_function(function);
                while let Some(partner) = called.derivative_of {
                    called = program.get_function(partner.of);
                }
                Some(called.name.as_str())
            }
            _ => None,
        },
        _ => None,
    })
}

/// The first element whose law calls an external function.
pub fn caller(mechanism: &Mechanism, name: &str) -> Option<String> {
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
    let output = mechanism.outputs.iter().find(|one| calls(&[one.value]));
    let event = mechanism.events.iter().find(|one| calls(&expressions_of(one)));
    let constraint = mechanism.constraints.iter().find(|one| calls(&[one.expression]));
    let moved = mechanism.joints.iter().find(|one| match &one.role {
        Role::Driven { q, qd, qdd } => calls(&[&q[..], qd, qdd].concat()),
        _ => false,
    });
    (joint.map(|one| format!("joint `{}`", one.name)))
        .or_else(|| line_force.map(|one| format!("line force `{}`", one.name)))
        .or_else(|| force.map(|one| format!("force `{}`", one.name)))
        .or_else(|| wheel.map(|one| format!("wheel `{}`", one.name)))
        .or_else(|| state.map(|one| format!("state `{}`", one.name)))
        .or_else(|| output.map(|one| format!("output `{}`", one.name)))
        .or_else(|| {
            event.map(|one| match one.period {
                Some(_) => format!("controller `{}`", one.name),
                None => format!("event `{}`", one.name),
            })
        })
        .or_else(|| constraint.map(|one| format!("constraint `{}`", one.name)))
        .or_else(|| moved.map(|one| format!("motion of joint `{}`", one.name)))
}
