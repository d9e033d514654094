//! Jumps of imposed motions: what time or an input moves may be elsewhere, or have another speed,
//! behind a change of a condition of time.
//!
//! Mechanics needs an impulse for that, which is not computed, so that a run that goes on behind a
//! jump is to be told apart from one that is mechanics.

use crate::inputs::InputPoint;
use rotule_model::mechanism::{Mechanism, Role};

/// Coordinates and speeds may differ by this part of one more than their size between neighbouring
/// times: so well are dependent ones known.
const ROUNDING: f64 = 1e-6;

/// A coordinate or speed that jumped.
#[derive(Clone, Debug, PartialEq)]
pub struct Jump {
    /// The time.
    pub t: f64,
    /// The name of the coordinate or speed.
    pub name: String,
    /// The difference, in the unit of the coordinate or speed.
    pub by: f64,
}

/// The jump between two neighbouring times, if there is one: that of a driven joint rather than
/// one that follows from it, of a coordinate rather than a speed.
pub(super) fn jump(mechanism: &Mechanism, before: &InputPoint, after: &InputPoint) -> Option<Jump> {
    let jumped = |(a, b): (&f64, &f64)| {
        let (by, size) = (b - a, a.abs().max(b.abs()));
        (by.abs() > ROUNDING * (1.0 + size)).then_some(by)
    };
    let of = |before: &[f64], after: &[f64]| -> Vec<(usize, f64)> {
        let pairs = before.iter().zip(after).enumerate();
        pairs.filter_map(|(at, pair)| jumped(pair).map(|by| (at, by))).collect()
    };
    let coordinates = of(&before.q, &after.q);
    let speeds = of(&before.qd, &after.qd);
    let driven = mechanism.joints.iter().filter(|one| matches!(one.role, Role::Driven { .. }));
    let ranges: Vec<_> =
        driven.map(|joint| (joint.coordinates.clone(), joint.speeds.clone())).collect();
    let first = |list: &[(usize, f64)], own: &dyn Fn(usize) -> bool| {
        list.iter().copied().find(|(at, _)| own(*at))
    };
    let by_coordinate = |at: usize| ranges.iter().any(|(own, _)| own.contains(&at));
    let by_speed = |at: usize| ranges.iter().any(|(_, own)| own.contains(&at));
    let name_q = |(at, by): (usize, f64)| (mechanism.coordinates[at].name.clone(), by);
    let name_qd = |(at, by): (usize, f64)| (mechanism.speeds[at].name.clone(), by);
    let (name, by) = first(&coordinates, &by_coordinate)
        .map(name_q)
        .or_else(|| first(&speeds, &by_speed).map(name_qd))
        .or_else(|| coordinates.first().copied().map(name_q))
        .or_else(|| speeds.first().copied().map(name_qd))?;
    Some(Jump { t: after.t, name, by })
}
