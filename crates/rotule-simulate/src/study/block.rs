//! A few motions side by side: Runge-Kutta of order four with steps of one length, each motion with
//! its own parameters and its own initial state.
//!
//! Every motion gets the numbers that [`run`](crate::run::run) with the method `rk4` would give it.
//! What needs more than steps (other independent coordinates, another Euler-angle sequence, a loop
//! that does not close, numbers that are not finite) is not done here: such a motion leaves the
//! block, with the reason, and is to be run alone.

use super::points::{Points, Several, by_width, copy_lane, finite, gather, scatter};
use super::{Ended, MotionReading, Recipe};
use crate::case::follows;
use crate::case::{Q, QD, QDD, QDOT, RATE};
use crate::follow::Follow;
use crate::gimbal::{Gimbal, gimbals};
use crate::inputs::InputPoint;
use crate::methods::fixed::{Clock, RK4};
use crate::monitor::Jacobian;
use crate::plant::parabola;
use crate::run::Threshold;
use crate::switch::{REGULAR, Trigger, change};
use rotule_formalism::Problem;
use rotule_jit::KernelKind;
use rotule_model::mechanism::Joint;

/// Kernels for a few motions, with all memory that they need.
pub struct LaneBlock {
    recipe: Recipe,
    motion: Several,
    watch: Option<(Several, Jacobian)>,
    functions: Vec<Several>,
    gimbals: Vec<Gimbal>,
    width: usize,
    /// Where quaternions stand among the states.
    quaternions: Vec<usize>,
    points: Points,
    /// The last accepted coordinates, and their first and second derivatives, from which loops are
    /// followed.
    anchor: [Vec<f64>; 3],
    anchored: f64,
    /// The blocks by which they are followed, and marks of the coordinates of the state that follow
    /// from others.
    follow: Follow,
    follows: Vec<bool>,
    y: Vec<f64>,
    trial: Vec<f64>,
    stages: [Vec<f64>; 4],
    /// The signs of the determinants of each motion's constraints.
    signs: Vec<Option<[u64; 2]>>,
    /// The largest of their smallest singular values so far.
    regular: Vec<f64>,
    ends: Vec<Option<Ended>>,
    finite: Vec<f64>,
    /// The number of motions that had left when their places were last filled.
    gone: usize,
    /// Evaluations of the equations, counted for each motion.
    pub evaluations: u64,
}

impl LaneBlock {
    /// Kernels for a recipe.
    pub fn new(recipe: Recipe) -> Result<LaneBlock, Problem> {
        let ready = |program: &std::sync::Arc<_>| {
            Several::new(&recipe.tree, std::sync::Arc::clone(program), KernelKind::Auto)
        };
        let motion = ready(&recipe.motion)?;
        let watch = match &recipe.constraints {
            Some(program) => Some((ready(program)?, Jacobian::new(&recipe.tree)?)),
            None => None,
        };
        let functions = recipe.functions.iter().map(ready).collect::<Result<_, _>>()?;
        let mechanism = &recipe.tree.mechanism;
        let quaternions = mechanism.joints.iter().filter_map(Joint::quaternion);
        let place = |start: usize| recipe.coordinates.iter().position(|&one| one == start);
        let quaternions = quaternions.filter_map(|range| place(range.start)).collect();
        let gimbals = gimbals(mechanism, &[]).switchable;
        let width = motion.width();
        let follow = match (&watch, &recipe.tree.choice) {
            (Some((_, jacobian)), Some(choice)) => Follow::of(mechanism, &jacobian.pattern, choice),
            _ => Follow::default(),
        };
        let follows = follows(&follow, &recipe.tree, &recipe.coordinates);
        Ok(LaneBlock {
            motion,
            watch,
            functions,
            gimbals,
            width,
            quaternions,
            recipe,
            points: Points::default(),
            anchor: Default::default(),
            anchored: 0.0,
            follow,
            follows,
            y: Vec::new(),
            trial: Vec::new(),
            stages: Default::default(),
            signs: Vec::new(),
            regular: Vec::new(),
            ends: Vec::new(),
            finite: vec![0.0; width],
            gone: 0,
            evaluations: 0,
        })
    }

