//! Radau IIA of order five: an implicit Runge-Kutta method for stiff equations, after Hairer and
//! Wanner, Solving Ordinary Differential Equations II, section IV.8.
//!
//! The three stages are values of one collocation polynomial, which, with its known error, also
//! serves between the ends. A fixed change of basis parts their equations into a real and a complex
//! system of the size of the state. The derivatives are those of the equations where they have
//! them, and are kept as long as the iteration converges fast.

use super::control::{ROUNDING, Tolerance, keep_plan, rates};
use super::jacobian::{Jacobian, Pair, Real};
use super::trial::{Control, Trial, TrialMethod, Tried, Verdict};
use crate::method::Accuracy;
use crate::ode::{Fault, Ode};
use rotule_numeric::dense::Complex;
use rotule_symbolic::elementary::{pow, powi};

const ROOT: f64 = 2.449_489_742_783_178;

/// When the stages are, in steps.
const C: [f64; 3] = [(4.0 - ROOT) / 10.0, (4.0 + ROOT) / 10.0, 1.0];

/// Eigenvalues of the inverse of the method's matrix: a real one and a pair.
const REAL: f64 = 3.637_834_252_744_496;
const COMPLEX: [f64; 2] = [2.681_082_873_627_752, 3.050_430_199_247_410_5];

/// From the eigenvectors to the stages.
const TO_STAGES: [[f64; 3]; 3] = [
    [0.094_438_762_488_975_24, -0.141_255_295_020_954_2, -0.030_029_194_105_147_42],
    [0.250_213_122_965_333_3, 0.204_129_352_293_799_94, 0.382_942_112_757_261_9],
    [1.0, 1.0, 0.0],
];

/// From the stages to the eigenvectors.
const FROM_STAGES: [[f64; 3]; 3] = [
    [4.178_718_591_551_904, 0.327_682_820_761_062_4, 0.523_376_445_499_449_5],
    [-4.178_718_591_551_904, -0.327_682_820_761_062_4, 0.476_623_554_500_550_44],
    [-0.502_872_634_945_786_9, 2.571_926_949_855_605, -0.596_039_204_828_224_9],
];

/// Weights of the stages in the error.
const ERROR: [f64; 3] = [(-13.0 - 7.0 * ROOT) / 3.0, (-13.0 + 7.0 * ROOT) / 3.0, -1.0 / 3.0];

/// Most iterations of a step.
const ITERATIONS: i32 = 7;

/// The safety factor of the step that the error allows, before the iterations are counted.
const SAFETY: f64 = 0.9;

/// The least and the most by which a step changes.
const CHANGE: [f64; 2] = [0.2, 8.0];

/// A step that would grow by less keeps its length, and so its factors.
const SAME: f64 = 1.2;

/// Derivatives are kept if every iteration makes the error smaller by this.
const FAST: f64 = 1e-3;

/// The method at work.
#[derive(Debug)]
pub struct Radau {
    control: Control,
    /// When the iteration is exact enough, in units of the tolerance.
    enough: f64,
    /// The length of the next step, once it is known.
    length: Option<f64>,
    jacobian: Jacobian,
    /// The age of the derivatives.
    derivatives: Age,
    /// The factors, with the length of their step.
    factors: Option<(f64, Real, Pair)>,
    /// The rates at the beginning of the step.
    start: Vec<f64>,
    known: bool,
    /// The stages less the state, in both bases, and their rates.
    stages: [Vec<f64>; 3],
    parts: [Vec<f64>; 3],
    rates: [Vec<f64>; 3],
    pair: Vec<Complex<f64>>,
    trial: Vec<f64>,
    reached: Vec<f64>,
    /// Length and error of the last accepted step.
    before: Option<(f64, f64)>,
    /// The last ratio of convergence, as `ratio / (1 - ratio)`.
    convergence: f64,
    polynomial: Polynomial,
}

/// The age of the derivatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Age {
    /// There are none that could be used.
    None,
    /// Of an earlier step, and good so far.
    Old,
    /// Of this step.
    New,
}

impl Radau {
    /// The method for equations of this size.
    pub fn new(accuracy: Accuracy, size: usize) -> Radau {
        let given = Tolerance::new(accuracy);
        // The estimate is of order three where the result is of order five: as it is, it would ask
        // for too much.
        let level = given.level();
        let tolerance = match accuracy {
            Accuracy::Fixed(_) => given,
            Accuracy::Within { .. } => given.times(0.1 * pow(level, 2.0 / 3.0) / level),
        };
        let level = tolerance.level();
        let enough = level.sqrt().min(0.03);
        let zeros = vec![0.0; size];
        let three = || [zeros.clone(), zeros.clone(), zeros.clone()];
        Radau {
            control: Control::new(accuracy, tolerance),
            enough,
            length: None,
            jacobian: Jacobian::new(size),
            derivatives: Age::None,
            factors: None,
            start: zeros.clone(),
            known: false,
            stages: three(),
            parts: three(),
            rates: three(),
            pair: vec![Complex::new(0.0, 0.0); size],
            trial: zeros.clone(),
            reached: zeros.clone(),
            before: None,
            convergence: 1.0,
            polynomial: Polynomial {
                times: [0.0; 2],
                end: zeros.clone(),
                terms: three(),
                error: zeros.clone(),
                whole: false,
            },
        }
    }

