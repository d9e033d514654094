//! Joints of SDF: types, axes, laws, limits, mimicry and gears.

use rustc_hash::FxHashMap;

use super::Reader;
use super::build::End;
use super::poses::{Frames, MODEL};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{Axis, Coupling, Draft, DraftValue, Friction, Joint, JointType, Text, Value};
use crate::read::frame::{self, Pose, Vector};
use crate::read::urdf::linear;
use crate::read::xml::{Node, Token, Word, short};
use crate::source::Spanned;

/// The types of joints in SDF. A gearbox is none: it couples two others.
const TYPES: [(&str, JointType); 9] = [
    ("fixed", JointType::Fixed),
    ("revolute", JointType::Revolute),
    ("continuous", JointType::Revolute),
    ("prismatic", JointType::Prismatic),
    ("screw", JointType::Helical),
    ("universal", JointType::Universal),
    ("revolute2", JointType::Universal),
    ("ball", JointType::Spherical),
    ("gearbox", JointType::Fixed),
];

/// Limits beyond this are meant as none.
const ENDLESS: f64 = 1e15;

/// A joint of the file.
pub(super) struct Edge<'d> {
    pub node: Node<'d>,
    /// Its name as written.
    pub name: Text,
    pub kind: Spanned<JointType>,
    pub parent: Text,
    pub child: Text,
    /// The ratio and the reference body, if it is a gearbox.
    pub gearbox: Option<(f64, Text)>,
    /// Its number among the frames of the model.
    pub entry: usize,
}

