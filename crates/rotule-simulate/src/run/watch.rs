//! The watch over constraints during a run: how far they are from being fulfilled, how good the
//! partition is, and how near a singular position of the mechanism.

use crate::explain::Loops;
use crate::monitor::{Condition, Drift, Jacobian, drift};
use crate::outputs::constraints::{EXPLICIT, JACOBIAN, RESIDUALS};
use crate::plant::Plant;
use crate::quantity::EvaluatedFunction;
use crate::switch::{Change, REGULAR, Trigger, change, farthest, is_left};
use rotule_formalism::Problem;
use rotule_formalism::constraint::partition::CoordinatePartition;

/// A singular position of the mechanism is passed by steps of one length, in which the smallest
/// singular value changes by this part of its largest: longer steps know less of the constraints
/// between their stages, and the shorter they are, the nearer some come to the position, where
/// rounding grows.
const HOP: f64 = 1e-3;
/// Such steps are between these parts of the longest.
const STEADY: [f64; 2] = [1.0 / 256.0, 1.0 / 16.0];
/// Or this part of the time that is left, where no step was made yet.
const UNKNOWN: f64 = 1e-4;
/// A step is short if it has less than this part of the longest.
const SHORT: f64 = 1e-3;

/// The watch over constraints.
pub(super) struct Watch {
    constraints: EvaluatedFunction,
    jacobian: Jacobian,
    /// The partition that tells how near a singular position is, where all coordinates are the
    /// state by the form of the equations.
    pub reference: Option<CoordinatePartition>,
    /// The signs of the determinants of `J_v` at the last accepted point.
    pub signs: Option<[u64; 2]>,
    /// The condition at the end of the step that was inspected last, and when that is: an accepted
    /// step is not measured twice.
    pub fresh: Option<(f64, Condition)>,
    /// The last partition, while all coordinates are the state because all partitions are bad, and
    /// its smallest singular value then.
    pub passing: Option<(CoordinatePartition, f64)>,
    /// When all coordinates last became the state.
    pub widened: Option<f64>,
    /// The last condition of a partition, when that was, and how fast its smallest singular value
    /// fell.
    condition: Condition,
    measured: f64,
    approach: f64,
    /// The largest of the smallest singular values so far.
    regular: f64,
    /// The longest step, forgotten slowly, and whether the last one was much shorter.
    pub longest: f64,
    collapsed: bool,
}

impl Watch {
    /// The watch over a plant as it is now; none if nothing is constrained.
    pub fn new(plant: &mut Plant) -> Result<Option<Watch>, Problem> {
        if !plant.is_constrained() {
            return Ok(None);
        }
        // Accelerations are not looked at.
        let positions = [RESIDUALS, JACOBIAN, EXPLICIT];
        let mut constraints = EvaluatedFunction::outputs_of(&plant.tree, "constraints", positions)?;
        plant.prepare(&mut constraints);
        let jacobian = Jacobian::new(&plant.tree)?;
        let reference = plant.all().map(|all| {
            let redundant = (0..jacobian.rows.len()).filter(|row| !all.parts.rows.contains(row));
            CoordinatePartition { redundant: redundant.collect(), ..CoordinatePartition::default() }
        });
        Ok(Some(Watch {
            constraints,
            reference,
            jacobian,
            signs: None,
            fresh: None,
            passing: None,
            widened: None,
            condition: Condition::UNKNOWN,
            measured: 0.0,
            approach: 0.0,
            regular: REGULAR,
            longest: 0.0,
            collapsed: false,
        }))
    }

    /// Evaluates the constraints at the plant's point.
    pub fn evaluate(&mut self, plant: &mut Plant) {
        plant.measure(&mut self.constraints);
        self.jacobian.take(self.constraints.output(JACOBIAN));
    }

    /// Takes the numbers of the constraints at the plant's point; how far they are from being
    /// fulfilled.
    pub fn measure(&mut self, plant: &mut Plant) -> Drift {
        if self.fresh.is_none_or(|(t, _)| t != plant.point().t) {
            self.evaluate(plant);
            self.fresh = None;
        }
        let (h, e) = (self.constraints.output(RESIDUALS), self.constraints.output(EXPLICIT));
        drift(h, &self.jacobian, e, plant.point())
    }

    /// Takes note of the length of a step.
    pub fn stepped(&mut self, length: f64) {
        self.collapsed = length < SHORT * self.longest;
        self.longest = length.max(0.99 * self.longest);
    }

    /// The usual length of steps that pass a singular position; `left` is all the time that is
    /// left.
    pub fn hop(&self, left: f64) -> f64 {
        if self.longest == 0.0 {
            return UNKNOWN * left;
        }
        let [least, most] = STEADY.map(|part| part * self.longest);
        let hop = HOP * self.regular / self.approach;
        if hop > 0.0 { hop.clamp(least, most) } else { least }
    }

