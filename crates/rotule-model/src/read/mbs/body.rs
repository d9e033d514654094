//! The base and the tree of bodies.

use rotule_symbolic::nearest;

use super::{GROUND, Reader, User};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{
    Axis, Body, DraftValue, Force, Inertia, Initial, Joint, JointType, Measure, Motion,
    PartitionRole, Point, Sensor, Text, Triple, Value,
};
use crate::read::xml::{Node, Token, Word};
use crate::source::{Span, Spanned};

/// The types of joints; the axis is the index of the frame's axis.
const TYPES: [(&str, JointType, usize); 6] = [
    ("R1", JointType::Revolute, 0),
    ("R2", JointType::Revolute, 1),
    ("R3", JointType::Revolute, 2),
    ("T1", JointType::Prismatic, 0),
    ("T2", JointType::Prismatic, 1),
    ("T3", JointType::Prismatic, 2),
];

/// The words of the element `nature` and the role of each in the partition; a driven joint has
/// none.
const ROLES: [(&str, Option<PartitionRole>); 3] = [
    ("independent", Some(PartitionRole::Independent)),
    ("dependent", Some(PartitionRole::Dependent)),
    ("driven", None),
];

/// The flags of a sensor.
const MEASURES: [(&str, Measure); 7] = [
    ("Pos", Measure::Position),
    ("Rot", Measure::Rotation),
    ("Vit", Measure::Velocity),
    ("Om", Measure::AngularVelocity),
    ("Acc", Measure::Acceleration),
    ("Omp", Measure::AngularAcceleration),
    ("Jac", Measure::Jacobian),
];

/// The entries of an inertia in the order of drafts.
const INERTIA: [&str; 6] = ["Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz"];

/// Counts over the whole tree.
#[derive(Default)]
struct Count {
    joints: usize,
    forces: usize,
    /// Joints without a law, and the first of them.
    silent: usize,
    first_silent: Option<(Text, usize)>,
}

