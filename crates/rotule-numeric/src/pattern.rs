//! The pattern of the constraints of a tree: which speeds each row relates, what it belongs to, and
//! how large its loop is.
//!
//! Who watches constraints in motion needs these facts once and numbers often. The size of a loop
//! is what lengths are measured in wherever rotations and translations are compared: a speed of one
//! is one radian, or one size of its loop, in a second.

use crate::components::leader;
use rotule_formalism::MultibodySystem;
use rotule_formalism::Problem;
use rotule_formalism::constraint::{ConstraintElement, Row, constraints};
use rotule_model::closure::{self, reach};
use rotule_model::pose;
use rotule_symbolic::Expr;

/// The properties of one row whatever the numbers are.
#[derive(Clone, Debug)]
pub struct RowPattern {
    /// Its name in messages: its element and component.
    pub name: String,
    /// The element that it belongs to.
    pub element: ConstraintElement,
    /// `true` if coordinates are related; if not, speeds alone are.
    pub positional: bool,
    /// The speeds that it relates, in order.
    pub columns: Vec<usize>,
}

/// All rows of a tree, and the unit in which each speed is measured.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The rows, in the order of the function `constraints`.
    pub rows: Vec<RowPattern>,
    /// For each speed: one for a rotation, the size of the loops that it is in for a translation,
    /// in metres.
    pub units: Vec<f64>,
    /// The size of the largest loop, in metres; a metre where no geometry tells.
    pub size: f64,
    /// `true` if a part of some velocity is not that of speeds, so that constraints do work.
    pub explicit: bool,
}

impl Pattern {
    /// The pattern of a tree's constraints.
    pub fn of(tree: &MultibodySystem) -> Result<Pattern, Problem> {
        let open = constraints(tree.writer(&tree.sheet()))?.rows;
        let sizes = sizes(tree, &open);
        let size = sizes.iter().copied().fold(0.0, f64::max);
        let size = if size > 0.0 { size } else { 1.0 };
        let explicit = open.iter().any(|row| row.explicit != Expr::ZERO);
        let pattern = |row: Row| RowPattern {
            name: row.name,
            element: row.element,
            positional: row.residual.is_some(),
            columns: row.entries.iter().map(|entry| entry.0).collect(),
        };
        let rows: Vec<RowPattern> = open.into_iter().map(pattern).collect();
        let units = units(tree, &rows, &sizes);
        Ok(Pattern { rows, units, size, explicit })
    }
}

/// The size of the loop of each row in the initial position, in metres; zero where no geometry
/// tells.
fn sizes(tree: &MultibodySystem, rows: &[Row]) -> Vec<f64> {
    let mechanism = &tree.mechanism;
    let poses = pose::poses(mechanism, &pose::initial_coordinates(mechanism));
    let ends = closure::numbers(mechanism, &poses);
    let radii: Vec<_> = mechanism.wheels.iter().map(|wheel| wheel.radius).collect();
    let radii = mechanism.evaluate(&radii);
    let size = |row: &Row| match row.element {
        ConstraintElement::Cut(cut) => reach(mechanism, &poses, cut, &ends[cut]),
        ConstraintElement::Wheel(wheel) => radii[wheel].abs(),
        ConstraintElement::Coupling(_) | ConstraintElement::Constraint(_) => 0.0,
    };
    rows.iter().map(size).map(|size| if size.is_finite() { size } else { 0.0 }).collect()
}

/// The unit of each speed. Rows that share speeds share their size; without any it is a metre.
fn units(tree: &MultibodySystem, rows: &[RowPattern], sizes: &[f64]) -> Vec<f64> {
    let mut leaders: Vec<usize> = (0..rows.len()).collect();
    let mut owner: Vec<Option<usize>> = vec![None; tree.speeds()];
    for (at, row) in rows.iter().enumerate() {
        for &column in &row.columns {
            let other = *owner[column].get_or_insert(at);
            let (a, b) = (leader(&mut leaders, at), leader(&mut leaders, other));
            leaders[a.max(b)] = a.min(b);
        }
    }
    let mut largest = vec![0.0_f64; rows.len()];
    for (at, &size) in sizes.iter().enumerate() {
        let group = leader(&mut leaders, at);
        largest[group] = largest[group].max(size);
    }
    let mut units = vec![1.0; tree.speeds()];
    for node in &tree.tree.nodes {
        for speed in node.parts().filter(|part| part.0.is_length()).flat_map(|part| part.2) {
            let group = owner[speed].map(|row| leader(&mut leaders, row));
            let size = group.map_or(0.0, |group| largest[group]);
            units[speed] = if size > 0.0 { size } else { 1.0 };
        }
    }
    units
}
