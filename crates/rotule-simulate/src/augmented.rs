//! Accelerations of all coordinates and multipliers at once, and what keeps loops closed in this
//! form.
//!
//! ```text
//! [ M  -J' ] [ a      ]   [ Q - c ]
//! [ J   0  ] [ lambda ] = [ -b - 2 alpha (J v + e) - beta^2 h ]
//! ```
//!
//! Without help (both zero) errors of every step stay in `h` and grow with time. Baumgarte's terms
//! pull them back with their rates. Tied to the longest step so far as `alpha = beta = 1 / (10
//! step)` they are fast, no method is troubled by them, whatever the time scale of the mechanism,
//! and `h` stays about as large as the error of a few such steps. The last step would not do: a
//! short one makes the terms fast, and these the next one short. Projection goes back to the
//! nearest closed position after each step, and then to the nearest speeds, both measured by `M`:
//!
//! ```text
//! M d = J' mu,  J d = -h   until closed          M d = J' mu,  J d = -(J v + e)
//! ```

use crate::inputs::InputPoint;
use crate::ode::Fault;
use crate::quantity::EvaluatedFunction;
use crate::redundant::Redundant;
use rotule_formalism::MultibodySystem;
use rotule_numeric::dense::{KktSystem, LeastConstraint};
use rotule_program::Externals;

/// The form in which constraints are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ConstraintForm {
    /// Dependent coordinates follow from independent ones, exactly.
    Partition,
    /// All coordinates; constraints are kept in their accelerations only, so that errors add up.
    Unstabilised,
    /// All coordinates, pulled back by Baumgarte's terms.
    Baumgarte(Gains),
    /// All coordinates, projected onto the constraints after each step.
    Projection,
    /// All coordinates and multipliers, constraints in positions: for the methods of second order.
    Index3,
}

/// The rates of Baumgarte's terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gains {
    /// One for both, which follows from the longest step so far.
    Step,
    /// Those that the model has.
    Model,
    /// `alpha` and `beta`.
    Given([f64; 2]),
}

impl ConstraintForm {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            ConstraintForm::Partition => "partition",
            ConstraintForm::Unstabilised => "unstabilised",
            ConstraintForm::Baumgarte(_) => "baumgarte",
            ConstraintForm::Projection => "projection",
            ConstraintForm::Index3 => "index3",
        }
    }
}

/// The rate of Baumgarte's terms in parts of a step.
const RATE: f64 = 0.1;
/// Residuals that are not worth a correction, and those that rounding may leave.
const CLOSED: f64 = 1e-15;
const OPEN: f64 = 1e-10;
const CORRECTIONS: usize = 20;

/// The equations as first-order ones, with outputs in the order of the function `motion`.
pub(crate) struct Augmented {
    pub parts: Redundant,
    pub form: ConstraintForm,
    system: Option<System>,
    /// The gains of the model.
    model: [f64; 2],
    /// The longest step so far, for Baumgarte's terms.
    step: Option<f64>,
    /// `q`, `qd`, `qdot`, `qdd` of all joints, one after the other, and rates of further states.
    outputs: Vec<f64>,
    starts: [usize; 6],
    /// One for each row; zero for those that repeat others.
    pub multipliers: Vec<f64>,
}

impl Augmented {
    /// The equations in a form.
    pub fn new(parts: Redundant, form: ConstraintForm, tree: &MultibodySystem) -> Augmented {
        let (coordinates, speeds) = (tree.motion.q.len(), tree.speeds());
        let gains = tree.mechanism.evaluate(&tree.mechanism.baumgarte);
        let model = [gains[0], gains[1]];
        let sizes = [coordinates, speeds, coordinates, speeds, tree.mechanism.states.len()];
        let mut starts = [0; 6];
        (0..5).for_each(|at| starts[at + 1] = starts[at] + sizes[at]);
        let multipliers = vec![0.0; parts.count];
        let outputs = vec![f64::NAN; starts[5]];
        Augmented { parts, form, system: None, model, step: None, outputs, starts, multipliers }
    }

    /// An output of the last evaluation.
    pub fn output(&self, at: usize) -> &[f64] {
        &self.outputs[self.starts[at]..self.starts[at + 1]]
    }

    /// All outputs.
    pub fn outputs(&self) -> &[f64] {
        &self.outputs
    }

    /// `alpha` and `beta`.
    fn gains(&self) -> [f64; 2] {
        match self.form {
            ConstraintForm::Baumgarte(Gains::Given(gains)) => gains,
            ConstraintForm::Baumgarte(Gains::Model) => self.model,
            ConstraintForm::Baumgarte(Gains::Step) => {
                [self.step.map_or(0.0, |step| RATE / step); 2]
            }
            _ => [0.0; 2],
        }
    }

