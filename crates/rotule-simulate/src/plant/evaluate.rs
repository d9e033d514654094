//! The equations of a plant at a state: loops are closed from the dependent coordinates of the
//! state, and followed from the last accepted point where that is too far.

use super::{Plant, cubic};
use crate::case::not_finite;
use crate::follow::PARTS;
use crate::inputs::InputPoint;
use crate::ode::{Fault, Ode};
use crate::outputs::motion::{Q, QD, QDD, QDOT, RATE};
use crate::second_order::Constrained;
use crate::tangent::Tangent;
use crate::work::embed;

/// Loops may be open by this much while a singular position is passed; beyond it they are torn.
const AJAR: f64 = 1e-6;

impl Plant {
    /// All coordinates, speeds and accelerations at a state.
    pub fn observe(&mut self, t: f64, y: &[f64]) -> Result<&InputPoint, Fault> {
        if self.last.is(t, y) {
            // Sketches may have been drawn since.
            self.set_state(t, y);
        } else {
            self.evaluate(t, y)?;
        }
        self.show_motion();
        Ok(&self.point)
    }

    /// Puts what the equations gave last into the point.
    fn show_motion(&mut self) {
        let motion = &self.cases[self.now].motion;
        self.point.q.copy_from_slice(motion.output(Q));
        self.point.qd.copy_from_slice(motion.output(QD));
        self.point.qdd.copy_from_slice(motion.output(QDD));
    }

    /// Puts a state between two points of a step into the point. Loops are not closed: dependent
    /// coordinates are as they were integrated, and dependent speeds are those of a cubic between
    /// the points. Good enough to see a sign.
    pub(crate) fn sketch(&mut self, t: f64, y: &[f64], [from, to]: [&InputPoint; 2]) {
        let step = to.t - from.t;
        let x = (t - from.t) / step;
        if self.is_constrained() && from.qd.len() == to.qd.len() {
            for (at, speed) in self.point.qd.iter_mut().enumerate() {
                let states = [from.qd[at], to.qd[at]];
                *speed = cubic(states, [step * from.qdd[at], step * to.qdd[at]], x);
            }
        }
        self.set_state(t, y);
    }

    /// Closes the coordinates and speeds of a state that was observed, if the form asks for it.
    pub(crate) fn project(&mut self, t: f64, y: &mut [f64]) -> Result<(), Fault> {
        // The first case has a choice if it is by choices that loops are closed.
        let passing = self.cases[0].choice.is_some();
        let Some((all, _, point, externals)) = self.all_mut() else { return Ok(()) };
        let before = point.clone();
        let projected = match all.project(point, externals) {
            // While a singular position is passed, what cannot be projected is as good as it is.
            Err(fault) if passing => {
                self.point = before;
                self.last.forget();
                self.observe(t, y)?;
                let open = self.all().map_or(Vec::new(), |all| all.parts.positions());
                // Written so that what is not a number is open, too.
                let closed = open.iter().all(|h| h.abs() <= AJAR);
                if !closed {
                    return Err(fault);
                }
                false
            }
            projected => projected?,
        };
        if projected {
            y.copy_from_slice(&self.state());
            self.last.forget();
            self.observe(t, y)?;
        }
        Ok(())
    }

    /// Observes a state that a method has accepted; predictions start from it.
    pub fn accept(&mut self, t: f64, y: &mut [f64]) -> Result<(), Fault> {
        self.normalise(y);
        self.observe(t, y)?;
        self.show_inputs();
        if let Some(what) = self.signals.beyond(&self.tree.mechanism, &self.point) {
            return Err(Fault::Beyond(what));
        }
        let step = t - self.anchor.t;
        if let Some((all, ..)) = self.all_mut() {
            all.accepted(step);
        }
        self.project(t, y)?;
        let case = &self.cases[self.now];
        let rates = [Q, QDOT, QDD].map(|output| case.motion.output(output));
        self.anchor.accept(t, rates);
        // The state goes on from where loops are closed; the equations have the same value there.
        case.layout.gather_following(1, &self.anchor.q, y);
        self.last.move_to(y);
        self.follow_rounding();
        Ok(())
    }

