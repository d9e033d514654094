//! Step size control of all methods with a choice of step: the measure of errors, the first step,
//! and when a step is too short.

use crate::method::{Accuracy, Failure, Work};
use crate::ode::{Fault, Ode};
use rotule_symbolic::elementary::pow;
use std::f64::consts::PI;

/// A step that meets a fault is cut to this part.
pub(crate) const CUT: f64 = 0.25;

/// Changes of an iteration that are so many roundings of the states or less are rounding
/// themselves.
pub(crate) const ROUNDING: f64 = 10.0;

/// Rates that are finite, and counted.
pub(crate) fn rates(
    ode: &mut dyn Ode,
    t: f64,
    y: &[f64],
    rates: &mut [f64],
    work: &mut Work,
) -> Result<(), Fault> {
    work.evaluations += 1;
    ode.rates(t, y, rates)?;
    // A sum is finite only if its terms are, or if large ones cancel; only then each is looked at.
    if rates.iter().sum::<f64>().is_finite() {
        return Ok(());
    }
    match rates.iter().position(|rate| !rate.is_finite()) {
        None => Ok(()),
        Some(state) => Err(Fault::NotFinite(format!("the rate of state {state}"))),
    }
}

/// Bounds on errors, state by state.
#[derive(Clone, Debug)]
pub(crate) struct Tolerance {
    relative: f64,
    absolute: f64,
    /// The usual sizes of the states, requested once.
    scales: Vec<f64>,
    /// The most that a state counts for: an angle of many turns is no more than half a turn.
    most: Vec<f64>,
    /// `true` for states that follow from the others.
    follows: Vec<bool>,
    /// `true` for states with errors that count.
    counts: Vec<bool>,
}

impl Tolerance {
    /// The tolerance of an accuracy; for steps of one length, what their inner iterations are held
    /// against.
    pub fn new(accuracy: Accuracy) -> Tolerance {
        let (relative, absolute) = match accuracy {
            Accuracy::Within { relative, absolute } => (relative, absolute),
            Accuracy::Fixed(_) => (1e-10, 1e-10),
        };
        let (scales, most) = (Vec::new(), Vec::new());
        let (follows, counts) = (Vec::new(), Vec::new());
        Tolerance { relative, absolute, scales, most, follows, counts }
    }

    /// Multiplies both tolerances.
    pub fn times(mut self, factor: f64) -> Tolerance {
        self.relative *= factor;
        self.absolute *= factor;
        self
    }

    /// The tolerance that counts: the larger one, because what the smaller one asks for beyond it
    /// is never met.
    pub fn level(&self) -> f64 {
        self.relative.max(self.absolute)
    }

    /// Learns the usual sizes of the states.
    pub fn learn(&mut self, ode: &dyn Ode) {
        self.scales.clear();
        self.scales.extend((0..ode.size()).map(|state| ode.scale(state).abs()));
        self.most.clear();
        let most = |state: usize| if ode.turns(state) { PI } else { f64::INFINITY };
        self.most.extend((0..ode.size()).map(most));
        self.follows.clear();
        self.follows.extend((0..ode.size()).map(|state| ode.follows(state)));
        self.counts.clear();
        self.counts.extend((0..ode.size()).map(|state| ode.counts(state)));
    }

    /// The largest error that is allowed for this state.
    fn bound(&self, state: usize, value: f64) -> f64 {
        let size = value.abs();
        let counts = size.min(self.most[state]);
        let bound = self.absolute * self.scales[state] + self.relative * counts;
        // Not below rounding; and a bound of zero would make the quotient of a zero error no
        // number.
        bound.max(f64::EPSILON * size).max(f64::MIN_POSITIVE)
    }

    /// The root mean square of an error, in units of what is allowed: up to one is good. That of
    /// the states which follow from others is one of its own, so that neither hides the other.
    pub fn norm(&self, error: &[f64], before: &[f64], after: &[f64]) -> f64 {
        self.norm_of(before, after, |state, _| error[state])
    }

    /// The rounding of states, in units of what is allowed. Changes of this size are no news: they
    /// do not become smaller by another iteration.
    pub fn rounding(&self, before: &[f64], after: &[f64]) -> f64 {
        self.norm_of(before, after, |_, value| f64::EPSILON * value)
    }

    /// The decay of a difference of states by the difference of their rates: its rate, as if there
    /// were one, and which part of the difference of rates points against it, from -1 to 1. Both in
    /// units of what is allowed, so that units of states do not matter.
    pub fn decay(&self, rates: &[f64], states: &[f64], values: &[f64]) -> (f64, f64) {
        let (mut fast, mut far, mut against) = (0.0, 0.0, 0.0);
        for state in (0..values.len()).filter(|&state| self.counts[state]) {
            let bound = self.bound(state, values[state]);
            let (rate, difference) = (rates[state] / bound, states[state] / bound);
            fast += rate * rate;
            far += difference * difference;
            against -= rate * difference;
        }
        let (fast, far): (f64, f64) = (fast.sqrt(), far.sqrt());
        (fast / far, against / (fast * far))
    }

