//! Newmark's method, that of Hilber, Hughes and Taylor, and the generalised-alpha method of Chung
//! and Hulbert, for equations of second order with constraints in their positions (index 3).
//!
//! The unknowns of a step are the accelerations `a` and multipliers at its end, with an auxiliary
//! acceleration `s`:
//!
//! ```text
//! (1 - am) s+ + am s = (1 - af) a+ + af a
//! d  = h v + h^2 ((1/2 - beta) s + beta s+)          q+ = q moved by d
//! v+ = v + h ((1 - gamma) s + gamma s+)
//! M a+ + c = Q + J' lambda,  h(q+) = 0               at the end of the step
//! ```
//!
//! In this form (Arnold and Bruels 2007; on groups Bruels, Cardona and Arnold 2012) the balance of
//! forces holds at the end of every step and not between two, so that the method keeps order two in
//! multipliers, too. Newton's equations are scaled by `beta h^2`, without which rounding grows with
//! `1/h^2` and more.
//!
//! In independent speeds there are no multipliers, and `M a+ + c = Q` stands for the reduced
//! equations in implicit form.
//!
//! `s` stands for accelerations at `t + (am - af) h`, and the first is taken there: with those of
//! the first instant, multipliers would begin with an error of order one.

use super::fixed::Clock;
use super::hermite::Hermite;
use crate::method::{Failure, Integrator, StepResult, Work};
use crate::ode::{Fault, Ode};
use crate::second_order::{Constrained, ConstrainedSizes, Instant, Tangents};
use rotule_numeric::dense::KktSystem;
use rotule_symbolic::elementary::powi;

/// Iterations of a step, and the reduction from which on the derivatives are too old.
const ITERATIONS: u32 = 25;
const SLOW: f64 = 0.2;
/// Change of the unknowns at which the iteration of a step ends, in parts of the step and of the
/// coordinates.
const OF_STEP: f64 = 1e-12;
const OF_COORDINATES: f64 = 1e-15;
/// Relative change of accelerations that is allowed where the first step looks ahead.
const FORESEEN: f64 = 0.5;
/// Where rounding ends an iteration, more than this is not its doing.
const ROUNDING: f64 = 1e-9;

/// The numbers of a method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// Weight of the old auxiliary acceleration.
    pub alpha_m: f64,
    /// Weight of the old acceleration.
    pub alpha_f: f64,
    /// Weight of the new acceleration in coordinates.
    pub beta: f64,
    /// Weight of the new acceleration in speeds.
    pub gamma: f64,
}

impl Parameters {
    /// Newmark's, with `gamma` from a half (no damping, order two) upwards (order one), and the
    /// largest damping of high frequencies that it allows.
    pub fn newmark(gamma: f64) -> Parameters {
        Parameters { alpha_m: 0.0, alpha_f: 0.0, beta: powi(gamma + 0.5, 2) / 4.0, gamma }
    }

    /// Hilber, Hughes and Taylor's, with `alpha` from zero to a third.
    pub fn hht(alpha: f64) -> Parameters {
        Parameters {
            alpha_m: 0.0,
            alpha_f: alpha,
            beta: powi(1.0 + alpha, 2) / 4.0,
            gamma: 0.5 + alpha,
        }
    }

    /// Chung and Hulbert's, by what a step leaves of the highest frequencies: from nothing (0) to
    /// all (1).
    pub fn generalised(left: f64) -> Parameters {
        let (alpha_m, alpha_f) = ((2.0 * left - 1.0) / (left + 1.0), left / (left + 1.0));
        let delta = alpha_f - alpha_m;
        Parameters { alpha_m, alpha_f, beta: powi(1.0 + delta, 2) / 4.0, gamma: 0.5 + delta }
    }
}

/// A scheme of this family, by name or by its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scheme {
    /// Average acceleration where there are no constraints. Where there are, this lets multipliers
    /// oscillate and grow, and the damped form of order one stands in.
    Newmark,
    /// Given numbers.
    With(Parameters),
}

/// `gamma` of Newmark's method with constraints.
const DAMPED: f64 = 0.6;

impl Scheme {
    fn parameters(self, shape: ConstrainedSizes) -> Parameters {
        match self {
            Scheme::With(parameters) => parameters,
            Scheme::Newmark if shape.rows == 0 => Parameters::newmark(0.5),
            Scheme::Newmark => Parameters::newmark(DAMPED),
        }
    }
}

/// A method of this family with steps of one length.
#[derive(Debug)]
pub struct Alpha {
    scheme: Scheme,
    length: f64,
    /// Accelerations, auxiliary accelerations and multipliers at the end of the last step.
    memory: Option<Memory>,
    last: Hermite,
    clock: Clock,
    work: Work,
}

