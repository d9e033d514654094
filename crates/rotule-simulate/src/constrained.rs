//! A plant whose state is all coordinates, as the methods of second order see it.

use crate::ode::Fault;
use crate::plant::Plant;
use crate::second_order::{Constrained, ConstrainedSizes, Instant, Tangents, differences};

/// A plant says so before it shows itself in this form.
const IN_ALL: &str = "the state is all coordinates";

impl Plant {
    /// Evaluates the parts of the equations at an instant.
    fn put(&mut self, at: &Instant<'_>) -> Result<(), Fault> {
        self.last = None;
        self.effort.evaluations += 1;
        let (all, _, point, externals) = self.all_mut().expect(IN_ALL);
        all.parts.put(at, point);
        match all.parts.evaluate(point, externals) {
            true => Ok(()),
            false => Err(Fault::NotClosed(all.parts.open_region().unwrap_or_default())),
        }
    }
}

impl Constrained for Plant {
    fn shape(&self) -> ConstrainedSizes {
        self.all().expect(IN_ALL).parts.shape()
    }

    fn moved(&self, q: &[f64], step: &[f64], reached: &mut [f64]) {
        self.all().expect(IN_ALL).parts.moved(q, step, reached);
    }

    fn turned(&self, step: &[f64], row: &mut [f64]) {
        self.all().expect(IN_ALL).parts.turned(step, row);
    }

    fn rates(&self, q: &[f64], v: &[f64], qdot: &mut [f64]) {
        self.all().expect(IN_ALL).parts.qdot(q, v, qdot);
    }

    fn of_speeds(&self, row: usize) -> bool {
        self.all().expect(IN_ALL).parts.of_speeds[row]
    }

    fn residuals(
        &mut self,
        at: &Instant<'_>,
        force: &mut [f64],
        closure: &mut [f64],
    ) -> Result<(), Fault> {
        self.put(at)?;
        let (all, tree, point, _) = self.all_mut().expect(IN_ALL);
        all.parts.residuals(point, at.lambda, force, closure);
        let speeds = &tree.mechanism.speeds;
        if let Some(row) = force.iter().position(|value| !value.is_finite()) {
            let name = &speeds[all.parts.speeds[row]].name;
            let fault = Fault::NotFinite(format!("the balance of forces along `{name}`"));
            self.failed = Some(self.point.clone());
            return Err(fault);
        }
        if closure.iter().any(|value| !value.is_finite()) {
            return Err(Fault::NotFinite("a constraint".to_owned()));
        }
        Ok(())
    }

    fn tangents(&mut self, at: &Instant<'_>, tangents: &mut Tangents) -> Result<(), Fault> {
        self.put(at)?;
        let (all, tree, point, externals) = self.all_mut().expect(IN_ALL);
        if all.parts.tangents(tree, point, externals, tangents)? {
            return Ok(());
        }
        differences(self, at, tangents)
    }

    fn accelerations(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        a: &mut [f64],
        lambda: &mut [f64],
    ) -> Result<(), Fault> {
        self.last = None;
        self.effort.evaluations += 1;
        let (all, _, point, externals) = self.all_mut().expect(IN_ALL);
        all.parts.put(&Instant { t, q, v, a, lambda }, point);
        if !all.evaluate(point, externals) {
            return Err(Fault::NotClosed(all.parts.open_region().unwrap_or_default()));
        }
        let parts = &all.parts;
        a.iter_mut().zip(&parts.speeds).for_each(|(a, &at)| *a = point.qdd[at]);
        let rows = parts.rows.iter().map(|&row| all.multipliers[row]);
        lambda.iter_mut().zip(rows).for_each(|(lambda, value)| *lambda = value);
        match a.iter().all(|a| a.is_finite()) {
            true => Ok(()),
            false => Err(Fault::Singular("the system of accelerations and multipliers".into())),
        }
    }
}