    /// Rates, derivatives and factors for a step of length `h`.
    fn prepare(&mut self, ode: &mut dyn Ode, t: f64, y: &[f64], h: f64) -> Result<(), Fault> {
        if self.derivatives == Age::None {
            self.jacobian.find(ode, t, y, &self.start, &mut self.control.work)?;
            self.derivatives = Age::New;
            self.factors = None;
        }
        if self.factors.as_ref().is_none_or(|(length, ..)| *length != h) {
            let real = self.jacobian.factor(REAL / h, &mut self.control.work);
            let complex = Complex::new(COMPLEX[0] / h, COMPLEX[1] / h);
            let pair = self.jacobian.factor(complex, &mut self.control.work);
            self.factors = Some((h, real, pair));
        }
        Ok(())
    }

    /// The stages of a step, from the polynomial of the last one. The outcome says how many
    /// iterations it took.
    fn iterate(
        &mut self,
        ode: &mut dyn Ode,
        t: f64,
        y: &[f64],
        h: f64,
    ) -> Result<Iteration, Fault> {
        self.polynomial.guess(h, &mut self.stages);
        change_basis(&FROM_STAGES, &self.stages, &mut self.parts);
        let Some((_, real, complex)) = &self.factors else { return Ok(Iteration::Diverged(0.5)) };
        self.convergence = pow(self.convergence.max(f64::EPSILON), 0.8);
        let (mut ratio, mut quotient, mut last) = (FAST, 0.0_f64, 0.0);
        let floor = ROUNDING * self.control.tolerance.rounding(y, y);
        let enough = self.enough.max(floor);
        for iteration in 1..=ITERATIONS {
            self.control.work.iterations += 1;
            for (at, rate) in self.rates.iter_mut().enumerate() {
                for (state, trial) in self.trial.iter_mut().enumerate() {
                    *trial = y[state] + self.stages[at][state];
                }
                rates(ode, t + C[at] * h, &self.trial, rate, &mut self.control.work)?;
            }
            // The residuals in the basis of the eigenvectors, and their solutions in the place of
            // the rates.
            for state in 0..y.len() {
                let rate = [0, 1, 2].map(|at| self.rates[at][state]);
                let part = [0, 1, 2].map(|at| self.parts[at][state]);
                let turned = FROM_STAGES.map(|row| dot(&row, &rate));
                self.rates[0][state] = turned[0] - REAL / h * part[0];
                self.pair[state] = Complex::new(turned[1], turned[2])
                    - Complex::new(COMPLEX[0], COMPLEX[1]) / h * Complex::new(part[1], part[2]);
            }
            real.solve(&mut self.rates[0])?;
            complex.solve(&mut self.pair)?;
            for (state, value) in self.pair.iter().enumerate() {
                self.rates[1][state] = value.re;
                self.rates[2][state] = value.im;
            }
            let squares =
                self.rates.iter().map(|rate| powi(self.control.tolerance.norm(rate, y, y), 2));
            let change = (squares.sum::<f64>() / 3.0).sqrt();
            if !change.is_finite() {
                return Ok(Iteration::Diverged(0.5));
            }
            let rounding = change <= floor;
            // The ratio of two roundings says nothing.
            let now = change / last;
            if iteration > 1 && iteration < ITERATIONS && !(rounding && now >= FAST) {
                ratio = if iteration == 2 { now } else { (now * quotient).sqrt() };
                quotient = now;
                if ratio >= 0.99 {
                    return Ok(Iteration::Diverged(0.5));
                }
                self.convergence = ratio / (1.0 - ratio);
                let rest = ITERATIONS - 1 - iteration;
                let expected = self.convergence * change * powi(ratio, rest) / enough;
                if expected >= 1.0 {
                    let excess = expected.clamp(1e-4, 20.0);
                    let shorter = 0.8 * pow(excess, -1.0 / (4 + rest) as f64);
                    return Ok(Iteration::Diverged(shorter));
                }
            }
            last = change.max(f64::EPSILON);
            for (part, change) in self.parts.iter_mut().zip(&self.rates) {
                part.iter_mut().zip(change).for_each(|(part, change)| *part += change);
            }
            change_basis(&TO_STAGES, &self.parts, &mut self.stages);
            if rounding || self.convergence * change <= enough {
                return Ok(Iteration::Converged { iterations: iteration, ratio });
            }
        }
        Ok(Iteration::Diverged(0.5))
    }

