//! A few motions side by side, each with its own parameters and its own initial state, by an
//! explicit method with steps of one length.
//!
//! Every motion gets the numbers that [`run`](crate::run::run) with the same method would give it.
//! What needs more than steps (other coordinates, a loop that does not close, numbers that are not
//! finite) is not done here: such a motion leaves the block, with the reason, and is to be run
//! alone.

use super::lanes::Lanes;
use super::{Ended, MotionReading, Recipe};
use crate::gimbal::{Gimbal, gimbals};
use crate::inputs::InputPoint;
use crate::integrate::{Integration, Step, integrate};
use crate::lanes::lane;
use crate::layout::StateLayout;
use crate::method::Integrator;
use crate::monitor::{Condition, Jacobian};
use crate::ode::Ode;
use crate::outputs::constraints::JACOBIAN;
use crate::quantity::EvaluatedFunction;
use crate::run::Threshold;
use crate::switch::{REGULAR, Trigger, change};
use rotule_formalism::Problem;
use rotule_program::NoExternals;
use std::sync::Arc;

/// Kernels for a few motions, with all memory that they need.
pub struct LaneBlock {
    lanes: Lanes,
    /// The constraints, and their numbers for each motion.
    constraints: Option<(EvaluatedFunction, Jacobian)>,
    watches: Vec<LaneWatch>,
    watched: Option<EvaluatedFunction>,
    gimbals: Vec<Gimbal>,
}

/// The watch over the constraints of one motion.
struct LaneWatch {
    jacobian: Jacobian,
    /// The condition of the partition where it was measured last, and whether that is the end of
    /// the step that is judged.
    condition: Condition,
    fresh: bool,
    /// The signs of the determinants at the last accepted point.
    signs: Option<[u64; 2]>,
    /// The largest of the smallest singular values so far.
    regular: f64,
}

impl LaneBlock {
    /// Kernels for a recipe.
    pub fn new(recipe: Recipe) -> Result<LaneBlock, Problem> {
        let ready = |program: &Arc<_>| EvaluatedFunction::lanes(&recipe.tree, program);
        let constraints = match &recipe.constraints {
            Some(program) => Some((ready(program)?, Jacobian::new(&recipe.tree)?)),
            None => None,
        };
        let pattern = constraints.as_ref().map(|(_, jacobian)| &jacobian.pattern);
        let layout = StateLayout::of(&recipe.tree, &[], pattern);
        let watched = recipe.watched.as_ref().map(ready).transpose()?;
        let gimbals = gimbals(&recipe.tree.mechanism, &[]).switchable;
        let motion = ready(&recipe.motion)?;
        let (lanes, watches) = (Lanes::new(recipe, motion, layout), Vec::new());
        Ok(LaneBlock { lanes, constraints, watches, watched, gimbals })
    }

    /// Number of motions at once.
    pub fn width(&self) -> usize {
        self.lanes.motion.width()
    }

    /// Number of states of all motions, for a method.
    pub fn size(&self) -> usize {
        self.lanes.size()
    }

