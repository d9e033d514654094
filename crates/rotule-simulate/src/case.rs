//! A plant in some coordinates: the layout of the state, the equations for it, and other functions
//! of the mechanism in this case, each written when it is first needed.

use crate::augmented::{Augmented, ConstraintForm, Equations};
use crate::euler_sequence::AxisOrder;
use crate::inputs::InputPoint;
use crate::layout::StateLayout;
use crate::outputs;
use crate::outputs::motion::{Q, QD, QDD, QDOT, RATE};
use crate::quantity::EvaluatedFunction;
use crate::reduced::ReducedEquations;
use crate::redundant::Redundant;
use crate::tangent::Tangent;
use rotule_formalism::constraint::TOLERANCE;
use rotule_formalism::constraint::partition::CoordinatePartition;
use rotule_formalism::{MultibodySystem, Problem};
use rotule_jit::KernelKind;
use rotule_model::mechanism::{Action, Event, EventTarget, Mechanism};
use rotule_numeric::pattern::Pattern;
use rotule_program::Externals;
use rotule_symbolic::elementary::log2;

/// Up to here, in radians or metres, coordinates have more digits than closing asks for.
const FINE: f64 = TOLERANCE / f64::EPSILON;

/// The coordinates and speeds that are the state, and the program for it.
pub(crate) struct Case {
    pub choice: Option<CoordinatePartition>,
    pub held: Vec<usize>,
    /// Intermittent constraints that hold in it.
    pub engaged: Vec<usize>,
    /// The Euler-angle sequences of gimbals, as orders of frame axes; none is the user's.
    pub orders: Vec<Option<AxisOrder>>,
    pub layout: StateLayout,
    /// Names of the constraints, for messages.
    pub rows: Vec<String>,
    pub motion: Equations,
    /// Written when a method asks for it.
    pub tangent: Option<Tangent>,
    /// Written when a method asks for it.
    pub reduced: Option<ReducedEquations>,
    /// The tree with this choice.
    pub tree: MultibodySystem,
    functions: Vec<Kept>,
    /// Coordinates that constraints look at, once that was requested.
    looped: Option<Vec<usize>>,
}

/// A function that was requested.
struct Kept {
    name: &'static str,
    quantity: EvaluatedFunction,
    /// `true` if it knows the parameters.
    ready: bool,
}

impl Case {
    /// Number of programs that were written for this case.
    pub fn written(&self) -> usize {
        1 + self.functions.len()
    }

    /// Parameters may have changed: functions take them over when they are next needed.
    pub fn renew(&mut self) {
        self.functions.iter_mut().for_each(|kept| kept.ready = false);
    }

    /// A function of the mechanism in this case, ready to be evaluated.
    pub fn function(
        &mut self,
        name: &'static str,
        point: &InputPoint,
        externals: &mut dyn Externals,
    ) -> Result<&mut EvaluatedFunction, Problem> {
        let known = self.functions.iter().position(|kept| kept.name == name);
        let at = match known {
            Some(at) => at,
            None => {
                let quantity = EvaluatedFunction::new(&self.tree, name)?;
                self.functions.push(Kept { name, quantity, ready: false });
                self.functions.len() - 1
            }
        };
        let kept = &mut self.functions[at];
        if !kept.ready {
            kept.quantity.setup(point, externals);
            kept.ready = true;
        }
        Ok(&mut kept.quantity)
    }

    /// Returns `true` if a row of the constraints is redundant, or nothing is constrained.
    pub fn repeats(&self, row: usize) -> bool {
        match (&self.motion, &self.choice) {
            (Equations::All(all), _) => !all.parts.rows.contains(&row),
            (Equations::Closed(_), Some(choice)) => choice.redundant.contains(&row),
            (Equations::Closed(_), None) => true,
        }
    }

    /// Number of times that the tolerance of loops is to be doubled at some coordinates, because an
    /// angle of thousands of turns is known to fewer digits than closing asks for; at least as
    /// often as it was.
    pub fn coarse(
        &mut self,
        q: &[f64],
        doubled: u32,
        point: &InputPoint,
        externals: &mut dyn Externals,
    ) -> u32 {
        if !matches!(self.motion, Equations::Closed(_))
            || size(q) <= FINE * (1_u64 << doubled.min(63)) as f64
        {
            return doubled;
        }
        let steps = |largest: f64| log2(largest / FINE).ceil().max(f64::from(doubled)) as u32;
        // How far a vehicle has gone says nothing of the loops that it carries.
        if self.looped.is_none() {
            let Ok(constraints) = self.function("constraints", point, externals) else {
                return doubled;
            };
            let entries =
                constraints.program().outputs()[outputs::constraints::JACOBIAN].entries.iter();
            let mut columns: Vec<usize> = entries.map(|entry| entry.column as usize).collect();
            columns.sort_unstable();
            columns.dedup();
            let mechanism = &self.tree.mechanism;
            let single = |speed: usize| coordinate_of(mechanism, speed);
            self.looped = Some(columns.into_iter().filter_map(single).collect());
        }
        let looped = self.looped.iter().flatten();
        steps(looped.fold(0.0_f64, |most, &at| most.max(q[at].abs())))
    }

