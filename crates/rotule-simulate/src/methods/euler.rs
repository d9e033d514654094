//! Euler's method in its semi-implicit form: speeds first, and coordinates with the new speeds.
//!
//! Two evaluations a step and order one, but it keeps the energy of an oscillation bounded for ever
//! where the explicit form feeds it. The second evaluation has the old coordinates and the new
//! speeds, which serves quaternions and rolling wheels, too. Equations that do not say which states
//! are coordinates get the explicit form.

use super::control::rates;
use super::fixed::Clock;
use super::hermite::Hermite;
use crate::method::{Failure, Integrator, StepResult, Work};
use crate::ode::Ode;

/// The semi-implicit method with steps of one length.
#[derive(Debug)]
pub struct Euler {
    length: f64,
    next: Vec<f64>,
    rates: Vec<f64>,
    last: Hermite,
    /// `true` if the rates at the end of the last step are those at the beginning of the next.
    known: bool,
    /// Number of states that are coordinates.
    coordinates: usize,
    clock: Clock,
    work: Work,
}

impl Euler {
    /// Steps of this length.
    pub fn new(length: f64, size: usize) -> Euler {
        let zeros = vec![0.0; size];
        let pair = || [zeros.clone(), zeros.clone()];
        Euler {
            length,
            next: zeros.clone(),
            rates: zeros.clone(),
            last: Hermite { times: [0.0; 2], states: pair(), rates: pair() },
            known: false,
            coordinates: 0,
            clock: Clock::default(),
            work: Work::default(),
        }
    }
}

impl Integrator for Euler {
    fn step(&mut self, ode: &mut dyn Ode, t: &mut f64, y: &mut [f64], end: f64) -> StepResult {
        if *t >= end {
            return Ok(());
        }
        if !self.known {
            rates(ode, *t, y, &mut self.last.rates[1], &mut self.work).map_err(Failure::Fault)?;
            self.known = true;
        }
        let new = self.clock.next(*t, self.length, end);
        let h = new - *t;
        let coordinates = ode.coordinates();
        self.coordinates = coordinates;
        for (state, next) in self.next.iter_mut().enumerate() {
            let step = if state < coordinates { 0.0 } else { h * self.last.rates[1][state] };
            *next = y[state] + step;
        }
        if coordinates > 0 {
            rates(ode, new, &self.next, &mut self.rates, &mut self.work).map_err(Failure::Fault)?;
            let places = self.next[..coordinates].iter_mut().zip(&self.rates);
            places.zip(&*y).for_each(|((place, rate), y)| *place = y + h * rate);
        }
        rates(ode, new, &self.next, &mut self.rates, &mut self.work).map_err(Failure::Fault)?;
        self.last.times = [*t, new];
        self.last.states[0].copy_from_slice(y);
        self.last.states[1].copy_from_slice(&self.next);
        self.last.rates.swap(0, 1);
        self.last.rates[1].copy_from_slice(&self.rates);
        y.copy_from_slice(&self.next);
        *t = new;
        self.work.steps += 1;
        Ok(())
    }

    /// The result of a shorter step, so that a step that is cut is a step of the method: speeds
    /// change evenly, and coordinates go by the speed at the end.
    fn between(&self, t: f64, y: &mut [f64]) {
        let Hermite { times: [from, to], states, rates } = &self.last;
        let step = to - from;
        let x = if step == 0.0 { 0.0 } else { (t - from) / step };
        for (state, value) in y.iter_mut().enumerate() {
            let (begin, change) = (states[0][state], states[1][state] - states[0][state]);
            let leave = if state < self.coordinates { step * rates[0][state] } else { change };
            *value = begin + x * (leave + x * (change - leave));
        }
    }

    fn restart(&mut self, size: usize) {
        if size != self.next.len() {
            let Euler { clock, work, .. } = *self;
            *self = Euler { clock, work, ..Euler::new(self.length, size) };
        }
        self.known = false;
    }

    fn work(&self) -> Work {
        self.work
    }
}
