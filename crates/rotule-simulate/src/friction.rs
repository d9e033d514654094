//! Dry friction that sticks: `stick_slip(v, slide, stick)` in the effort of a joint, with the joint's own speed as `v`.
//!
//! While a joint slides, the direction of its friction is a parameter, so that equations stay smooth where the speed passes zero.
//! There the joint is held, as long as that takes a force of at most `stick`; otherwise, and as soon as it takes more, it
//! slides in the direction in which it is pulled. Holding is what locks and stops do (`hold.rs`), and the change from one to the
//! other is an event with the action [`Action::Stick`].

use crate::inputs::Point;
use rotule_formalism::Problem;
use rotule_model::draft::Crossing;
use rotule_model::mechanism::{Action, Event, Mechanism, Nature};
use rotule_symbolic::{Compare, Expr, Node, Unary};

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

/// Whether a mechanism has dry friction that sticks.
pub(crate) fn sticks(mechanism: &Mechanism) -> bool {
    let efforts = mechanism.joints.iter().flat_map(|joint| joint.effort.iter().copied());
    let efforts: Vec<Expr> = efforts.collect();
    !laws(mechanism, &efforts).is_empty()
}

/// Calls of `stick_slip` below some expressions: the node, its speed, and its value at rest and in motion.
fn laws(mechanism: &Mechanism, exprs: &[Expr]) -> Vec<(Expr, Expr, Expr, Expr)> {
    let graph = &mechanism.graph;
    let nodes = graph.reachable(exprs).into_iter();
    let law = |node: Expr| match graph.node(node) {
        Node::Select(Compare::Equal, &[v, Expr::ZERO, rest, slide]) => Some((node, v, rest, slide)),
        _ => None,
    };
    nodes.filter_map(law).collect()
}

/// Makes events and directions of all dry friction that sticks.
pub(crate) fn add_frictions(
    mechanism: &mut Mechanism,
    start: &mut Point,
) -> Result<Vec<Friction>, Problem> {
    let mut found = Vec::new();
    for at in 0..mechanism.joints.len() {
        let effort = mechanism.joints[at].effort.clone();
        for (node, v, rest, slide) in laws(mechanism, &effort) {
            let joint = &mechanism.joints[at];
            let name = joint.name.clone();
            let own = joint.speeds.len() == 1
                && v.abs() == mechanism.speeds[joint.speeds.start].symbol.abs();
            let once = found.iter().all(|one: &Friction| one.joint != at);
            if !(own && once) {
                let message = format!("the friction of joint `{name}` cannot be made to stick");
                return Err(Problem::new(
                    message,
                    "write one `stick_slip(qd, slide, stick)` with the joint's own speed `qd`, in a joint with one coordinate",
                ));
            }
            if joint.nature != Nature::Free {
                continue;
            }
            let speed = joint.speeds.start;
            let direction = mechanism.parameters.len();
            let symbol = mechanism.add_parameter(&format!("{name}.direction"), 0.0);
            start.parameters.push(0.0);
            let graph = &mut mechanism.graph;
            let sign = graph.unary(Unary::Sign, v);
            let sliding = graph.substitute(&[slide], &[(sign, symbol)])[0];
            let limit = graph.div(rest, v);
            let effort = graph.substitute(&effort, &[(node, sliding)]);
            mechanism.joints[at].effort = effort;
            found.push(Friction { joint: at, speed, direction, event: mechanism.events.len() });
            mechanism.events.push(Event {
                name: format!("{name}.friction"),
                when: v,
                signals: Vec::new(),
                direction: Crossing::Both,
                actions: vec![Action::Stick { joint: at, limit }],
                message: String::new(),
                stop: false,
            });
        }
    }
    Ok(found)
}