#[derive(Clone, Debug)]
struct Memory {
    a: Vec<f64>,
    s: Vec<f64>,
    lambda: Vec<f64>,
}

impl Alpha {
    /// Steps of this length. The state is coordinates and speeds.
    pub fn new(scheme: Scheme, length: f64, size: usize) -> Alpha {
        let zeros = vec![0.0; size];
        let pair = || [zeros.clone(), zeros.clone()];
        Alpha {
            scheme,
            length,
            memory: None,
            last: Hermite { times: [0.0; 2], states: pair(), rates: pair() },
            clock: Clock::default(),
            work: Work::default(),
        }
    }

    /// The multipliers at the end of the last step.
    pub fn multipliers(&self) -> &[f64] {
        self.memory.as_ref().map_or(&[], |memory| &memory.lambda)
    }

    /// Accelerations at the first instant, and auxiliary ones a little off it.
    fn begin(
        &mut self,
        equations: &mut dyn Constrained,
        p: &Parameters,
        t: f64,
        (q, v): (&[f64], &[f64]),
        h: f64,
    ) -> Result<Memory, Fault> {
        self.work.evaluations += 2;
        let off = (p.alpha_m - p.alpha_f) * h;
        let [a, lambda] = equations.accelerations(t, q, v)?;
        let step: Vec<f64> = v.iter().zip(&a).map(|(v, a)| off * (v + 0.5 * off * a)).collect();
        let near: Vec<f64> = v.iter().zip(&a).map(|(v, a)| v + off * a).collect();
        let mut reached = q.to_vec();
        equations.moved(q, &step, &mut reached);
        let [mut s, _] = equations.accelerations(t + off, &reached, &near)?;
        // Where accelerations are not nearly the same there, the step is long for them, and looking
        // ahead is guessing.
        let size = |values: &mut dyn Iterator<Item = f64>| {
            values.fold(0.0_f64, |most, x| if x.abs() <= most { most } else { x.abs() })
        };
        let change = size(&mut s.iter().zip(&a).map(|(s, a)| s - a));
        let near = change <= FORESEEN * size(&mut a.iter().copied());
        if !near {
            s.clone_from(&a);
        }
        Ok(Memory { a, s, lambda })
    }

    /// The end of a step.
    fn solve(
        &mut self,
        equations: &mut dyn Constrained,
        p: &Parameters,
        (q, v): (&[f64], &[f64]),
        memory: &Memory,
        (t, h): (f64, f64),
    ) -> Result<(Vec<f64>, Vec<f64>, Memory), Fault> {
        let shape = equations.shape();
        let size = shape.speeds;
        // How accelerations and speeds change with the increment, and the scale of Newton's
        // equations.
        let by_a = (1.0 - p.alpha_m) / (h * h * p.beta * (1.0 - p.alpha_f));
        let by_v = p.gamma / (h * p.beta);
        let scale = p.beta * h * h;
        let Memory { mut a, mut lambda, .. } = memory.clone();
        let auxiliary = |a: &[f64]| -> Vec<f64> {
            let parts = a.iter().zip(&memory.a).zip(&memory.s);
            let s = |((new, old), s): ((&f64, &f64), &f64)| {
                ((1.0 - p.alpha_f) * new + p.alpha_f * old - p.alpha_m * s) / (1.0 - p.alpha_m)
            };
            parts.map(s).collect()
        };
        let s = auxiliary(&a);
        let old = v.iter().zip(&memory.s).zip(&s);
        let mut d: Vec<f64> = old
            .clone()
            .map(|((v, s), new)| h * (v + h * ((0.5 - p.beta) * s + p.beta * new)))
            .collect();
        let mut v: Vec<f64> =
            old.map(|((v, s), new)| v + h * ((1.0 - p.gamma) * s + p.gamma * new)).collect();
        let start = q;
        let mut q = start.to_vec();
        let (mut force, mut closure) = (vec![0.0; size], vec![0.0; shape.rows]);
        let mut tangents = Tangents::new(shape);
        let mut system: Option<KktSystem> = None;
        let mut before = f64::INFINITY;
        let size_of = |values: &[f64]| values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        for _ in 0..ITERATIONS {
            equations.moved(start, &d, &mut q);
            let at = Instant { t, q: &q, v: &v, a: &a, lambda: &lambda };
            self.work.evaluations += 1;
            self.work.iterations += 1;
            equations.residuals(&at, &mut force, &mut closure)?;
            let matrix = match &mut system {
                Some(known) => known,
                None => {
                    self.work.jacobians += 1;
                    self.work.factorisations += 1;
                    equations.tangents(&at, &mut tangents)?;
                    system.insert(assembled(equations, &mut tangents, &d, scale, by_a, by_v))
                }
            };
            force.iter_mut().for_each(|value| *value *= -scale);
            for (row, value) in closure.iter_mut().enumerate() {
                *value = if equations.of_speeds(row) { -*value / by_v } else { -*value };
            }
            let solved = matrix.solve(&force, &closure);
            let (change, more) = solved.ok_or_else(|| {
                Fault::Singular("the system of accelerations and multipliers".into())
            })?;
            for (at, change) in change.iter().enumerate() {
                d[at] += change;
                v[at] += by_v * change;
                a[at] += by_a * change;
            }
            lambda.iter_mut().zip(more).for_each(|(value, more)| *value += more / scale);
            let now = size_of(&change);
            let (step, far) = (size_of(&d), size_of(start));
            if !now.is_finite() {
                return Err(Fault::NotFinite("the increment of an implicit step".into()));
            }
            let rate = now / before;
            let enough = OF_STEP * step + OF_COORDINATES * far;
            let left = if rate < 1.0 { now * rate / (1.0 - rate) } else { now };
            let stuck = rate > 0.5 && now <= ROUNDING * step.max(OF_COORDINATES * far / OF_STEP);
            if now <= enough || (before.is_finite() && left <= enough) || stuck {
                equations.moved(start, &d, &mut q);
                equations.settle(t, &mut q, &v)?;
                let s = auxiliary(&a);
                return Ok((q, v, Memory { a, s, lambda }));
            }
            if rate > SLOW && before.is_finite() {
                system = None;
            }
            before = now;
        }
        Err(Fault::NotClosed("the implicit step".into()))
    }
}