    /// Closes loops no better than the last accepted coordinates are known.
    pub(super) fn follow_rounding(&mut self) {
        let (case, externals) = (&mut self.cases[self.now], self.externals.as_mut());
        self.doubled = case.coarse(&self.anchor.q, self.doubled, &self.point, externals);
        case.motion.loosen(self.doubled, &self.point, externals);
    }

    /// Computes the distance of the coordinates of a state, which was observed, from where its
    /// loops are closed.
    pub(crate) fn deviation(&self, y: &[f64], deviation: &mut [f64]) {
        let case = &self.cases[self.now];
        deviation.fill(0.0);
        for (place, at) in case.layout.following() {
            deviation[place] = case.motion.output(Q)[at] - y[place];
        }
    }

    /// Quaternions of the state get unit length.
    pub(crate) fn normalise(&mut self, y: &mut [f64]) {
        if self.layout().normalise(1, y) {
            self.last.forget();
        }
    }

    fn evaluate(&mut self, t: f64, y: &[f64]) -> Result<(), Fault> {
        self.last.forget();
        self.set_state(t, y);
        if let Some(what) = self.signals.missing(&self.tree.mechanism, &self.point) {
            return Err(Fault::Beyond(what));
        }
        let closed = self.compute()?;
        let case = &self.cases[self.now];
        let reached = case.motion.output(Q);
        let jumped = self.anchor.jumped(&case.layout, 0, t, &self.point.q, reached);
        if !closed && case.layout.follow.is_empty() {
            return Err(Fault::NotClosed(case.motion.open_region().unwrap_or_default()));
        }
        if !closed || jumped {
            let mut parts = 2;
            while let Err(fault) = self.follow(t, y, parts) {
                parts *= 2;
                if parts > PARTS {
                    return Err(fault);
                }
            }
        }
        self.last.note(t, y);
        Ok(())
    }

    /// Puts a state into the point.
    fn set_state(&mut self, t: f64, y: &[f64]) {
        let (case, point) = (&self.cases[self.now], &mut self.point);
        point.t = t;
        let (own, rest) = y.split_at(case.layout.len());
        let (states, work) = rest.split_at(point.states.len());
        if let (Some(own), Some(&value)) = (&mut self.work, work.first()) {
            own.value = value;
        }
        case.layout.scatter(1, own, &mut point.q, &mut point.qd);
        point.states.copy_from_slice(states);
        self.signals.fill(&mut self.point);
    }

    /// Evaluates the equations at the point; whether loops are closed as well as can be.
    fn compute(&mut self) -> Result<bool, Fault> {
        let closed = self.compute_once()?;
        // What a caller's signal sees must belong together: loops are closed first.
        if self.signals.calls() && self.is_constrained() {
            let motion = &self.cases[self.now].motion;
            let (q, qd) = (motion.output(Q).to_vec(), motion.output(QD).to_vec());
            let mut seen = InputPoint { q, qd, ..self.point.clone() };
            self.signals.fill(&mut seen);
            if seen.inputs != self.point.inputs {
                self.point.inputs = seen.inputs;
                return self.compute_once();
            }
        }
        Ok(closed)
    }

    fn compute_once(&mut self) -> Result<bool, Fault> {
        let (case, point) = (&mut self.cases[self.now], &mut self.point);
        let closed = case.motion.evaluate(point, self.externals.as_mut());
        let iterations = case.motion.iterations();
        self.effort.evaluations += 1;
        self.effort.iterations += iterations;
        self.effort.most = self.effort.most.max(iterations);
        if let Some(name) = not_finite(&self.tree.mechanism, &case.motion) {
            self.failed = Some(point.clone());
            return Err(Fault::NotFinite(name));
        }
        Ok(closed || case.as_closed_as_can_be(point, self.externals.as_mut()))
    }