impl<'d> Reader<'d, '_> {
    /// Reads the ends and the type of a joint.
    pub(super) fn edge(&mut self, node: Node<'d>, name: &Text, entry: usize) -> Option<Edge<'d>> {
        let reading = &mut self.reading;
        let word = reading.required(node, "type");
        let kind = reading.joint_type(node, "joint in SDF", &TYPES);
        let mut end = |which: &str| {
            let node = reading.required_child(node, which)?;
            Some(reading.content(node).to_text())
        };
        let (parent, child) = (end("parent")?, end("child")?);
        let gearbox = word.is_some_and(|token| token.text == "gearbox").then(|| {
            let ratio = reading.number_child(node, "gearbox_ratio").map_or(1.0, |word| word.value);
            let body = reading.required_child(node, "gearbox_reference_body");
            let body = body.map_or(parent.clone(), |node| reading.content(node).to_text());
            (ratio, body)
        });
        let kind = kind.unwrap_or(Spanned::new(JointType::Fixed, name.span));
        Some(Edge { node, name: name.clone(), kind, parent, child, gearbox, entry })
    }

    /// A joint whose frame, in the model, has the axes in which the joint's axes are to be given.
    /// A fixed one is none.
    pub(super) fn joint(
        &mut self,
        at: usize,
        seat: Pose,
        frames: &Frames,
        draft: &mut Draft,
    ) -> Option<Joint> {
        let Edge { node, name, kind, entry, .. } = &self.edges[at];
        let (node, name, kind, entry) = (*node, name.clone(), *kind, *entry);
        if kind.value == JointType::Fixed {
            return None;
        }
        let called = self.joints.refer(&name);
        let mut joint = Joint::new(self.reading.tag(node), Some(called.clone()), kind);
        let requested = ["axis", "axis2"].into_iter().take(kind.value.axes());
        let mut laws: Vec<Option<String>> = Vec::new();
        for (number, element) in requested.enumerate() {
            let Some(axis) = self.reading.required_child(node, element) else { continue };
            let components = self.axis(axis, &name, entry, frames);
            let rotated = frame::apply(&frame::transpose(&seat.rotation), components);
            let span = self.reading.tag(axis);
            let components = frame::triple(rotated.map(frame::tidy), span);
            joint.axes.push(Axis { span, components });
            let index = (kind.value.axes() == 2).then_some(number + 1);
            laws.push(self.law(axis, index));
            self.friction(axis, &name, &mut joint);
            self.limit(node, axis, &name, &mut joint);
            self.mimic(axis, &called, index, draft);
        }
        if laws.iter().any(Option::is_some) {
            let span = self.reading.tag(node);
            let law = |law: Option<String>| {
                let value = law.map_or(Value::Number(0.0), Value::Expression);
                Spanned::new(value, span)
            };
            joint.effort = Some(Spanned::new(laws.into_iter().map(law).collect(), span));
        }
        if kind.value == JointType::Helical {
            joint.pitch = Some(self.pitch(node));
        }
        Some(joint)
    }

    /// The direction of an axis in the model.
    fn axis(&mut self, node: Node<'d>, name: &Text, entry: usize, frames: &Frames) -> Vector {
        let xyz = self.reading.child(node, "xyz");
        let mut components = [0.0, 0.0, 1.0];
        let mut frame = None;
        if let Some(xyz) = xyz {
            let token = self.reading.content(xyz);
            if let Some(words) = self.reading.vector::<3>(token) {
                components = words.map(|word| {
                    frame::number(&self.snaps.length(word, &name.value)).unwrap_or(word.value)
                });
            }
            let expressed = self.reading.attribute(xyz, "expressed_in");
            frame = expressed.filter(|token| !token.text.is_empty()).map(Token::to_text);
        }
        let of_model = self.model_axes || self.flag_child(node, "use_parent_model_frame");
        let axes = match frame {
            Some(frame) if frame.value == MODEL => frame::IDENTITY,
            Some(frame) => {
                frames.check(&frame, &mut self.reading);
                frames.pose(&frame.value).rotation
            }
            None if of_model => frame::IDENTITY,
            None => frames.pose_at(entry).rotation,
        };
        frame::apply(&axes, components)
    }

    /// Dry friction, which sticks in joints with one coordinate.
    fn friction(&mut self, axis: Node<'d>, name: &Text, joint: &mut Joint) {
        let dynamics = self.reading.child(axis, "dynamics");
        let word = dynamics.and_then(|node| self.reading.number_child(node, "friction"));
        let Some(word) = word.filter(|word| word.value != 0.0) else { return };
        if joint.kind.value.speeds() == 1 {
            joint.friction = Some(Friction { slide: word.scalar(), stick: None });
        } else {
            let message = "`friction` of joints with several axes is left out";
            self.tally.warn(message, None, word.span, &name.value);
        }
    }

    /// Spring and damper of an axis, as a law.
    fn law(&mut self, axis: Node<'d>, index: Option<usize>) -> Option<String> {
        let dynamics = self.reading.child(axis, "dynamics")?;
        let mut number = |child: &str| self.reading.number_child(dynamics, child);
        let damping = number("damping");
        let (stiffness, reference) = (number("spring_stiffness"), number("spring_reference"));
        let indexed = |word: &str| match index {
            Some(index) => format!("{word}[{index}]"),
            None => word.to_owned(),
        };
        let value = |word: Option<Word<'_>>| word.map_or(0.0, |word| word.value);
        let (k, q0, d) = (value(stiffness), value(reference), value(damping));
        let spring = match q0 {
            _ if k == 0.0 => None,
            0.0 => Some(format!("{}*{}", -k, indexed("q"))),
            _ if q0 < 0.0 => Some(format!("{}*({} + {})", -k, indexed("q"), -q0)),
            _ => Some(format!("{}*({} - {q0})", -k, indexed("q"))),
        };
        let speed = indexed("qd");
        match (spring, d) {
            (spring, 0.0) => spring,
            (None, _) => Some(format!("{}*{speed}", -d)),
            (Some(spring), _) if d < 0.0 => Some(format!("{spring} + {}*{speed}", -d)),
            (Some(spring), _) => Some(format!("{spring} - {d}*{speed}")),
        }
    }

    fn limit(&mut self, node: Node<'d>, axis: Node<'d>, name: &Text, joint: &mut Joint) {
        let Some(limit) = self.reading.child(axis, "limit") else { return };
        let word = self.reading.attribute(node, "type");
        let continuous = word.is_some_and(|token| token.text == "continuous");
        let mut number = |child: &str| -> Option<DraftValue> {
            let node = self.reading.child(limit, child)?;
            let token = self.reading.content(node);
            // Infinity is a number here.
            if token.text.parse::<f64>().is_ok_and(|value| value.abs() >= ENDLESS) {
                return None;
            }
            Some(self.reading.number(token)?.scalar())
        };
        let (lower, upper) = (number("lower"), number("upper"));
        let positive =
            |scalar: &DraftValue| frame::number(scalar).is_some_and(|value| value >= 0.0);
        let (effort, speed) =
            (number("effort").filter(positive), number("velocity").filter(positive));
        let several = joint.kind.value.speeds() > 1;
        if several && (lower.is_some() || upper.is_some() || effort.is_some() || speed.is_some()) {
            let message = "`<limit>` of joints with two axes is left out";
            self.tally.note(message, self.reading.tag(limit), &name.value);
            return;
        }
        joint.max_effort = effort;
        joint.max_speed = speed;
        match (lower, upper) {
            (None, None) => {}
            _ if continuous => {
                let message = "`lower` and `upper` of continuous joints are left out";
                self.tally.note(message, self.reading.tag(limit), &name.value);
            }
            (Some(lower), Some(upper)) => joint.range = Some([lower, upper]),
            _ => {
                let message = "limits on one side only are left out";
                self.tally.note(message, self.reading.tag(limit), &name.value);
            }
        }
    }

    /// Metres per radian. `screw_thread_pitch` is metres per turn, right-handed; the older
    /// `thread_pitch` is radians per metre, left-handed.
    fn pitch(&mut self, node: Node<'d>) -> DraftValue {
        let span = self.reading.tag(node);
        let new = self.reading.number_child(node, "screw_thread_pitch");
        let old = self.reading.number_child(node, "thread_pitch");
        let text = match (new, old) {
            (Some(word), _) => return Spanned::new(per_turn(word.value), word.span),
            (None, Some(word)) if word.value != 0.0 => {
                let sign = if word.value < 0.0 { "" } else { "-" };
                let value = Value::Expression(format!("{sign}1/{}", word.value.abs()));
                return Spanned::new(value, word.span);
            }
            (None, Some(word)) => {
                let message = "`<thread_pitch>` is zero: the screw would not turn";
                self.reading.error(DiagnosticCode::Number, word.span, message);
                per_turn(1.0)
            }
            (None, None) => per_turn(1.0),
        };
        Spanned::new(text, span)
    }

    /// `<mimic>` of an axis, as a coupling.
    fn mimic(&mut self, axis: Node<'d>, follower: &Text, index: Option<usize>, draft: &mut Draft) {
        let Some(node) = self.reading.child(axis, "mimic") else { return };
        let Some(leader) = self.reading.required(node, "joint") else { return };
        let which = self.reading.attribute(node, "axis").map_or("axis", |token| token.text);
        let mut number = |child: &str, default: f64| {
            self.reading.number_child(node, child).map_or(default, |word| word.value)
        };
        let (factor, offset, reference) =
            (number("multiplier", 1.0), number("offset", 0.0), number("reference", 0.0));
        let two = self.joint_index.get(leader.text).map(|at| &self.edges[*at]);
        let two = two.is_some_and(|edge| edge.kind.value == JointType::Universal);
        let mut name = self.joints.refer(&leader.to_text()).value;
        if two {
            name.push_str(if which == "axis2" { "[2]" } else { "[1]" });
        }
        let mut led = follower.value.clone();
        let mut called = format!("{led}_mimic");
        if let Some(index) = index {
            led.push_str(&format!("[{index}]"));
            called.push_str(&index.to_string());
        }
        let offset = frame::tidy(offset - factor * reference);
        let equation = Spanned::new(linear(&led, factor, &name, offset), self.reading.tag(node));
        draft.couplings.push(Coupling { name: Spanned::new(called, follower.span), equation });
    }

    /// Gearboxes as couplings of the two joints that turn their bodies about the reference body.
    pub(super) fn gears(&mut self, ends: &[Option<[End; 2]>], frames: &Frames, draft: &mut Draft) {
        let mut hinges: FxHashMap<[End; 2], usize> = FxHashMap::default();
        for (at, edge) in self.edges.iter().enumerate() {
            if let (Some(pair), JointType::Revolute) = (ends[at], edge.kind.value) {
                hinges.entry(pair).or_insert(at);
            }
        }
        for at in 0..self.edges.len() {
            let Edge { node, name, parent, child, gearbox, entry, .. } = &self.edges[at];
            let Some((ratio, reference)) = gearbox.clone() else { continue };
            let (node, name, entry) = (*node, name.clone(), *entry);
            let (parent, child) = (parent.clone(), child.clone());
            let first = self.reading.required_child(node, "axis");
            // One axis for both was allowed before there were two.
            let second = self.reading.child(node, "axis2").or(first);
            let (Some(first), Some(second)) = (first, second) else { continue };
            let axes = [first, second].map(|axis| self.axis(axis, &name, entry, frames));
            let turning = [(&parent, axes[0]), (&child, axes[1])]
                .map(|(body, axis)| self.turning([&reference, body], axis, &hinges, frames));
            let [Some((driver, sign1)), Some((driven, sign2))] = turning else {
                let message = format!(
                    "gearbox `{}` has bodies that do not turn about its axes relative to `{}`",
                    short(&name.value),
                    short(&reference.value)
                );
                let finding = Diagnostic::error(DiagnosticCode::Unsupported, name.span, message).help(
                    "connect both bodies to the reference body by revolute joints along the axes",
                );
                self.reading.out.push(finding);
                continue;
            };
            let equation = linear(&driven, -ratio * sign1 * sign2, &driver, 0.0);
            let equation = Spanned::new(equation, self.reading.tag(node));
            draft.couplings.push(Coupling { name: self.joints.refer(&name), equation });
        }
    }

    /// The joint that turns the second body relative to the first about an axis, and in which
    /// sense.
    fn turning(
        &mut self,
        pair: [&Text; 2],
        axis: Vector,
        hinges: &FxHashMap<[End; 2], usize>,
        frames: &Frames,
    ) -> Option<(String, f64)> {
        let [first, second] = pair.map(|name| match name.value.as_str() {
            "world" => Some(End::World),
            name => self.index.get(name).map(|link| End::Link(*link)),
        });
        let (first, second) = (first?, second?);
        let there = hinges.get(&[first, second]).map(|at| (*at, 1.0));
        let (at, sense) = there.or_else(|| Some((*hinges.get(&[second, first])?, -1.0)))?;
        let Edge { node, name, entry, .. } = &self.edges[at];
        let (node, name, entry) = (*node, name.clone(), *entry);
        let own = self.reading.children(node, "axis").next()?;
        let own = frame::unit(self.axis(own, &name, entry, frames))?;
        let axis = frame::unit(axis)?;
        let along = own[0] * axis[0] + own[1] * axis[1] + own[2] * axis[2];
        let called = self.joints.refer(&name).value;
        (along.abs() > 1.0 - 1e-9).then_some((called, sense * along.signum()))
    }
}

/// A way per turn in metres per radian.
fn per_turn(way: f64) -> Value {
    Value::Expression(format!("{way}/(2*pi)"))
}
