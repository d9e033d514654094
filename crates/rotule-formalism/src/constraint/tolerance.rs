//! When a constraint counts as closed: numbers of a loop of a hundred metres are rounded more
//! coarsely than those of one of a metre, and squares of lengths more coarsely still. A tolerance
//! below rounding would never be met.

use super::{ConstraintElement, Row};
use crate::tree::Tree;
use rotule_model::mechanism::{BodyId, CutKind, Mechanism};
use rotule_model::pose::{Pose, norm, sub};
use rotule_model::{closure, pose};

/// The tolerance of the residuals residuals must become in a loop of a metre. Rows that are set
/// aside, because they repeat others, are combinations of these and must not become larger than
/// 1e-12.
pub const TOLERANCE: f64 = 1e-13;

/// The tolerance of each row, by the lengths of the initial position.
pub(super) fn tolerances(tree: &Tree, rows: &[Row]) -> Vec<f64> {
    let mechanism = &tree.mechanism;
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

/// The size of the loop of a cut: how far the bodies round it are from what carries them all.
pub(super) fn reach(
    mechanism: &Mechanism,
    poses: &[Pose],
    cut: usize,
    ends: &closure::Numbers,
) -> f64 {
    let cut = &mechanism.cuts[cut];
    let (mut one, mut two) = (cut.ends[0].body.index(), cut.ends[1].body.index());
    let mut round = Vec::new();
    // Parents come before children; left out components are counted in the ground.
    let parent = |body: usize| mechanism.bodies[body].parent.map_or(0, BodyId::index);
    while one != two || (one != 0 && !cut.ignore.is_empty()) {
        let later = if one >= two { &mut one } else { &mut two };
        round.push(poses[*later].position);
        *later = parent(*later);
    }
    let origin = poses[one].position;
    round.extend(ends.ends.iter().map(|end| end.position));
    round.into_iter().fold(0.0_f64, |most, place| most.max(norm(sub(place, origin))))
}