    /// The norm of errors that are known by state and the larger of its values.
    fn norm_of(&self, before: &[f64], after: &[f64], error: impl Fn(usize, f64) -> f64) -> f64 {
        let mut sums = [(0.0, 0_u32); 2];
        for state in (0..before.len()).filter(|&state| self.counts[state]) {
            let value = before[state].abs().max(after[state].abs());
            let part = error(state, value) / self.bound(state, value);
            let (sum, count) = &mut sums[usize::from(self.follows[state])];
            *sum += part * part;
            *count += 1;
        }
        let [own, following] = sums.map(|(sum, count)| (sum / f64::from(count.max(1))).sqrt());
        // Not `max`, which would hide what is not a number.
        if own <= following { following } else { own }
    }

    /// A guess of the first step of a method whose error is of this order, from the rates at its
    /// beginning, after Hairer, Nørsett and Wanner, Solving Ordinary Differential Equations I,
    /// section II.4.
    #[allow(clippy::too_many_arguments)]
    pub fn first(
        &self,
        ode: &mut dyn Ode,
        t: f64,
        y: &[f64],
        start: &[f64],
        left: f64,
        order: f64,
        work: &mut Work,
    ) -> Result<f64, Fault> {
        let counted: Vec<f64> =
            y.iter().zip(&self.most).map(|(y, most)| y.abs().min(*most)).collect();
        let (value, slope) = (self.norm(&counted, y, y), self.norm(start, y, y));
        let tiny = value < 1e-5 || slope < 1e-5;
        let mut trial = if tiny { 1e-6 } else { 0.01 * value / slope };
        // The trial stays where the equations may be asked.
        trial = trial.min(left);
        let mut next = vec![0.0; y.len()];
        let mut bent = vec![0.0; y.len()];
        let mut tries = 0;
        loop {
            for (state, next) in next.iter_mut().enumerate() {
                *next = y[state] + trial * start[state];
            }
            match rates(ode, t + trial, &next, &mut bent, work) {
                Ok(()) => break,
                Err(fault) if tries == 12 => return Err(fault),
                Err(_) => {}
            }
            tries += 1;
            trial *= CUT;
        }
        bent.iter_mut().zip(start).for_each(|(bent, start)| *bent -= start);
        let curve = self.norm(&bent, y, y) / trial;
        let steepest = slope.max(curve);
        let length = if steepest <= 1e-15 {
            (1e-3 * trial).max(1e-6)
        } else {
            pow(0.01 / steepest, 1.0 / order)
        };
        Ok(length.min(100.0 * trial))
    }
}

/// Watches one call of `step`: the shortest step, and what stood in the way.
#[derive(Debug)]
pub(crate) struct Watch {
    shortest: f64,
    shortest_of_faults: f64,
    only_faults: bool,
    fault: Option<Fault>,
}

impl Watch {
    /// For steps from `t` whose first try has this length.
    pub fn new(t: f64, length: f64) -> Watch {
        let at = t.abs();
        Watch {
            shortest: 10.0 * (at.next_up() - at),
            shortest_of_faults: 1e-8 * length,
            only_faults: true,
            fault: None,
        }
    }

    /// A try ended in a fault.
    pub fn fault(&mut self, fault: Fault) {
        self.fault = Some(fault);
    }

    /// A try was not exact enough, or did not converge.
    pub fn rejected(&mut self) {
        self.only_faults = false;
        self.fault = None;
    }

    /// Checks that a try of this length makes sense. The rest of the time may be as short as it
    /// likes.
    pub fn begins(&self, step: f64, left: f64) -> Result<(), Failure> {
        let hopeless = self.only_faults && step < self.shortest_of_faults;
        if step == left && self.fault.is_none() || step >= self.shortest && !hopeless {
            return Ok(());
        }
        Err(Failure::StepTooSmall { step, fault: self.fault.clone() })
    }
}

/// The length of a step of which `left` is left: a rest that is hardly shorter or longer is taken
/// whole.
pub(crate) fn fit(length: f64, left: f64) -> f64 {
    if left <= 1.01 * length { left } else { length }
}

/// The length after a step that was shortened from its plan to the end: the plan holds, unless the
/// error of a step that was not much shorter asks for less. Errors of very short steps are rounding
/// and say nothing.
pub(crate) fn keep_plan(h: f64, planned: f64, proposal: f64) -> f64 {
    if 8.0 * h < planned { planned } else { proposal.min(planned) }
}