    /// Goes from the last accepted point to a state in so many parts, closing loops after each. The
    /// way begins as the motion does there; each part but the first begins in the direction of the
    /// part before.
    fn follow(&mut self, t: f64, y: &[f64], parts: usize) -> Result<(), Fault> {
        let anchor = self.anchor.clone();
        let (mut before, mut here) = (anchor.q.clone(), anchor.q.clone());
        for part in 1..=parts {
            self.set_state(t, y);
            let gone = part as f64 / parts as f64;
            let (case, point) = (&self.cases[self.now], &mut self.point);
            if part < parts {
                point.t = anchor.t + gone * (t - anchor.t);
                self.signals.fill(point);
            }
            for (&at, &follows) in case.layout.coordinates.iter().zip(&case.layout.follows) {
                let leads = anchor.leads(at, point.t);
                point.q[at] = match (follows, part) {
                    (true, 1) => leads,
                    (true, _) => here[at] + (here[at] - before[at]),
                    (false, part) if part < parts => {
                        leads + gone * (point.q[at] - anchor.leads(at, t))
                    }
                    (false, _) => point.q[at],
                };
            }
            let start = point.q.clone();
            let closed = self.compute()?;
            let case = &self.cases[self.now];
            if !closed {
                return Err(Fault::NotClosed(case.motion.open_region().unwrap_or_default()));
            }
            let reached = case.motion.output(Q);
            if let Some(row) = case.layout.follow.jumped((1, 0), &here, &start, reached) {
                return Err(Fault::NotFollowed(case.rows[row].clone()));
            }
            before = std::mem::replace(&mut here, reached.to_vec());
        }
        Ok(())
    }
}

impl Ode for Plant {
    fn size(&self) -> usize {
        let work = usize::from(self.work.is_some());
        self.layout().len() + self.point.states.len() + work
    }

    fn rates(&mut self, t: f64, y: &[f64], rates: &mut [f64]) -> Result<(), Fault> {
        self.evaluate(t, y)?;
        if self.work.is_some() {
            self.show_motion();
            rates[y.len() - 1] = self.power();
        }
        let case = &self.cases[self.now];
        let (own, rest) = rates.split_at_mut(case.layout.len());
        case.layout.gather(1, case.motion.output(QDOT), case.motion.output(QDD), own);
        rest[..self.point.states.len()].copy_from_slice(case.motion.output(RATE));
        Ok(())
    }

    fn settle(&self, y: &mut [f64]) {
        self.layout().normalise(1, y);
    }

    fn derivatives(&mut self, t: f64, y: &[f64], by_state: &mut [f64]) -> Result<bool, Fault> {
        // How a caller's signal answers to the state is not known.
        if self.all().is_some() || self.signals.calls() {
            return Ok(false);
        }
        self.observe(t, y)?;
        let own = y.len() - usize::from(self.work.is_some());
        let case = &mut self.cases[self.now];
        let externals = self.externals.as_mut();
        if case.tangent.is_none() {
            // What cannot be differentiated is left to differences.
            case.tangent = Tangent::new(&case.tree, &self.point, externals).ok();
        }
        let Some(tangent) = &mut case.tangent else { return Ok(false) };
        tangent.loosen(self.doubled, &self.point, externals);
        let layout = &case.layout;
        let state = (&layout.coordinates[..], &layout.speeds[..]);
        let closed = tangent.at(&self.point, externals, state, &mut by_state[..own * own]);
        if own < y.len() {
            embed(by_state, own);
        }
        match closed || case.as_closed_as_can_be(&self.point, externals) {
            // A law that foreign code gives may have no derivatives; then there are differences.
            true => Ok(by_state.iter().all(|entry| entry.is_finite())),
            false => Err(Fault::NotClosed("derivatives".to_owned())),
        }
    }

    fn constrained(&mut self) -> Option<&mut dyn Constrained> {
        match self.reduce() {
            Ok(()) => Some(self),
            Err(_) => None,
        }
    }

    fn coordinates(&self) -> usize {
        self.layout().coordinates.len()
    }

    fn turns(&self, state: usize) -> bool {
        self.layout().turns.get(state).is_some_and(|turns| *turns)
    }

    fn follows(&self, state: usize) -> bool {
        self.layout().follows.get(state).is_some_and(|follows| *follows)
    }

    fn counts(&self, state: usize) -> bool {
        self.work.is_none() || state + 1 < self.size()
    }

    fn scale(&self, state: usize) -> f64 {
        match &self.work {
            Some(work) if state + 1 == self.size() => work.scale,
            _ => 1.0,
        }
    }
}