    /// The length of the next of these steps: that which passes the position has it between two of
    /// its stages.
    pub fn next_hop(&self, hop: f64) -> f64 {
        let away = self.condition.smallest / self.approach;
        match away / hop {
            steps if !(0.0..1.3).contains(&steps) => hop,
            steps if steps > 0.45 => away / 0.75,
            _ => (away / 0.25).max(0.1 * hop),
        }
    }

    /// Returns `true` if the present partition is singular somewhere between the last accepted
    /// point and this one.
    pub fn crossed(&mut self, plant: &mut Plant, t: f64, y: &[f64]) -> bool {
        let own = if self.passing.is_none() { self.reference.as_ref() } else { None };
        if plant.choice().or(own).is_none() || plant.observe(t, y).is_err() {
            return false;
        }
        self.evaluate(plant);
        let own = if self.passing.is_none() { self.reference.as_ref() } else { None };
        let Some(choice) = plant.choice().or(own) else { return false };
        let now = self.jacobian.condition(choice);
        // A projection would move the point once more.
        self.fresh = self.reference.is_none().then_some((t, now));
        self.signs.is_some_and(|before| before != now.signs)
    }

    /// The partition in use, or the one that tells how near a singular position is.
    pub fn choice<'a>(&'a self, plant: &'a Plant) -> Option<&'a CoordinatePartition> {
        let known = self.reference.as_ref().filter(|known| !known.speeds.blocks.is_empty());
        plant.choice().or(known)
    }

    /// The condition at the accepted point, at which the constraints were measured, and whether it
    /// is that of the partition in use.
    pub fn inspect(&mut self, plant: &Plant, t: f64) -> Inspection {
        if let (None, Some(reference)) = (&self.passing, &self.reference)
            && let Some((_, found)) = farthest(&self.jacobian, reference)
        {
            self.reference = Some(found);
        }
        let best = self.passing.as_ref().and_then(|(last, _)| farthest(&self.jacobian, last));
        let fresh = self.fresh.take();
        let choice = self.choice(plant);
        let now = match (&best, choice, fresh) {
            (Some((condition, _)), ..) => *condition,
            (None, Some(_), Some((_, condition))) => condition,
            (None, Some(choice), None) => self.jacobian.condition(choice),
            (None, None, _) => Condition::UNKNOWN,
        };
        let counts = self.passing.is_none() && choice.is_some();
        let before = self.condition.smallest;
        let since = std::mem::replace(&mut self.measured, t);
        if t > since && before.is_finite() {
            self.approach = (before - now.smallest) / (t - since);
        }
        self.condition = now;
        if counts {
            self.signs = Some(now.signs);
            self.regular = self.regular.max(now.smallest);
        }
        Inspection { now, best, counts }
    }

    /// The change of what is independent that the inspected point needs, if any. Once at a time:
    /// what does not help is not tried again.
    pub fn change(
        &self,
        plant: &Plant,
        Inspection { now, best, .. }: &Inspection,
        threshold: f64,
        failed: Option<Trigger>,
        t: f64,
    ) -> Option<Change> {
        let quiet = if self.collapsed { Trigger::Collapsed } else { Trigger::Accepted };
        let trigger = failed.unwrap_or(quiet);
        let found = match (&self.passing, self.choice(plant)) {
            (Some((last, entered)), _) => best
                .clone()
                .filter(|best| is_left(best.0, (2.0 * entered).min(0.5 * self.regular)))
                .map(|(after, to)| Change {
                    before: self.jacobian.condition(last),
                    after,
                    to: Some(to),
                    same: false,
                }),
            (None, None) => None,
            (None, Some(choice)) => {
                change(&self.jacobian, choice, *now, self.regular, threshold, trigger)
            }
        };
        found.filter(|found| found.to.is_some() || self.widened != Some(t))
    }

    /// Begins to pass a singular position with all coordinates as the state.
    pub fn pass(&mut self, last: Option<CoordinatePartition>, smallest: f64, t: f64) {
        self.passing = last.map(|last| (last, smallest));
        (self.signs, self.widened) = (None, Some(t));
    }

    /// The constraints as they were evaluated last, with the partition in use or the last one.
    pub fn loops<'a>(&'a self, choice: Option<&'a CoordinatePartition>) -> Option<Loops<'a>> {
        let last = self.passing.as_ref().map(|passing| &passing.0);
        Some((&self.jacobian, choice.or(last)?, self.regular))
    }
}

/// The condition at an accepted point.
pub(super) struct Inspection {
    pub now: Condition,
    /// The partition that is farthest from singular, while a singular position is passed.
    best: Option<(Condition, CoordinatePartition)>,
    /// `true` if the run goes on by that partition.
    pub counts: bool,
}
