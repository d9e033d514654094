//! Joints of URDF: placement, axis, limits, damping and mimicry.

use super::{Edge, Reader};
use crate::draft::{Body, Coupling, Draft, Friction, Joint, JointType, Text, Value};
use crate::read::xml::{Node, Word};
use crate::source::Spanned;

impl<'d> Reader<'d, '_> {
    /// Attaches a body by its joint.
    pub(super) fn attach(&mut self, body: &mut Body, at: usize, draft: &mut Draft) {
        let Edge { node, name, kind, parent, .. } = &self.edges[at];
        let (node, name, kind, parent) = (*node, name.clone(), *kind, parent.clone());
        body.parent = Some(self.place_of(&parent));
        let origin = self.reading.child(node, "origin");
        (body.position, body.rotation) = self.origin(origin, &name.value);
        if kind.value == JointType::Fixed {
            for idle in ["axis", "limit", "dynamics", "mimic"] {
                if let Some(idle) = self.reading.children(node, idle).next() {
                    let message = "`<axis>`, `<limit>` and the like of fixed joints are left out";
                    self.tally.note(message, self.reading.tag(idle), &name.value);
                }
            }
            return;
        }
        let called = self.joints.refer(&name);
        let mut joint = Joint::new(self.reading.tag(node), Some(called.clone()), kind);
        if kind.value.axes() == 1 {
            joint.axes.push(self.axis(node, &name.value));
        }
        self.limit(node, &name, &mut joint);
        self.dynamics(node, &name, &mut joint);
        if let Some(mimic) = self.reading.child(node, "mimic") {
            self.mimic(mimic, &called, draft);
        }
        body.joints.push(joint);
    }

    fn limit(&mut self, node: Node<'d>, name: &Text, joint: &mut Joint) {
        let Some(limit) = self.reading.child(node, "limit") else { return };
        if joint.kind.value.speeds() != 1 {
            let message = "`<limit>` of planar and floating joints is left out";
            self.tally.note(message, self.reading.tag(limit), &name.value);
            return;
        }
        let mut number = |name: &str| {
            let word = self.reading.number_attribute(limit, name);
            word.map(Word::scalar)
        };
        let (lower, upper) = (number("lower"), number("upper"));
        joint.max_speed = number("velocity");
        joint.max_effort = number("effort");
        let continuous =
            self.reading.attribute(node, "type").is_some_and(|p| p.text == "continuous");
        if continuous {
            if lower.is_some() || upper.is_some() {
                let message = "`lower` and `upper` of continuous joints are left out";
                self.tally.note(message, self.reading.tag(limit), &name.value);
            }
            return;
        }
        // A limit that is left out is zero in URDF, unless both are.
        if lower.is_some() || upper.is_some() {
            let zero = || Spanned::new(Value::Number(0.0), self.reading.tag(limit));
            joint.range = Some([lower.unwrap_or_else(zero), upper.unwrap_or_else(zero)]);
        }
    }

    fn dynamics(&mut self, node: Node<'d>, name: &Text, joint: &mut Joint) {
        let Some(dynamics) = self.reading.child(node, "dynamics") else { return };
        let damping = self.reading.number_attribute(dynamics, "damping");
        let friction = self.reading.number_attribute(dynamics, "friction");
        if joint.kind.value.speeds() == 1 {
            let given = |word: Option<Word<'d>>| word.filter(|word| word.value != 0.0);
            joint.damping = given(damping).map(Word::scalar);
            joint.friction =
                given(friction).map(|word| Friction { slide: word.scalar(), stick: None });
            return;
        }
        let mut words = [damping, friction].into_iter().flatten();
        if let Some(word) = words.find(|word| word.value != 0.0) {
            let message = "`<dynamics>` of planar and floating joints is left out";
            self.tally.warn(message, None, word.span, &name.value);
        }
    }

    fn mimic(&mut self, node: Node<'d>, joint: &Text, draft: &mut Draft) {
        let Some(leader) = self.reading.required(node, "joint") else { return };
        let leader = self.joints.refer(&leader.to_text());
        let multiplier = self.reading.number_attribute(node, "multiplier").map_or(1.0, |w| w.value);
        let offset = self.reading.number_attribute(node, "offset").map_or(0.0, |w| w.value);
        let equation = linear(&joint.value, multiplier, &leader.value, offset);
        let name = Spanned::new(format!("{}_mimic", joint.value), joint.span);
        let equation = Spanned::new(equation, self.reading.tag(node));
        draft.couplings.push(Coupling { name, equation });
    }
}

/// `follower = multiplier*leader + offset`, without ones and zeros.
pub(in crate::read) fn linear(
    follower: &str,
    multiplier: f64,
    leader: &str,
    offset: f64,
) -> String {
    let product = match multiplier {
        1.0 => leader.to_owned(),
        -1.0 => format!("-{leader}"),
        _ => format!("{multiplier}*{leader}"),
    };
    match offset {
        0.0 => format!("{follower} = {product}"),
        _ if offset < 0.0 => format!("{follower} = {product} - {}", -offset),
        _ => format!("{follower} = {product} + {offset}"),
    }
}
