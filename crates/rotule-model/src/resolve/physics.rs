//! Numbers that no real mechanism has, and loops that do not close.
//!
//! Checks are collected while expressions are read and made at the end, all values in one
//! evaluation at the parameters' numbers.

use crate::closure::Gap;
use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Severity};
use crate::draft::{Body, Draft, DraftValue, Inertia, Value};
use crate::mechanism::Mechanism;
use crate::resolve::{Resolver, rounded};
use crate::source::Span;
use crate::structure::{Paths, parents, rotation_axes};
use rotule_symbolic::Expr;
use rotule_symbolic::elementary::{atan2, sincos};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// Requirements on a number, or on several together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Finite.
    Finite,
    /// Not negative.
    Mass,
    /// Not negative, and no mass.
    Gain,
    /// Positive.
    Positive,
    /// Not zero.
    Divisor,
    /// The square of a length that is not zero.
    Length,
    /// The square of a sine that is not zero.
    NotParallel,
    /// The sum of squares of a quaternion that is normalised: not zero.
    Turn,
    /// The sum of squares of a quaternion: one.
    Quaternion,
    /// Upper minus lower limit: not negative.
    Range,
    /// Positions of the points of a table: each above the one before.
    Increasing,
    /// Nine entries of a rotation matrix.
    Rotation,
    /// Entries xx, yy, zz, xy, xz, yz of an inertia matrix.
    Inertia,
}

/// Something to be checked once all numbers are known.
pub struct Check {
    exprs: Vec<Expr>,
    span: Span,
    what: String,
    want: Want,
}

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
        self.checks.push(Check { exprs: exprs.to_vec(), span, what, want });
    }

    /// Makes all checks.
    pub(super) fn physics(&mut self, mechanism: &Mechanism) {
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
        if mechanism.joints.is_empty() && !self.out.has_errors() {
            let message = "the model has no bodies";
            let help = "write a `[[body]]` with a `name` and a `parent`";
            self.out.push(
                Diagnostic::warning(DiagnosticCode::Missing, self.draft.span, message).help(help),
            );
        }
    }
}

/// Rounding in hand-written digits that is nobody's mistake.
const ROUNDING: f64 = 1e-6;

/// The fault with values, if anything: how bad, code, fault, remedy.
fn verdict(want: Want, values: &[f64]) -> Option<(Severity, DiagnosticCode, String, &'static str)> {
    use Severity::{Error, Warning};
    let value = values[0];
    if values.iter().any(|value| !value.is_finite()) {
        let fault = match want {
            Want::Finite => "is not a finite number for the given parameters",
            // A number that is not finite itself has been told.
            Want::Mass | Want::Gain | Want::Positive | Want::Range => return None,
            _ => "has numbers that are too large to compute with",
        };
        return Some((Error, DiagnosticCode::Number, fault.to_owned(), ""));
    }
    match want {
        Want::Finite => None,
        Want::Mass if value < 0.0 => Some((
            Error,
            DiagnosticCode::Inertia,
            format!("is negative: {}", rounded(value, 6)),
            "give zero or more",
        )),
        Want::Gain if value < 0.0 => Some((
            Error,
            DiagnosticCode::Number,
            format!("must not be negative, found {value}"),
            "",
        )),
        Want::Positive if value <= 0.0 => {
            Some((Error, DiagnosticCode::Number, format!("must be positive, found {value}"), ""))
        }
        Want::Divisor if value == 0.0 => {
            Some((Error, DiagnosticCode::Number, "must not be zero".to_owned(), ""))
        }
        Want::Length if value < 1e-24 => {
            let help = "give it a direction, such as \"z\" or [0, 0, 1]";
            Some((Error, DiagnosticCode::Axis, "has zero length".to_owned(), help))
        }
        Want::NotParallel if value < 1e-12 => {
            let fault = "is parallel to the first".to_owned();
            Some((
                Error,
                DiagnosticCode::Axis,
                fault,
                "the two axes of a universal joint must cross",
            ))
        }
        Want::Turn | Want::Quaternion if value < 1e-24 => {
            let fault = "has a quaternion of zero length".to_owned();
            Some((Error, DiagnosticCode::Number, fault, "no rotation is [1, 0, 0, 0], w first"))
        }
        Want::Quaternion if (value - 1.0).abs() > ROUNDING => {
            let fault = format!("has a quaternion of length {:.6}, not one", value.sqrt());
            Some((Warning, DiagnosticCode::Number, fault, "divide its four numbers by that length"))
        }
        Want::Range if value < 0.0 => {
            let fault = "has its upper limit below its lower one".to_owned();
            Some((
                Error,
                DiagnosticCode::Number,
                fault,
                "exchange them: the lower limit comes first",
            ))
        }
        Want::Increasing => {
            let at = values.windows(2).position(|pair| pair[1] <= pair[0])?;
            let fault = format!(
                "has points out of order for the given parameters: x{} = {} is not above x{} = {}",
                at + 2,
                values[at + 1],
                at + 1,
                values[at]
            );
            Some((Error, DiagnosticCode::Number, fault, "sort the points by x, each x once"))
        }
        Want::Rotation => {
            let fault = rotation_fault(values)?;
            Some((
                Error,
                DiagnosticCode::Number,
                fault,
                "its columns must be unit vectors at right angles",
            ))
        }
        Want::Inertia => {
            let fault = inertia_fault(values)?;
            let help = "inertia is about the centre of mass, and off-diagonal entries are those of \
                        the matrix";
            Some((Warning, DiagnosticCode::Inertia, fault, help))
        }
        _ => None,
    }
}

