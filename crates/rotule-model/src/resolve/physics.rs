//! Numbers that no real mechanism has, and loops that do not close.
//!
//! Checks are collected while expressions are read and made at the end, all values in one
//! evaluation at the parameters' numbers.

use crate::closure::Gap;
use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Severity};
use crate::draft::{Body, Draft, DraftValue, Inertia, Value};
use crate::mechanism::Mechanism;
use crate::number_check::{NumberCheck, Want, verdict};
use crate::resolve::Resolver;
use crate::source::Span;
use crate::structure::{Paths, parents, rotation_axes};
use rotule_symbolic::{Expr, Kinds};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

impl<'d> Resolver<'d> {
    /// Asks for a check.
    pub(super) fn check(
        &mut self,
        exprs: &[Expr],
        span: Span,
        what: fmt::Arguments<'_>,
        want: Want,
    ) {
        let what = what.to_string();
        self.checks.push(NumberCheck { exprs: exprs.to_vec(), span, what, want });
    }

    /// Makes all checks.
    pub(super) fn physics(&mut self, mechanism: &mut Mechanism) {
        let checks = std::mem::take(&mut self.checks);
        let exprs: Vec<Expr> = checks.iter().flat_map(|check| &check.exprs).copied().collect();
        let numbers = &self.numbers;
        let values = self.graph.evaluate_f64(&exprs, |name| {
            // What could not be read has been reported; zero keeps the rest going.
            Some(numbers.get(name).copied().unwrap_or(0.0))
        });
        let Ok(values) = values else { return };
        let open = numbers.values().any(|number| number.is_nan());
        let mut at = 0;
        for check in &checks {
            let own = &values[at..at + check.exprs.len()];
            at += check.exprs.len();
            // What depends on a parameter without a number is not known yet.
            if open && own.iter().any(|value| value.is_nan()) {
                continue;
            }
            if let Some((severity, code, fault, help)) = verdict(check.want, own) {
                let message = format!("{} {fault}", check.what);
                let finding = match severity {
                    Severity::Error => Diagnostic::error(code, check.span, message),
                    _ => Diagnostic::warning(code, check.span, message),
                };
                let help = (!help.is_empty()).then(|| help.to_owned());
                self.out.push(finding.maybe_help(help));
            }
        }
        // What no parameter changes keeps its rules.
        let varies = |check: &NumberCheck| {
            check.exprs.iter().any(|expr| self.graph.kinds(*expr) != Kinds::NONE)
        };
        mechanism.checks = checks.into_iter().filter(varies).collect();
        if mechanism.joints.is_empty() && !self.out.has_errors() {
            let message = "the model has no bodies";
            let help = "write a `[[body]]` with a `name` and a `parent`";
            self.out.push(
                Diagnostic::warning(DiagnosticCode::Missing, self.draft.span, message).help(help),
            );
        }
    }
}

/// The axis of an inertia of which one moment alone is written.
fn lone_moment(inertia: &Inertia) -> Option<usize> {
    let absent = |entry: &Option<DraftValue>| match entry {
        None => true,
        Some(scalar) => scalar.value == Value::Number(0.0),
    };
    let mut written = (0..6).filter(|&at| !absent(&inertia.entries[at]));
    let axis = written.next().filter(|&axis| axis < 3)?;
    (written.next().is_none() && inertia.rotation.is_none()).then_some(axis)
}

/// Drops warnings about bodies with one moment of inertia that rotate about its axis only: nobody
/// needs the others. Where there are errors, no positions are known, and all warnings about such
/// bodies are dropped.
pub fn accept_planar(mechanism: &Mechanism, draft: &Draft, out: &mut Diagnostics) {
    let warned: FxHashSet<Span> = out
        .iter()
        .filter(|one| one.code == DiagnosticCode::Inertia)
        .map(Diagnostic::span)
        .collect();
    if warned.is_empty() {
        return;
    }
    let inertia = |body: &'_ Body| body.inertia.as_ref().map(|one| (one.span, lone_moment(one)));
    let lone: Vec<(&str, Span, usize)> = (draft.bodies.iter())
        .filter_map(|body| match inertia(body)? {
            (span, Some(axis)) if warned.contains(&span) => {
                Some((body.name.value.as_str(), span, axis))
            }
            _ => None,
        })
        .collect();
    if lone.is_empty() {
        return;
    }
    let bodies = mechanism.bodies.iter().enumerate();
    let places: FxHashMap<&str, usize> =
        bodies.map(|(at, body)| (body.name.as_str(), at)).collect();
    let errors = out.has_errors();
    let rotations = if errors { Vec::new() } else { rotation_axes(mechanism) };
    let accepted: FxHashSet<Span> = (lone.iter())
        .filter(|(name, _, axis)| {
            errors || places.get(name).is_some_and(|&body| rotations[body].is_about(*axis))
        })
        .map(|(_, span, _)| *span)
        .collect();
    out.retain(|one| !(one.code == DiagnosticCode::Inertia && accepted.contains(&one.span())));
}

/// The largest gap of a loop closure that counts as closed.
const CLOSED: f64 = 1e-6;

/// Loops whose initial values are missing or do not close them.
pub fn loops(mechanism: &Mechanism, draft: &Draft, out: &mut Diagnostics) {
    // Where parameters have no numbers nobody knows how far loops are open.
    if mechanism.cuts.is_empty() || mechanism.without_number().next().is_some() {
        return;
    }
    let poses = crate::pose::initial(mechanism);
    let gaps = crate::closure::gaps(mechanism, &poses);
    let mut paths = Paths::new(parents(mechanism));
    for (cut, gap) in mechanism.cuts.iter().zip(gaps) {
        if gap.distance <= CLOSED && gap.angle <= CLOSED {
            continue;
        }
        let Some(path) = paths.between(cut.ends[0].body, cut.ends[1].body) else { continue };
        let mut path = path;
        path.sort_unstable();
        let missing: Vec<&str> = path
            .iter()
            .filter_map(|&body| mechanism.joint_of(body))
            .flat_map(|joint| {
                let free = joint.role == crate::mechanism::Role::Free;
                let coordinates = &mechanism.coordinates[joint.coordinates.clone()];
                let lacks = free && coordinates.iter().any(|coordinate| !coordinate.written);
                lacks.then_some(joint.name.as_str())
            })
            .collect();
        out.push(guess(&cut.name, cut.span, gap, &missing, draft));
    }
}

fn guess(name: &str, span: Span, gap: Gap, missing: &[&str], draft: &Draft) -> Diagnostic {
    if missing.is_empty() {
        let message = format!("at its initial values loop closure `{name}` is open by {gap}");
        return Diagnostic::note(DiagnosticCode::Guess, span, message);
    }
    let shown: Vec<String> = missing.iter().take(6).map(|name| format!("`{name}`")).collect();
    let more = if missing.len() > 6 { " and more" } else { "" };
    let message = format!(
        "loop closure `{name}` lacks a first guess for {}{more}: at zero it is open by {gap}",
        shown.join(", ")
    );
    let table = if draft.initial_q.is_empty() {
        "write `[initial.q]` and below it"
    } else {
        "add to `[initial.q]`"
    };
    let help = format!("{table} `{} = ...`, roughly where the loop closes", missing[0]);
    Diagnostic::warning(DiagnosticCode::Guess, span, message).help(help)
}
