//! Backward differentiation of orders one to five, for stiff equations: many steps, each of one
//! small system.
//!
//! The memory is a polynomial through past states, as backward differences at the distance of one
//! step; another length means differences of the same polynomial at another distance. Order and
//! length are those that promise the longest steps. The formulas with Klopfenstein's terms, which
//! make the error smaller, are those of Shampine and Reichelt (1997).

use super::control::{ROUNDING, Tolerance, rates};
use super::jacobian::{Jacobian, Real};
use super::trial::{Control, Trial, TrialMethod, Tried, Verdict};
use crate::method::Accuracy;
use crate::ode::{Fault, Ode};
use rotule_symbolic::elementary::{pow, powi};

/// The highest order.
const HIGHEST: usize = 5;

/// Klopfenstein's terms, by order.
const KAPPA: [f64; HIGHEST + 1] = [0.0, -0.1850, -1.0 / 9.0, -0.0823, -0.0415, 0.0];

/// Sums of `1 / j` up to the order.
const GAMMA: [f64; HIGHEST + 1] = [0.0, 1.0, 1.5, 11.0 / 6.0, 25.0 / 12.0, 137.0 / 60.0];

/// Most iterations of a step.
const ITERATIONS: i32 = 4;

/// The least and the most by which a step changes.
const CHANGE: [f64; 2] = [0.2, 10.0];

/// A gain of less is not worth new factors.
const WORTH: f64 = 1.2;

/// The leading coefficient of a formula.
fn leading(order: usize) -> f64 {
    (1.0 - KAPPA[order]) * GAMMA[order]
}

/// The coefficient of the next difference in the error of a formula.
fn error_part(order: usize) -> f64 {
    let kappa = if order <= HIGHEST { KAPPA[order] * GAMMA[order] } else { 0.0 };
    kappa + 1.0 / (order + 1) as f64
}

/// The method at work.
#[derive(Debug)]
pub struct Bdf {
    control: Control,
    /// When the iteration is exact enough, in units of the tolerance.
    enough: f64,
    /// `true` if the differences belong to the state.
    known: bool,
    order: usize,
    /// The distance of the differences, and the length of the next step.
    length: f64,
    /// Steps since length or order changed.
    equal: usize,
    /// The state and its backward differences, two more than the order.
    past: Vec<Vec<f64>>,
    /// The state and its differences at the distance of a step that was shortened to the end.
    short: Vec<Vec<f64>>,
    jacobian: Jacobian,
    /// `true` if there are derivatives, of whatever step.
    derived: bool,
    /// The factors, with the coefficient they are made for.
    factors: Option<(f64, Real)>,
    predicted: Vec<f64>,
    /// The part of the formula that the past gives.
    history: Vec<f64>,
    /// The correction that the iteration adds to the prediction.
    correction: Vec<f64>,
    trial: Vec<f64>,
    residual: Vec<f64>,
    last: Last,
}

/// The last step, as a polynomial.
#[derive(Debug, Default)]
struct Last {
    end: f64,
    length: f64,
    order: usize,
    past: Vec<Vec<f64>>,
}

impl Bdf {
    /// The method for equations of this size.
    pub fn new(accuracy: Accuracy, size: usize) -> Bdf {
        let tolerance = Tolerance::new(accuracy);
        let level = tolerance.level();
        let zeros = vec![0.0; size];
        let past = vec![zeros.clone(); HIGHEST + 3];
        Bdf {
            control: Control::new(accuracy, tolerance),
            enough: level.sqrt().min(0.03),
            known: false,
            order: 1,
            length: f64::INFINITY,
            equal: 0,
            short: past.clone(),
            last: Last { past: past.clone(), ..Last::default() },
            past,
            jacobian: Jacobian::new(size),
            derived: false,
            factors: None,
            predicted: zeros.clone(),
            history: zeros.clone(),
            correction: zeros.clone(),
            trial: zeros.clone(),
            residual: zeros,
        }
    }

    /// A past of order one, from the rates.
    fn start(&mut self, ode: &mut dyn Ode, t: f64, y: &[f64], left: f64) -> Result<(), Fault> {
        self.control.tolerance.learn(ode);
        let start = &mut self.residual;
        rates(ode, t, y, start, &mut self.control.work)?;
        let first =
            self.control.tolerance.first(ode, t, y, start, left, 2.0, &mut self.control.work)?;
        self.length = first.min(self.length);
        self.past.iter_mut().for_each(|row| row.fill(0.0));
        self.past[0].copy_from_slice(y);
        for (state, difference) in self.past[1].iter_mut().enumerate() {
            *difference = self.length * start[state];
        }
        self.order = 1;
        self.equal = 0;
        self.known = true;
        Ok(())
    }

    /// Another length: the same polynomial at another distance.
    fn stretch(&mut self, length: f64) {
        rebase(&mut self.past, self.order, 0.0, length / self.length);
        self.length = length;
        self.equal = 0;
    }

