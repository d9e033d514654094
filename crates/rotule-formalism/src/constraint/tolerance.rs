//! When a constraint counts as closed: numbers of a loop of a hundred metres are rounded more
//! coarsely than those of one of a metre, and squares of lengths more coarsely still. A tolerance
//! below rounding would never be met.

use super::{ConstraintElement, Row};
use rotule_model::closure::{self, reach};
use rotule_model::mechanism::{CutKind, Mechanism};
use rotule_model::pose;

/// The tolerance of the residuals residuals must become in a loop of a metre. Rows that are set
/// aside, because they repeat others, are combinations of these and must not become larger than
/// 1e-12.
pub const TOLERANCE: f64 = 1e-13;

/// The tolerance of each row, by the lengths of the initial position.
pub(super) fn tolerances(mechanism: &Mechanism, rows: &[Row]) -> Vec<f64> {
    let coordinates = pose::initial_coordinates(mechanism);
    let poses = pose::poses(mechanism, &coordinates);
    let ends = closure::numbers(mechanism, &poses);
    let size_of = |cut: usize| {
        let length = reach(mechanism, &poses, cut, &ends[cut]);
        // The row of a rod has squares.
        match mechanism.cuts[cut].kind {
            CutKind::Rod { .. } => length * length,
            CutKind::Joint { .. } => length,
        }
    };
    // Parts that are linear in coordinates are as large as these.
    let most = coordinates.iter().fold(1.0_f64, |most, q| most.max(q.abs()));
    let size = |row: &Row| match row.element {
        ConstraintElement::Cut(cut) => size_of(cut),
        ConstraintElement::Coupling(_)
        | ConstraintElement::Constraint(_)
        | ConstraintElement::Wheel(_) => most,
    };
    let tolerance = |row: &Row| {
        let size = size(row);
        if size.is_finite() { TOLERANCE * size.max(1.0) } else { TOLERANCE }
    };
    rows.iter().map(tolerance).collect()
}
