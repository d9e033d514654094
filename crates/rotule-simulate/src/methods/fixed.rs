//! Methods of one step length, by their table: Runge-Kutta of order four, and Euler's.
//!
//! Every such method is a row of stages: `k_i = f(t + c_i h, y + h sum a_ij k_j)`, `y += h sum b_i
//! k_i`.

use super::control::rates;
use super::hermite::Hermite;
use crate::method::{Failure, Integrator, StepResult, Work};
use crate::ode::Ode;

/// The table of an explicit method: rows of `a` below the diagonal, `b`, `c`.
#[derive(Debug)]
pub struct ButcherTableau {
    pub(crate) a: &'static [&'static [f64]],
    pub(crate) b: &'static [f64],
    pub(crate) c: &'static [f64],
}

/// The classical method of order four.
pub const RK4: ButcherTableau = ButcherTableau {
    a: &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
    b: &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
    c: &[0.0, 0.5, 0.5, 1.0],
};

/// An explicit method with steps of one length.
#[derive(Debug)]
pub struct Fixed {
    table: &'static ButcherTableau,
    length: f64,
    stages: Vec<Vec<f64>>,
    trial: Vec<f64>,
    last: Hermite,
    /// `true` if the rates at the end of the last step are those at the beginning of the next.
    known: bool,
    clock: Clock,
    work: Work,
}

impl Fixed {
    /// A method by its table.
    pub fn new(table: &'static ButcherTableau, length: f64, size: usize) -> Fixed {
        let zeros = vec![0.0; size];
        let pair = || [zeros.clone(), zeros.clone()];
        Fixed {
            table,
            length,
            stages: vec![zeros.clone(); table.b.len()],
            trial: zeros.clone(),
            last: Hermite { times: [0.0; 2], states: pair(), rates: pair() },
            known: false,
            clock: Clock::default(),
            work: Work::default(),
        }
    }
}

impl Fixed {
    /// The method with steps of another length from here on.
    #[must_use]
    pub(crate) fn with_length(self, length: f64) -> Fixed {
        if length == self.length { self } else { Fixed { length, clock: Clock::default(), ..self } }
    }
}

impl Integrator for Fixed {
    fn step(&mut self, ode: &mut dyn Ode, t: &mut f64, y: &mut [f64], end: f64) -> StepResult {
        if *t >= end {
            return Ok(());
        }
        let new = self.clock.next(*t, self.length, end);
        let h = new - *t;
        // A step that fails leaves other rates there.
        let known = std::mem::take(&mut self.known);
        if known {
            self.stages[0].copy_from_slice(&self.last.rates[1]);
        }
        for stage in usize::from(known)..self.stages.len() {
            let (before, this) = self.stages.split_at_mut(stage);
            advance(y, h, self.table.a[stage], before, &mut self.trial);
            let now = *t + self.table.c[stage] * h;
            rates(ode, now, &self.trial, &mut this[0], &mut self.work).map_err(Failure::Fault)?;
        }
        advance(y, h, self.table.b, &self.stages, &mut self.trial);
        ode.settle(&mut self.trial);
        // The rates at the end are those of the next step's first stage, and serve between the
        // ends.
        let last = &mut self.last.rates[1];
        rates(ode, new, &self.trial, last, &mut self.work).map_err(Failure::Fault)?;
        self.last.times = [*t, new];
        self.last.states[0].copy_from_slice(y);
        self.last.states[1].copy_from_slice(&self.trial);
        self.last.rates[0].copy_from_slice(&self.stages[0]);
        y.copy_from_slice(&self.trial);
        *t = new;
        self.known = true;
        self.work.steps += 1;
        Ok(())
    }

    fn between(&self, t: f64, y: &mut [f64]) {
        self.last.between(t, y);
    }

    fn restart(&mut self, size: usize) {
        if size != self.trial.len() {
            let Fixed { clock, work, .. } = *self;
            *self = Fixed { clock, work, ..Fixed::new(self.table, self.length, size) };
        }
        self.known = false;
    }

    fn work(&self) -> Work {
        self.work
    }
}

/// Times of equal steps, counted from the first, so that sums of rounding errors do not shift them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clock {
    start: f64,
    steps: u64,
    last: f64,
}

impl Clock {
    /// When the step that begins at `t` ends: not beyond `end`, and there rather than just before.
    pub fn next(&mut self, t: f64, length: f64, end: f64) -> f64 {
        if t != self.last || self.steps == 0 {
            (self.start, self.steps) = (t, 0);
        }
        self.steps += 1;
        let next = self.start + self.steps as f64 * length;
        self.last = if next >= end - 1e-9 * length { end } else { next };
        self.last
    }
}

/// `y + h sum weight_i rate_i`
pub(crate) fn advance(y: &[f64], h: f64, weights: &[f64], rates: &[Vec<f64>], next: &mut [f64]) {
    next.copy_from_slice(y);
    for (&weight, rates) in weights.iter().zip(rates) {
        if weight != 0.0 {
            let factor = h * weight;
            next.iter_mut().zip(rates).for_each(|(value, rate)| *value += factor * rate);
        }
    }
}
