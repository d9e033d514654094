//! MultiplierMeaning of multipliers: the force or torque that each is, in words.
//!
//! With `M qdd + c = Q + J' lambda` and `h` the first end less the second, a multiplier is what the
//! closure does to its first body; the second gets the opposite.

use super::cut::{LENGTH, origin};
use super::{ConstraintElement, Row};
use crate::tree::{NodeId, Tree};
use rotule_model::mechanism::{Cut, Mechanism};
use rotule_symbolic::Expr;
use std::ops::Range;

/// Multipliers that one sentence is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MultiplierMeaning {
    /// Positions of the rows.
    pub rows: Range<usize>,
    /// The meaning of their multipliers; names are in backticks.
    pub about: String,
}

/// Kinds of components: those of one kind and one element share a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Component {
    Force,
    Torque,
    Rod,
    Tilt,
    Across,
    Along,
    Relation,
    Ground,
}

fn component(row: &Row, label: &str) -> Component {
    match (row.element, label) {
        (ConstraintElement::Coupling(_) | ConstraintElement::Constraint(_), _) => {
            Component::Relation
        }
        (ConstraintElement::Wheel(_), _) => Component::Ground,
        (_, "x" | "y" | "z") => Component::Force,
        (_, "rx" | "ry" | "rz") => Component::Torque,
        (_, LENGTH) => Component::Rod,
        (_, "across 1" | "across 2") => Component::Across,
        (_, "tilt 1" | "tilt 2" | "axes") => Component::Tilt,
        _ => Component::Along,
    }
}

/// The component in the name of a row.
fn label<'r>(mechanism: &Mechanism, row: &'r Row) -> &'r str {
    let owner = match row.element {
        ConstraintElement::Cut(at) => &mechanism.cuts[at].name,
        ConstraintElement::Wheel(at) => &mechanism.wheels[at].name,
        ConstraintElement::Coupling(_) | ConstraintElement::Constraint(_) => return "",
    };
    row.name.strip_prefix(owner.as_str()).map_or("", str::trim_start)
}

/// The meanings of the multipliers of all rows, in order.
pub fn meanings(mechanism: &Mechanism, tree: &Tree, rows: &[Row]) -> Vec<MultiplierMeaning> {
    let key = |at: usize| (rows[at].element, component(&rows[at], label(mechanism, &rows[at])));
    let mut all = Vec::new();
    let mut start = 0;
    while start < rows.len() {
        let own = (start..rows.len()).take_while(|&at| key(at) == key(start)).count();
        let labels: Vec<&str> =
            rows[start..start + own].iter().map(|row| label(mechanism, row)).collect();
        let about = sentence(mechanism, tree, key(start), &labels.join(", "));
        all.push(MultiplierMeaning { rows: start..start + own, about });
        start += own;
    }
    all
}

fn sentence(
    mechanism: &Mechanism,
    tree: &Tree,
    (element, component): (ConstraintElement, Component),
    labels: &str,
) -> String {
    let cut = match element {
        ConstraintElement::Cut(at) => &mechanism.cuts[at],
        ConstraintElement::Coupling(at) => {
            let name = &mechanism.couplings[at].name;
            return format!(
                "effort of coupling `{name}`: every joint gets its factor times lambda"
            );
        }
        ConstraintElement::Constraint(at) => {
            let name = &mechanism.constraints[at].name;
            return format!(
                "effort of constraint `{name}`: every joint gets its entry of J times lambda"
            );
        }
        ConstraintElement::Wheel(at) => {
            let name = &mechanism.wheels[at].name;
            let labels = labels.replace("height", "the ground's normal");
            return format!("force of the ground on wheel `{name}` along {labels}");
        }
    };
    let bodies = cut.ends.map(|end| mechanism.bodies[end.body.index()].name.as_str());
    let [first, second] = bodies;
    let name = &cut.name;
    let axes = axes(mechanism, tree, cut);
    match component {
        Component::Force => format!(
            "force of loop closure `{name}` on `{first}` along {labels} of {axes}; the opposite acts on `{second}`"
        ),
        Component::Torque => format!(
            "torque of loop closure `{name}` on `{first}` about {labels} of {axes}; the opposite acts on `{second}`"
        ),
        Component::Rod => format!(
            "force of rod `{name}` over its length: the tension is -lambda times the length"
        ),
        Component::Across => format!(
            "force of loop closure `{name}` on `{first}` across its axis; the opposite acts on `{second}`"
        ),
        Component::Along => format!(
            "force of loop closure `{name}` on `{first}` along its axis; the opposite acts on `{second}`"
        ),
        Component::Tilt | Component::Relation | Component::Ground => format!(
            "torque of loop closure `{name}` on `{first}` against tilting; the opposite acts on `{second}`"
        ),
    }
}

/// The axes in which the rows of a cut are.
fn axes(mechanism: &Mechanism, tree: &Tree, cut: &Cut) -> String {
    let node = origin(tree, cut);
    let upright = |&(of, placement): &(NodeId, rotule_model::mechanism::Placement)| {
        of == node && placement.rotation == rotule_symbolic::Matrix::IDENTITY
    };
    let bodies = tree.bodies.iter().zip(&mechanism.bodies);
    let mut own = bodies.filter(|(place, body)| upright(place) && !body.fictitious);
    match own.next() {
        Some((_, body)) => format!("`{}`", body.name),
        None => "the axes of h".to_owned(),
    }
}

/// Returns `true` if rows have a part that time alone moves.
pub fn is_rheonomic(rows: &[Row]) -> bool {
    rows.iter().any(|row| row.explicit != Expr::ZERO)
}