    /// The correction of the prediction for a step of length `h` to time `t`; how many iterations
    /// it took, or nothing if it did not converge.
    fn correct(&mut self, ode: &mut dyn Ode, t: f64, h: f64) -> Result<Option<i32>, Fault> {
        let coefficient = h / leading(self.order);
        let mut fresh = false;
        loop {
            if !self.derived {
                let here = &self.predicted;
                rates(ode, t, here, &mut self.residual, &mut self.control.work)?;
                self.jacobian.find(ode, t, here, &self.residual, &mut self.control.work)?;
                self.derived = true;
                self.factors = None;
                fresh = true;
            }
            if self.factors.as_ref().is_none_or(|(made, _)| *made != coefficient) {
                let factors = self.jacobian.factor(1.0 / coefficient, &mut self.control.work);
                self.factors = Some((coefficient, factors));
            }
            let found = self.iterate(ode, t, coefficient)?;
            if found.is_some() || fresh {
                return Ok(found);
            }
            self.derived = false;
        }
    }

    /// Simplified Newton iterations.
    fn iterate(&mut self, ode: &mut dyn Ode, t: f64, c: f64) -> Result<Option<i32>, Fault> {
        let Some((_, factors)) = &self.factors else { return Ok(None) };
        self.correction.fill(0.0);
        self.trial.copy_from_slice(&self.predicted);
        let mut last: Option<f64> = None;
        // Changes of the size of rounding do not become smaller, in very short steps from the first
        // one on.
        let floor = ROUNDING * self.control.tolerance.rounding(&self.past[0], &self.predicted);
        let enough = self.enough.max(floor);
        for iteration in 1..=ITERATIONS {
            self.control.work.iterations += 1;
            rates(ode, t, &self.trial, &mut self.residual, &mut self.control.work)?;
            for (state, residual) in self.residual.iter_mut().enumerate() {
                *residual -= (self.history[state] + self.correction[state]) / c;
            }
            factors.solve(&mut self.residual)?;
            let change =
                self.control.tolerance.norm(&self.residual, &self.predicted, &self.predicted);
            if !change.is_finite() {
                return Ok(None);
            }
            let ratio = last.map(|last| change / last);
            let rounding = change <= floor;
            if let Some(ratio) = ratio.filter(|_| !rounding) {
                let rest = ITERATIONS - iteration;
                if ratio >= 1.0 || powi(ratio, rest) / (1.0 - ratio) * change > enough {
                    return Ok(None);
                }
            }
            for (state, change) in self.residual.iter().enumerate() {
                self.correction[state] += change;
                self.trial[state] = self.predicted[state] + self.correction[state];
            }
            let small = |ratio: f64| ratio / (1.0 - ratio) * change < enough;
            if rounding || ratio.is_some_and(small) {
                return Ok(Some(iteration));
            }
            last = Some(change);
        }
        Ok(None)
    }

    /// The error of a formula whose next difference is in this row.
    fn error(&self, order: usize, row: &[f64]) -> f64 {
        error_part(order) * self.control.tolerance.norm(row, &self.predicted, &self.trial)
    }

    /// Order and length for the next steps, when enough equal ones are behind.
    fn choose(&mut self, error: f64, safety: f64) {
        let mut best = (self.order, pow(error, -1.0 / (self.order + 1) as f64));
        let mut consider = |order: usize, error: f64| {
            let factor = pow(error, -1.0 / (order + 1) as f64);
            if factor > best.1 {
                best = (order, factor);
            }
        };
        if self.order > 1 {
            consider(self.order - 1, self.error(self.order - 1, &self.past[self.order]));
        }
        if self.order < HIGHEST {
            consider(self.order + 1, self.error(self.order + 1, &self.past[self.order + 2]));
        }
        let (order, factor) = best;
        let factor = (safety * factor).min(CHANGE[1]);
        // A step that was good is good enough again: it is never shortened here.
        if order == self.order && factor < WORTH {
            return;
        }
        self.order = order;
        self.stretch(self.length * factor);
    }
}

impl TrialMethod for Bdf {
    fn control(&mut self) -> &mut Control {
        &mut self.control
    }

    fn begin(&mut self, ode: &mut dyn Ode, t: f64, y: &[f64], left: f64) -> Result<f64, Fault> {
        if !self.known {
            self.start(ode, t, y, left)?;
        }
        // A state that was put right since shifts the whole past, which leaves its differences as
        // they are.
        self.past[0].copy_from_slice(y);
        if self.length > self.control.longest {
            self.stretch(self.control.longest);
        }
        Ok(self.length)
    }