    /// The name of the kernel that runs the equations.
    pub fn kernel(&self) -> &'static str {
        self.lanes.motion.kernel()
    }

    /// Evaluations of the equations, counted for each motion.
    pub fn evaluations(&self) -> u64 {
        self.lanes.evaluations
    }

    /// Runs motions from closed points, as many as there are lanes, until `to`. The method must be
    /// explicit and have steps of one length, and is new. After the first point and after each
    /// step, `show` may read what it needs; it returns whether to go on.
    pub fn run(
        &mut self,
        starts: &[InputPoint],
        to: f64,
        method: &mut dyn Integrator,
        show: &mut dyn FnMut(f64, &LaneBlock) -> bool,
    ) -> Vec<Ended> {
        let count = starts.len().min(self.width());
        let t = starts.first().map_or(to, |point| point.t);
        let y = self.lanes.begin(&starts[..count]);
        self.watches.clear();
        if let Some((_, jacobian)) = &self.constraints {
            let new = || LaneWatch {
                jacobian: jacobian.clone(),
                condition: Condition::UNKNOWN,
                fresh: false,
                signs: None,
                regular: REGULAR,
            };
            self.watches.resize_with(self.lanes.motion.width(), new);
        }
        self.setup();
        let mut run = LaneRun { block: self, method, show, t, to, y, gone: 0 };
        let rest = match integrate(&mut run) {
            Ok(()) => Ended::Reached,
            Err(ended) => ended,
        };
        let ends = self.lanes.ends[..count].iter();
        ends.map(|end| end.clone().unwrap_or_else(|| rest.clone())).collect()
    }

    fn setup(&mut self) {
        let points = &self.lanes.points;
        self.lanes.motion.setup(points, &mut NoExternals);
        if let Some((constraints, _)) = &mut self.constraints {
            constraints.setup(points, &mut NoExternals);
        }
        self.watched.iter_mut().for_each(|watched| watched.setup(points, &mut NoExternals));
    }

    /// Measures the condition of the constraints of every motion at its point, unless that is done.
    fn measure(&mut self) {
        let (Some((constraints, _)), Some(choice)) =
            (&mut self.constraints, &self.lanes.recipe.tree.strategy.partition)
        else {
            return;
        };
        let here = |at: &usize| self.lanes.ends[*at].is_none();
        let needed: Vec<usize> =
            (0..self.watches.len()).filter(here).filter(|&at| !self.watches[at].fresh).collect();
        if needed.is_empty() {
            return;
        }
        constraints.evaluate(&self.lanes.points, &mut NoExternals);
        for at in needed {
            let watch = &mut self.watches[at];
            watch.jacobian.take(&lane(constraints.output(JACOBIAN), self.lanes.motion.width(), at));
            (watch.condition, watch.fresh) = (watch.jacobian.condition(choice), true);
        }
    }

    /// Lets motions leave whose step has passed a singular position.
    fn judge_crossings(&mut self, t: f64) {
        self.measure();
        for (at, watch) in self.watches.iter().enumerate() {
            if watch.signs.is_some_and(|before| before != watch.condition.signs) {
                self.lanes.leave(at, t, "a singular position was passed");
            }
        }
    }

    /// Lets motions leave that need other coordinates from an accepted point on.
    fn judge_coordinates(&mut self, t: f64) {
        self.measure();
        let Lanes { recipe, ends, .. } = &self.lanes;
        let mut leaving = Vec::new();
        for (at, watch) in self.watches.iter_mut().enumerate().filter(|(at, _)| ends[*at].is_none())
        {
            let now = watch.condition;
            (watch.signs, watch.fresh) = (Some(now.signs), false);
            watch.regular = watch.regular.max(now.smallest);
            if let (Threshold::At(threshold), Some(choice)) =
                (recipe.threshold, &recipe.tree.strategy.partition)
                && change(&watch.jacobian, choice, now, watch.regular, threshold, Trigger::Accepted)
                    .is_some()
            {
                leaving.push((at, "the coordinate partition should be switched"));
            }
        }
        if !self.gimbals.is_empty() {
            for at in 0..ends.len() {
                let point = self.lanes.points.lane(at);
                if self.gimbals.iter().any(|gimbal| gimbal.is_near_lock(&point)) {
                    leaving.push((at, "gimbal lock is near"));
                }
            }
        }
        leaving.into_iter().for_each(|(at, why)| self.lanes.leave(at, t, why));
    }

    /// Returns `true` if a motion is still in the block.
    pub fn is_here(&self, lane: usize) -> bool {
        self.lanes.ends[lane].is_none()
    }

    /// Reads one number of one motion.
    pub fn read(&self, reading: &MotionReading, lane: usize) -> f64 {
        let numbers = self.watched.as_ref().map_or(&[][..], EvaluatedFunction::outputs);
        let output = |which: usize, at: usize| {
            numbers[self.width() * (self.lanes.recipe.starts[which] + at) + lane]
        };
        match *reading {
            MotionReading::State(place) => self.lanes.points.number(place, lane),
            MotionReading::Function { which, at } => output(which, at),
            MotionReading::Energy([kinetic, potential], elastic) => {
                let rigid = output(kinetic, 0) + output(potential, 0);
                elastic.map_or(rigid, |elastic| rigid + output(elastic, 0))
            }
        }
    }
}

/// The motions of a block on their way.
struct LaneRun<'a> {
    block: &'a mut LaneBlock,
    method: &'a mut dyn Integrator,
    show: &'a mut dyn FnMut(f64, &LaneBlock) -> bool,
    t: f64,
    to: f64,
    y: Vec<f64>,
    /// The number of motions that had left when their lanes were last filled.
    gone: usize,
}

impl LaneRun<'_> {
    /// Evaluates what is to be shown, and shows it, if any motion is still here.
    fn show(&mut self) -> Result<(), Ended> {
        let LaneBlock { lanes, watched, .. } = &mut *self.block;
        if lanes.first().is_none() {
            return Ok(());
        }
        if let Some(watched) = watched {
            watched.evaluate(&lanes.points, &mut NoExternals);
        }
        let go_on = (self.show)(self.t, self.block);
        if go_on || self.t >= self.to { Ok(()) } else { Err(Ended::Stopped { t: self.t }) }
    }
}

impl Integration for LaneRun<'_> {
    type Stop = Ended;

    fn begin(&mut self) -> Result<(), Ended> {
        self.block.lanes.accept(self.t, &mut self.y);
        self.change_coordinates()?;
        self.show()
    }

    fn goes_on(&self) -> bool {
        self.t < self.to && self.block.lanes.first().is_some()
    }

    fn step(&mut self) -> Result<Option<Step>, Ended> {
        let (from, mut to) = (self.t, self.t);
        let made = self.method.step(&mut self.block.lanes, &mut to, &mut self.y, self.to);
        made.map_err(|failure| Ended::Alone { t: from, why: failure.to_string() })?;
        Ok(Some(Step { from, to }))
    }

    fn inspect(&mut self, step: &Step) -> Result<bool, Ended> {
        self.block.lanes.observe(step.to, &self.y);
        self.block.judge_crossings(step.to);
        Ok(true)
    }

    fn sample(&mut self, step: &Step) -> Result<(), Ended> {
        self.t = step.to;
        self.block.lanes.accept(self.t, &mut self.y);
        self.show()
    }

    /// Motions that need other coordinates leave.
    fn change_coordinates(&mut self) -> Result<(), Ended> {
        self.block.judge_coordinates(self.t);
        let ends = self.block.lanes.ends.iter();
        let gone = ends.filter(|end| matches!(end, Some(Ended::Alone { .. }))).count();
        if gone > 0 {
            self.block.lanes.fill(&mut self.y);
        }
        if gone != std::mem::replace(&mut self.gone, gone) {
            self.block.setup();
        }
        Ok(())
    }
}