    /// Returns `true` if what is left of the constraints after the last evaluation is rounding.
    pub fn as_closed_as_can_be(
        &mut self,
        point: &InputPoint,
        externals: &mut dyn Externals,
    ) -> bool {
        if !self.motion.only_loops_open() {
            return false;
        }
        let mut reached = point.clone();
        reached.q.copy_from_slice(self.motion.output(Q));
        let Ok(constraints) = self.function("constraints", point, externals) else { return false };
        constraints.evaluate(&reached, externals);
        let rounding = 4.0 * f64::EPSILON * size(&reached.q);
        constraints.output(outputs::constraints::RESIDUALS).iter().all(|h| h.abs() <= rounding)
    }

    /// The case of the choice that the tree holds.
    pub fn new(
        tree: &MultibodySystem,
        held: &[usize],
        runner: KernelKind,
    ) -> Result<Case, Problem> {
        let motion = Equations::Closed(EvaluatedFunction::run_by(runner, tree, "motion")?);
        let pattern = match &tree.strategy.partition {
            Some(_) => Some(Pattern::of(tree)?),
            None => None,
        };
        let layout = StateLayout::of(tree, held, pattern.as_ref());
        let names = pattern.map(|pattern| pattern.rows.into_iter().map(|row| row.name).collect());
        let choice = tree.strategy.partition.clone();
        Ok(Case::with(tree, held, choice, layout, names.unwrap_or_default(), motion))
    }

    /// The case of all coordinates.
    pub fn of_all(
        tree: &MultibodySystem,
        form: ConstraintForm,
        runner: KernelKind,
    ) -> Result<Case, Problem> {
        let parts = Redundant::new(tree, runner)?;
        let motion = Equations::All(Box::new(Augmented::new(parts, form, tree)));
        Ok(Case::with(tree, &[], None, StateLayout::of_all(tree), Vec::new(), motion))
    }

    fn with(
        tree: &MultibodySystem,
        held: &[usize],
        choice: Option<CoordinatePartition>,
        layout: StateLayout,
        rows: Vec<String>,
        motion: Equations,
    ) -> Case {
        Case {
            choice,
            held: held.to_vec(),
            engaged: tree.mechanism.engaged(),
            orders: Vec::new(),
            layout,
            rows,
            motion,
            tangent: None,
            reduced: None,
            tree: tree.clone(),
            functions: Vec::new(),
            looped: None,
        }
    }
}

/// Checks that a mechanism can be simulated in all coordinates. Locking joints needs independent
/// coordinates, and so does setting coordinates and speeds where others must follow; methods of
/// second order support no further states.
pub(crate) fn suits(
    mechanism: &Mechanism,
    closed: bool,
    form: ConstraintForm,
) -> Result<(), Problem> {
    let holds = |event: &&Event| {
        let action = |action: &Action| match action {
            Action::Lock(_)
            | Action::Unlock(_)
            | Action::Engage(_)
            | Action::Release(_)
            | Action::Stick { .. } => true,
            Action::Impact { .. } => event.stop,
            Action::Set { target, .. } => closed && !matches!(target, EventTarget::State(_)),
            Action::End => false,
        };
        event.actions.iter().any(action)
    };
    let state = mechanism.states.first().filter(|_| form == ConstraintForm::Index3);
    let found = match (state, mechanism.events.iter().find(holds)) {
        (Some(state), _) => format!("state `{}`", state.name),
        (_, Some(event)) if event.stop => format!("the stop `{}`", event.name),
        (_, Some(event)) => {
            format!("event `{}`, which holds or sets joints or constraints", event.name)
        }
        _ => return Ok(()),
    };
    let message = format!("constraints by {} do not support {found}", form.word());
    Err(Problem::new(message, "use --constraints partition"))
}

/// The largest of some numbers.
fn size(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0_f64, |most, number| most.max(number.abs()))
}

/// The coordinate whose derivative is a speed; none of a joint with a quaternion.
pub(crate) fn coordinate_of(mechanism: &Mechanism, speed: usize) -> Option<usize> {
    let joint = mechanism.joints.iter().find(|joint| joint.speeds.contains(&speed));
    let joint = joint.expect("every speed belongs to a joint");
    let single = joint.coordinates.len() == joint.speeds.len();
    single.then(|| joint.coordinates.start + (speed - joint.speeds.start))
}

/// The name of something that `motion` gave and that is not finite.
pub(crate) fn not_finite(mechanism: &Mechanism, motion: &Equations) -> Option<String> {
    // All are looked at: a branch for each would cost more.
    if motion.outputs().iter().fold(true, |all, number| all & number.is_finite()) {
        return None;
    }
    let of = |output: usize| motion.output(output).iter().position(|number| !number.is_finite());
    let coordinate = |at: usize| &mechanism.coordinates[at].name;
    (of(Q).map(|at| format!("coordinate `{}`", coordinate(at))))
        .or_else(|| of(QD).map(|at| format!("speed `{}`", mechanism.speeds[at].name)))
        .or_else(|| {
            of(QDD).map(|at| format!("the acceleration of `{}`", mechanism.speeds[at].name))
        })
        .or_else(|| of(QDOT).map(|at| format!("the rate of `{}`", coordinate(at))))
        .or_else(|| of(RATE).map(|at| format!("the rate of `{}`", mechanism.states[at].name)))
}