/// Why nine numbers are no rotation matrix.
fn rotation_fault(values: &[f64]) -> Option<String> {
    let entry = |i: usize, j: usize| values[3 * i + j];
    for a in 0..3 {
        for b in a..3 {
            let product: f64 = (0..3).map(|k| entry(k, a) * entry(k, b)).sum();
            let requested = f64::from(u8::from(a == b));
            if (product - requested).abs() > ROUNDING {
                return Some("is not a rotation matrix".to_owned());
            }
        }
    }
    let minor = |a: usize, b: usize| entry(1, a) * entry(2, b) - entry(1, b) * entry(2, a);
    let determinant =
        entry(0, 0) * minor(1, 2) - entry(0, 1) * minor(0, 2) + entry(0, 2) * minor(0, 1);
    (determinant < 0.0).then(|| "mirrors instead of turning".to_owned())
}

/// Why six numbers are no inertia of a real body.
fn inertia_fault(values: &[f64]) -> Option<String> {
    let [xx, yy, zz, xy, xz, yz] = *values else { return None };
    let moments = eigenvalues([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]);
    let slack = ROUNDING * moments[2].abs().max(moments[0].abs());
    if moments[0] < -slack {
        let least = rounded(moments[0], 4);
        return Some(format!("is not positive: its least principal moment is {least}"));
    }
    if moments[0] + moments[1] < moments[2] - slack {
        let [a, b, c] = moments.map(|moment| rounded(moment, 4));
        return Some(format!(
            "belongs to no real body: of its principal moments {a}, {b}, {c} the largest exceeds \
             the sum of the others"
        ));
    }
    None
}

/// Eigenvalues of a symmetric matrix in ascending order, by Jacobi's rotations.
fn eigenvalues(mut m: [[f64; 3]; 3]) -> [f64; 3] {
    for _ in 0..12 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q] == 0.0 {
                continue;
            }
            let theta = 0.5 * atan2(2.0 * m[p][q], m[p][p] - m[q][q]);
            let (s, c) = sincos(theta);
            for row in &mut m {
                let (a, b) = (row[p], row[q]);
                (row[p], row[q]) = (c * a + s * b, c * b - s * a);
            }
            let (a, b) = (m[p], m[q]);
            m[p] = std::array::from_fn(|k| c * a[k] + s * b[k]);
            m[q] = std::array::from_fn(|k| c * b[k] - s * a[k]);
        }
    }
    let mut found = [m[0][0], m[1][1], m[2][2]];
    found.sort_by(f64::total_cmp);
    found
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