    /// Evaluates at a point; false if an iteration did not converge. Numbers that are not finite
    /// say the rest.
    pub fn evaluate(&mut self, point: &mut InputPoint, externals: &mut dyn Externals) -> bool {
        let closed = self.parts.evaluate(point, externals);
        self.outputs.fill(f64::NAN);
        if self.solve(point).is_err() {
            point.qdd.fill(f64::NAN);
        }
        let (q, qd) = (&point.q, &point.qd);
        self.outputs[..self.starts[1]].copy_from_slice(q);
        self.outputs[self.starts[1]..self.starts[2]].copy_from_slice(qd);
        self.outputs[self.starts[3]..self.starts[4]].copy_from_slice(&point.qdd);
        let states = &mut self.outputs[self.starts[4]..];
        let found = self.parts.state_rates(point, externals, states);
        let rates = &mut self.outputs[self.starts[2]..self.starts[3]];
        rates.fill(0.0);
        let parts = &self.parts;
        let q: Vec<f64> = parts.coordinates.iter().map(|&at| q[at]).collect();
        let v: Vec<f64> = parts.speeds.iter().map(|&at| qd[at]).collect();
        let mut qdot = vec![0.0; q.len()];
        parts.qdot(&q, &v, &mut qdot);
        parts.coordinates.iter().zip(qdot).for_each(|(&at, rate)| rates[at] = rate);
        closed && found
    }

    /// Accelerations and multipliers at the point that was evaluated.
    fn solve(&mut self, point: &mut InputPoint) -> Result<(), Fault> {
        self.system = None;
        let parts = &self.parts;
        let system = System::of(parts);
        let [alpha, beta] = self.gains();
        let mut right = parts.rates(point);
        if [alpha, beta] != [0.0; 2] {
            let (h, hd) = (parts.positions(), parts.velocities(point));
            for ((right, h), hd) in right.iter_mut().zip(h).zip(hd) {
                *right += 2.0 * alpha * hd + beta * beta * h;
            }
        }
        right.iter_mut().for_each(|value| *value = -*value);
        let (a, lambda) = system.solve(&parts.applied(point, true), &right)?;
        parts.speeds.iter().zip(a).for_each(|(&at, a)| point.qdd[at] = a);
        self.multipliers.fill(0.0);
        parts.rows.iter().zip(lambda).for_each(|(&row, value)| self.multipliers[row] = value);
        self.system = Some(system);
        Ok(())
    }

    /// Takes note of an accepted step.
    pub fn accepted(&mut self, step: f64) {
        if step > 0.0 {
            self.step = Some(self.step.map_or(step, |known| step.max(known)));
        }
    }

    /// Closes positions and speeds of the point that was evaluated last, if this form asks for it.
    /// True if they changed.
    pub fn project(
        &mut self,
        point: &mut InputPoint,
        externals: &mut dyn Externals,
    ) -> Result<bool, Fault> {
        if self.form != ConstraintForm::Projection || self.parts.rows.is_empty() {
            return Ok(false);
        }
        let Some(mut system) = self.system.take() else { return Ok(false) };
        let parts = &mut self.parts;
        let nothing = vec![0.0; parts.speeds.len()];
        let mut changed = false;
        let mut left = largest(&parts.positions());
        for _ in 0..CORRECTIONS {
            if left <= CLOSED {
                break;
            }
            let right: Vec<f64> = parts.positions().iter().map(|h| -h).collect();
            let (step, _) = system.solve(&nothing, &right)?;
            let before: Vec<f64> = parts.coordinates.iter().map(|&at| point.q[at]).collect();
            let mut reached = before.clone();
            parts.moved(&before, &step, &mut reached);
            parts.coordinates.iter().zip(&reached).for_each(|(&at, &q)| point.q[at] = q);
            parts.evaluate(point, externals);
            let now = largest(&parts.positions());
            if now.is_nan() || now > 0.5 * left && left <= OPEN {
                // Rounding: what was there is as good.
                parts.coordinates.iter().zip(&before).for_each(|(&at, &q)| point.q[at] = q);
                parts.evaluate(point, externals);
                break;
            }
            changed = true;
            if now > 0.1 * left {
                system = System::of(parts);
            }
            left = now;
        }
        // Written so that what is not a number is open, too.
        let closed = left <= OPEN;
        if !closed {
            return Err(Fault::NotClosed("the projection onto the constraints".into()));
        }
        let mut left = f64::INFINITY;
        for _ in 0..CORRECTIONS {
            let right: Vec<f64> = parts.velocities(point).iter().map(|v| -v).collect();
            let now = largest(&right);
            if now <= CLOSED || now > 0.5 * left {
                break;
            }
            left = now;
            let (step, _) = system.solve(&nothing, &right)?;
            parts.speeds.iter().zip(step).for_each(|(&at, step)| point.qd[at] += step);
            changed = true;
        }
        Ok(changed)
    }
}

