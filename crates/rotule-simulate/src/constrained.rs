//! A plant as the methods of second order see it: with the state of all coordinates and multipliers
//! of all constraints, or with independent speeds and the reduced equations, whose dependent
//! coordinates are guesses until a step is settled.

use crate::layout::StateLayout;
use crate::ode::{Evaluated, Fault};
use crate::outputs::motion::{QDD, QDOT};
use crate::plant::Plant;
use crate::reduced::ReducedEquations;
use crate::second_order::{Constrained, ConstrainedSizes, Instant, Tangents, differences};
use rotule_formalism::Problem;

/// A condition that was checked just before.
const IN_ALL: &str = "the state is all coordinates";
/// A plant writes them before it shows itself in this form.
const REDUCED: &str = "the reduced equations are written";

impl Plant {
    /// Evaluates the parts of the equations at an instant; of reduced equations, closes the loops.
    fn put(&mut self, at: &Instant<'_>) -> Result<(), Fault> {
        if self.all().is_none() {
            self.observe(at.t, &[at.q, at.v].concat())?;
            let doubled = self.doubled;
            let (case, point, externals) = self.case_mut();
            case.reduced.as_mut().expect(REDUCED).loosen(doubled, point, externals);
            case.layout.speeds.iter().zip(at.a).for_each(|(&to, &value)| point.qdd[to] = value);
            return Ok(());
        }
        self.last.forget();
        self.effort.evaluations += 1;
        let (all, _, point, externals) = self.all_mut().expect(IN_ALL);
        all.parts.put(at, point);
        match all.parts.evaluate(point, externals) {
            true => Ok(()),
            false => Err(Fault::NotClosed(all.parts.open_region().unwrap_or_default())),
        }
    }

    /// Writes the reduced equations of the present case, unless the state is all coordinates.
    pub(crate) fn reduce(&mut self) -> Result<(), Problem> {
        if self.all().is_some() || self.case().reduced.is_some() {
            return Ok(());
        }
        let help = "use rk4, or radau for stiff equations";
        if let Some(state) = self.tree.mechanism.states.first() {
            let message =
                format!("methods of second order do not integrate state `{}`", state.name);
            return Err(Problem::new(message, help));
        }
        if self.work().is_some() {
            let message = "methods of second order do not integrate the work of forces";
            return Err(Problem::new(message, "leave out --balance"));
        }
        let (case, point, externals) = self.case_mut();
        let state = (&case.layout.coordinates[..], &case.layout.speeds[..]);
        case.reduced = Some(ReducedEquations::new(&case.tree, state, point, externals)?);
        Ok(())
    }

    fn reduced(&self) -> &ReducedEquations {
        self.case().reduced.as_ref().expect(REDUCED)
    }
}

impl Constrained for Plant {
    fn shape(&self) -> ConstrainedSizes {
        match self.all() {
            Some(all) => all.parts.shape(),
            None => {
                let StateLayout { coordinates, speeds, .. } = &self.case().layout;
                ConstrainedSizes { coordinates: coordinates.len(), speeds: speeds.len(), rows: 0 }
            }
        }
    }

    fn moved(&self, q: &[f64], step: &[f64], reached: &mut [f64]) {
        match self.all() {
            Some(all) => all.parts.moved(q, step, reached),
            None => self.reduced().moved(q, step, reached),
        }
    }

    fn turned(&self, step: &[f64], row: &mut [f64]) {
        match self.all() {
            Some(all) => all.parts.turned(step, row),
            None => self.reduced().turned(step, row),
        }
    }

    fn rates(&mut self, t: f64, q: &[f64], v: &[f64], qdot: &mut [f64]) -> Result<(), Fault> {
        if let Some(all) = self.all() {
            all.parts.qdot(q, v, qdot);
            return Ok(());
        }
        self.observe(t, &[q, v].concat())?;
        let case = self.case();
        let found = case.motion.output(QDOT);
        qdot.iter_mut().zip(&case.layout.coordinates).for_each(|(rate, &at)| *rate = found[at]);
        Ok(())
    }

    fn settle(&mut self, t: f64, q: &mut [f64], v: &[f64]) -> Result<(), Fault> {
        if self.all().is_some() {
            return Ok(());
        }
        let closed = self.observe(t, &[q, v].concat())?.q.clone();
        let case = self.case();
        for ((value, &at), follows) in
            q.iter_mut().zip(&case.layout.coordinates).zip(&case.layout.follows)
        {
            if *follows {
                *value = closed[at];
            }
        }
        Ok(())
    }

    fn of_speeds(&self, row: usize) -> bool {
        self.all().is_some_and(|all| all.parts.of_speeds[row])
    }

    fn residuals(&mut self, at: &Instant<'_>, force: &mut [f64], h: &mut [f64]) -> Evaluated {
        self.put(at)?;
        match self.all_mut() {
            Some((all, _, point, _)) => all.parts.residuals(point, at.lambda, force, h),
            None => {
                let (case, point, externals) = self.case_mut();
                let reduced = case.reduced.as_mut().expect(REDUCED);
                if !reduced.residuals(point, externals, force) {
                    return Err(Fault::NotClosed("actuation".to_owned()));
                }
            }
        }
        if let Some(row) = force.iter().position(|value| !value.is_finite()) {
            let speed = match self.all() {
                Some(all) => all.parts.speeds[row],
                None => self.case().layout.speeds[row],
            };
            let name = &self.tree.mechanism.speeds[speed].name;
            let fault = Fault::NotFinite(format!("the balance of forces along `{name}`"));
            self.failed = Some(self.point.clone());
            return Err(fault);
        }
        if h.iter().any(|value| !value.is_finite()) {
            return Err(Fault::NotFinite("a constraint".to_owned()));
        }
        Ok(())
    }

    fn tangents(&mut self, at: &Instant<'_>, tangents: &mut Tangents) -> Result<(), Fault> {
        self.put(at)?;
        let known = match self.all_mut() {
            Some((all, tree, point, externals)) => {
                all.parts.tangents(tree, point, externals, tangents)?
            }
            None => {
                let (case, point, externals) = self.case_mut();
                case.reduced.as_mut().expect(REDUCED).tangents(point, externals, tangents)
            }
        };
        match known {
            true => Ok(()),
            false => differences(self, at, tangents),
        }
    }

    fn accelerations(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<[Vec<f64>; 2], Fault> {
        if self.all().is_none() {
            self.observe(t, &[q, v].concat())?;
            let case = self.case();
            let found = case.motion.output(QDD);
            let a = case.layout.speeds.iter().map(|&at| found[at]).collect();
            return Ok([a, Vec::new()]);
        }
        self.last.forget();
        self.effort.evaluations += 1;
        let (all, _, point, externals) = self.all_mut().expect(IN_ALL);
        let zeros = [vec![0.0; all.parts.speeds.len()], vec![0.0; all.parts.rows.len()]];
        all.parts.put(&Instant { t, q, v, a: &zeros[0], lambda: &zeros[1] }, point);
        if !all.evaluate(point, externals) {
            return Err(Fault::NotClosed(all.parts.open_region().unwrap_or_default()));
        }
        let parts = &all.parts;
        let a: Vec<f64> = parts.speeds.iter().map(|&at| point.qdd[at]).collect();
        let lambda = parts.rows.iter().map(|&row| all.multipliers[row]).collect();
        match a.iter().all(|a| a.is_finite()) {
            true => Ok([a, lambda]),
            false => Err(Fault::Singular("the system of accelerations and multipliers".into())),
        }
    }
}
