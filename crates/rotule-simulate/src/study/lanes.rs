//! The equations of several motions as a method sees them: one state, whose numbers stand side by
//! side. An explicit method of one step length makes the same operations with each, so that every
//! motion has the numbers of the same motion alone.
//!
//! A motion whose equations have no value, or whose loops are not followed, leaves: its rates are
//! zero from there on.

use super::{Ended, Recipe};
use crate::anchor::Anchor;
use crate::inputs::InputPoint;
use crate::lanes::{by_width, copy_lane, finite};
use crate::layout::StateLayout;
use crate::ode::{Fault, Ode};
use crate::outputs::motion::{Q, QD, QDD, QDOT, RATE};
use crate::quantity::EvaluatedFunction;
use rotule_program::NoExternals;

/// EvaluatedFunction motions.
pub(super) struct Lanes {
    pub recipe: Recipe,
    pub motion: EvaluatedFunction,
    layout: StateLayout,
    /// The points of the last evaluation.
    pub points: InputPoint,
    /// The last accepted coordinates.
    anchor: Anchor,
    /// The ends of motions that are over.
    pub ends: Vec<Option<Ended>>,
    /// Zero for lanes all whose numbers are finite.
    finite: Vec<f64>,
    /// The time and the state that were evaluated last.
    last: (f64, Vec<f64>),
    pub evaluations: u64,
}

impl Lanes {
    pub fn new(recipe: Recipe, motion: EvaluatedFunction, layout: StateLayout) -> Lanes {
        Lanes {
            finite: vec![0.0; motion.width()],
            recipe,
            motion,
            layout,
            points: InputPoint::default(),
            anchor: Anchor::default(),
            ends: Vec::new(),
            last: (f64::NAN, Vec::new()),
            evaluations: 0,
        }
    }

    /// Puts motions at their first points; their state. The last one stands for those that are
    /// missing.
    pub fn begin(&mut self, starts: &[InputPoint]) -> Vec<f64> {
        let width = self.motion.width();
        self.points = InputPoint::side_by_side(starts, width);
        let missing = |lane| (lane >= starts.len()).then_some(Ended::Reached);
        self.ends = (0..width).map(missing).collect();
        self.anchor =
            Anchor::new(width, self.points.t, &self.points.q, &self.recipe.tree.mechanism);
        self.last.0 = f64::NAN;
        self.motion.setup(&self.points, &mut NoExternals);
        let mut y = vec![0.0; width * self.layout.len()];
        self.layout.gather(width, &self.points.q, &self.points.qd, &mut y);
        y.extend(&self.points.states);
        y
    }

    /// The first motion that is still here.
    pub fn first(&self) -> Option<usize> {
        self.ends.iter().position(Option::is_none)
    }

    /// Ends a motion here, for a reason.
    pub fn leave(&mut self, lane: usize, t: f64, why: &str) {
        self.ends[lane].get_or_insert_with(|| Ended::Alone { t, why: why.to_owned() });
    }

    /// The coordinates, speeds and accelerations of a state, with all loops closed.
    pub fn observe(&mut self, t: f64, y: &[f64]) {
        if self.last.0 != t || self.last.1 != y {
            self.evaluate(t, y);
        }
        self.points.t = t;
        self.points.q.copy_from_slice(self.motion.output(Q));
        self.points.qd.copy_from_slice(self.motion.output(QD));
        self.points.qdd.copy_from_slice(self.motion.output(QDD));
    }

    /// Observes a state that is accepted; predictions start from it.
    pub fn accept(&mut self, t: f64, y: &mut [f64]) {
        let width = self.motion.width();
        if self.layout.normalise(width, y) {
            self.last.0 = f64::NAN;
        }
        self.observe(t, y);
        let rates = [Q, QDOT, QDD].map(|output| self.motion.output(output));
        self.anchor.accept(t, rates);
        self.layout.gather_following(width, &self.anchor.q, y);
        // The equations have the same value where loops are closed.
        self.last.1.copy_from_slice(y);
    }

    /// Lets motions that left be copies of one that is still here, so that their iterations cost
    /// nothing extra.
    pub fn fill(&mut self, y: &mut [f64]) {
        let Some(from) = self.first() else { return };
        let width = self.motion.width();
        for to in (0..width).filter(|&lane| self.ends[lane].is_some()) {
            self.points.copy(from, to);
            let lists = self.anchor.lists().into_iter().map(|list| &mut list[..]);
            lists
                .chain([&mut *y, &mut self.last.1])
                .for_each(|list| copy_lane(list, width, from, to));
        }
    }

    fn evaluate(&mut self, t: f64, y: &[f64]) {
        let width = self.motion.width();
        let (points, layout) = (&mut self.points, &self.layout);
        points.t = t;
        let (own, states) = y.split_at(width * layout.len());
        layout.scatter(width, own, &mut points.q, &mut points.qd);
        points.states.copy_from_slice(states);
        let converged = self.motion.evaluate(points, &mut NoExternals);
        self.last.0 = t;
        self.last.1.clear();
        self.last.1.extend_from_slice(y);
        self.evaluations += self.ends.iter().filter(|end| end.is_none()).count() as u64;
        by_width!(width, finite(self.motion.outputs(), &mut self.finite));
        for lane in 0..width {
            if self.finite[lane].is_nan() {
                self.leave(lane, t, "numbers are not finite");
            } else if !converged && let Some(region) = self.motion.open_region(lane) {
                self.leave(lane, t, &format!("`{region}` does not converge"));
            } else if self.anchor.jumped(
                &self.layout,
                lane,
                t,
                &self.points.q,
                self.motion.output(Q),
            ) {
                self.leave(lane, t, "a loop needs shorter steps to be followed");
            }
        }
    }
}

impl Ode for Lanes {
    fn size(&self) -> usize {
        self.motion.width() * (self.layout.len() + self.recipe.tree.mechanism.states.len())
    }

    fn rates(&mut self, t: f64, y: &[f64], rates: &mut [f64]) -> Result<(), Fault> {
        self.evaluate(t, y);
        let width = self.motion.width();
        let (own, states) = rates.split_at_mut(width * self.layout.len());
        self.layout.gather(width, self.motion.output(QDOT), self.motion.output(QDD), own);
        states.copy_from_slice(self.motion.output(RATE));
        for lane in (0..width).filter(|&lane| self.finite[lane].is_nan()) {
            rates.iter_mut().skip(lane).step_by(width).for_each(|rate| *rate = 0.0);
        }
        Ok(())
    }

    fn settle(&self, y: &mut [f64]) {
        self.layout.normalise(self.motion.width(), y);
    }

    fn coordinates(&self) -> usize {
        self.motion.width() * self.layout.coordinates.len()
    }
}