    fn attempt(&mut self, ode: &mut dyn Ode, trial: &Trial, y: &mut [f64]) -> Tried {
        let Trial { h, end, .. } = *trial;
        let shortened = h < self.length;
        // A step stretched by a hair is no reason to lose the shape of the past, but the distance
        // must be true.
        if h > self.length {
            self.stretch(h);
        }
        if shortened {
            self.short.clone_from(&self.past);
            rebase(&mut self.short, self.order, 0.0, h / self.length);
        }
        let past = if shortened { &self.short } else { &self.past };
        self.predicted.copy_from_slice(&past[0]);
        self.history.fill(0.0);
        for (row, gamma) in past[1..=self.order].iter().zip(&GAMMA[1..]) {
            let weight = gamma / leading(self.order);
            for (state, value) in row.iter().enumerate() {
                self.predicted[state] += value;
                self.history[state] += weight * value;
            }
        }
        let Some(iterations) = self.correct(ode, end, h)? else {
            return Ok(Verdict::Shorter(0.5));
        };
        let most = f64::from(2 * ITERATIONS);
        let safety = 0.9 * (most + 1.0) / (most + f64::from(iterations));
        let error = self.error(self.order, &self.correction);
        if error > 1.0 || error.is_nan() {
            let factor = safety * pow(error, -1.0 / (self.order + 1) as f64);
            return Ok(Verdict::Shorter(factor.max(CHANGE[0])));
        }
        y.copy_from_slice(&self.trial);
        let past = if shortened { &mut self.short } else { &mut self.past };
        append(past, self.order, &self.correction);
        (self.last.end, self.last.length, self.last.order) = (end, h, self.order);
        for (last, row) in self.last.past.iter_mut().zip(&past[..=self.order]) {
            last.copy_from_slice(row);
        }
        if shortened {
            // The plan holds: the old polynomial, seen from the new state at the old distance,
            // meets that state.
            rebase(&mut self.past, self.order, h / self.length, 1.0);
            for row in &mut self.past[..=self.order] {
                row.iter_mut().zip(&self.correction).for_each(|(row, more)| *row += more);
            }
        }
        self.past[0].copy_from_slice(y);
        self.equal = if shortened { 0 } else { self.equal + 1 };
        if self.equal > self.order {
            self.choose(error, safety);
        }
        Ok(Verdict::Accepted)
    }

    fn controlled(&self) -> &Control {
        &self.control
    }

    fn replan(&mut self, length: f64) {
        self.stretch(length);
    }

    fn plan(&mut self, length: f64) {
        self.length = length;
    }

    fn last(&self) -> f64 {
        self.last.length
    }

    fn interpolate(&self, t: f64, y: &mut [f64]) {
        let last = &self.last;
        let x = if last.length == 0.0 { 0.0 } else { (t - last.end) / last.length };
        y.copy_from_slice(&last.past[0]);
        let mut weight = 1.0;
        for at in 1..=last.order {
            weight *= (x + (at - 1) as f64) / at as f64;
            y.iter_mut().zip(&last.past[at]).for_each(|(y, row)| *y += weight * row);
        }
    }

    fn forget(&mut self, size: usize) {
        if size != self.size() {
            let new = Bdf::new(self.control.accuracy, size);
            let (control, length) = (self.control.clone(), self.length);
            *self = Bdf { control, length, ..new };
        }
        self.known = false;
        self.derived = false;
    }

    fn size(&self) -> usize {
        self.trial.len()
    }
}

/// Differences after a step whose state is the prediction and a correction, which is the next
/// difference.
fn append(past: &mut [Vec<f64>], order: usize, correction: &[f64]) {
    for (state, correction) in correction.iter().enumerate() {
        past[order + 2][state] = correction - past[order + 1][state];
        past[order + 1][state] = *correction;
        for at in (0..=order).rev() {
            past[at][state] += past[at + 1][state];
        }
    }
}

/// Differences of the same polynomial, from a place `shift` steps later and at `distance` steps.
fn rebase(past: &mut [Vec<f64>], order: usize, shift: f64, distance: f64) {
    // Row by row the values of the Newton polynomials at the new places, then their differences.
    let mut matrix = [[0.0; HIGHEST + 1]; HIGHEST + 1];
    for (place, row) in matrix[..=order].iter_mut().enumerate() {
        let x = shift - distance * place as f64;
        row[0] = 1.0;
        for at in 1..=order {
            row[at] = row[at - 1] * (x + (at - 1) as f64) / at as f64;
        }
    }
    for level in 1..=order {
        for row in (level..=order).rev() {
            let before = matrix[row - 1];
            matrix[row].iter_mut().zip(before).for_each(|(here, before)| *here = before - *here);
        }
    }
    for state in 0..past[0].len() {
        let mut old = [0.0; HIGHEST + 1];
        for (old, row) in old.iter_mut().zip(&past[..=order]) {
            *old = row[state];
        }
        for (row, weights) in past[..=order].iter_mut().zip(&matrix) {
            row[state] = weights[..=order].iter().zip(&old).map(|(a, b)| a * b).sum();
        }
    }
}