/// The system of accelerations and multipliers, factored.
enum System {
    /// Where all that moves has mass.
    Least(Box<LeastConstraint>),
    /// Where constraints rule what has none.
    Kkt(KktSystem),
}

impl System {
    /// The system at the point that was evaluated.
    fn of(parts: &Redundant) -> System {
        let (size, rows) = (parts.speeds.len(), parts.rows.len());
        let (mut mass, mut jacobian) = (vec![0.0; size * size], vec![0.0; rows * size]);
        parts.mass(&mut mass);
        parts.jacobian(&mut jacobian);
        match LeastConstraint::factor(&mass, &jacobian, size, rows) {
            Some(least) => System::Least(Box::new(least)),
            None => System::Kkt(KktSystem::factor(&mass, &jacobian, &jacobian, size, rows)),
        }
    }

    /// Accelerations, or increments, and multipliers.
    fn solve(&self, f: &[f64], g: &[f64]) -> Result<(Vec<f64>, Vec<f64>), Fault> {
        let solved = match self {
            System::Kkt(system) => system.solve(f, g),
            System::Least(system) => system.solve(f, g),
        };
        solved.ok_or_else(|| Fault::Singular("the system of accelerations and multipliers".into()))
    }
}

fn largest(values: &[f64]) -> f64 {
    // A number that is not one must not be lost.
    values.iter().fold(0.0_f64, |most, x| if x.abs() <= most { most } else { x.abs() })
}

/// The evaluator of the equations of motion of a case.
#[allow(clippy::large_enum_variant, reason = "a plant has one")]
pub(crate) enum Equations {
    /// The function `motion`: loops are closed inside.
    Closed(EvaluatedFunction),
    /// All coordinates.
    All(Box<Augmented>),
}

impl Equations {
    /// The name of the kernel that runs it.
    pub fn kernel(&self) -> &'static str {
        match self {
            Equations::Closed(motion) => motion.kernel(),
            Equations::All(all) => all.parts.kernel(),
        }
    }

    /// Takes over parameters.
    pub fn setup(&mut self, point: &InputPoint, externals: &mut dyn Externals) {
        match self {
            Equations::Closed(motion) => motion.setup(point, externals),
            Equations::All(all) => all.parts.setup(point, externals),
        }
    }

    /// See [`EvaluatedFunction::loosen`].
    pub fn loosen(&mut self, doubled: u32, point: &InputPoint, externals: &mut dyn Externals) {
        if let Equations::Closed(motion) = self {
            motion.loosen(doubled, point, externals);
        }
    }

    /// Computes the outputs at a point; false if an iteration did not converge.
    pub fn evaluate(&mut self, point: &mut InputPoint, externals: &mut dyn Externals) -> bool {
        match self {
            Equations::Closed(motion) => motion.evaluate(point, externals),
            Equations::All(all) => all.evaluate(point, externals),
        }
    }

    /// An output of the last evaluation, by its position in `motion`.
    pub fn output(&self, at: usize) -> &[f64] {
        match self {
            Equations::Closed(motion) => motion.output(at),
            Equations::All(all) => all.output(at),
        }
    }

    /// All outputs of the last evaluation.
    pub fn outputs(&self) -> &[f64] {
        match self {
            Equations::Closed(motion) => motion.outputs(),
            Equations::All(all) => all.outputs(),
        }
    }

    /// The name of an iteration that did not converge in the last evaluation.
    pub fn open_region(&self) -> Option<String> {
        match self {
            Equations::Closed(motion) => motion.open_region(0),
            Equations::All(all) => all.parts.open_region(),
        }
    }

    /// Returns `true` if nothing but the closing of loops did not converge in the last evaluation.
    pub fn only_loops_open(&self) -> bool {
        match self {
            Equations::Closed(motion) => motion.only_loops_open(),
            Equations::All(_) => false,
        }
    }

    /// Iterations of the last evaluation.
    pub fn iterations(&self) -> u64 {
        match self {
            Equations::Closed(motion) => motion.iterations(),
            Equations::All(all) => all.parts.iterations(),
        }
    }
}
