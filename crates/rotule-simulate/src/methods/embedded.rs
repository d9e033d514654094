//! Explicit Runge-Kutta pairs: two results from one set of stages tell the error, and choose the
//! step.
//!
//! The last stage of a step is the first of the next. The methods are tables (`dormand_prince.rs`,
//! `dop853.rs`); the control of the step is that of Hairer, Nørsett and Wanner, Solving Ordinary
//! Differential Equations I, section II.4.

use super::control::{Tolerance, keep_plan, rates};
use super::fixed::advance;
use super::trial::{Control, Trial, TrialMethod, Tried, Verdict};
use crate::method::Accuracy;
use crate::ode::{Fault, Ode};
use rotule_symbolic::elementary::{hypot, pow};

/// The table of a pair.
#[derive(Debug)]
pub struct Pair {
    /// Rows of the stages below the diagonal. The row `last` gives the result; rows beyond it serve
    /// between the ends.
    pub a: &'static [&'static [f64]],
    /// When the stages are, in steps.
    pub c: &'static [f64],
    /// The row of `a` that is the result of the step.
    pub last: usize,
    /// Weights of the stages in the error.
    pub error: &'static [f64],
    /// Weights in a second error of lower order, which lowers the first where that is too good to
    /// be true.
    pub second: Option<&'static [f64]>,
    /// Weights of the stages in the terms of the interpolation beyond the cubic.
    pub dense: &'static [&'static [f64]],
    /// The error grows with this power of the step.
    pub power: f64,
    /// The exponent of the last error in the choice of the next step.
    pub memory: f64,
    /// The least and the most by which a step changes.
    pub change: [f64; 2],
    /// Where the domain of stability ends on the negative real axis, in steps times rates of decay.
    /// The stages `last - 1` and `last`, which both are at the end of the step, tell such a rate.
    pub stable: f64,
}

/// A pair at work.
#[derive(Debug)]
pub struct Embedded {
    pair: &'static Pair,
    control: Control,
    /// The length of the next step, once it is known.
    length: Option<f64>,
    /// The last error, for the control.
    before: f64,
    /// `true` if the first stage is the last of the step before.
    known: bool,
    stages: Vec<Vec<f64>>,
    trial: Vec<f64>,
    /// The states at the end of the step that is tried.
    reached: Vec<f64>,
    error: [Vec<f64>; 2],
    /// Where the stage before the last was asked.
    asked: Vec<f64>,
    stiffness: Stiffness,
    /// The last step: when it began and ended, and its polynomial.
    times: [f64; 2],
    terms: Vec<Vec<f64>>,
}

/// Steps in a row at the end of the domain of stability, after which equations are stiff; and steps
/// in a row far from it, after which they no longer are.
const STIFF: u64 = 15;
const EASY: u64 = 6;

/// The control of steps settles a little before the end of the domain of stability.
const NEAR: f64 = 0.75;
/// Fast parts are damped, and an implicit method steps over them, if rates point against
/// differences by more than this part. Fast oscillations, which every method has to follow, have
/// rates at right angles to them.
const DAMPED: f64 = 0.5;

/// The test for stiffness of Hairer and Wanner, Solving Ordinary Differential Equations II, section
/// IV.2.
#[derive(Clone, Copy, Debug, Default)]
struct Stiffness {
    /// Steps in a row at the end of the domain of stability, but for a few.
    held: u64,
    /// Steps since the last of these.
    easy: u64,
}

impl Stiffness {
    /// Takes note of an accepted step; how many steps are known to be held by stability since the
    /// last one.
    fn note(&mut self, held: bool) -> u64 {
        if !held {
            self.easy += 1;
            if self.easy >= EASY {
                self.held = 0;
            }
            return 0;
        }
        self.easy = 0;
        self.held += 1;
        match self.held {
            ..STIFF => 0,
            STIFF => STIFF,
            _ => 1,
        }
    }
}

/// The safety factor of the step that the error allows.
const SAFETY: f64 = 0.9;

/// Errors below this do not count as smaller for the control.
const SMALLEST_MEMORY: f64 = 1e-4;

impl Embedded {
    /// A method by its table.
    pub fn new(pair: &'static Pair, accuracy: Accuracy, size: usize) -> Embedded {
        let zeros = vec![0.0; size];
        Embedded {
            pair,
            control: Control::new(accuracy, Tolerance::new(accuracy)),
            length: None,
            before: SMALLEST_MEMORY,
            known: false,
            stages: vec![zeros.clone(); pair.a.len()],
            trial: zeros.clone(),
            reached: zeros.clone(),
            error: [zeros.clone(), zeros.clone()],
            asked: zeros.clone(),
            stiffness: Stiffness::default(),
            times: [0.0; 2],
            terms: vec![zeros; 4 + pair.dense.len()],
        }
    }

    /// The stages with these numbers, from `(t, y)` with step `h`.
    fn stages(
        &mut self,
        ode: &mut dyn Ode,
        t: f64,
        y: &[f64],
        h: f64,
        range: std::ops::Range<usize>,
    ) -> Result<(), Fault> {
        for stage in range {
            let (before, this) = self.stages.split_at_mut(stage);
            advance(y, h, self.pair.a[stage], before, &mut self.trial);
            let now = t + self.pair.c[stage] * h;
            rates(ode, now, &self.trial, &mut this[0], &mut self.control.work)?;
        }
        Ok(())
    }

