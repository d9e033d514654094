//! The constraints among the equations of motion: `h`, `J` and `b`, and what their multipliers are.

use super::{Document, written};
use rotule_formalism::readable::ConstraintTerms;

/// At most this many rows and sentences are listed by name.
const LISTED: usize = 24;

/// The equations as text.
pub(crate) fn equation(constraints: Option<&ConstraintTerms>) -> String {
    let Some(constraints) = constraints else { return "M qdd + c = Q".to_owned() };
    let mut text = "M qdd + c = Q + J' lambda".to_owned();
    if constraints.speeds_only.len() < constraints.names.len() {
        text += if has_time(constraints) { ", h(q, t) = 0" } else { ", h(q) = 0" };
    }
    if !constraints.speeds_only.is_empty() {
        text += if has_time(constraints) { ", J qd + e = 0" } else { ", J qd = 0" };
    }
    text + ", J qdd + b = 0"
}

/// The equations as LaTeX, left and right sides.
pub(crate) fn heads(constraints: Option<&ConstraintTerms>) -> Vec<(&'static str, &'static str)> {
    let left = "M(q) \\, \\ddot{q} + c(q, \\dot{q})";
    let Some(constraints) = constraints else { return vec![(left, "Q")] };
    let mut rows = vec![(left, "Q + J^{\\mathsf{T}} \\lambda")];
    let timed = has_time(constraints);
    if constraints.speeds_only.len() < constraints.names.len() {
        rows.push((if timed { "h(q, t)" } else { "h(q)" }, "0"));
    }
    if !constraints.speeds_only.is_empty() {
        rows.push((if timed { "J \\, \\dot{q} + e" } else { "J \\, \\dot{q}" }, "0"));
    }
    rows.push(("J \\, \\ddot{q} + b", "0"));
    rows
}

fn has_time(constraints: &ConstraintTerms) -> bool {
    constraints.terms.targets.iter().any(|target| target.name == "e")
}

/// Remarks on constraints and their multipliers.
pub(crate) fn remarks(constraints: &ConstraintTerms) -> Vec<String> {
    let rows: Vec<String> =
        constraints.names.iter().zip(1..).map(|(name, at)| format!("{at} {name}")).collect();
    let mut remarks = match rows.as_slice() {
        // All of them are satisfied whatever the coordinates are.
        [] => return vec!["no constraint restricts the coordinates".to_owned()],
        rows if rows.len() <= LISTED => vec![format!("constraints: {}", rows.join(", "))],
        [first, .., last] => vec![format!("constraints: {first}, ..., {last}")],
        [one] => vec![format!("constraints: {one}")],
    };
    if !constraints.speeds_only.is_empty() {
        let numbers: Vec<String> =
            constraints.speeds_only.iter().map(|at| (at + 1).to_string()).collect();
        remarks
            .push(format!("constraints {} relate speeds only and have no h", numbers.join(", ")));
    }
    remarks.extend(multipliers(constraints));
    remarks
}

/// The meanings of the multipliers, sentence by sentence.
pub(crate) fn multipliers(constraints: &ConstraintTerms) -> Vec<String> {
    let names = |rows: std::ops::Range<usize>| -> String {
        rows.map(|at| format!("lambda[{}]", at + 1)).collect::<Vec<_>>().join(", ")
    };
    let all = constraints.meanings.iter();
    let mut shown: Vec<String> =
        all.take(LISTED).map(|one| format!("{}: {}", names(one.rows.clone()), one.about)).collect();
    if constraints.meanings.len() > LISTED {
        shown.push("the other multipliers likewise, in the order of the constraints".to_owned());
    }
    shown
}

/// The terms.
pub(crate) fn document(constraints: &ConstraintTerms) -> Document {
    let mut document = written(&constraints.terms, Vec::new(), &[]);
    if !constraints.terms.explicit {
        document.remarks.retain(|remark| remark.starts_with("entries of"));
        document.remarks.insert(
            0,
            "constraints are too long to be written out: their variables have lines of their own"
                .to_owned(),
        );
    }
    // Rows that relate speeds only have no h: a zero there would be read as one.
    let absent: Vec<String> =
        constraints.speeds_only.iter().map(|at| format!("h[{}]", at + 1)).collect();
    for group in &mut document.groups {
        let before = group.lines.len();
        group.lines.retain(|line| !absent.contains(&line.label));
        if group.lines.len() < before {
            group.matrix = None;
        }
    }
    document.groups.retain(|group| !group.lines.is_empty());
    document
}