    /// The error of the step whose stages are known. Where it is too large and steps are new to the
    /// matter, a second evaluation filters what the stiff parts put into it.
    fn error(
        &mut self,
        ode: &mut dyn Ode,
        t: f64,
        y: &[f64],
        h: f64,
        doubtful: bool,
    ) -> Result<f64, Fault> {
        for (state, reached) in self.reached.iter_mut().enumerate() {
            *reached = y[state] + self.stages[2][state];
        }
        let Some((_, real, _)) = &self.factors else { return Ok(f64::INFINITY) };
        let [sum, error, other] = &mut self.rates;
        for state in 0..y.len() {
            let stages = [0, 1, 2].map(|at| self.stages[at][state]);
            sum[state] = dot(&ERROR, &stages) / h;
            error[state] = sum[state] + self.start[state];
        }
        real.solve(error)?;
        if self.control.fixed.is_some() {
            return Ok(0.0);
        }
        let mut norm = self.control.tolerance.norm(error, y, &self.reached);
        if norm >= 1.0 && doubtful {
            for (state, trial) in self.trial.iter_mut().enumerate() {
                *trial = y[state] + error[state];
            }
            rates(ode, t, &self.trial, other, &mut self.control.work)?;
            error.iter_mut().zip(&*sum).zip(&*other).for_each(|((e, s), o)| *e = s + o);
            real.solve(error)?;
            norm = self.control.tolerance.norm(error, y, &self.reached);
        }
        if norm.is_nan() {
            return Err(Fault::NotFinite("the error of a step".into()));
        }
        Ok(norm.max(1e-10))
    }

    /// Takes over an accepted step: the length of the next one, and whether derivatives and factors
    /// serve it.
    fn accept(&mut self, trial: &Trial, error: f64, iterations: i32, ratio: f64) {
        let Trial { h, planned, cut, .. } = *trial;
        let limit = SAFETY
            .min(SAFETY * f64::from(1 + 2 * ITERATIONS) / f64::from(iterations + 2 * ITERATIONS));
        let mut proposal = limit * pow(error, -0.25);
        // What the error did from the last step to this one, it does again.
        if let Some((length, old)) = self.before {
            proposal = proposal.min(SAFETY * h / length * pow(old / (error * error), 0.25));
        }
        let mut next = h * proposal.clamp(CHANGE[0], CHANGE[1]);
        if cut {
            next = next.min(h);
        }
        self.derivatives = if ratio <= FAST { Age::Old } else { Age::None };
        if h < planned {
            self.length = Some(next.max(keep_plan(h, planned, h * proposal)));
            return;
        }
        self.before = Some((h, error.max(1e-2)));
        let same = self.derivatives == Age::Old && next >= h && next <= SAME * h;
        self.length = Some(if same { h } else { next });
    }
}

/// The result of an iteration.
enum Iteration {
    Converged {
        iterations: i32,
        /// By what the last iteration made the error smaller.
        ratio: f64,
    },
    /// A step shorter by this factor may converge.
    Diverged(f64),
}

impl TrialMethod for Radau {
    /// The first rates, and a length if there is none yet.
    fn begin(&mut self, ode: &mut dyn Ode, t: f64, y: &[f64], left: f64) -> Result<f64, Fault> {
        if !self.known {
            if self.control.work.evaluations == 0 || self.derivatives == Age::None {
                self.control.tolerance.learn(ode);
            }
            rates(ode, t, y, &mut self.start, &mut self.control.work)?;
            self.known = true;
        }
        if let Some(length) = self.control.fixed.or(self.length) {
            return Ok(length);
        }
        self.control.tolerance.first(ode, t, y, &self.start, left, 4.0, &mut self.control.work)
    }

    fn control(&mut self) -> &mut Control {
        &mut self.control
    }