    /// One step of length `h`: the states at its end are kept, its error is returned.
    fn error(&mut self, ode: &mut dyn Ode, t: f64, y: &[f64], h: f64) -> Result<f64, Fault> {
        let last = self.pair.last;
        self.stages(ode, t, y, h, 1..last)?;
        self.asked.copy_from_slice(&self.trial);
        self.stages(ode, t, y, h, last..last + 1)?;
        // The last stage was asked at the end of the step.
        self.reached.copy_from_slice(&self.trial);
        if self.control.fixed.is_some() {
            return Ok(0.0);
        }
        let [first, second] = &mut self.error;
        combine(h, self.pair.error, &self.stages, first);
        let mut error = self.control.tolerance.norm(first, y, &self.reached);
        if let Some(weights) = self.pair.second
            && error > 0.0
        {
            combine(h, weights, &self.stages, second);
            let other = 0.1 * self.control.tolerance.norm(second, y, &self.reached);
            error *= error / hypot(error, other);
        }
        if error.is_nan() {
            return Err(Fault::NotFinite("the error of a step".into()));
        }
        Ok(error)
    }

    /// The polynomial of a step that is accepted.
    fn interpolation(&mut self, ode: &mut dyn Ode, t: f64, y: &[f64], h: f64) -> Result<(), Fault> {
        let last = self.pair.last;
        self.stages(ode, t, y, h, last + 1..self.pair.a.len())?;
        self.terms[0].copy_from_slice(y);
        for (state, y) in y.iter().enumerate() {
            let change = self.reached[state] - y;
            self.terms[1][state] = change;
            let leave = h * self.stages[0][state] - change;
            self.terms[2][state] = leave;
            self.terms[3][state] = change - h * self.stages[last][state] - leave;
        }
        for (term, weights) in self.terms[4..].iter_mut().zip(self.pair.dense) {
            combine(h, weights, &self.stages, term);
        }
        Ok(())
    }

    /// Returns `true` if an accepted step is as long as stability allows: the rates of two stages
    /// at its end differ by a multiple of what their states differ by.
    fn is_held(&mut self, h: f64) -> bool {
        let last = self.pair.last;
        let [rates, states] = &mut self.error;
        for state in 0..self.reached.len() {
            rates[state] = h * (self.stages[last][state] - self.stages[last - 1][state]);
            states[state] = self.reached[state] - self.asked[state];
        }
        let (rate, against) = self.control.tolerance.decay(rates, states, &self.reached);
        // Of nothing by nothing there is no rate, and the comparison is false.
        rate > NEAR * self.pair.stable && against > DAMPED
    }
}

impl TrialMethod for Embedded {
    fn control(&mut self) -> &mut Control {
        &mut self.control
    }

    fn controlled(&self) -> &Control {
        &self.control
    }

    /// The first stage, and a length if there is none yet.
    fn begin(&mut self, ode: &mut dyn Ode, t: f64, y: &[f64], left: f64) -> Result<f64, Fault> {
        if !self.known {
            self.control.tolerance.learn(ode);
            rates(ode, t, y, &mut self.stages[0], &mut self.control.work)?;
            self.known = true;
        }
        if let Some(length) = self.control.fixed.or(self.length) {
            return Ok(length);
        }
        let (start, order) = (&self.stages[0], self.pair.power);
        self.control.tolerance.first(ode, t, y, start, left, order, &mut self.control.work)
    }

    fn attempt(&mut self, ode: &mut dyn Ode, trial: &Trial, y: &mut [f64]) -> Tried {
        let Trial { t, h, end, planned, cut } = *trial;
        let error = self.error(ode, t, y, h)?;
        let [least, most] = self.pair.change;
        let power = || pow(error, 1.0 / self.pair.power - 0.75 * self.pair.memory);
        if error > 1.0 {
            return Ok(Verdict::Shorter((SAFETY / power()).max(least)));
        }
        let proposal = h * SAFETY / power() * pow(self.before, self.pair.memory);
        self.interpolation(ode, t, y, h)?;
        let next = proposal.clamp(h * least, h * most);
        let next = if cut { next.min(h) } else { next };
        if h < planned {
            self.length = Some(next.max(keep_plan(h, planned, proposal)));
        } else {
            self.length = Some(next);
            self.before = error.max(SMALLEST_MEMORY);
        }
        if self.control.fixed.is_none() {
            let held = self.is_held(h);
            self.control.work.stiff += self.stiffness.note(held);
        }
        y.copy_from_slice(&self.reached);
        self.times = [t, end];
        self.stages.swap(0, self.pair.last);
        Ok(Verdict::Accepted)
    }

    fn interpolate(&self, t: f64, y: &mut [f64]) {
        let step = self.times[1] - self.times[0];
        let x = if step == 0.0 { 0.0 } else { (t - self.times[0]) / step };
        let rest = 1.0 - x;
        // Nested: the factors are by turns the way gone and the way left.
        for (state, value) in y.iter_mut().enumerate() {
            let mut sum = 0.0;
            for (at, term) in self.terms.iter().enumerate().rev() {
                sum = term[state] + sum * if at % 2 == 0 { x } else { rest };
            }
            *value = sum;
        }
    }

    fn forget(&mut self, size: usize) {
        if size != self.size() {
            let new = Embedded::new(self.pair, self.control.accuracy, size);
            let (control, length) = (self.control.clone(), self.length);
            *self = Embedded { control, length, ..new };
        }
        self.known = false;
        self.before = SMALLEST_MEMORY;
    }

    fn size(&self) -> usize {
        self.trial.len()
    }

    fn last(&self) -> f64 {
        self.times[1] - self.times[0]
    }

    fn plan(&mut self, length: f64) {
        self.length = Some(length);
    }
}

/// `h sum weight_i rate_i`
fn combine(h: f64, weights: &[f64], rates: &[Vec<f64>], sum: &mut [f64]) {
    sum.fill(0.0);
    for (&weight, rates) in weights.iter().zip(rates) {
        if weight != 0.0 {
            let factor = h * weight;
            sum.iter_mut().zip(rates).for_each(|(sum, rate)| *sum += factor * rate);
        }
    }
}
