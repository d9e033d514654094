//! When other coordinates become independent, and when all of them become the state.
//!
//! A partition is given up where dependent coordinates move much faster than independent ones and
//! another partition is clearly better; clearly, so that partitions do not alternate where all are
//! bad. Where all are bad the mechanism itself is singular. The smallest singular value of `J_v`
//! tells that, against the largest that it was so far, because what is usual differs from mechanism
//! to mechanism.

use crate::monitor::{Condition, Jacobian};
use rotule_formalism::constraint::partition::CoordinatePartition;
use rotule_formalism::constraint::partition::Partition;

/// When another choice of independent coordinates is searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Threshold {
    /// When the amplification passes a number.
    At(f64),
    /// Never: a run whose choice fails ends.
    Never,
}

impl Threshold {
    /// One that serves all models: a dependent coordinate moves this much faster than an
    /// independent one, translations measured in sizes of their loop. Larger ones need hardly fewer
    /// changes, and cost digits: what a method cannot see of `B` grows with its powers.
    pub const AUTOMATIC: Threshold = Threshold::At(3.0);
}

/// Pivots of a program that are this much smaller than what they divide call for another order.
const GROWTH: f64 = 1e4;
/// Where nothing is better than this, the mechanism is singular, too.
const STEEP: f64 = 20.0;
/// The factor by which another choice must be better.
const BETTER: f64 = 2.0;
/// The mechanism is singular where the smallest singular value is this part of the largest that it
/// was so far.
const SINGULAR: f64 = 0.02;
/// The largest counts as this at least, so that a motion may begin near a singular position.
pub(crate) const REGULAR: f64 = 0.02;
/// It is near to that here, and singular if steps come to nothing.
const NEAR: f64 = 0.1;

/// Why a partition is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trigger {
    /// A step was accepted.
    Accepted,
    /// The same, and it was much shorter than others.
    Collapsed,
    /// A step failed.
    Failed,
    /// A step has passed a singular position of the partition, and the last accepted point cannot
    /// be nearer to it.
    Crossed,
    /// The same, and shorter steps may come nearer first.
    CrossedFar,
}

/// A change of what is independent.
pub(crate) struct Change {
    pub before: Condition,
    pub after: Condition,
    /// None for all coordinates as the state.
    pub to: Option<CoordinatePartition>,
    /// `true` if only the order of elimination differs.
    pub same: bool,
}

/// The change that a partition whose condition is known needs, if any. `regular` is the largest of
/// its smallest singular values so far.
pub(crate) fn change(
    jacobian: &Jacobian,
    choice: &CoordinatePartition,
    before: Condition,
    regular: f64,
    threshold: f64,
    trigger: Trigger,
) -> Option<Change> {
    let near = before.smallest < NEAR * regular;
    let singular = before.smallest < SINGULAR * regular || near && trigger == Trigger::Collapsed;
    let failed = !matches!(trigger, Trigger::Accepted | Trigger::Collapsed);
    let found = proposal(jacobian, choice, before, threshold, failed || singular);
    // Another partition is no help where the mechanism is singular.
    let sound = 2.0 * SINGULAR * regular;
    let found = found.filter(|found| !singular || found.after.smallest > sound);
    let pass = match trigger {
        Trigger::Crossed => true,
        Trigger::CrossedFar => before.smallest < 2.0 * SINGULAR * regular,
        Trigger::Failed => near || before.amplification > BETTER,
        Trigger::Accepted | Trigger::Collapsed => singular || before.amplification > STEEP,
    };
    match found {
        None if pass => Some(Change { before, after: before, to: None, same: false }),
        found => found,
    }
}

/// The partition that is farthest from singular here; rows that are redundant in `last` are left
/// out.
pub(crate) fn farthest(
    jacobian: &Jacobian,
    last: &CoordinatePartition,
) -> Option<(Condition, CoordinatePartition)> {
    let all = jacobian.choices(last).into_iter().map(|to| (jacobian.condition(&to), to));
    all.max_by(|a, b| a.0.smallest.total_cmp(&b.0.smallest))
}

/// Returns `true` if a singular position is left behind with a partition of this condition: its
/// smallest singular value is above `enough`.
pub(crate) fn is_left(condition: Condition, enough: f64) -> bool {
    condition.growth < GROWTH
        && condition.amplification <= STEEP / BETTER
        && condition.smallest > enough
}

/// A choice that is clearly better here than the present one, if that is bad or has failed.
fn proposal(
    jacobian: &Jacobian,
    choice: &CoordinatePartition,
    before: Condition,
    threshold: f64,
    failed: bool,
) -> Option<Change> {
    let bad = before.amplification > threshold || before.growth > GROWTH;
    if !bad && !failed {
        return None;
    }
    let Threshold::At(usual) = Threshold::AUTOMATIC else { return None };
    let limit = before.amplification.min(threshold.clamp(1.0, usual)) / BETTER;
    let mut best: Option<(Condition, CoordinatePartition)> = None;
    for candidate in jacobian.choices(choice) {
        let condition = jacobian.condition(&candidate);
        let sound = condition.growth < GROWTH;
        // The first that is good enough is the cheapest; else the best of all.
        let good = |condition: Condition| condition.amplification <= limit;
        let wins = match &best {
            None => true,
            Some((known, _)) => !good(*known) && condition.amplification < known.amplification,
        };
        if sound && wins {
            best = Some((condition, candidate));
        }
    }
    let (after, found) = best?;
    let same = sorted(&found.speeds) == sorted(&choice.speeds)
        && sorted(&found.coordinates) == sorted(&choice.coordinates);
    let better = match same {
        true => after.growth * BETTER < before.growth && found != *choice,
        false => after.amplification * BETTER < before.amplification,
    };
    better.then_some(Change { before, after, to: Some(found), same })
}

fn sorted(partition: &Partition) -> Vec<usize> {
    let mut columns: Vec<usize> = partition.dependent().collect();
    columns.sort_unstable();
    columns
}