    fn attempt(&mut self, ode: &mut dyn Ode, trial: &Trial, y: &mut [f64]) -> Tried {
        let Trial { t, h, end, .. } = *trial;
        self.prepare(ode, t, y, h)?;
        let doubtful = trial.cut || self.before.is_none();
        let (iterations, ratio) = match self.iterate(ode, t, y, h)? {
            Iteration::Converged { iterations, ratio } => (iterations, ratio),
            Iteration::Diverged(shorter) => {
                self.convergence = 1.0;
                if self.derivatives == Age::New {
                    return Ok(Verdict::Shorter(shorter));
                }
                self.derivatives = Age::None;
                return Ok(Verdict::Again);
            }
        };
        let error = self.error(ode, t, y, h, doubtful)?;
        if error > 1.0 {
            if self.derivatives != Age::New {
                self.derivatives = Age::None;
            }
            let first = self.control.work.steps == 0;
            let shorter = (SAFETY * pow(error, -0.25)).max(CHANGE[0]);
            return Ok(Verdict::Shorter(if first { 0.1 } else { shorter }));
        }
        self.accept(trial, error, iterations, ratio);
        self.polynomial.keep([t, end], &self.reached, &self.stages, &self.rates[1]);
        y.copy_from_slice(&self.reached);
        self.known = false;
        Ok(Verdict::Accepted)
    }

    fn interpolate(&self, t: f64, y: &mut [f64]) {
        let [begin, end] = self.polynomial.times;
        let x = if end == begin { 0.0 } else { (t - end) / (end - begin) };
        let more = REAL * (1.0 + x) * x * x * (-1.5 - 2.5 * x);
        for (state, value) in y.iter_mut().enumerate() {
            let cubic = self.polynomial.end[state] + self.polynomial.beyond(x, state);
            *value = cubic + more * self.polynomial.error[state];
        }
    }

    fn controlled(&self) -> &Control {
        &self.control
    }

    fn forget(&mut self, size: usize) {
        if size != self.size() {
            let new = Radau::new(self.control.accuracy, size);
            let (control, length) = (self.control.clone(), self.length);
            *self = Radau { control, length, ..new };
        }
        self.known = false;
        self.derivatives = Age::None;
        self.polynomial.whole = false;
        self.before = None;
        self.convergence = 1.0;
    }

    fn size(&self) -> usize {
        self.trial.len()
    }

    fn last(&self) -> f64 {
        let [begin, end] = self.polynomial.times;
        end - begin
    }

    fn plan(&mut self, length: f64) {
        self.length = Some(length);
    }
}

/// The cubic through the beginning and the three stages of a step, with the divided differences
/// from its end.
///
/// Between the ends it is of order three only. Its first error is known, because the error of the
/// step is how far the cubic's slope is from the rates at the beginning, without what is stiff.
/// With `x` from the beginning, the slope is wrong by a multiple of `(x - c1) (x - c2) (x - 1)`;
/// the integral of that, which vanishes at both ends, makes a polynomial of order four.
#[derive(Debug)]
struct Polynomial {
    times: [f64; 2],
    end: Vec<f64>,
    terms: [Vec<f64>; 3],
    error: Vec<f64>,
    /// `true` if it leads on to the next step.
    whole: bool,
}

impl Polynomial {
    fn keep(&mut self, times: [f64; 2], end: &[f64], stages: &[Vec<f64>; 3], error: &[f64]) {
        self.error.copy_from_slice(error);
        self.times = times;
        self.end.copy_from_slice(end);
        self.whole = true;
        let [first, second, third] = stages;
        for (state, ((first, second), third)) in first.iter().zip(second).zip(third).enumerate() {
            let late = (third - second) / (1.0 - C[1]);
            let middle = (second - first) / (C[1] - C[0]);
            let early = first / C[0];
            let bend = (late - middle) / (1.0 - C[0]);
            self.terms[0][state] = late;
            self.terms[1][state] = bend;
            self.terms[2][state] = bend - (middle - early) / C[1];
        }
    }

    /// The difference of a state from that at the end, `x` steps after it.
    fn beyond(&self, x: f64, state: usize) -> f64 {
        let [late, bend, twist] = [0, 1, 2].map(|at| self.terms[at][state]);
        x * (late + (x + 1.0 - C[1]) * (bend + (x + 1.0 - C[0]) * twist))
    }

    /// Stages of a next step of length `h`.
    fn guess(&self, h: f64, stages: &mut [Vec<f64>; 3]) {
        let ratio = h / (self.times[1] - self.times[0]);
        // Far from its step a polynomial leads astray.
        let useful = self.whole && ratio <= CHANGE[1];
        for (stage, c) in stages.iter_mut().zip(C) {
            for (state, value) in stage.iter_mut().enumerate() {
                *value = if useful { self.beyond(c * ratio, state) } else { 0.0 };
            }
        }
    }
}

fn dot(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn change_basis(matrix: &[[f64; 3]; 3], from: &[Vec<f64>; 3], to: &mut [Vec<f64>; 3]) {
    for state in 0..from[0].len() {
        let old = [0, 1, 2].map(|at| from[at][state]);
        for (row, to) in matrix.iter().zip(to.iter_mut()) {
            to[state] = dot(row, &old);
        }
    }
}
