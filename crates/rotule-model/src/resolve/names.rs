//! Names: tables to look them up, and diagnostics about names given twice or wrongly.

use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::draft::{Draft, Joint, Point, Text};
use crate::laws;
use crate::limits;
use crate::resolve::short;
use crate::source::Span;
use rotule_symbolic::is_name;
use rustc_hash::{FxHashMap, FxHashSet};

/// The name of the fixed body.
pub const GROUND: &str = "ground";

/// Names that stand for something, where they could be taken for it: in expressions or as a body.
const RESERVED: &[(&str, &[&str], &str)] = &[
    ("t", VALUES, "the time"),
    ("deg", VALUES, "the number pi/180"),
    (GROUND, &["body"], "the fixed body"),
    // Other things may have this name: only what is called could be taken for the function.
    ("floor", &["external"], "the largest integer that is not above a number"),
];

/// Kinds of things that have names in expressions.
const VALUES: &[&str] =
    &["parameter", "external", "joint", "state", "input", "output", "controller"];

/// The tables. A body is its position in the draft plus one; zero is the ground.
#[derive(Default)]
pub struct Names<'d> {
    pub bodies: FxHashMap<&'d str, usize>,
    /// Points of each body: of the ground first, then as the bodies.
    pub points: FxHashMap<(usize, &'d str), &'d Point>,
    /// Joints that have coordinates, with what they are.
    pub joints: FxHashMap<&'d str, &'d Joint>,
    pub sensors: FxHashMap<&'d str, usize>,
    pub states: FxHashSet<&'d str>,
    pub inputs: FxHashSet<&'d str>,
    pub outputs: FxHashSet<&'d str>,
    pub controllers: FxHashSet<&'d str>,
    pub parameters: FxHashSet<&'d str>,
    /// Joints that have initial values or a motion, and where.
    pub given: FxHashMap<&'d str, Span>,
}

/// One space of names: who came first.
#[derive(Default)]
struct Space<'d>(FxHashMap<&'d str, (Span, &'static str)>);

impl<'d> Space<'d> {
    /// Enters a name, and says whether it is new and well formed.
    fn enter(&mut self, name: &'d Text, what: &'static str, out: &mut Diagnostics) -> bool {
        if !well_formed(name, what, out) {
            return false;
        }
        match self.0.get(name.value.as_str()) {
            None => {
                self.0.insert(&name.value, (name.span, what));
                true
            }
            Some(&(first, other)) => {
                let text = short(&name.value);
                let message = if what == other {
                    let several =
                        if what == "body" { "bodies".to_owned() } else { format!("{what}s") };
                    format!("two {several} have the name `{text}`")
                } else {
                    let article =
                        |what: &str| if what.starts_with(['e', 'i', 'o']) { "an" } else { "a" };
                    let (a, the) = (article(what), article(other));
                    format!("{a} {what} has the name `{text}`, but {the} {other} has it already")
                };
                out.push(
                    Diagnostic::error(DiagnosticCode::DuplicateName, name.span, message)
                        .here("give it another name")
                        .also(first, "the name is given here first"),
                );
                false
            }
        }
    }
}

/// Returns `true` if a name is written as names must be.
fn well_formed(name: &Text, what: &str, out: &mut Diagnostics) -> bool {
    let text = name.value.as_str();
    let fault = if text.len() > limits::NAME_BYTES {
        let limit = limits::NAME_BYTES;
        let message =
            format!("the name of a {what} has {} bytes; at most {limit} are taken", text.len());
        Diagnostic::error(DiagnosticCode::Limit, name.span, message)
    } else if let Some((.., meaning)) =
        RESERVED.iter().find(|(word, kinds, _)| *word == text && kinds.contains(&what))
    {
        let a = if what.starts_with(['e', 'i', 'o']) { "an" } else { "a" };
        let message = format!("{a} {what} cannot have the name `{text}`: it stands for {meaning}");
        Diagnostic::error(DiagnosticCode::Name, name.span, message)
    } else if let Some(law) = laws::find(text).filter(|_| what == "external") {
        // Other things may have the name of a law: only what is called could be taken for it.
        let message = format!("an {what} cannot have the name `{text}`: it is a law");
        let help = format!("call the law as `{}`, or choose another name", law.usage());
        Diagnostic::error(DiagnosticCode::Name, name.span, message).help(help)
    } else if !is_plain(text) {
        let message = format!("a {what} cannot have the name `{}`", short(text));
        Diagnostic::error(DiagnosticCode::Name, name.span, message).help(
            "a name begins with a letter or `_`, goes on with letters, digits and `_`, \
             and is not the name of a function",
        )
    } else {
        return true;
    };
    out.push(fault);
    false
}

/// Returns `true` if a name can stand in expressions and in places such as `body.point`.
pub fn is_plain(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || c == '_') && is_name(name)
}