impl<'d> Reader<'d, '_> {
    pub(super) fn base(&mut self, base: Node<'d>) {
        if let Some(gravity) = self.reading.child(base, "gravity") {
            self.draft.gravity = self.coordinates(gravity);
        }
        let mut count = Count::default();
        let points = self.points_of(base, self.base, GROUND, &mut count);
        self.draft.ground = points;
        self.draft.ground_shapes = self.shapes(base, GROUND);
    }

    pub(super) fn tree(&mut self, tree: Node<'d>) {
        // ROBOTRAN numbers external forces beginning with those of the base.
        let mut count = Count { forces: self.draft.forces.len(), ..Count::default() };
        for node in self.all(tree, "body") {
            let body = self.body(node, &mut count);
            self.draft.bodies.push(body);
        }
        if let Some((name, number)) = count.first_silent {
            let (are, s) = if count.silent == 1 { ("is", "") } else { ("are", "s") };
            let message = format!(
                "`user_JointForces` is not taken for {} joint{s} that {are} not marked `<actuated/>`",
                count.silent
            );
            let help = format!(
                "if the function has a law for `{0}`, write `effort = \"user_JointForces(q, qd, t, {number})\"` in the joint `{0}`",
                name.value
            );
            let note = Diagnostic::note(DiagnosticCode::Choice, name.span, message).help(help);
            self.reading.out.push(note);
        }
    }

    fn body(&mut self, node: Node<'d>, count: &mut Count) -> Body {
        let span = self.reading.tag(node);
        let written = self.text(node, "bodyname");
        let name = match written {
            Some(name) => self.bodies.refer(&name.to_text()),
            None => self.bodies.fresh_text(&format!("body{}", self.draft.bodies.len() + 1), span),
        };
        let parent = self.reading.required_child(node, "parent").and_then(|p| self.place(p));
        let joints: Vec<Joint> =
            self.all(node, "joint").into_iter().map(|joint| self.joint(joint, count)).collect();
        let mass = self.reading.number_child(node, "mass").map(Word::scalar);
        let com = self.reading.child(node, "com").and_then(|com| self.coordinates(com));
        let inertia = self.reading.child(node, "inertia").and_then(|node| self.inertia(node));
        let old = written.map_or("", |name| name.text);
        let points = self.points_of(node, old, &name.value, count);
        let shapes = self.shapes(node, &name.value);
        Body {
            name,
            parent,
            position: None,
            rotation: None,
            joints,
            mass: mass.filter(|mass| !is_zero(mass)),
            com: com.filter(|com| !com.iter().all(is_zero)),
            inertia,
            inertia_of: None,
            shapes,
            points,
        }
    }

    /// The entries as ROBOTRAN uses them: those of the matrix, about the centre of mass.
    fn inertia(&mut self, node: Node<'d>) -> Option<Inertia> {
        let entries = INERTIA.map(|name| {
            let entry = self.reading.number_child(node, name).map(Word::scalar);
            entry.filter(|entry| !is_zero(entry))
        });
        let given = entries.iter().any(Option::is_some);
        given.then(|| Inertia { span: self.reading.tag(node), entries, rotation: None })
    }

    fn joint(&mut self, node: Node<'d>, count: &mut Count) -> Joint {
        count.joints += 1;
        let number = count.joints;
        let span = self.reading.tag(node);
        let name = match self.text(node, "jointname") {
            Some(name) => self.joints.refer(&name.to_text()),
            None => self.joints.fresh_text(&format!("q{number}"), span),
        };
        let kind = self.text(node, "type").and_then(|kind| {
            let found = TYPES.iter().find(|(word, ..)| *word == kind.text);
            if found.is_none() {
                self.unknown_word(kind, "R1, R2, R3, T1, T2 or T3", TYPES.map(|(word, ..)| word));
            }
            found.map(|(_, joint, axis)| (Spanned::new(*joint, kind.span), *axis))
        });
        // With its type unreadable the joint stays as a name: there is an error anyway.
        let (kind, axis) = kind.unwrap_or((Spanned::new(JointType::Revolute, span), 2));
        let mut joint = Joint::new(span, Some(name.clone()), kind);
        joint.axes = vec![frame_axis(axis, kind.span)];

        let role = self.text(node, "nature").and_then(|word| {
            let found = ROLES.iter().find(|(known, _)| *known == word.text);
            if found.is_none() {
                let words = ROLES.map(|(known, _)| known);
                self.unknown_word(word, "independent, dependent or driven", words);
            }
            found.map(|(_, role)| Spanned::new(*role, word.span))
        });
        let driven = role.is_some_and(|role| role.value.is_none());
        joint.partition = role.and_then(|role| Some(Spanned::new(role.value?, role.span)));
        if driven {
            self.drive(&name, number);
        }
        let actuated = self.reading.child(node, "actuated").is_some_and(|node| self.marked(node));
        if actuated && !driven {
            let arguments = format!("q, qd, t, {number}");
            let law = self.call(User::Joint, &arguments, 1, span);
            joint.effort = Some(Spanned::new(vec![law], span));
        } else if !driven {
            count.silent += 1;
            count.first_silent.get_or_insert((name.clone(), number));
        }
        if let Some(values) = self.reading.child(node, "initialvalue") {
            for (child, speed) in [("q", false), ("qd", true)] {
                let value = self.reading.number_child(values, child).map(Word::scalar);
                let Some(value) = value else { continue };
                let values = Spanned::new(vec![value.clone()], value.span);
                let initial = Initial { joint: name.clone(), values };
                let list =
                    if speed { &mut self.draft.initial_qd } else { &mut self.draft.initial_q };
                list.push(initial);
            }
        }
        joint
    }

    /// A driven joint follows its user function.
    fn drive(&mut self, name: &Text, number: usize) {
        let arguments = format!("t, {number}");
        let [q, qd, qdd] = [1, 2, 3].map(|result| {
            let value = self.call(User::Driven, &arguments, result, name.span);
            Spanned::new(vec![value], name.span)
        });
        self.draft.motions.push(Motion { joint: name.clone(), q, qd: Some(qd), qdd: Some(qdd) });
    }

    /// Returns `true` if an element that marks something by being there does so. ROBOTRAN does not
    /// look at its text; one that denies it is believed, and the user told.
    pub(super) fn marked(&mut self, node: Node<'d>) -> bool {
        let text = self.reading.content(node);
        let denied = ["0", "false"].contains(&text.text.to_ascii_lowercase().as_str());
        if denied {
            let message = format!("{text} holds `{}` and is taken as not there", text.text);
            let help = "ROBOTRAN counts the element itself, whatever it holds; remove it if it is not meant";
            self.reading.out.push(
                Diagnostic::warning(DiagnosticCode::Ambiguous, text.span, message).help(help),
            );
        }
        !denied
    }

    fn unknown_word<const N: usize>(&mut self, found: Token<'d>, known: &str, words: [&str; N]) {
        let message = format!("{found} must be {known}, found `{}`", found.text);
        let help = nearest(found.text, words).map(|near| format!("did you mean `{near}`?"));
        let finding = Diagnostic::error(DiagnosticCode::Type, found.span, message).maybe_help(help);
        self.reading.out.push(finding);
    }

    /// The points of a body, and the sensors and forces at them.
    fn points_of(
        &mut self,
        owner: Node<'d>,
        old_body: &'d str,
        body: &str,
        count: &mut Count,
    ) -> Vec<Point> {
        let mut points = Vec::new();
        for node in self.all(owner, "point") {
            let span = self.reading.tag(node);
            let written = self.text(node, "pointname");
            let position = self.coordinates(node);
            let place = match written {
                None => body.to_owned(),
                Some(old) => {
                    let known = self.points.get(&(old_body, old.text));
                    let new = known.map_or(old.text, String::as_str).to_owned();
                    let place = format!("{body}.{new}");
                    points.push(Point {
                        name: Spanned::new(new, old.span),
                        position: position.unwrap_or_else(|| zeros(span)),
                        rotation: None,
                    });
                    place
                }
            };
            let at = Spanned::new(place, written.map_or(span, |name| name.span));
            for sensor in self.all(node, "sensor") {
                self.sensor(sensor, at.clone());
            }
            for force in self.all(node, "extforce") {
                count.forces += 1;
                self.external_force(force, at.clone(), count.forces);
            }
        }
        points
    }

    fn sensor(&mut self, node: Node<'d>, at: Text) {
        let span = self.reading.tag(node);
        let mut measures = Vec::new();
        for (flag, measure) in MEASURES {
            let Some(token) = self.reading.attribute(node, flag) else { continue };
            // MBsysPad leaves flags empty that are not set.
            if !token.text.is_empty() && self.reading.flag(token) == Some(true) {
                measures.push(Spanned::new(measure, token.span));
            }
        }
        let written = self.reading.attribute(node, "name");
        let name = self.element_name("sensor", written, span);
        if measures.is_empty() {
            let message = format!("sensor `{}` measures nothing and is left out", name.value);
            let help = "set one of its flags, such as `Pos=\"true\"`";
            self.reading
                .out
                .push(Diagnostic::warning(DiagnosticCode::Ignored, span, message).help(help));
            return;
        }
        self.draft.sensors.push(Sensor { name, at, measures, relative_to: None });
    }

    fn external_force(&mut self, node: Node<'d>, at: Text, number: usize) {
        let span = self.reading.tag(node);
        let written = self.reading.attribute(node, "name");
        let name = self.element_name("force", written, span);
        let arguments = format!("x, y, z, vx, vy, vz, wx, wy, wz, t, {number}");
        let mut part = |first: u32| -> Triple {
            [0, 1, 2].map(|i| self.call(User::Force, &arguments, first + i, span))
        };
        let (force, torque) = (Some(part(1)), Some(part(4)));
        self.draft.forces.push(Force { name, at, force, torque, body_axes: false });
    }
}

fn is_zero(scalar: &DraftValue) -> bool {
    scalar.value == Value::Number(0.0)
}

fn zeros(span: Span) -> Triple {
    [0, 1, 2].map(|_| Spanned::new(Value::Number(0.0), span))
}

/// One of the three axes of a frame.
fn frame_axis(axis: usize, span: Span) -> Axis {
    let entry = |i: usize| Spanned::new(Value::Number(f64::from(u8::from(i == axis))), span);
    Axis { span, components: [entry(0), entry(1), entry(2)] }
}
