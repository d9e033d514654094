//! From texts to a mechanism in one call: read the model, add what other files add, resolve.
//!
//! An addition is a model file that holds a part: cuts for a URDF, laws, sensors, initial values.
//! It may name a body again to give it points or to replace what it says about the body, and a
//! joint to give it a law.

use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Severity, short};
use crate::draft::{Body, Draft, Initial, Joint, Rotation};
use crate::mechanism::Mechanism;
use crate::read::{Format, ReadOptions, read};
use crate::resolve::resolve_with;
use crate::source::{SourceId, Sources};
use rotule_symbolic::nearest;
use rustc_hash::{FxHashMap, FxHashSet};

/// More tables that complete no joint are not listed: each is compared with all joints.
const NOT_COMPLETED: usize = 20;

/// A loaded model.
pub struct Loaded {
    /// The content of the texts.
    pub draft: Draft,
    /// Their meaning, if there was no error.
    pub mechanism: Option<Mechanism>,
    /// All diagnostics, in the order of the texts.
    pub diagnostics: Diagnostics,
}

/// Loads a model of a format and its additions, which are model files of Rotule.
pub fn load(
    sources: &Sources,
    model: SourceId,
    format: Format,
    additions: &[SourceId],
    options: &ReadOptions,
) -> Loaded {
    let (mut draft, mut diagnostics) = read(sources, model, format, options);
    for &addition in additions {
        let (more, findings) = read(sources, addition, Format::Native, options);
        diagnostics.append(findings);
        draft.extend(more);
    }
    for joint in draft.completed.iter().take(NOT_COMPLETED) {
        diagnostics.push(not_completed(joint, &draft));
    }
    // What a text that could not be read may define is not missed: only the rest is judged.
    let unreadable = diagnostics
        .iter()
        .any(|finding| matches!(finding.code, DiagnosticCode::Syntax | DiagnosticCode::Limit));
    let (mechanism, mut findings) = resolve_with(&draft, sources.meshes());
    if unreadable {
        findings.retain(|finding| match finding.code {
            DiagnosticCode::UnknownName => finding.near,
            code => matches!(
                code,
                DiagnosticCode::Axis
                    | DiagnosticCode::Dimension
                    | DiagnosticCode::DuplicateName
                    | DiagnosticCode::Inertia
                    | DiagnosticCode::Name
                    | DiagnosticCode::Number
            ),
        });
    }
    diagnostics.append(findings);
    if diagnostics.has_errors() {
        // What seems unused may well be used where something could not be read.
        diagnostics.retain(|finding| finding.code != DiagnosticCode::Unused);
    }
    diagnostics.retain(|finding| {
        let accepted = draft.accept.iter().any(|code| code.value == finding.code);
        !(accepted && finding.severity == Severity::Warning)
    });
    diagnostics.sort();
    let mechanism = mechanism.filter(|_| !diagnostics.has_errors());
    Loaded { draft, mechanism, diagnostics }
}

impl Draft {
    /// Adds what another draft says; bodies of the same name are completed.
    pub fn extend(&mut self, more: Draft) {
        self.name = more.name.or(self.name.take());
        self.about = more.about.or(self.about.take());
        self.gravity = more.gravity.or(self.gravity.take());
        self.baumgarte = more.baumgarte.or(self.baumgarte.take());
        self.accept.extend(more.accept);
        self.redundant = more.redundant.or(self.redundant.take());
        self.parameters.extend(more.parameters);
        self.externals.extend(more.externals);
        self.ground.extend(more.ground);
        self.ground_shapes.extend(more.ground_shapes);
        let mut known: FxHashMap<String, usize> = self
            .bodies
            .iter()
            .enumerate()
            .map(|(index, body)| (body.name.value.clone(), index))
            .collect();
        for body in more.bodies {
            // A second table of one name is a mistake again, and told as one.
            match known.remove(&body.name.value) {
                Some(index) => complete(&mut self.bodies[index], body),
                None => self.bodies.push(body),
            }
        }
        let missing = complete_joints(self, more.completed);
        self.completed.extend(missing);
        self.joints.extend(more.joints);
        self.cuts.extend(more.cuts);
        self.couplings.extend(more.couplings);
        self.motions.extend(more.motions);
        self.constraints.extend(more.constraints);
        self.line_forces.extend(more.line_forces);
        self.forces.extend(more.forces);
        self.wheels.extend(more.wheels);
        self.sensors.extend(more.sensors);
        self.inputs.extend(more.inputs);
        self.outputs.extend(more.outputs);
        self.controllers.extend(more.controllers);
        self.states.extend(more.states);
        self.events.extend(more.events);
        replace(&mut self.initial_q, more.initial_q);
        replace(&mut self.initial_qd, more.initial_qd);
    }
}