    /// Number of motions at once.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The name of the kernel that runs the equations.
    pub fn kernel(&self) -> &'static str {
        self.motion.kernel()
    }

    /// Runs motions from closed points, as many as there is room for, by steps of `length` until
    /// `to`. After the first point and after each step, `seen` may read what it wants; it says
    /// whether to go on.
    pub fn run(
        &mut self,
        starts: &[InputPoint],
        to: f64,
        length: f64,
        seen: &mut dyn FnMut(f64, &LaneBlock) -> bool,
    ) -> Vec<Ended> {
        let count = starts.len().min(self.width);
        self.begin(&starts[..count]);
        let mut t = starts.first().map_or(to, |point| point.t);
        let mut clock = Clock::default();
        self.accept(t, true);
        self.inspect(t, true);
        self.mend();
        let mut known = false;
        let mut going = self.alive().is_some() && self.show(t, seen);
        while t < to && going {
            let new = clock.next(t, length, to);
            self.step(t, new, known);
            known = true;
            t = new;
            self.inspect(t, false);
            self.accept(t, false);
            // Whoever has left is not shown any more.
            going = self.alive().is_some() && self.show(t, seen);
            self.inspect(t, true);
            self.mend();
            going &= self.alive().is_some();
        }
        let rest = if t < to { Ended::Stopped { t } } else { Ended::Reached };
        self.ends[..count].iter().map(|end| end.clone().unwrap_or(rest.clone())).collect()
    }

    fn begin(&mut self, starts: &[InputPoint]) {
        let width = self.width;
        self.points = Points::new(starts, width);
        self.ends =
            (0..width).map(|lane| (lane >= starts.len()).then_some(Ended::Reached)).collect();
        self.signs = vec![None; width];
        self.regular = vec![REGULAR; width];
        self.gone = 0;
        let zeros = vec![0.0; self.points.q.len()];
        self.anchor = [self.points.q.clone(), zeros.clone(), zeros];
        self.anchored = self.points.t.first().copied().unwrap_or(0.0);
        let recipe = &self.recipe;
        let (coordinates, speeds) = (recipe.coordinates.len(), recipe.speeds.len());
        self.y = vec![0.0; width * (coordinates + speeds)];
        let (q, qd) = self.y.split_at_mut(width * coordinates);
        by_width!(width, gather(&self.points.q, &recipe.coordinates, q));
        by_width!(width, gather(&self.points.qd, &recipe.speeds, qd));
        self.y.extend(&self.points.states);
        self.trial = self.y.clone();
        self.stages = std::array::from_fn(|_| vec![0.0; self.y.len()]);
        self.setup();
    }

    fn setup(&mut self) {
        self.motion.setup(&self.points);
        if let Some((constraints, _)) = &mut self.watch {
            constraints.setup(&self.points);
        }
        self.functions.iter_mut().for_each(|function| function.setup(&self.points));
    }

    /// The first motion that is still in the block.
    fn alive(&self) -> Option<usize> {
        self.ends.iter().position(Option::is_none)
    }

    /// One step, as `Fixed` makes it.
    fn step(&mut self, t: f64, new: f64, known: bool) {
        let h = new - t;
        for stage in usize::from(known)..4 {
            self.advance(h, RK4.a[stage]);
            self.evaluate(t + RK4.c[stage] * h);
            self.rates(stage);
        }
        self.advance(h, RK4.b);
        std::mem::swap(&mut self.y, &mut self.trial);
        self.trial.copy_from_slice(&self.y);
        self.evaluate(new);
        // These are the first rates of the next step.
        self.rates(0);
    }

    /// `trial = y + h sum weight_i rate_i`
    fn advance(&mut self, h: f64, weights: &[f64]) {
        self.trial.copy_from_slice(&self.y);
        for (&weight, rates) in weights.iter().zip(&self.stages) {
            if weight != 0.0 {
                let factor = h * weight;
                self.trial.iter_mut().zip(rates).for_each(|(value, rate)| *value += factor * rate);
            }
        }
    }

    /// The equations at `trial`.
    fn evaluate(&mut self, t: f64) {
        let width = self.width;
        let (points, recipe) = (&mut self.points, &self.recipe);
        points.t.fill(t);
        let (coordinates, rest) = self.trial.split_at(width * recipe.coordinates.len());
        let (speeds, states) = rest.split_at(width * recipe.speeds.len());
        by_width!(width, scatter(coordinates, &recipe.coordinates, &mut points.q));
        by_width!(width, scatter(speeds, &recipe.speeds, &mut points.qd));
        points.states.copy_from_slice(states);
        self.motion.evaluate(points);
        self.evaluations += self.ends.iter().filter(|end| end.is_none()).count() as u64;
        by_width!(width, finite(self.motion.outputs(), &mut self.finite));
        for lane in 0..width {
            if self.finite[lane].is_nan() {
                self.leave(lane, t, "numbers are not finite".into());
            } else if let Some(region) = self.motion.open_region(lane) {
                self.leave(lane, t, format!("`{region}` does not converge"));
            } else {
                let closed = self.motion.output(Q);
                let jumped = |start: &[f64]| {
                    self.follow.jumped((width, lane), &self.anchor[0], start, closed).is_some()
                };
                if jumped(&self.points.q) && jumped(&self.leads(t)) {
                    self.leave(lane, t, "a loop needs shorter steps to be followed".into());
                }
            }
        }
    }

    /// Where coordinates that follow from others are by parabolas through the last accepted point.
    fn leads(&self, t: f64) -> Vec<f64> {
        let mut start = self.points.q.clone();
        let [q, rate, curvature] = &self.anchor;
        for (&at, _) in self.recipe.coordinates.iter().zip(&self.follows).filter(|one| *one.1) {
            for place in self.width * at..self.width * (at + 1) {
                let values = [q[place], rate[place], curvature[place]];
                start[place] = parabola(values, t - self.anchored);
            }
        }
        start
    }

    /// Takes the rates of the last evaluation.
    fn rates(&mut self, stage: usize) {
        let width = self.width;
        let recipe = &self.recipe;
        let (motion, rates) = (&self.motion, &mut self.stages[stage]);
        let (coordinates, rest) = rates.split_at_mut(width * recipe.coordinates.len());
        let (speeds, states) = rest.split_at_mut(width * recipe.speeds.len());
        by_width!(width, gather(motion.output(QDOT), &recipe.coordinates, coordinates));
        by_width!(width, gather(motion.output(QDD), &recipe.speeds, speeds));
        states.copy_from_slice(motion.output(RATE));
    }

    /// The state becomes the one that predictions start from.
    fn accept(&mut self, t: f64, first: bool) {
        if self.normalise() || first {
            self.trial.copy_from_slice(&self.y);
            self.evaluate(t);
        }
        self.observe();
        let width = self.width;
        let [q, rate, curvature] = &mut self.anchor;
        q.copy_from_slice(self.motion.output(Q));
        rate.copy_from_slice(self.motion.output(QDOT));
        let second = self.motion.output(QDD);
        let mechanism = &self.recipe.tree.mechanism;
        for joint in mechanism.joints.iter().filter(|joint| joint.quaternion().is_none()) {
            let (q, v) = (&joint.coordinates, &joint.speeds);
            curvature[width * q.start..width * q.end]
                .copy_from_slice(&second[width * v.start..width * v.end]);
        }
        self.anchored = t;
        let (states, anchors) = (self.y.chunks_exact_mut(self.width), &self.anchor[0]);
        let places = states.zip(&self.recipe.coordinates).zip(&self.follows);
        for ((state, &at), _) in places.filter(|one| *one.1) {
            state.copy_from_slice(&anchors[self.width * at..][..self.width]);
        }
    }

    /// Takes what was closed in the last evaluation.
    fn observe(&mut self) {
        self.points.q.copy_from_slice(self.motion.output(Q));
        self.points.qd.copy_from_slice(self.motion.output(QD));
        self.points.qdd.copy_from_slice(self.motion.output(QDD));
    }

    /// Gives quaternions unit length; true if any changed.
    fn normalise(&mut self) -> bool {
        let width = self.width;
        let mut changed = false;
        for &at in &self.quaternions {
            for lane in 0..width {
                let place = |part: usize| width * (at + part) + lane;
                let squares = (0..4).map(|part| self.y[place(part)] * self.y[place(part)]);
                let length = squares.sum::<f64>().sqrt();
                if (length - 1.0).abs() > f64::EPSILON && length > 0.0 {
                    (0..4).for_each(|part| self.y[place(part)] /= length);
                    changed = true;
                }
            }
        }
        changed
    }

    /// Looks whether some motion needs other coordinates: because a step has passed a singular
    /// position, or, once it is accepted, because others are better here.
    fn inspect(&mut self, t: f64, accepted: bool) {
        self.observe();
        if let (Some((constraints, jacobian)), Some(choice)) =
            (&mut self.watch, &self.recipe.tree.choice)
        {
            constraints.evaluate(&self.points);
            let mut leaving = Vec::new();
            for lane in (0..self.width).filter(|&lane| self.ends[lane].is_none()) {
                let own: Vec<f64> =
                    constraints.output(1).iter().skip(lane).step_by(self.width).copied().collect();
                jacobian.take(&own);
                let now = jacobian.condition(choice);
                if !accepted {
                    if self.signs[lane].is_some_and(|before| before != now.signs) {
                        leaving.push((lane, "a singular position was passed"));
                    }
                    continue;
                }
                self.signs[lane] = Some(now.signs);
                let regular = &mut self.regular[lane];
                *regular = regular.max(now.smallest);
                if let Threshold::At(threshold) = self.recipe.threshold
                    && change(jacobian, choice, now, *regular, threshold, Trigger::Accepted)
                        .is_some()
                {
                    leaving.push((lane, "the coordinate partition should be switched"));
                }
            }
            for (lane, why) in leaving {
                self.leave(lane, t, why.into());
            }
        }
        if accepted && !self.gimbals.is_empty() {
            for lane in 0..self.width {
                let point = self.points.lane(lane);
                if self.gimbals.iter().any(|gimbal| gimbal.is_near_lock(&point)) {
                    self.leave(lane, t, "gimbal lock is near".into());
                }
            }
        }
    }

    fn leave(&mut self, lane: usize, t: f64, why: String) {
        let end = &mut self.ends[lane];
        if end.is_none() {
            *end = Some(Ended::Alone { t, why });
        }
    }

    /// Motions that left become copies of one that is still there, so that their numbers cost
    /// nothing extra.
    fn mend(&mut self) {
        let Some(from) = self.alive() else { return };
        let gone = self.ends.iter().filter(|end| matches!(end, Some(Ended::Alone { .. }))).count();
        if gone == std::mem::replace(&mut self.gone, gone) {
            return;
        }
        let width = self.width;
        for to in (0..width).filter(|&lane| self.ends[lane].is_some()) {
            self.points.copy(from, to);
            let lists = self.anchor.iter_mut().chain(&mut self.stages);
            for list in lists.chain([&mut self.y, &mut self.trial]) {
                copy_lane(list, width, from, to);
            }
        }
        self.setup();
    }

    /// Evaluates what is to be seen, and shows it.
    fn show(&mut self, t: f64, seen: &mut dyn FnMut(f64, &LaneBlock) -> bool) -> bool {
        for function in &mut self.functions {
            function.evaluate(&self.points);
        }
        seen(t, self)
    }

    /// Returns `true` if a motion is still in the block.
    pub fn is_here(&self, lane: usize) -> bool {
        self.ends[lane].is_none()
    }

    /// Reads one number of one motion.
    pub fn read(&self, reading: &MotionReading, lane: usize) -> f64 {
        let own = |list: &[f64], at: usize| list[self.width * at + lane];
        let output = |which: usize, at: usize| own(self.functions[which].outputs(), at);
        match *reading {
            MotionReading::Time => self.points.t[lane],
            MotionReading::Coordinate(at) => own(&self.points.q, at),
            MotionReading::Speed(at) => own(&self.points.qd, at),
            MotionReading::State(at) => own(&self.points.states, at),
            MotionReading::Acceleration(at) => own(&self.points.qdd, at),
            MotionReading::Function { which, at } => output(which, at),
            MotionReading::Sum(first, second) => output(first, 0) + output(second, 0),
        }
    }
}