/// Newton's matrix for the increment and `beta h^2` times the multipliers.
fn assembled(
    equations: &dyn Constrained,
    tangents: &mut Tangents,
    d: &[f64],
    scale: f64,
    by_a: f64,
    by_v: f64,
) -> KktSystem {
    let ConstrainedSizes { speeds, rows, .. } = equations.shape();
    let forces = tangents.jacobian.clone();
    for (row, line) in tangents.jacobian.chunks_exact_mut(speeds.max(1)).enumerate() {
        if !equations.of_speeds(row) {
            equations.turned(d, line);
        }
    }
    for (row, line) in tangents.stiffness.chunks_exact_mut(speeds.max(1)).enumerate() {
        equations.turned(d, line);
        let range = row * speeds..(row + 1) * speeds;
        let others = tangents.mass[range.clone()].iter().zip(&tangents.damping[range]);
        for (value, (mass, damping)) in line.iter_mut().zip(others) {
            *value = scale * (by_a * mass + by_v * damping + *value);
        }
    }
    KktSystem::factor(&tangents.stiffness, &forces, &tangents.jacobian, speeds, rows)
}

impl Integrator for Alpha {
    fn step(&mut self, ode: &mut dyn Ode, t: &mut f64, y: &mut [f64], end: f64) -> StepResult {
        if *t >= end {
            return Ok(());
        }
        let Some(equations) = ode.constrained() else {
            return Err(Failure::Fault(Fault::Order));
        };
        let shape = equations.shape();
        // States of first order besides would stay as they are.
        if y.len() != shape.coordinates + shape.speeds {
            return Err(Failure::Fault(Fault::Order));
        }
        let p = self.scheme.parameters(shape);
        let new = self.clock.next(*t, self.length, end);
        let h = new - *t;
        let (q, v) = y.split_at(shape.coordinates);
        let memory = match self.memory.take() {
            Some(memory) => memory,
            None => self.begin(equations, &p, *t, (q, v), h).map_err(Failure::Fault)?,
        };
        let found = self.solve(equations, &p, (q, v), &memory, (new, h));
        let (reached, speeds, next) = match found {
            Ok(found) => found,
            Err(fault) => {
                self.memory = Some(memory);
                return Err(Failure::Fault(fault));
            }
        };
        let [from, to] = &mut self.last.rates;
        equations
            .rates(*t, q, v, &mut from[..shape.coordinates])
            .and_then(|()| equations.rates(new, &reached, &speeds, &mut to[..shape.coordinates]))
            .map_err(Failure::Fault)?;
        from[shape.coordinates..].copy_from_slice(&memory.a);
        to[shape.coordinates..].copy_from_slice(&next.a);
        self.last.times = [*t, new];
        self.last.states[0].copy_from_slice(y);
        y[..shape.coordinates].copy_from_slice(&reached);
        y[shape.coordinates..].copy_from_slice(&speeds);
        self.last.states[1].copy_from_slice(y);
        self.memory = Some(next);
        *t = new;
        self.work.steps += 1;
        Ok(())
    }

    fn between(&self, t: f64, y: &mut [f64]) {
        self.last.between(t, y);
    }

    fn restart(&mut self, _size: usize) {
        self.memory = None;
    }

    fn work(&self) -> Work {
        self.work
    }
}