/// Initial values that are given again replace the first.
fn replace(values: &mut Vec<Initial>, more: Vec<Initial>) {
    let again: FxHashSet<String> = more.iter().map(|one| one.joint.value.clone()).collect();
    values.retain(|one| !again.contains(&one.joint.value));
    values.extend(more);
}

/// Completes joints; gives back those that the draft does not have.
fn complete_joints(draft: &mut Draft, more: Vec<Joint>) -> Vec<Joint> {
    if more.is_empty() {
        return more;
    }
    let of_bodies = draft.bodies.iter_mut().flat_map(|body| &mut body.joints);
    let joints = of_bodies.chain(draft.joints.iter_mut().map(|loose| &mut loose.joint));
    let named = joints.filter_map(|joint| Some((joint.name.as_ref()?.value.clone(), joint)));
    let mut known: FxHashMap<String, &mut Joint> = named.collect();
    let mut missing = Vec::new();
    for joint in more {
        let name = joint.name.as_ref().map_or("", |name| name.value.as_str());
        match known.get_mut(name) {
            Some(known) => complete_joint(known, joint),
            None => missing.push(joint),
        }
    }
    missing
}

/// Completes a joint: a key that is given again replaces the first value, one that is left out
/// keeps it.
fn complete_joint(joint: &mut Joint, more: Joint) {
    joint.effort = more.effort.or(joint.effort.take());
    joint.locked |= more.locked;
    joint.partition = more.partition.or(joint.partition.take());
    joint.actuated |= more.actuated;
    joint.actuation_weight = more.actuation_weight.or(joint.actuation_weight.take());
    joint.armature = more.armature.or(joint.armature.take());
    joint.damping = more.damping.or(joint.damping.take());
    joint.friction = more.friction.or(joint.friction.take());
    joint.range = more.range.or(joint.range.take());
    joint.max_speed = more.max_speed.or(joint.max_speed.take());
    joint.max_effort = more.max_effort.or(joint.max_effort.take());
    joint.stop = more.stop.or(joint.stop.take());
}

/// A table that completes a joint which there is not, or which is defined in the same file.
fn not_completed(joint: &Joint, draft: &Draft) -> Diagnostic {
    let of_bodies = draft.bodies.iter().flat_map(|body| &body.joints);
    let all = of_bodies.chain(draft.joints.iter().map(|loose| &loose.joint));
    let names: Vec<&str> = all.filter_map(|one| Some(one.name.as_ref()?.value.as_str())).collect();
    let name = joint.name.as_ref().map_or("", |name| name.value.as_str());
    let (message, help) = match nearest(name, names.iter().copied()) {
        Some(near) if near == name => (
            format!("joint `{}` is defined in this file already", short(name)),
            "move these keys to its definition".to_owned(),
        ),
        near => (
            format!("there is no joint `{}` to complete", short(name)),
            match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "a new joint needs `type` and `between`".to_owned(),
            },
        ),
    };
    Diagnostic::error(DiagnosticCode::UnknownName, joint.span, message).help(help)
}

/// Completes a body: later values replace earlier ones; new points are added.
fn complete(body: &mut Body, more: Body) {
    body.parent = more.parent.or(body.parent.take());
    if matches!(more.rotation, Some(Rotation::Link { .. })) {
        // It says all of the placement.
        body.position = None;
    }
    body.position = more.position.or(body.position.take());
    body.rotation = more.rotation.or(body.rotation.take());
    if !more.joints.is_empty() {
        body.joints = more.joints;
    }
    body.mass = more.mass.or(body.mass.take());
    body.com = more.com.or(body.com.take());
    // Entries replace what the inertia followed from, and the other way round.
    if more.inertia.is_some() || more.inertia_of.is_some() {
        (body.inertia, body.inertia_of) = (more.inertia, more.inertia_of);
    }
    if !more.shapes.is_empty() {
        body.shapes = more.shapes;
    }
    let again: FxHashSet<&str> = more.points.iter().map(|one| one.name.value.as_str()).collect();
    body.points.retain(|one| !again.contains(one.name.value.as_str()));
    body.points.extend(more.points);
}