/// Makes the tables.
pub fn collect<'d>(draft: &'d Draft, out: &mut Diagnostics) -> Names<'d> {
    let mut names = Names::default();
    let (mut values, mut bodies, mut elements) =
        (Space::default(), Space::default(), Space::default());

    for parameter in &draft.parameters {
        if values.enter(&parameter.name, "parameter", out) {
            names.parameters.insert(&parameter.name.value);
        }
    }
    for external in &draft.externals {
        values.enter(&external.name, "external", out);
    }
    for state in &draft.states {
        if values.enter(&state.name, "state", out) {
            names.states.insert(&state.name.value);
        }
    }
    for input in &draft.inputs {
        if values.enter(&input.name, "input", out) {
            names.inputs.insert(&input.name.value);
        }
    }
    for output in &draft.outputs {
        if values.enter(&output.name, "output", out) {
            names.outputs.insert(&output.name.value);
        }
    }
    for controller in &draft.controllers {
        if values.enter(&controller.name, "controller", out) {
            names.controllers.insert(&controller.name.value);
        }
    }
    names.bodies.insert(GROUND, 0);
    points(0, &draft.ground, &mut names, out);
    for (index, body) in draft.bodies.iter().enumerate() {
        // A second body of a name is not found by it, but its points and joints still count.
        if bodies.enter(&body.name, "body", out) {
            names.bodies.insert(&body.name.value, index + 1);
        }
        points(index + 1, &body.points, &mut names, out);
    }
    let inline = draft.bodies.iter().flat_map(|body| &body.joints);
    for joint in inline.chain(draft.joints.iter().map(|loose| &loose.joint)) {
        let Some(name) = &joint.name else { continue };
        if values.enter(name, "joint", out) {
            names.joints.insert(&name.value, joint);
        }
    }
    let initial = draft.initial_q.iter().chain(&draft.initial_qd).map(|initial| &initial.joint);
    for joint in initial.chain(draft.motions.iter().map(|motion| &motion.joint)) {
        names.given.entry(&joint.value).or_insert(joint.span);
    }
    let cuts = draft.cuts.iter().map(|cut| (&cut.name, "loop closure"));
    let couplings = draft.couplings.iter().map(|coupling| (&coupling.name, "coupling"));
    let constraints = draft.constraints.iter().map(|constraint| (&constraint.name, "constraint"));
    let line_forces = draft.line_forces.iter().map(|line_force| (&line_force.name, "line force"));
    let forces = draft.forces.iter().map(|force| (&force.name, "force"));
    let wheels = draft.wheels.iter().map(|wheel| (&wheel.name, "wheel"));
    let sensors = draft.sensors.iter().map(|sensor| (&sensor.name, "sensor"));
    let events = draft.events.iter().map(|event| (&event.name, "event"));
    let all = events.chain(cuts).chain(couplings).chain(constraints).chain(line_forces);
    let mut all: Vec<_> = all.chain(forces).chain(wheels).chain(sensors).collect();
    // In the order of the file, so that the second of two is the one that comes second.
    all.sort_by_key(|(name, _)| name.span);
    for (name, what) in all {
        elements.enter(name, what, out);
    }
    for (index, sensor) in draft.sensors.iter().enumerate() {
        names.sensors.entry(&sensor.name.value).or_insert(index);
    }
    names
}

fn points<'d>(body: usize, points: &'d [Point], names: &mut Names<'d>, out: &mut Diagnostics) {
    for point in points {
        if !well_formed(&point.name, "point", out) {
            continue;
        }
        let key = (body, point.name.value.as_str());
        match names.points.get(&key) {
            None => {
                names.points.insert(key, point);
            }
            Some(first) => {
                let message = format!("two points of one body have the name `{}`", key.1);
                out.push(
                    Diagnostic::error(DiagnosticCode::DuplicateName, point.name.span, message)
                        .also(first.name.span, "the name is given here first"),
                );
            }
        }
    }
}
