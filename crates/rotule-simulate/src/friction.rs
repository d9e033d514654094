//! Dry friction that sticks: `stick_slip(v, slide, stick)` in the effort of a joint, with the
//! joint's own speed as `v`.
//!
//! While a joint slides, the direction of its friction is a parameter, so that equations stay
//! smooth where the speed passes zero. There the joint is held, as long as that takes a force of at
//! most `stick`; otherwise, and as soon as it takes more, it slides in the direction in which it is
//! pulled. Holding is what locks and stops do (`hold.rs`), and the change from one to the other is
//! an event with the action [`Action::Stick`].

use crate::inputs::InputPoint;
use rotule_formalism::Problem;
use rotule_model::draft::Crossing;
use rotule_model::mechanism::{Action, Event, Mechanism, Role};
use rotule_symbolic::{Compare, Expr, Graph, Node, Unary};

/// The friction of a joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Friction {
    pub joint: usize,
    pub speed: usize,
    /// The parameter that is the direction of sliding: minus one, one, or zero at rest.
    pub direction: usize,
    /// The position of its event.
    pub event: usize,
}

/// Returns `true` if a mechanism has dry friction that sticks.
pub(crate) fn sticks(mechanism: &Mechanism) -> bool {
    let efforts = mechanism.joints.iter().flat_map(|joint| joint.effort.iter().copied());
    let efforts: Vec<Expr> = efforts.collect();
    !laws(&mut mechanism.graph.clone(), &efforts).is_empty()
}

/// A call of `stick_slip`: the node, its speed, the largest force at rest, and the force in motion.
struct Law {
    node: Expr,
    speed: Expr,
    limit: Expr,
    slide: Expr,
}

/// Calls of `stick_slip` below some expressions, told by what the law is at rest: `stick*v`.
fn laws(graph: &mut Graph, exprs: &[Expr]) -> Vec<Law> {
    let mut found = Vec::new();
    for node in graph.below(exprs) {
        let Node::Select(Compare::Equal, &[speed, Expr::ZERO, rest, slide]) = graph.node(node)
        else {
            continue;
        };
        let limit = graph.div(rest, speed);
        if rest != Expr::ZERO && !graph.below(&[limit]).contains(&speed.abs()) {
            found.push(Law { node, speed, limit, slide });
        }
    }
    found
}

/// Refuses friction that would have to stick elsewhere than in the effort of a joint.
fn check_others(mechanism: &mut Mechanism) -> Result<(), Problem> {
    let mut others: Vec<(String, Vec<Expr>)> = Vec::new();
    for line_force in &mechanism.line_forces {
        others.push((format!("line force `{}`", line_force.name), vec![line_force.force]));
    }
    for force in &mechanism.forces {
        let laws = force.force.0.into_iter().chain(force.torque.0).collect();
        others.push((format!("force `{}`", force.name), laws));
    }
    for wheel in &mechanism.wheels {
        others.push((format!("wheel `{}`", wheel.name), wheel.laws.to_vec()));
    }
    for state in &mechanism.states {
        others.push((format!("state `{}`", state.name), vec![state.rate]));
    }
    for (name, exprs) in others {
        if !laws(&mut mechanism.graph, &exprs).is_empty() {
            return Err(cannot_stick(&name));
        }
    }
    Ok(())
}

fn cannot_stick(name: &str) -> Problem {
    Problem::new(
        format!("the friction of {name} cannot be made to stick"),
        "write one `stick_slip(qd, slide, stick)` in the effort of a joint with one coordinate, with its own speed `qd`; elsewhere take `coulomb`",
    )
}

/// Makes events and directions of all dry friction that sticks.
pub(crate) fn add_frictions(
    mechanism: &mut Mechanism,
    start: &mut InputPoint,
) -> Result<Vec<Friction>, Problem> {
    check_others(mechanism)?;
    let mut found = Vec::new();
    for at in 0..mechanism.joints.len() {
        let effort = mechanism.joints[at].effort.clone();
        for Law { node, speed: v, limit, slide } in laws(&mut mechanism.graph, &effort) {
            let joint = &mechanism.joints[at];
            let name = joint.name.clone();
            let own = joint.speeds.len() == 1
                && v.abs() == mechanism.speeds[joint.speeds.start].symbol.abs();
            let once = found.iter().all(|one: &Friction| one.joint != at);
            if !(own && once) {
                return Err(cannot_stick(&format!("joint `{name}`")));
            }
            if joint.role != Role::Free {
                continue;
            }
            let speed = joint.speeds.start;
            let direction = mechanism.parameters.len();
            let symbol = mechanism.add_parameter(&format!("{name}.direction"), 0.0);
            start.parameters.push(0.0);
            let graph = &mut mechanism.graph;
            let sign = graph.unary(Unary::Sign, v);
            let sliding = graph.substitute(&[slide], &[(sign, symbol)])[0];
            let effort = graph.substitute(&effort, &[(node, sliding)]);
            mechanism.joints[at].effort = effort;
            found.push(Friction { joint: at, speed, direction, event: mechanism.events.len() });
            mechanism.events.push(Event {
                name: format!("{name}.friction"),
                when: v,
                period: None,
                direction: Crossing::Both,
                actions: vec![Action::Stick { joint: at, limit }],
                message: String::new(),
                stop: false,
            });
        }
    }
    Ok(found)
}
